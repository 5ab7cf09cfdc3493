"""Time zones: from the clock on the wall to the instant and back.

Where a change of offset makes the clock skip, a skipped reading means the first instant after the
gap; where the clock repeats itself, a repeated reading means its first time. So readings in order
are instants in order, and the calendar can be computed on readings alone.
"""

import difflib
from datetime import UTC, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from foliot.core.errors import Invalid, shown
from foliot.core.instant import DAY, LAST_TICK, SECOND, Instant, Moment, Wall, reading_of

# An offset is less than a day: inside these bounds no reading leaves the years 1 to 9999.
_EARLIEST = DAY
_LATEST = LAST_TICK - DAY
_YEAR = 366 * DAY

# A name that means whatever the machine is set to would run at other times on another machine.
_NOT_A_PLACE = frozenset({"localtime", "Factory"})


def find_zone(name: str) -> ZoneInfo:
    """Return the zone of this IANA name."""
    if name not in zone_names():
        near = difflib.get_close_matches(name, zone_names(), n=1, cutoff=0.75)
        hint = f"did you mean {shown(near[0])}?" if near else 'give a name such as "Europe/Prague".'
        raise Invalid(("timeZone",), f"{shown(name)} is not an IANA time zone; {hint}")
    return ZoneInfo(name)


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Return the names of all zones that a rule may have."""
    return frozenset(available_timezones()) - _NOT_A_PLACE


def to_wall(zone: ZoneInfo | None, instant: Instant) -> Wall:
    """Return what the clock shows at this instant."""
    if zone is None:
        return Wall(instant)
    return Wall(min(max(0, instant + offset_at(zone, instant)), LAST_TICK))


def to_instant(zone: ZoneInfo | None, wall: Wall) -> Instant:
    """Return the instant that a reading of the clock means."""
    if zone is None:
        return Instant(wall)
    reading = reading_of(Wall(min(max(wall, _EARLIEST), _LATEST))).replace(tzinfo=zone)
    # In a gap the first of these is the offset before it and the smaller; in a repeated hour the
    # first is the offset of its first time and the larger; else they are equal (PEP 495).
    before, after = _ticks(reading.utcoffset()), _ticks(reading.replace(fold=1).utcoffset())
    if before < after:
        return _change_between(zone, Instant(wall - after), Instant(wall - before))
    return Instant(wall - before)


def instant_of_moment(zone: ZoneInfo | None, moment: Moment) -> Instant:
    """Return the instant a client's date-time names on a clock in this zone."""
    if moment.offset is None:
        # The first and the last readings of all time may lie a few hours outside it in UTC.
        return Instant(min(max(to_instant(zone, moment.wall), 0), LAST_TICK))
    return Instant(moment.wall - moment.offset)


def wall_of_moment(zone: ZoneInfo | None, moment: Moment) -> Wall:
    """Return the reading a client's date-time has on a clock in this zone."""
    if moment.offset is None:
        return moment.wall
    return to_wall(zone, Instant(moment.wall - moment.offset))


def offset_at(zone: ZoneInfo | None, instant: int) -> int:
    """Return how far the clock is ahead of UTC at an instant."""
    if zone is None:
        return 0
    utc = reading_of(Wall(min(max(instant, _EARLIEST), _LATEST))).replace(tzinfo=UTC)
    return _ticks(utc.astimezone(zone).utcoffset())


def offset_changes(zone: ZoneInfo | None, after: Instant, until: Instant) -> list[Instant]:
    """Return when the clock is put forward or back, later than one instant, up to another."""
    if zone is None:
        return []
    years = range(max(after, 0) // _YEAR, until // _YEAR + 1)
    changes = (at for year in years for at in _changes_in(zone, year))
    return [at for at in changes if after < at <= until]


@lru_cache(maxsize=1024)
def _changes_in(zone: ZoneInfo, year: int) -> tuple[Instant, ...]:
    """Return the changes in a stretch of 366 days; no zone has two within a day."""
    days = range(year * _YEAR, (year + 1) * _YEAR, DAY)
    return tuple(
        _change_between(zone, Instant(day), Instant(day + DAY))
        for day in days
        if offset_at(zone, day) != offset_at(zone, day + DAY)
    )


def _change_between(zone: ZoneInfo, earlier: Instant, later: Instant) -> Instant:
    """Return the first instant with the later one's offset; changes happen on whole seconds."""
    low, high = earlier // SECOND, later // SECOND
    new_offset = offset_at(zone, later)
    while high - low > 1:
        middle = (low + high) // 2
        if offset_at(zone, middle * SECOND) == new_offset:
            high = middle
        else:
            low = middle
    return Instant(high * SECOND)


def _ticks(offset: timedelta | None) -> int:
    assert offset is not None  # noqa: S101  (a ZoneInfo knows the offset of every reading)
    return offset // timedelta(microseconds=1) * 10
