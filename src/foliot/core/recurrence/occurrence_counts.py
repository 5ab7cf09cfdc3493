"""Counts the occurrences between two instants by arithmetic, without going through them.

A pattern's readings are counted by whole cycles and days. Where the job's zone changes its offset,
the time between is cut: readings that a clock repeats count the first time, and all that it skips
are the one instant after the gap.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

from foliot.core.instant import DAY, LAST_TICK, Instant, Wall
from foliot.core.recurrence.pattern import (
    DayPattern,
    MonthPattern,
    Pattern,
    StepPattern,
    first_day_of_month,
)
from foliot.core.recurrence.timetable import Timetable
from foliot.core.recurrence.zone import offset_changes, to_wall

# No clock was ever set back by more than a day.
_LONGEST_REPEAT = 2 * DAY

# The pages of many jobs ask for the same edges of hours.
_wall = lru_cache(maxsize=4096)(to_wall)


def count_between(timetable: Timetable, start: Instant, end: Instant) -> int:
    """Count the occurrences from `start` on and before `end`, whatever `count` says."""
    return counts_between(timetable, start, (end,))[0]


def counts_between(timetable: Timetable, start: Instant, ends: Sequence[Instant]) -> list[int]:
    """Count the occurrences from `start` on and before each of some ends."""
    opening = timetable.opening
    after = Instant(max(start - 1, timetable.floor, -1 if opening is None else opening))
    latest = Instant(min(max(ends) - 1, timetable.end, LAST_TICK))
    count = _counter(timetable, after, latest)
    found: list[int] = []
    for end in ends:
        until = Instant(min(end - 1, latest))
        opens = opening is not None and start <= opening <= until
        found.append(opens + (count(until) if until > after else 0))
    return found


def _counter(timetable: Timetable, after: Instant, until: Instant) -> Callable[[Instant], int]:
    """Return what counts the pattern's occurrences later than one instant, up to any other."""
    if timetable.pattern is None or after >= until:
        return lambda _: 0
    up_to = _reading_counter(timetable.pattern)
    if timetable.zone is not None:
        return _zoned_counter(timetable.zone, timetable.pattern.begins_at, up_to, (after, until))
    passed = up_to(Wall(after))
    return lambda at: up_to(Wall(at)) - passed


def _zoned_counter(
    zone: ZoneInfo, begins_at: Wall, up_to: Callable[[Wall], int], between: tuple[Instant, Instant]
) -> Callable[[Instant], int]:
    """Return the same for a clock that may be put forward and back: one part for each offset."""
    after, until = between
    passed = up_to(max(_wall(zone, after), Wall(begins_at - 1)))
    found, begins, parts = 0, [after], [(0, passed)]
    for at in offset_changes(zone, Instant(after - _LONGEST_REPEAT), until):
        before = max(passed, up_to(to_wall(zone, Instant(at - 1))))
        if at <= after:
            # The clock may show again what it showed before the stretch begins.
            passed = before
            parts = [(0, passed)]
            continue
        behind = max(before, up_to(to_wall(zone, at)))
        # All readings that the clock skips mean the instant after the gap.
        found += before - passed + min(1, behind - before)
        passed = behind
        begins.append(at)
        parts.append((found, passed))

    def count(at: Instant) -> int:
        counted, done = parts[bisect_right(begins, at) - 1]
        return counted + max(0, up_to(_wall(zone, at)) - done)

    return count


def _reading_counter(pattern: Pattern) -> Callable[[Wall], int]:
    """Return what counts the readings of a pattern from some fixed one on, up to another."""
    match pattern:
        case StepPattern():
            return lambda wall: _in_cycles(wall - pattern.origin, pattern.length, pattern.offsets)
        case DayPattern() | MonthPattern():
            return _day_counter(pattern)


def _day_counter(pattern: DayPattern | MonthPattern) -> Callable[[Wall], int]:
    times = pattern.times
    first: int | None = None

    @cache
    def days_before(day: int) -> int:
        nonlocal first
        first = day if first is None else first
        return _days(pattern, first, day - 1) if day >= first else -_days(pattern, day, first - 1)

    def up_to(wall: Wall) -> int:
        day, time = divmod(wall, DAY)
        before = days_before(day)
        return before * len(times) + bisect_right(times, time) * (days_before(day + 1) - before)

    return up_to


def _days(pattern: DayPattern | MonthPattern, first: int, last: int) -> int:
    """Count the days of a pattern from a first to a last one."""
    if first > last:
        return 0
    if isinstance(pattern, DayPattern) and not pattern.months:
        return _cycle_days(pattern, first, last)
    return sum(
        _days_of_month(pattern, month, max(first, begin), min(last, end))
        for month, begin, end in _months(first, last)
    )


def _days_of_month(pattern: DayPattern | MonthPattern, month: int, first: int, last: int) -> int:
    match pattern:
        case DayPattern():
            is_allowed = month % 12 + 1 in pattern.months
            return _cycle_days(pattern, first, last) if is_allowed else 0
        case MonthPattern():
            # Bit 1 is the first day of the month.
            days = pattern.days_of(month) >> (first - first_day_of_month(month) + 1)
            return (days & ((1 << (last - first + 1)) - 1)).bit_count()


def _cycle_days(pattern: DayPattern, first: int, last: int) -> int:
    origin, length, days = pattern.origin, pattern.length, pattern.days
    return _in_cycles(last - origin, length, days) - _in_cycles(first - 1 - origin, length, days)


def _in_cycles(distance: int, length: int, offsets: tuple[int, ...]) -> int:
    """Count what lies at these offsets of every cycle, from the first cycle on up to a distance."""
    cycle, position = divmod(distance, length)
    return cycle * len(offsets) + bisect_right(offsets, position)


def _months(first: int, last: int) -> list[tuple[int, int, int]]:
    """Return the months in which these days lie, each with its own first and last day."""
    begins, ends = date.fromordinal(first + 1), date.fromordinal(last + 1)
    numbers = range(begins.year * 12 + begins.month - 1, ends.year * 12 + ends.month)
    return [
        (month, first_day_of_month(month), first_day_of_month(month + 1) - 1) for month in numbers
    ]
