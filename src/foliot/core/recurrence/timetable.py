"""The occurrences of one job: its recurrence, its start and the time when it was accepted.

Nothing here reads a clock: the same arguments have the same result at any time.
"""

from collections.abc import Iterator
from typing import Self
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from foliot.core.instant import LAST_TICK, Instant, Moment, Wall
from foliot.core.recurrence.clock_changes import first_instant_after, instants_of
from foliot.core.recurrence.compile import is_absolute, pattern_of
from foliot.core.recurrence.days_off import AnyPattern, DaysOffPattern, without_days_off
from foliot.core.recurrence.dst_policy import DEFAULT_DST, DstPolicy, RepeatedTime
from foliot.core.recurrence.exclusion import NO_CALENDAR_DAYS, CalendarDays
from foliot.core.recurrence.rule import Recurrence
from foliot.core.recurrence.zone import (
    find_zone,
    instant_of_moment,
    to_instant,
    to_wall,
    wall_of_moment,
)


class Timetable(Struct, frozen=True, kw_only=True):
    """All occurrences of one job, in order.

    The opening is an occurrence beside the pattern: at once, or at a start that is itself an
    occurrence. It comes first, unless its day is off and it moves to a later one. Those of the
    pattern lie after the floor, up to the end. The zone is that of the clock on which readings are
    computed, and the policy for its changes is None if it is the default one.
    """

    recurrence: Recurrence | None
    begin: Instant
    opening: Instant | None
    floor: Instant
    end: Instant = Instant(LAST_TICK)
    anchor: Wall
    pattern: AnyPattern | None = None
    zone: ZoneInfo | None = None
    dst: DstPolicy | None = None

    @classmethod
    def of(
        cls,
        recurrence: Recurrence | None,
        start: Moment | None,
        created: Instant,
        calendar_days: CalendarDays = NO_CALENDAR_DAYS,
    ) -> "Timetable":
        """Return the timetable of a job whose calendar was accepted at `created`.

        Calendar days are the dates of the named calendars among its days off.
        """
        if recurrence is None:
            return cls._once(created if start is None else instant_of_moment(None, start), created)
        zone = zone_of(recurrence)
        begin = created if start is None else instant_of_moment(zone, start)
        # A minute or an hour is as long everywhere: such a grid is laid out in UTC.
        absolute = is_absolute(recurrence)
        clock = None if absolute else zone
        is_chosen = clock and recurrence.dst is not None and not recurrence.dst.is_default
        dst = recurrence.dst if is_chosen else None
        anchor = wall_of_moment(clock, Moment.at(begin) if start is None or absolute else start)
        opens = start is None or (recurrence.is_grid and _is_first_time(clock, dst, begin, anchor))
        pattern: AnyPattern = pattern_of(recurrence, anchor)
        if recurrence.exclude is not None:
            days_in = zone if absolute else None
            pattern = without_days_off(pattern, recurrence.exclude, calendar_days, days_in)
        timetable = cls(
            recurrence=recurrence,
            begin=begin,
            opening=begin if opens and begin >= created else None,
            floor=Instant(begin - 1) if start and begin >= created else created,
            end=instant_of_moment(zone, recurrence.end) if recurrence.end else Instant(LAST_TICK),
            anchor=anchor,
            pattern=pattern,
            zone=clock,
            dst=dst,
        )
        return _with_opening_on_no_day_off(timetable, pattern)

    @classmethod
    def _once(cls, begin: Instant, created: Instant) -> Self:
        at = max(begin, created)
        return cls(recurrence=None, begin=begin, opening=at, floor=at, anchor=Wall(at))

    def next_after(self, after: Instant) -> Instant | None:
        """Return the first occurrence later than this instant, whatever `count` says."""
        if self.opening is None or after >= self.opening:
            found = self._pattern_after(max(self.floor, after))
        elif self.opening_comes_first:
            found = self.opening
        else:
            other = self._pattern_after(max(self.floor, after))
            found = self.opening if other is None else min(other, self.opening)
        return found if found is not None and found <= self.end else None

    @property
    def opening_comes_first(self) -> bool:
        """Whether the opening, if any, lies before the pattern: no day off has moved it."""
        return self.opening is not None and self.opening <= self.floor + 1

    def first(self) -> Instant | None:
        """Return the first occurrence."""
        return self.next_after(Instant(self.floor - 1))

    def _pattern_after(self, after: Instant) -> Instant | None:
        if self.pattern is None:
            return None
        if self.zone is None:
            found = self.pattern.after(Wall(after))
            return None if found is None else Instant(found)
        if self.dst is not None:
            return first_instant_after(self.pattern, self.zone, self.dst, after)
        # A gap may carry readings of a period before the anchor's over to the start itself.
        earliest = Wall(self.pattern.begins_at - 1)
        wall = self.pattern.after(max(to_wall(self.zone, after), earliest))
        while wall is not None:
            # A reading may repeat, or stand for the end of a gap, and so not be later at all.
            instant = to_instant(self.zone, wall)
            if instant > after:
                return instant
            wall = self.pattern.after(wall)
        return None


def _is_first_time(
    clock: ZoneInfo | None, dst: DstPolicy | None, begin: Instant, anchor: Wall
) -> bool:
    """Tell whether a start runs where the policy has its reading run; else the pattern decides."""
    if dst is None:
        return True
    return dst.of_repeated is RepeatedTime.FIRST and to_wall(clock, begin) == anchor


def _with_opening_on_no_day_off(timetable: Timetable, pattern: AnyPattern) -> Timetable:
    if timetable.opening is None or not isinstance(pattern, DaysOffPattern):
        return timetable
    wall = to_wall(timetable.zone, timetable.opening)
    moved = pattern.move(wall)
    if moved == wall:
        return timetable
    dst = timetable.dst or DEFAULT_DST
    instants = [] if moved is None else instants_of(timetable.zone, dst, moved)
    opening = next((each for each in instants if each > timetable.floor), None)
    alone = structs.replace(timetable, opening=None)
    # Two occurrences that meet are one.
    if opening is None or alone.next_after(Instant(opening - 1)) == opening:
        return alone
    return structs.replace(timetable, opening=opening)


def zone_of(recurrence: Recurrence | None) -> ZoneInfo | None:
    """Return the zone of a job's clock, or None if that shows UTC."""
    return find_zone(recurrence.time_zone) if recurrence and recurrence.time_zone else None


def next_occurrence(
    recurrence: Recurrence | None, start: Moment | None, created: Instant, after: Instant
) -> Instant | None:
    """Return the first occurrence of a job later than `after`.

    How many have run is the caller's to know, so `count` does not end this: see `occurrences`.
    """
    return Timetable.of(recurrence, start, created).next_after(after)


def occurrences(timetable: Timetable) -> Iterator[Instant]:
    """Go through the occurrences in order, as many as `count` allows."""
    count = timetable.recurrence.count if timetable.recurrence else None
    number, found = 0, timetable.first()
    while found is not None and (count is None or number < count):
        yield found
        number, found = number + 1, timetable.next_after(found)
