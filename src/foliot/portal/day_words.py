"""Reads a day or a time as people say it: "yesterday", "saturday 03:00", "03:00"."""

import re
from calendar import day_name
from typing import Final
from zoneinfo import ZoneInfo

from foliot.core.instant import DAY, HOUR, MINUTE, Instant, Wall, reading_of
from foliot.core.recurrence.zone import to_instant, to_wall

EXAMPLES: Final = "yesterday, saturday or 03:00"
_WEEK_DAYS: Final = [each.lower() for each in day_name]
_SAID: Final = re.compile(
    rf"(today|yesterday|{'|'.join(_WEEK_DAYS)})?\s*(?:\b([01]?\d|2[0-3]):([0-5]\d))?",
    re.ASCII | re.IGNORECASE,
)


def said_instant(text: str, now: Instant, zone: ZoneInfo | None) -> Instant | None:
    """Return the last such time that has passed, on the clock of a zone; None for other texts.

    A day alone is its beginning. A weekday may be today, and a time alone may be yesterday's.
    """
    found = _SAID.fullmatch(text)
    if not text.strip() or found is None:
        return None
    here = to_wall(zone, now)
    within = int(found[2] or 0) * HOUR + int(found[3] or 0) * MINUTE
    today = here - here % DAY
    at = today - _days_back(found[1], here, within) * DAY + within
    return to_instant(zone, Wall(max(0, at)))


def _days_back(day: str | None, here: Wall, within: int) -> int:
    is_ahead = within > here % DAY
    if day is None:
        return int(is_ahead)
    if day.lower() in _WEEK_DAYS:
        back = (reading_of(here).weekday() - _WEEK_DAYS.index(day.lower())) % 7
        return 7 if not back and is_ahead else back
    return int(day.lower() == "yesterday")
