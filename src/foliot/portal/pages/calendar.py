"""The calendar page: scheduled runs of the next seven days, by hour."""

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
from foliot.portal.charts.week_hours import Hour, hours_of, jobs_in_hour, runs_per_hour
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest

# Only the jobs that are due soonest count: more would take too long to render.
_MOST_JOBS = 2000
# Runs of an hour relative to the median hour: each threshold is one shade darker.
_LEVELS = (0.5, 0.9, 1.25, 2.0)
_LISTED = 200
_COLLECTIONS = 200
_HOURS_OF_DAY = 24


class Cell(NamedTuple):
    """An hour: its runs, its shade, and the address of its list."""

    runs: int
    level: int
    address: str
    is_chosen: bool


class DayRow(NamedTuple):
    """A day in the viewer's time zone, hour by hour; past hours have no cell."""

    day: date
    cells: list[Cell | None]


async def show(request: PageRequest) -> Response:
    """Show the week, and the runs of the chosen hour."""
    scope, zone = request.chosen_scope, _zone(request)
    hours = hours_of(zone, request.now)
    jobs = await request.use_cases.dashboard.coming(request.who, scope, hours[-1].end, _MOST_JOBS)
    counts = await asyncio.to_thread(runs_per_hour, jobs, hours)
    chosen = _chosen(request, hours)
    listed = [] if chosen is None else await asyncio.to_thread(jobs_in_hour, jobs, chosen)
    seen = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    collections = [each.collection.key for each in seen]
    return request.render_page(
        "calendar.html",
        rows=_rows(list(zip(hours, counts, strict=True)), chosen, request),
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


def _chosen(request: PageRequest, hours: Sequence[Hour]) -> Hour | None:
    """Return the hour that contains the instant in the query."""
    text = request.query.get("at")
    if not (text.isascii() and text.isdigit() and len(text) < 20):  # noqa: PLR2004  (an instant's digits)
        return None
    return next((hour for hour in hours if hour.start <= int(text) < hour.end), None)


def _zone(request: PageRequest) -> ZoneInfo | None:
    """Return the viewer's time zone, which a script stores in a cookie."""
    try:
        return find_zone(request.cookies.zone) if request.cookies.zone else None
    except Invalid:
        return None


def _rows(
    counted: Sequence[tuple[Hour, int]], chosen: Hour | None, request: PageRequest
) -> list[DayRow]:
    median = _median([count for _, count in counted])
    rows: dict[date, list[Cell | None]] = {}
    for hour, count in counted:
        reading = reading_of(hour.reading)
        cells = rows.setdefault(reading.date(), [None] * _HOURS_OF_DAY)
        if hour.start == hour.end:
            continue  # The change to summer time skips this hour.
        level = 0 if count == 0 else 1 + bisect(_LEVELS, count / median)
        address = urls.with_query("/calendar", of=request.query.get("of"), at=str(hour.start))
        cells[reading.hour] = Cell(count, level, address, hour == chosen)
    return [DayRow(day, cells) for day, cells in rows.items()]


def _median(counts: Sequence[int]) -> int:
    """Return the median number of runs of the hours that have any."""
    return median_low([count for count in counts if count] or [1])
