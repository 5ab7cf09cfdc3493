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
from foliot.core.instant import reading_of
from foliot.core.recurrence.zone import find_zone
from foliot.portal import urls
from foliot.portal.charts.week_hours import Hour, heat, hours_of, in_hour
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import Visit

# The jobs that are due soonest; with more than these a page would be made for too long.
_MOST_JOBS = 2000
# How full an hour is beside a usual one: from here on it is drawn a shade darker.
_LEVELS = (0.5, 0.9, 1.25, 2.0)
_LISTED = 200
_COLLECTIONS = 200
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
    scope, zone = visit.within, _zone(visit)
    hours = hours_of(zone, visit.now)
    jobs = await visit.use_cases.dashboard.coming(visit.who, scope, hours[-1].end, _MOST_JOBS)
    counts = await asyncio.to_thread(heat, jobs, hours)
    chosen = _chosen(visit, hours)
    listed = [] if chosen is None else await asyncio.to_thread(in_hour, jobs, chosen)
    seen = await visit.use_cases.dashboard.collections(visit.who, limit=_COLLECTIONS)
    collections = [each.collection.key for each in seen]
    return visit.page(
        "calendar.html",
        rows=_rows(list(zip(hours, counts, strict=True)), chosen, visit),
        hours=range(_HOURS_OF_DAY),
        zone="UTC" if zone is None else zone.key,
        scope=scope,
        collections=collections,
        naming=naming_of([*collections, *(each.coming.collection.key for each in listed)]),
        is_whole=len(jobs) < _MOST_JOBS,
        most_jobs=_MOST_JOBS,
        total=sum(counts),
        most=max(counts),
        chosen=chosen,
        listed=listed[:_LISTED],
        more=max(0, len(listed) - _LISTED),
    )


def _chosen(visit: Visit, hours: Sequence[Hour]) -> Hour | None:
    """Return the hour that holds the instant which is asked for."""
    text = visit.query.get("at")
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  (an instant's digits)
        return None
    return next((hour for hour in hours if hour.start <= int(text) < hour.end), None)


def _zone(visit: Visit) -> ZoneInfo | None:
    """Return the zone of the viewer's clock, as a script of ours told it."""
    try:
        return find_zone(visit.cookies.zone) if visit.cookies.zone else None
    except Invalid:
        return None


def _rows(counted: Sequence[tuple[Hour, int]], chosen: Hour | None, visit: Visit) -> list[Row]:
    usual = _usual([count for _, count in counted])
    rows: dict[date, list[Cell | None]] = {}
    for hour, count in counted:
        reading = reading_of(hour.reading)
        cells = rows.setdefault(reading.date(), [None] * _HOURS_OF_DAY)
        if hour.start == hour.end:
            continue  # The clock skips it.
        level = 0 if count == 0 else 1 + bisect(_LEVELS, count / usual)
        address = urls.with_query("/calendar", of=visit.query.get("of"), at=str(hour.start))
        cells[reading.hour] = Cell(count, level, address, hour == chosen)
    return [Row(day, cells) for day, cells in rows.items()]


def _usual(counts: Sequence[int]) -> int:
    """Return how many runs an hour usually has that has any."""
    return median_low([count for count in counts if count] or [1])
