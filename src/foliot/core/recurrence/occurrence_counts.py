"""Counts the occurrences between two instants by arithmetic, without going through them.

A pattern's readings are counted by whole cycles and days. Where the job's zone changes its offset,
the time between is cut, and skipped readings that run at one instant count once. Readings on days
off are taken away, and those that move are added.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache
from itertools import accumulate

from foliot.core.instant import DAY, LAST_TICK, Instant, Wall
from foliot.core.recurrence.clock_changes import (
    EvenStretch,
    SkippedReadings,
    cut_at_changes,
    has_reading,
)
from foliot.core.recurrence.days_off import AnyPattern, DaysOffPattern, added_readings
from foliot.core.recurrence.dst_policy import DEFAULT_DST
from foliot.core.recurrence.pattern import (
    DayPattern,
    MonthPattern,
    StepPattern,
    first_day_of_month,
)
from foliot.core.recurrence.timetable import Timetable


def count_between(timetable: Timetable, start: Instant, end: Instant) -> int:
    """Count the occurrences from `start` on and before `end`, whatever `count` says."""
    return counts_between(timetable, start, (end,))[0]


def counts_between(timetable: Timetable, start: Instant, ends: Sequence[Instant]) -> list[int]:
    """Count the occurrences from `start` on and before each of some ends."""
    opening = timetable.opening
    after = Instant(max(start - 1, timetable.floor))
    if opening is not None and timetable.opening_comes_first:
        after = Instant(max(after, opening))
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
    pattern, dst = timetable.pattern, timetable.dst or DEFAULT_DST
    stretches, skipped = cut_at_changes(timetable.zone, dst, after, until)
    readings = [*stretches, *skipped]
    if not readings:
        return lambda _: 0
    up_to = _reading_counter(
        pattern, min(each.low for each in readings), max(each.high for each in readings)
    )
    found = 0
    begins: list[int] = []
    parts: list[tuple[int, int, EvenStretch]] = []
    for stretch in stretches:
        passed = up_to(Wall(max(stretch.low, pattern.begins_at) - 1))
        begins.append(stretch.low - stretch.offset)
        parts.append((found, passed, stretch))
        found += max(0, up_to(Wall(stretch.high - 1)) - passed)
    at_gaps = sorted(_instants_at_gaps(pattern, stretches, skipped))

    def count(at: Instant) -> int:
        counted = bisect_right(at_gaps, at)
        index = bisect_right(begins, at) - 1
        if index < 0:
            return counted
        before, passed, stretch = parts[index]
        reached = up_to(Wall(min(at + stretch.offset, stretch.high - 1)))
        return counted + before + max(0, reached - passed)

    return count


def _instants_at_gaps(
    pattern: AnyPattern, stretches: list[EvenStretch], skipped: list[SkippedReadings]
) -> Iterator[Instant]:
    """Yield the instants at which skipped readings run and no other reading does."""
    for gap in skipped:
        runs_too = (
            has_reading(pattern, Wall(gap.at + each.offset), Wall(gap.at + each.offset + 1))
            for each in stretches
            if each.low <= gap.at + each.offset < each.high
        )
        if has_reading(pattern, gap.low, gap.high) and not any(runs_too):
            yield gap.at


def _reading_counter(pattern: AnyPattern, low: Wall, high: Wall) -> Callable[[Wall], int]:
    """Return what counts the readings of a pattern from some fixed one on, up to another.

    It may be asked for readings from just before a low one up to a high one.
    """
    match pattern:
        case StepPattern():
            return lambda wall: _in_cycles(wall - pattern.origin, pattern.length, pattern.offsets)
        case DayPattern() | MonthPattern():
            return _day_counter(pattern)
        case DaysOffPattern():
            return _days_off_counter(pattern, low, high)


def _days_off_counter(pattern: DaysOffPattern, low: Wall, high: Wall) -> Callable[[Wall], int]:
    up_to = _reading_counter(pattern.pattern, low, high)
    first, last = bisect_left(pattern.ends, low), bisect_right(pattern.begins, high)
    begins, ends = pattern.begins[first:last], pattern.ends[first:last]
    passed = [up_to(Wall(begin - 1)) for begin in begins]
    lost = (up_to(Wall(end - 1)) - begun for end, begun in zip(ends, passed, strict=True))
    dropped = [0, *accumulate(lost)]
    nearest = max(0, bisect_right(pattern.targets, low) - 1)
    targets = pattern.targets[nearest : bisect_right(pattern.targets, high)]
    added = [added_readings(pattern, nearest + index) for index in range(len(targets))]
    gained = [0, *accumulate(map(len, added))]

    def count(wall: Wall) -> int:
        found = up_to(wall)
        run = bisect_right(begins, wall)
        is_off = run > 0 and wall < ends[run - 1]
        off = dropped[run - 1] + found - passed[run - 1] if is_off else dropped[run]
        day = bisect_right(targets, wall)
        moved = gained[day - 1] + bisect_right(added[day - 1], wall) if day else 0
        return found - off + moved

    return count


def _day_counter(pattern: DayPattern | MonthPattern) -> Callable[[Wall], int]:
    times = pattern.times
    first: int | None = None

    @cache
    def days_before(day: int) -> int:
        nonlocal first
        first = day if first is None else first
        return _days(pattern, first, day - 1) if day >= first else -_days(pattern, day, first - 1)

    def up_to(wall: Wall) -> int:
        day, time = divmod(wall, DAY) if wall >= 0 else (0, -1)
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
