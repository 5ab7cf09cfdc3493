"""Cuts a day or a week of the viewer's time zone into cells.

Where the clock is put forward or back a cell ends, so that such a day has 23 or 25 hours.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.instant import DAY, HOUR, Instant, Wall, reading_of, wall_of
from foliot.core.recurrence.zone import offset_at, offset_changes, to_instant, to_wall


class Zoom(StrEnum):
    """How much time a timeline shows."""

    DAY = "day"
    WEEK = "week"


_DAYS = {Zoom.DAY: 1, Zoom.WEEK: 7}
_CELL_TICKS = {Zoom.DAY: HOUR, Zoom.WEEK: 3 * HOUR}


class TimeCell(Struct, frozen=True):
    """A stretch of time, what the clock shows when it begins and ends, and that it does so again.

    `is_repeated`: the clock was put back, and shows the same times a second time.
    """

    start: Instant
    end: Instant
    begins: datetime
    ends: datetime
    is_repeated: bool

    @property
    def hours(self) -> str:
        """The times at which the cell begins and ends."""
        again = " (second time)" if self.is_repeated else ""
        return f"{self.begins:%H:%M}\N{EN DASH}{self.ends:%H:%M}{again}"

    @property
    def words(self) -> str:
        """The day and the times of the cell."""
        return f"{self.begins:%a %d %b} {self.hours}"


class TimeWindow(Struct, frozen=True, cache_hash=True):
    """The cells of a day or a week, in order."""

    zoom: Zoom
    first_day: date
    cells: tuple[TimeCell, ...]

    @property
    def edges(self) -> tuple[Instant, ...]:
        """The borders of the cells."""
        return (*(cell.start for cell in self.cells), self.cells[-1].end)

    @property
    def days(self) -> Sequence[date]:
        """The days of the window."""
        return [self.first_day + timedelta(days=number) for number in range(_DAYS[self.zoom])]

    def shifted(self, steps: int) -> date:
        """Return the first day of a window before or after this one."""
        return self.first_day + timedelta(days=steps * _DAYS[self.zoom])

    def place_of(self, at: Instant) -> float:
        """Return where an instant lies in the window, in percent."""
        start, end = self.cells[0].start, self.cells[-1].end
        return (at - start) / (end - start) * 100

    def cell_at(self, at: Instant) -> TimeCell | None:
        """Return the cell that contains an instant."""
        return next((cell for cell in self.cells if cell.start <= at < cell.end), None)


def window_of(zone: ZoneInfo | None, zoom: Zoom, day: date) -> TimeWindow:
    """Return the day, or the week from Monday on, in which a day lies."""
    first = day - timedelta(days=day.weekday()) if zoom is Zoom.WEEK else day
    start = midnight(zone, first)
    end = midnight(zone, first + timedelta(days=_DAYS[zoom]))
    edges = [*_edges(zone, start, end, _CELL_TICKS[zoom])]
    return TimeWindow(zoom, first, tuple(_cells(zone, edges)))


def day_of(zone: ZoneInfo | None, at: Instant) -> date:
    """Return the day that an instant lies in."""
    return reading_of(to_wall(zone, at)).date()


def midnight(zone: ZoneInfo | None, day: date) -> Instant:
    """Return when a day begins."""
    return to_instant(zone, wall_of(datetime.combine(day, time.min)))


def _edges(zone: ZoneInfo | None, start: Instant, end: Instant, length: int) -> Iterator[Instant]:
    """Yield where the clock shows a multiple of some hours, and where it is put forward or back."""
    changes = offset_changes(zone, start, Instant(end - 1))
    for begin, until in pairwise([start, *changes, end]):
        yield begin
        offset = offset_at(zone, begin)
        first = begin + length - (begin + offset) % length
        yield from map(Instant, range(first, until, length))
    yield end


def _cells(zone: ZoneInfo | None, edges: Sequence[Instant]) -> Iterator[TimeCell]:
    reached = Wall(0)
    for start, end in pairwise(edges):
        begins = to_wall(zone, start)
        ends = Wall(begins + end - start)
        is_repeated = begins < reached and reached - begins < DAY
        yield TimeCell(start, end, reading_of(begins), reading_of(ends), is_repeated)
        reached = max(reached, ends)


def local_reading(zone: ZoneInfo | None, at: Instant) -> datetime:
    """Return what the viewer's clock shows at an instant."""
    return reading_of(to_wall(zone, at))
