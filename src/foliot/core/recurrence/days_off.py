"""The pattern of a rule without its readings on days off, which may move to another day.

Days off in a row are one run, and all its readings move to the one day before or after it. So time
is cut into segments: runs of days off, days to which readings move, and what lies between. One
binary search finds the segment of a reading; the first reading behind a segment is kept once it was
computed, so that the search jumps over any number of runs.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import lcm
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.instant import DAY, LAST_TICK, Instant, Wall
from foliot.core.recurrence.clock_changes import cut_at_changes, has_reading, readings_between
from foliot.core.recurrence.dst_policy import DstPolicy, RepeatedTime, SkippedTime
from foliot.core.recurrence.exclusion import (
    CalendarDays,
    DateRange,
    DayOffMove,
    Exclusion,
    merge_ranges,
)
from foliot.core.recurrence.pattern import Pattern, StepPattern
from foliot.core.recurrence.zone import to_instant, to_wall

_EVERY_INSTANT = DstPolicy(skipped=SkippedTime.SKIP, repeated=RepeatedTime.BOTH)
_LAST_DAY = LAST_TICK // DAY
_NEVER = Wall(2 * LAST_TICK)
# Kinds of segments; any other is the number of a day to which readings move.
_BETWEEN = -1
_OFF = -2


class RunsOfDays(NamedTuple):
    """Days off, those in a row as one run: its days, its first reading, the first one after it."""

    days: tuple[DateRange, ...]
    begins: tuple[Wall, ...]
    ends: tuple[Wall, ...]


class Segments(NamedTuple):
    """Time in segments: where each one ends, and what kind it is."""

    ends: tuple[Wall, ...]
    kinds: tuple[int, ...]


# Compared by identity: caches have it in their keys, and it may hold thousands of runs.
class DaysOffPattern(Struct, frozen=True, kw_only=True, eq=False):
    """A pattern without its readings on days off; some readings may be moved to other days.

    The zone is the one in which days are counted if the pattern itself counts in UTC.
    """

    pattern: Pattern
    zone: ZoneInfo | None
    days: tuple[DateRange, ...]
    begins: tuple[Wall, ...]
    ends: tuple[Wall, ...]
    then: DayOffMove
    sources: tuple[int, ...]  # the runs whose readings move
    targets: tuple[Wall, ...]  # the first reading of each day to which they move
    times: tuple[int, ...]  # the times of day, if they are the same on all days of the pattern
    edges: tuple[Wall, ...]  # where each segment ends
    kinds: tuple[int, ...]
    resumes: dict[int, Wall | None]  # for segments that were asked for: the first reading behind

    @property
    def begins_at(self) -> Wall:
        """The first reading of the anchor's period."""
        return self.pattern.begins_at

    def after(self, wall: Wall) -> Wall | None:
        """Return the first reading later than this one."""
        place = bisect_right(self.edges, wall)
        kind = self.kinds[place]
        if kind == _BETWEEN:
            found = self.pattern.after(wall)
            if found is not None and found < self.edges[place]:
                return found
        elif kind != _OFF:
            found = self._moved_after(kind, wall, self.edges[place])
            if found is not None:
                return found
        try:
            return self.resumes[place]
        except KeyError:
            return self._resume(place)

    def run_at(self, wall: Wall) -> int | None:
        """Return the number of the run of days off that a reading lies in."""
        index = bisect_right(self.begins, wall) - 1
        return index if index >= 0 and wall < self.ends[index] else None

    def move(self, wall: Wall) -> Wall | None:
        """Return where a reading of the clock moves, itself if its day is not off."""
        index = self.run_at(wall)
        if index is None:
            return wall
        day = target_day(self.days[index], self.then)
        return None if day is None else _on_day(self.zone, day, to_wall(self.zone, Instant(wall)))

    def _resume(self, place: int) -> Wall | None:
        """Return the first reading behind a segment."""
        passed: list[int] = []
        reading: Wall | None = None
        while reading is None and place not in self.resumes:
            passed.append(place)
            place += 1
            reading = self._first_in(place)
        if reading is None:
            reading = self.resumes[place]
        self.resumes.update(dict.fromkeys(passed, reading))
        return reading

    def _first_in(self, place: int) -> Wall | None:
        """Return the first reading in a segment, if it has any."""
        kind, before, end = self.kinds[place], Wall(self.edges[place - 1] - 1), self.edges[place]
        if kind == _OFF or before >= LAST_TICK:
            return None
        if kind != _BETWEEN:
            return self._moved_after(kind, before, end)
        found = self.pattern.after(before)
        return found if found is not None and found < end else None

    def _moved_after(self, index: int, wall: Wall, end: Wall) -> Wall | None:
        """Return the first reading later than another on the nth day to which readings move.

        A clock change may carry it to the end of the day, no further.
        """
        target, times = self.targets[index], self.times
        if times:
            since = wall - target
            return Wall(target + times[bisect_right(times, since)]) if since < times[-1] else None
        readings = moved_readings(self, index)
        place = bisect_right(readings, wall)
        moved = readings[place] if place < len(readings) else None
        own = self.pattern.after(wall)
        if own is None or own >= end:
            return moved
        return own if moved is None else min(own, moved)


AnyPattern = Pattern | DaysOffPattern


