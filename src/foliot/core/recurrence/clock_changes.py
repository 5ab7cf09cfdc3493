"""Readings of a clock that is put forward and back, as instants.

Between two changes of its offset a clock runs evenly: such a stretch turns a reading into an
instant by one subtraction. At a change the policy decides: readings that the clock shows twice
belong to one of two stretches or to both, and those that it skips run at one instant, or never.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

from foliot.core.instant import DAY, HOUR, LAST_TICK, MINUTE, Instant, Wall
from foliot.core.recurrence.dst_policy import DstPolicy, RepeatedTime, SkippedTime
from foliot.core.recurrence.zone import offset_at, offset_changes, to_instant

# No clock was ever put forward or back by more than a day.
_LONGEST_CHANGE = 2 * DAY
# No clock shows more than a day before or after UTC, or the minute before a gap.
_LARGEST_OFFSET = DAY + HOUR
# A reading runs at most so long after the earliest instant at which any clock could show it.
_WINDOW = 2 * _LARGEST_OFFSET
# A rule may have times only in the gaps that clocks skip, year after year.
_MOST_WINDOWS = 40


class EvenStretch(NamedTuple):
    """Readings from `low` on and before `high`, each at the instant `reading - offset`."""

    low: Wall
    high: Wall
    offset: int


class SkippedReadings(NamedTuple):
    """Readings from `low` on and before `high` that the clock skips, and the instant they run."""

    low: Wall
    high: Wall
    at: Instant


class Readings(Protocol):
    """Readings in order, of which the next is found by a jump."""

    @property
    def begins_at(self) -> Wall:
        """No reading before this one counts."""
        ...

    def after(self, wall: Wall) -> Wall | None:
        """Return the first reading later than this one."""
        ...


def cut_at_changes(
    zone: ZoneInfo | None, dst: DstPolicy, after: Instant, until: Instant
) -> tuple[list[EvenStretch], list[SkippedReadings]]:
    """Cut the time later than one instant, up to another, where the clock changes."""
    begin, end = Instant(after - _LONGEST_CHANGE), Instant(until + _LONGEST_CHANGE)
    edges = [begin, *offset_changes(zone, begin, end), Instant(end + 1)]
    offsets = [offset_at(zone, at) for at in edges[:-1]]
    stretches: list[EvenStretch] = []
    skipped: list[SkippedReadings] = []
    for index, offset in enumerate(offsets):
        at, low, high = edges[index], edges[index] + offset, edges[index + 1] + offset
        before = offsets[index - 1] if index else offset
        following = offsets[index + 1] if index + 1 < len(offsets) else offset
        if before < offset and (runs_at := _after_gap(dst, at, before)) is not None:
            skipped.append(SkippedReadings(Wall(at + before), Wall(low), runs_at))
        if before > offset and dst.of_repeated is RepeatedTime.FIRST:
            low = at + before
        if following < offset and dst.of_repeated is RepeatedTime.SECOND:
            high = edges[index + 1] + following
        low, high = max(low, after + 1 + offset, 0), min(high, until + 1 + offset, LAST_TICK + 1)
        if low < high:
            stretches.append(EvenStretch(Wall(low), Wall(high), offset))
    return stretches, [each for each in skipped if after < each.at <= until]


def instants_of(zone: ZoneInfo | None, dst: DstPolicy, wall: Wall) -> list[Instant]:
    """Return the instants at which a reading runs: none, one or two."""
    near = to_instant(zone, wall)
    stretches, skipped = cut_at_changes(
        zone, dst, Instant(near - _LONGEST_CHANGE), Instant(near + _LONGEST_CHANGE)
    )
    found = [Instant(wall - each.offset) for each in stretches if each.low <= wall < each.high]
    return sorted(found + [each.at for each in skipped if each.low <= wall < each.high])


def first_instant_after(
    readings: Readings, zone: ZoneInfo, dst: DstPolicy, after: Instant
) -> Instant | None:
    """Return the first instant of these readings later than another one."""
    for _ in range(_MOST_WINDOWS):
        reading = _first_from(readings, Wall(after - _LARGEST_OFFSET))
        if reading is None or after > LAST_TICK:
            break
        after = Instant(max(after, reading - _LARGEST_OFFSET))
        until = Instant(after + _WINDOW)
        found = _first_between(readings, zone, dst, (after, until))
        if found is not None:
            return found
        after = until
    return None


def has_reading(readings: Readings, low: Wall, high: Wall) -> bool:
    """Tell whether there is a reading from a low one on and before a high one."""
    found = _first_from(readings, low)
    return found is not None and found < high


def readings_between(readings: Readings, low: Wall, high: Wall) -> Iterator[Wall]:
    """Go through the readings from a low one on and before a high one."""
    reading = _first_from(readings, low)
    while reading is not None and reading < high:
        yield reading
        reading = readings.after(reading)


def _first_between(
    readings: Readings, zone: ZoneInfo, dst: DstPolicy, between: tuple[Instant, Instant]
) -> Instant | None:
    stretches, skipped = cut_at_changes(zone, dst, *between)
    found = [each.at for each in skipped if has_reading(readings, each.low, each.high)]
    for stretch in stretches:
        reading = _first_from(readings, stretch.low)
        if reading is not None and reading < stretch.high:
            found.append(Instant(reading - stretch.offset))
    return min(found, default=None)


def _first_from(readings: Readings, low: Wall) -> Wall | None:
    if low > LAST_TICK:
        return None
    return readings.after(Wall(max(low, readings.begins_at, 0) - 1))


def _after_gap(dst: DstPolicy, change: Instant, offset: int) -> Instant | None:
    """Return when the readings run that a change skips; the offset is the one before it."""
    match dst.of_skipped:
        case SkippedTime.AFTER:
            return change
        case SkippedTime.SKIP:
            return None
        case SkippedTime.BEFORE:
            last_minute = (change + offset - 1) // MINUTE * MINUTE
            return Instant(last_minute - offset)
