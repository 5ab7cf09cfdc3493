"""The occurrences of one job: its recurrence, its start and the time when it was accepted.

Nothing here reads a clock: the same arguments have the same result at any time.
"""

from collections.abc import Iterator
from typing import Self
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.instant import LAST_TICK, Instant, Moment, Wall
from foliot.core.recurrence.compile import is_absolute, pattern_of
from foliot.core.recurrence.pattern import Pattern
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

    The opening is an occurrence that comes first whatever the pattern says: at once, or at a start
    that is itself an occurrence. Those of the pattern lie after the floor, up to the end.
    """

    recurrence: Recurrence | None
    begin: Instant
    opening: Instant | None
    floor: Instant
    end: Instant = Instant(LAST_TICK)
    anchor: Wall
    pattern: Pattern | None = None
    zone: ZoneInfo | None = None

    @classmethod
    def of(cls, recurrence: Recurrence | None, start: Moment | None, created: Instant) -> Self:
        """Return the timetable of a job whose calendar was accepted at `created`."""
        if recurrence is None:
            return cls._once(created if start is None else instant_of_moment(None, start), created)
        zone = zone_of(recurrence)
        begin = created if start is None else instant_of_moment(zone, start)
        opens = begin >= created and (start is None or recurrence.is_grid)
        # A minute or an hour is as long everywhere: such a grid is laid out in UTC.
        absolute = is_absolute(recurrence)
        clock = None if absolute else zone
        anchor = wall_of_moment(clock, Moment.at(begin) if start is None or absolute else start)
        return cls(
            recurrence=recurrence,
            begin=begin,
            opening=begin if opens else None,
            floor=Instant(begin - 1) if start and begin >= created else created,
            end=instant_of_moment(zone, recurrence.end) if recurrence.end else Instant(LAST_TICK),
            anchor=anchor,
            pattern=pattern_of(recurrence, anchor),
            zone=clock,
        )

    @classmethod
    def _once(cls, begin: Instant, created: Instant) -> Self:
        at = max(begin, created)
        return cls(recurrence=None, begin=begin, opening=at, floor=at, anchor=Wall(at))

    def next_after(self, after: Instant) -> Instant | None:
        """Return the first occurrence later than this instant, whatever `count` says."""
        if self.opening is not None and after < self.opening:
            found = self.opening
        else:
            found = self._pattern_after(max(self.floor, after))
        return found if found is not None and found <= self.end else None

    def first(self) -> Instant | None:
        """Return the first occurrence."""
        return self.next_after(Instant(self.floor - 1))

    def _pattern_after(self, after: Instant) -> Instant | None:
        if self.pattern is None:
            return None
        if self.zone is None:
            found = self.pattern.after(Wall(after))
            return None if found is None else Instant(found)
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