@lru_cache(maxsize=512)
def without_days_off(
    pattern: Pattern,
    exclusion: Exclusion,
    calendar_days: CalendarDays,
    zone: ZoneInfo | None,
) -> DaysOffPattern:
    """Return a pattern without days off: the dates excluded, and those of its calendars."""
    runs = _runs_of(exclusion, calendar_days, zone)
    sources = tuple(_sources(pattern, runs, exclusion.move, zone))
    days = [
        day for each in sources if (day := target_day(runs.days[each], exclusion.move)) is not None
    ]
    segments = _segments(runs, days, zone)
    return DaysOffPattern(
        pattern=pattern,
        zone=zone,
        days=runs.days,
        begins=runs.begins,
        ends=runs.ends,
        then=exclusion.move,
        sources=sources,
        targets=tuple(_midnight(zone, day) for day in days),
        times=() if isinstance(pattern, StepPattern) else pattern.times,
        edges=segments.ends,
        kinds=segments.kinds,
        resumes={len(segments.kinds) - 1: None},
    )


@lru_cache(maxsize=256)
def moved_readings(pattern: DaysOffPattern, index: int) -> tuple[Wall, ...]:
    """Return the readings that move to the nth of the days to which any move, in order."""
    run = pattern.sources[index]
    day = target_day(pattern.days[run], pattern.then)
    assert day is not None  # noqa: S101  (or it would not be among the sources)
    times = pattern.times or _times_of_steps(pattern, run)
    return tuple(sorted({_on_day(pattern.zone, day, Wall(time)) for time in times}))


@lru_cache(maxsize=256)
def added_readings(pattern: DaysOffPattern, index: int) -> tuple[Wall, ...]:
    """Return those of them at which the day has no reading of its own."""
    found, target = moved_readings(pattern, index), pattern.targets[index]
    if pattern.times:
        has_own = has_reading(pattern.pattern, target, Wall(target + DAY))
        return () if has_own else found
    own = {*readings_between(pattern.pattern, found[0], Wall(found[-1] + 1))}
    return tuple(reading for reading in found if reading not in own)


def target_day(run: DateRange, then: DayOffMove) -> int | None:
    """Return the day to which a run of days off moves its readings, if there is one."""
    match then:
        case DayOffMove.SKIP:
            return None
        case DayOffMove.NEXT:
            return run.last + 1 if run.last < _LAST_DAY else None
        case DayOffMove.PREVIOUS:
            return run.first - 1 if run.first > 0 else None


# Many jobs share their days off.
@lru_cache(maxsize=256)
def _runs_of(
    exclusion: Exclusion, calendar_days: CalendarDays, zone: ZoneInfo | None
) -> RunsOfDays:
    merged = merge_ranges(exclusion.dates + calendar_days.ranges)
    return RunsOfDays(
        merged,
        tuple(_midnight(zone, days.first) for days in merged),
        tuple(_midnight(zone, days.last + 1) for days in merged),
    )


def _sources(
    pattern: Pattern, runs: RunsOfDays, then: DayOffMove, zone: ZoneInfo | None
) -> Iterator[int]:
    """Yield the runs with readings that move to where there may be none yet."""
    # Steps that are the same on every day meet others of their own.
    if isinstance(pattern, StepPattern) and DAY % pattern.length == 0 and zone is None:
        return
    for index, days in enumerate(runs.days):
        moves = target_day(days, then) is not None
        if moves and has_reading(pattern, runs.begins[index], runs.ends[index]):
            yield index


def _segments(runs: RunsOfDays, targets: Iterable[int], zone: ZoneInfo | None) -> Segments:
    """Cut time at runs of days off and at the days to which their readings move."""
    off = (
        (days.first, begin, end, _OFF)
        for days, begin, end in zip(runs.days, runs.begins, runs.ends, strict=True)
    )
    moved = (
        (day, _midnight(zone, day), _midnight(zone, day + 1), index)
        for index, day in enumerate(targets)
    )
    ends: list[Wall] = []
    kinds: list[int] = []
    reached = Wall(-1)
    for _, begin, end, kind in sorted([*off, *moved]):
        if begin > reached:
            ends.append(begin)
            kinds.append(_BETWEEN)
        ends.append(end)
        kinds.append(kind)
        reached = end
    return Segments((*ends, _NEVER), (*kinds, _BETWEEN))


def _midnight(zone: ZoneInfo | None, day: int) -> Wall:
    return Wall(to_instant(zone, Wall(day * DAY)))


def _on_day(zone: ZoneInfo | None, day: int, wall: Wall) -> Wall:
    """Return the reading at the same time on another day."""
    return Wall(to_instant(zone, Wall(day * DAY + wall % DAY)))


def _times_of_steps(pattern: DaysOffPattern, run: int) -> Iterator[int]:
    """Yield the times of day at which steps have readings in a run."""
    steps = pattern.pattern
    assert isinstance(steps, StepPattern)  # noqa: S101  (all others have the same times every day)
    begin, end = max(pattern.begins[run], steps.begins_at), pattern.ends[run]
    # Steps meet the same times of day again after so long, if the offset does not change.
    cycle = lcm(steps.length, DAY)
    stretches, _ = cut_at_changes(
        pattern.zone, _EVERY_INSTANT, Instant(begin - 1), Instant(end - 1)
    )
    for low, high, offset in stretches:
        until = Wall(min(high, low + cycle) - offset)
        for reading in readings_between(steps, Wall(low - offset), until):
            yield (reading + offset) % DAY
