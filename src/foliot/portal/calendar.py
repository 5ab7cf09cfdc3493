"""The calendar: how the runs of the coming week pile up, hour by hour."""

import asyncio
from bisect import bisect
from collections.abc import Sequence
from datetime import date
from statistics import median_low
from typing import NamedTuple
from zoneinfo import ZoneInfo

from starlette.responses import Response

from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR, Instant, Wall, reading_of
from foliot.core.model import Scope
from foliot.core.recurrence.zone import find_zone, to_wall
from foliot.portal import paths
from foliot.portal.heat import DAYS, HOURS, heat, in_hour
from foliot.portal.visit import Visit

# The jobs that are due soonest; with more than these a page would be made for too long.
_MOST_JOBS = 2000
# How full an hour is beside a usual one: from here on it is drawn a shade darker.
_LEVELS = (0.5, 0.9, 1.25, 2.0)
_LISTED = 200
_HOURS_OF_DAY = 24


class Cell(NamedTuple):
    """An hour: how many runs it has, how much that is beside the fullest, where its list is."""

    runs: int
    level: int
    address: str
    is_chosen: bool


class Row(NamedTuple):
    """A day of the viewer's clock, hour by hour; hours that are over have no cell."""

    day: date
    cells: list[Cell | None]


async def show(visit: Visit) -> Response:
    """Show the week, and the runs of one hour of it if that is asked for."""
    scope = _scope(visit)
    begin = Instant(visit.now - visit.now % HOUR)
    end = Instant(begin + DAYS * DAY)
    jobs = await visit.desk.watch.coming(visit.who, scope, end, _MOST_JOBS)
    counted = await asyncio.to_thread(heat, jobs, begin)
    chosen = _chosen(visit, begin)
    listed = [] if chosen is None else await asyncio.to_thread(in_hour, jobs, _hour(begin, chosen))
    zone = _zone(visit)
    return visit.page(
        "calendar.html",
        rows=_rows(counted.hours, begin, zone, visit),
        hours=range(_HOURS_OF_DAY),
        zone="UTC" if zone is None else zone.key,
        scope=scope,
        collections=[
            each.collection.key for each in await visit.desk.watch.collections(visit.who, limit=200)
        ],
        is_whole=counted.is_whole and len(jobs) < _MOST_JOBS,
        most_jobs=_MOST_JOBS,
        total=sum(counted.hours),
        most=max(counted.hours),
        chosen=None if chosen is None else _hour(begin, chosen),
        listed=listed[:_LISTED],
        more=max(0, len(listed) - _LISTED),
    )


def _scope(visit: Visit) -> Scope:
    """Read which collection is asked for, or all of them."""
    parts = visit.query.get("of").lower().split("/")
    names = ("subscription", "group", "collection")
    return Scope(**dict(zip(names, parts, strict=True))) if len(parts) == len(names) else Scope()


def _chosen(visit: Visit, begin: Instant) -> int | None:
    text = visit.query.get("at")
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  (an instant's digits)
        return None
    hour = (int(text) - begin) // HOUR
    return hour if 0 <= hour < HOURS else None


def _hour(begin: Instant, index: int) -> Instant:
    return Instant(begin + index * HOUR)


def _zone(visit: Visit) -> ZoneInfo | None:
    """Return the zone of the viewer's clock, as a script of ours told it."""
    try:
        return find_zone(visit.cookies.zone) if visit.cookies.zone else None
    except Invalid:
        return None


def _rows(hours: Sequence[int], begin: Instant, zone: ZoneInfo | None, visit: Visit) -> list[Row]:
    usual = _usual(hours)
    rows: dict[date, list[Cell | None]] = {}
    for index, count in enumerate(hours):
        at = _hour(begin, index)
        reading = reading_of(Wall(to_wall(zone, at)))
        cells = rows.setdefault(reading.date(), [None] * _HOURS_OF_DAY)
        before = cells[reading.hour]
        # Where a clock repeats an hour, both are one cell.
        total = count + (before.runs if before else 0)
        level = 0 if total == 0 else 1 + bisect(_LEVELS, total / usual)
        address = paths.with_query("/calendar", of=visit.query.get("of"), at=str(at))
        cells[reading.hour] = Cell(total, level, address, str(at) == visit.query.get("at"))
    return [Row(day, cells) for day, cells in rows.items()]


def _usual(hours: Sequence[int]) -> int:
    """Return how many runs an hour usually has that has any."""
    return median_low([count for count in hours if count] or [1])
