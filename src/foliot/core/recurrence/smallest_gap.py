"""Computes the smallest gap between two occurrences of a job, which a quota limits.

The gap is the nominal one, read off the clock on the wall: changes of offset and the run at once do
not count. Of equal steps a month counts 28 days and a year 365.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from itertools import islice, pairwise

from foliot.core.instant import DAY
from foliot.core.recurrence.pattern import (
    DayPattern,
    MonthPattern,
    Pattern,
    StepPattern,
    first_day_of_month,
)
from foliot.core.recurrence.rule import Frequency
from foliot.core.recurrence.timetable import Timetable

_NOMINAL = {
    Frequency.MINUTE: timedelta(minutes=1),
    Frequency.HOUR: timedelta(hours=1),
    Frequency.DAY: timedelta(days=1),
    Frequency.WEEK: timedelta(weeks=1),
    Frequency.MONTH: timedelta(days=28),
    Frequency.YEAR: timedelta(days=365),
}

# Within 28 years months, month lengths and weekdays meet in all the ways they can.
_ENOUGH_DAYS = 28 * 366
_ENOUGH_MONTHS = 28 * 12


def nominal_length(frequency: Frequency, interval: int) -> timedelta:
    """Return how long so many periods last at the least."""
    return _NOMINAL[frequency] * interval


def smallest_gap(timetable: Timetable) -> timedelta | None:
    """Return the smallest gap between two occurrences, or None if the job runs once."""
    rule = timetable.recurrence
    if rule is None or timetable.pattern is None:
        return None
    if rule.is_grid:
        return nominal_length(rule.frequency, rule.interval)
    return timedelta(microseconds=_smallest_in(timetable.pattern) // 10)


def _smallest_in(pattern: Pattern) -> int:
    match pattern:
        case StepPattern():
            return _closest_around(pattern.offsets, pattern.length)
        case DayPattern():
            return _closest_at_times(pattern.times, _closest_days(pattern))
        case MonthPattern():
            return _closest_at_times(pattern.times, _closest_month_days(pattern))


def _closest_at_times(times: tuple[int, ...], days_apart: int) -> int:
    over_night = days_apart * DAY - (times[-1] - times[0])
    return min(_closest(times, otherwise=over_night), over_night)


def _closest_days(pattern: DayPattern) -> int:
    apart = _closest_around(pattern.days, pattern.length)
    if not pattern.months:
        return apart
    # Days that would be the closest may never both lie in an allowed month.
    best: int | None = None
    for earlier, later in pairwise(_days_of(pattern)):
        best = later - earlier if best is None else min(best, later - earlier)
        if best == apart:
            break
    return best or apart


def _days_of(pattern: DayPattern) -> Iterator[int]:
    day = pattern.day_from(pattern.origin)
    while day is not None and day < pattern.origin + _ENOUGH_DAYS:
        yield day
        day = pattern.day_from(day + 1)


def _closest_month_days(pattern: MonthPattern) -> int:
    gaps: list[int] = []
    previous: int | None = None
    for month, bits in islice(pattern.months_with_days(), _ENOUGH_MONTHS):
        start, days = first_day_of_month(month), _days_in(bits)
        if previous is not None:
            gaps.append(start + days[0] - previous)
        gaps.append(_closest(days, otherwise=gaps[-1] if gaps else _ENOUGH_DAYS))
        previous = start + days[-1]
    return min(gaps)


@lru_cache(maxsize=1024)
def _days_in(bits: int) -> tuple[int, ...]:
    return tuple(day for day in range(bits.bit_length()) if bits >> day & 1)


def _closest_around(offsets: tuple[int, ...], length: int) -> int:
    around = length - offsets[-1] + offsets[0]
    return min(_closest(offsets, otherwise=around), around)


def _closest(values: tuple[int, ...], *, otherwise: int) -> int:
    return min((later - earlier for earlier, later in pairwise(values)), default=otherwise)
