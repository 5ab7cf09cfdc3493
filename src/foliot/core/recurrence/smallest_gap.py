"""Computes the smallest gap between two occurrences of a job, which a quota limits.

The gap is the nominal one, read off the clock on the wall: changes of offset and the run at once do
not count, whatever the policy for them. Of equal steps a month counts 28 days and a year 365. Times
that move off a day off come closer to others, and that counts.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from itertools import islice, pairwise
from math import gcd

from foliot.core.instant import DAY, Wall
from foliot.core.recurrence.clock_changes import readings_between
from foliot.core.recurrence.days_off import DaysOffPattern, moved_readings
from foliot.core.recurrence.pattern import (
    DayPattern,
    MonthPattern,
    Pattern,
    StepPattern,
    first_day_of_month,
)
from foliot.core.recurrence.rule import Frequency
from foliot.core.recurrence.timetable import Timetable
from foliot.core.recurrence.zone import to_wall

_NOMINAL = {
    Frequency.MINUTE: timedelta(minutes=1),
    Frequency.HOUR: timedelta(hours=1),
    Frequency.DAY: timedelta(days=1),
    Frequency.WEEK: timedelta(weeks=1),
    Frequency.MONTH: timedelta(days=28),
    Frequency.YEAR: timedelta(days=365),
}

# Within 28 years months, month lengths and weekdays meet in all the ways they can. Steps of many
# days take longer to meet the months: they are followed through one cycle of the calendar.
_ENOUGH_MONTHS = 28 * 12
_ENOUGH_DAYS = 146_097
_MOST_READINGS = 10_000


def nominal_length(frequency: Frequency, interval: int) -> timedelta:
    """Return how long so many periods last at the least."""
    return _NOMINAL[frequency] * interval


def smallest_gap(timetable: Timetable) -> timedelta | None:
    """Return the smallest gap between two occurrences, or None if the job runs once."""
    rule, pattern = timetable.recurrence, timetable.pattern
    if rule is None or pattern is None:
        return None
    plain = pattern.pattern if isinstance(pattern, DaysOffPattern) else pattern
    if rule.is_grid and rule.frequency is not None:
        gap = nominal_length(rule.frequency, rule.interval)
    else:
        gap = timedelta(microseconds=_smallest_in(plain) // 10)
    if isinstance(pattern, DaysOffPattern) and pattern.targets:
        return _smallest_with_moves(pattern, gap, to_wall(timetable.zone, timetable.floor))
    return gap


def _smallest_with_moves(pattern: DaysOffPattern, gap: timedelta, floor: Wall) -> timedelta:
    """Return the smallest gap where readings after a floor have come closer by moving.

    After very many readings it is the smallest one possible: a job is saved in a transaction.
    """
    best = gap // timedelta(microseconds=1) * 10
    least, tried = _least_after_moves(pattern.pattern, best), 0
    for index, target in enumerate(pattern.targets):
        if best <= least or tried > _MOST_READINGS:
            return timedelta(microseconds=min(best, least) // 10)
        if target + DAY > floor:
            readings = moved_readings(pattern, index)
            low, high = Wall(max(readings[0] - best, floor + 1)), Wall(readings[-1] + best)
            near = tuple(readings_between(pattern, low, high))
            best, tried = min(best, _closest(near, otherwise=best)), tried + len(near)
    return timedelta(microseconds=best // 10)


def _least_after_moves(pattern: Pattern, gap: int) -> int:
    """Return a gap below which no reading comes that keeps its time of day on another day."""
    if not isinstance(pattern, StepPattern):
        return _closest_at_times(pattern.times, 1)
    if DAY % pattern.length == 0:
        return gap  # all days are alike
    return gcd(DAY, pattern.length, *(each - pattern.offsets[0] for each in pattern.offsets))


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
