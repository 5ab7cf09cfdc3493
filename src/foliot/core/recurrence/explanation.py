"""Explains occurrences: which times a change of the clock or a day off has moved or dropped."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import NamedTuple

from foliot.core.instant import DAY, Instant, Wall
from foliot.core.recurrence.clock_changes import (
    Readings,
    cut_at_changes,
    instants_of,
    readings_between,
)
from foliot.core.recurrence.days_off import DaysOffPattern, moved_readings
from foliot.core.recurrence.dst_policy import DEFAULT_DST, DstPolicy, RepeatedTime, SkippedTime
from foliot.core.recurrence.exclusion import DateRange, DayOffMove
from foliot.core.recurrence.phrases import clock
from foliot.core.recurrence.timetable import Timetable
from foliot.core.recurrence.zone import to_wall

_EVERY_INSTANT = DstPolicy(skipped=SkippedTime.SKIP, repeated=RepeatedTime.BOTH)
_COUNTED = 100  # times that are dropped or moved together are counted up to this number


class ExplainedTime(NamedTuple):
    """An occurrence, with a note for each thing that was moved to it or dropped before it."""

    at: Instant
    notes: tuple[str, ...]


def explain_next(timetable: Timetable, after: Instant, count: int) -> list[ExplainedTime]:
    """Return the next occurrences later than an instant, with notes."""
    found: list[ExplainedTime] = []
    at = timetable.next_after(after)
    while at is not None and len(found) < count:
        found.append(ExplainedTime(at, notes_on(timetable, after, at)))
        after, at = at, timetable.next_after(at)
    return found


def notes_on(timetable: Timetable, previous: Instant, at: Instant) -> tuple[str, ...]:
    """Return the notes on an occurrence: what happened from the previous one on up to it."""
    if timetable.pattern is None:
        return ()
    found: list[str] = []
    if isinstance(timetable.pattern, DaysOffPattern):
        found += _days_off(timetable, timetable.pattern, previous, at)
    if timetable.zone is not None:
        found += _gaps(timetable, timetable.pattern, previous, at)
        found += _repeats(timetable, at)
    return tuple(found)


def _days_off(
    timetable: Timetable, pattern: DaysOffPattern, previous: Instant, at: Instant
) -> Iterator[str]:
    wall = to_wall(timetable.zone, at)
    if pattern.then is not DayOffMove.SKIP:
        yield from _moved_here(timetable, pattern, at, wall)
        return
    passed = to_wall(timetable.zone, Instant(max(previous, timetable.floor)))
    nearest = max(0, bisect_right(pattern.begins, passed) - 1)
    for index in range(nearest, bisect_right(pattern.begins, wall)):
        begin, end = Wall(max(pattern.begins[index], passed + 1)), pattern.ends[index]
        dropped = islice(readings_between(pattern.pattern, begin, end), _COUNTED)
        times = [to_wall(pattern.zone, Instant(each)) for each in dropped]
        if times:
            yield f"{_are_off(pattern.days[index])}: {_times(times)} {_is(times)} skipped"


def _moved_here(
    timetable: Timetable, pattern: DaysOffPattern, at: Instant, wall: Wall
) -> Iterator[str]:
    local = to_wall(pattern.zone, Instant(wall))
    index = bisect_right(pattern.targets, wall) - 1
    if index >= 0 and wall in moved_readings(pattern, index):
        days = pattern.days[pattern.sources[index]]
        yield f"{_are_off(days)}: {clock(local % DAY)} runs on {_date(local // DAY)}"
    elif at == timetable.opening and not timetable.opening_comes_first:
        yield f"the first run moves here, since {_date(_day_of_begin(timetable, pattern))} is off"


def _gaps(
    timetable: Timetable, readings: Readings, previous: Instant, at: Instant
) -> Iterator[str]:
    dst = timetable.dst or DEFAULT_DST
    drops = dst.of_skipped is SkippedTime.SKIP
    # Dropped times are told at the next occurrence, the others where they run.
    since = Instant(max(previous, timetable.floor) if drops else at - 1)
    _, skipped = cut_at_changes(timetable.zone, DEFAULT_DST if drops else dst, since, at)
    for gap in skipped:
        times = [*islice(readings_between(readings, gap.low, gap.high), _COUNTED)]
        if times:
            verb = "does" if len(times) == 1 else "do"
            runs = "runs" if len(times) == 1 else "run once,"
            end = "skipped" if drops else f"{runs} at {clock(to_wall(timetable.zone, at) % DAY)}"
            yield f"{_times(times)} {verb} not exist on {_date(times[0] // DAY)}: {end}"


def _repeats(timetable: Timetable, at: Instant) -> Iterator[str]:
    wall = to_wall(timetable.zone, at)
    both = instants_of(timetable.zone, _EVERY_INSTANT, wall)
    if len(both) == 1 or at not in both:
        return
    is_both = timetable.dst is not None and timetable.dst.of_repeated is RepeatedTime.BOTH
    runs = "both times" if is_both else f"the {('first', 'second')[both.index(at)]} time"
    yield f"{clock(wall % DAY)} comes twice on {_date(wall // DAY)}: runs {runs}"


def _day_of_begin(timetable: Timetable, pattern: DaysOffPattern) -> int:
    return to_wall(timetable.zone or pattern.zone, timetable.begin) // DAY


def _are_off(days: DateRange) -> str:
    if days.first == days.last:
        return f"{_date(days.first)} is a day off"
    return f"{_date(days.first)} to {_date(days.last)} are days off"


def _times(walls: list[Wall]) -> str:
    if len(walls) == 1:
        return clock(walls[0] % DAY)
    more = " or more" if len(walls) == _COUNTED else ""
    return f"{len(walls)}{more} times"


def _is(walls: list[Wall]) -> str:
    return "is" if len(walls) == 1 else "are"


def _date(day: int) -> str:
    return date.fromordinal(day + 1).isoformat()
