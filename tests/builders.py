"""Values with defaults, so that a test names only what matters to it."""

from itertools import islice
from typing import Any

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.instant import Instant, format_instant, parse_instant
from foliot.core.recurrence import Timetable, accept, occurrences

NOW = "2026-01-10T00:00:00Z"


def timetable(
    recurrence: dict[str, Any] | None = None, *, start: str | None = None, now: str = NOW
) -> Timetable:
    """Return the timetable of a job with this calendar, saved now."""
    job = Properties({"recurrence": recurrence, "startTime": start})
    return accept(decode_recurrence(job), decode_start(job), at(now))


def times(table: Timetable, count: int) -> list[str]:
    """Return the first occurrences as text."""
    return [format_instant(each) for each in islice(occurrences(table), count)]


def at(text: str) -> Instant:
    return parse_instant(text)
