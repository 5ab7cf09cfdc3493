"""Decides by when a job must have had a success: the dead man's switch.

A job that last succeeded must succeed again by its n-th planned time after that, so it does not
matter whether its times are a minute or a weekend apart. Its run gets as long as the last
success took, and a tenth of the interval: at least a minute, at most an hour.
"""

from foliot.core.instant import HOUR, MINUTE, Instant
from foliot.core.recurrence import Timetable

_SHORTEST_TOLERANCE = MINUTE
_LONGEST_TOLERANCE = HOUR
# A success is searched this many times as far back as the next n planned times lie ahead.
_WINDOWS = 3


def search_since(timetable: Timetable, count: int, now: Instant) -> Instant | None:
    """Return from when on a success is searched; None if fewer than `count` times are left."""
    ahead = _occurrence(timetable, count, now)
    return None if ahead is None else Instant(max(0, now - _WINDOWS * (ahead - now)))


def success_deadline(
    timetable: Timetable, count: int, since: Instant, took: int = 0
) -> Instant | None:
    """Return by when a success is expected whose predecessor began at `since` and took some ticks.

    None if the calendar ends before the n-th planned time.
    """
    last = _occurrence(timetable, count, since)
    if last is None:
        return None
    interval = (last - since) // count
    tolerance = min(max(interval // 10, _SHORTEST_TOLERANCE), _LONGEST_TOLERANCE)
    return Instant(last + took + tolerance)


def _occurrence(timetable: Timetable, count: int, after: Instant) -> Instant | None:
    found: Instant | None = after
    for _ in range(count):
        if found is None:
            return None
        found = timetable.next_after(found)
    return found
