"""Decides by when a job must have had a success: the dead man's switch.

A job that last succeeded must succeed again by its n-th planned time after that, so it does not
matter whether its times are a minute or a weekend apart. If its calendar ends before, it must
succeed by its last planned time. Its run gets as long as the last success took, and a tenth of the
interval: at least a minute, at most an hour.
"""

from typing import NamedTuple

from foliot.core.instant import HOUR, MINUTE, Instant
from foliot.core.recurrence import Timetable, previous_before

_SHORTEST_TOLERANCE = MINUTE
_LONGEST_TOLERANCE = HOUR
# A success is searched this many times as far back as the next n planned times lie ahead.
_WINDOWS = 3


class Deadline(NamedTuple):
    """By when a success is expected, and how many planned times have passed without one then."""

    at: Instant
    times: int


def search_since(timetable: Timetable, count: int, now: Instant) -> Instant:
    """Return from when on a success is searched; at the end of a calendar by its last times."""
    ahead = _following(timetable, count, now)
    window = ahead[-1] - now if len(ahead) == count else count * _last_span(timetable, now)
    return Instant(max(0, now - _WINDOWS * window))


def success_deadline(
    timetable: Timetable, count: int, since: Instant, *, took: int = 0, last: Instant | None = None
) -> Deadline | None:
    """Return by when a success is expected whose predecessor began at `since` and took some ticks.

    `last` is the last planned time of a job that has no more; None while others follow. Without
    a planned time by which to succeed there is no deadline.
    """
    planned = [each for each in _following(timetable, count, since) if last is None or each <= last]
    if not planned or (last is None and len(planned) < count):
        return None
    interval = (planned[-1] - since) // len(planned)
    tolerance = min(max(interval // 10, _SHORTEST_TOLERANCE), _LONGEST_TOLERANCE)
    return Deadline(Instant(planned[-1] + took + tolerance), len(planned))


def _last_span(timetable: Timetable, now: Instant) -> int:
    """Return the ticks since the last planned time but one, or since the only one."""
    last = previous_before(timetable, now)
    if last is None:
        return 0
    before = previous_before(timetable, last)
    return now - (last if before is None else before)


def _following(timetable: Timetable, count: int, after: Instant) -> list[Instant]:
    """Return the next planned times, at most `count` of them."""
    found: list[Instant] = []
    following = timetable.next_after(after)
    while following is not None and len(found) < count:
        found.append(following)
        following = timetable.next_after(following)
    return found
