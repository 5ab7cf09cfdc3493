"""Finds the occurrence before an instant.

A timetable finds only the next occurrence, so the previous one is searched: first in periods that
double in length, then by bisection. The number of steps grows with the logarithm of the distance.
"""

from foliot.core.instant import SECOND, Instant
from foliot.core.recurrence.timetable import Timetable


def previous_before(timetable: Timetable, instant: Instant) -> Instant | None:
    """Return the last occurrence earlier than an instant, or None if that has none before it."""
    first, period = timetable.first(), SECOND
    if first is None or first >= instant:
        return None
    found = _next(timetable, instant - period, instant)
    while found is None:
        period *= 2
        found = _next(timetable, max(first - 1, instant - period), instant)
    high = instant
    while (following := _next(timetable, found, instant)) is not None:
        middle = (following + high) // 2
        later = _next(timetable, middle, instant)
        if later is None:
            high = Instant(middle)
        found = later or following
    return found


def _next(timetable: Timetable, after: int, end: Instant) -> Instant | None:
    found = timetable.next_after(Instant(after))
    return found if found is not None and found < end else None
