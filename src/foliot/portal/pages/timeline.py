"""The timeline: past and coming runs of a day or a week, a lane for each collection or job."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import Response

from foliot.app.timeline import Lane, LanePage, TimelineView
from foliot.core.errors import Invalid, shown
from foliot.core.instant import Instant, format_instant, parse_moment
from foliot.core.model.timeline import CountedRuns, added_up
from foliot.core.recurrence.zone import instant_of_moment
from foliot.portal import urls
from foliot.portal.charts.lanes import CellLink
from foliot.portal.charts.time_cells import TimeCell, TimeWindow, Zoom, day_of, window_of
from foliot.portal.choice_problem import problem_of_choice
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest

PATH: Final = "/timeline"
OLD_PATH: Final = "/calendar"
_LANES: Final = 20
_COLLECTIONS: Final = 200
_LISTED: Final = 200
_WRONG: Final = 400
# History is kept for less, and schedules change sooner.
_FARTHEST: Final = timedelta(days=5 * 366)


class TimelineQuery(Struct, frozen=True):
    """What an address asks for: the window, the chosen instant, and what is wrong with it."""

    window: TimeWindow
    chosen_at: Instant | None
    problems: Sequence[str]


class LaneRow(Struct, frozen=True):
    """A lane as it is shown: its name, where that leads, its cells, and their sum."""

    name: str
    address: str
    links: Sequence[CellLink]
    total: CountedRuns


async def show(request: PageRequest) -> Response:
    """Show the timeline, and the jobs that run in the chosen cell."""
    query = read_query(request)
    window, page = query.window, LanePage(request.skip, _LANES)
    timeline, scope = request.use_cases.timeline, request.chosen_scope
    view = await timeline.view(request.who, scope, window.edges, page)
    chosen = None if query.chosen_at is None else window.cell_at(query.chosen_at)
    listed = (
        None
        if chosen is None
        else await timeline.jobs_in_cell(
            request.who, scope, chosen.start, chosen.end, limit=_LISTED
        )
    )
    others = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    choices = [each.collection.key for each in others]
    shown_day = _day_shown(request, window) if chosen is None else chosen.begins.date()
    return request.render_page(
        "timeline.html",
        http_status=_WRONG if query.problems else 200,
        **_window_values(request, window),
        **_lane_values(request, view, window, chosen),
        problems=query.problems,
        here=f"{PATH}?{request.http.url.query}",
        # What is over does not change, and what is far away changes seldom.
        is_live=window.edges[0] <= request.now < window.edges[-1],
        view=view,
        scope=scope,
        collections=choices,
        naming=naming_of([*choices, *(each.key for each in view.collections)]),
        shown_day=shown_day,
        explain_address=_explain_address(request, query, shown_day),
        chosen=chosen,
        chosen_runs=_runs_at(view, window, chosen),
        chosen_address="" if chosen is None else _runs_address(request, chosen),
        listed=listed,
        more=0 if listed is None else listed.job_count - len(listed.jobs),
    )


async def redirect_old_address(request: PageRequest) -> Response:
    """Redirect from the calendar, which the timeline has replaced."""
    at = request.query.get("at")
    is_number = at.isascii() and at.isdigit() and len(at) < 19  # noqa: PLR2004  (digits of ticks)
    address = urls.with_query(
        PATH,
        of=request.query.get("of"),
        at=format_instant(Instant(int(at))) if is_number else "",
    )
    return request.redirect(address)


def read_query(request: PageRequest) -> TimelineQuery:
    """Read zoom, date and chosen instant from an address; what is wrong is told and left out."""
    problems: list[str] = []
    if wrong_choice := problem_of_choice(request):
        problems.append(wrong_choice)
    if (zoom_text := request.query.get("zoom")) and zoom_text not in [*Zoom]:
        problems.append(f"zoom: {shown(zoom_text)} is not valid; give one of {', '.join(Zoom)}.")
    chosen_at = _chosen_at(request, problems)
    today = day_of(request.zone, request.now)
    day = day_of(request.zone, chosen_at) if chosen_at is not None else today
    if text := request.query.get("date"):
        day = _day(text, problems) or day
    if abs(day - today) > _FARTHEST:
        problems.append(f"date: {day} is too far away; give a date within five years from today.")
        day, chosen_at = today, None
    # Whoever enters a time wants to see its hour.
    is_asked = chosen_at is not None and bool(request.query.get("time"))
    is_day = is_asked or request.query.get("zoom") == Zoom.DAY
    zoom = Zoom.DAY if is_day else Zoom.WEEK
    return TimelineQuery(window_of(request.zone, zoom, day), chosen_at, problems)


def _chosen_at(request: PageRequest, problems: list[str]) -> Instant | None:
    """Return the instant in the address: `at`, or `date` with `time`, in the viewer's zone."""
    day, clock = request.query.get("date"), request.query.get("time")
    text = request.query.get("at") or (f"{day}T{clock}" if day and clock else "")
    if not text:
        return None
    try:
        return instant_of_moment(request.zone, parse_moment(text))
    except Invalid as refusal:
        problems.append(f"at: {refusal.problem}")
        return None


def _day(text: str, problems: list[str]) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        problems.append(f"date: {text[:40]!r} is not a date; give one such as 2026-01-31.")
        return None


def _window_values(request: PageRequest, window: TimeWindow) -> Mapping[str, Any]:
    first, last = window.days[0], window.days[-1]
    is_day = window.zoom is Zoom.DAY
    return {
        "window": window,
        "zone": "UTC" if request.zone is None else request.zone.key,
        "period": f"{first:%A %d %B %Y}" if is_day else f"{first:%d %b} to {last:%d %b %Y}",
        "previous": _address(request, date=str(window.shifted(-1)), zoom=window.zoom),
        "following": _address(request, date=str(window.shifted(1)), zoom=window.zoom),
        "today": _address(request, zoom=window.zoom),
        "day_address": _address(request, date=str(_day_shown(request, window)), zoom=Zoom.DAY),
        "week_address": _address(request, date=str(first), zoom=Zoom.WEEK),
        "day_addresses": {
            day: _address(request, date=str(day), zoom=Zoom.DAY) for day in window.days
        },
    }


def _day_shown(request: PageRequest, window: TimeWindow) -> date:
    """Return today if the window has it, else its first day."""
    today = day_of(request.zone, request.now)
    return today if today in window.days else window.first_day


def _lane_values(
    request: PageRequest, view: TimelineView, window: TimeWindow, chosen: TimeCell | None
) -> Mapping[str, Any]:
    naming = naming_of([each.key for each in view.collections])
    total = [
        CellLink(cell, runs, _total_address(request, window, cell, runs), cell == chosen)
        for cell, runs in zip(window.cells, view.total, strict=True)
    ]
    following = request.skip + _LANES
    pages = {"date": str(window.first_day), "zoom": window.zoom}
    return {
        "total": LaneRow("All", "", total, added_up(view.total)),
        "lanes": [_lane_row(lane, window, naming(lane.collection.key)) for lane in view.lanes],
        "first_lane": request.skip + 1,
        "previous_lanes": _address(request, **pages, skip=str(max(0, request.skip - _LANES) or ""))
        if request.skip
        else "",
        "following_lanes": _address(request, **pages, skip=str(following))
        if following < view.lane_count
        else "",
    }


def _lane_row(lane: Lane, window: TimeWindow, name: str) -> LaneRow:
    key, job = lane.collection.key, lane.job
    links = [
        CellLink(cell, runs, _cell_address(window, lane, place, runs))
        for place, (cell, runs) in enumerate(zip(window.cells, lane.cells, strict=True))
    ]
    address = (
        urls.job(key, job)
        if job is not None
        else urls.with_query(
            PATH, of=urls.key_text(key), date=str(window.first_day), zoom=window.zoom
        )
    )
    return LaneRow(name if job is None else job, address, links, added_up(lane.cells))


def _total_address(
    request: PageRequest, window: TimeWindow, cell: TimeCell, runs: CountedRuns
) -> str:
    if not runs.total:
        return ""
    if not runs.coming:
        return _runs_address(request, cell)
    at = format_instant(cell.start)
    return _address(request, zoom=window.zoom, at=at) + "#cell"


def _cell_address(window: TimeWindow, lane: Lane, place: int, runs: CountedRuns) -> str:
    """Return where a cell of a lane leads: to its runs, its coming jobs, or an explanation."""
    start, middle, ended = _cell_queries(window)[place]
    key, job = lane.collection.key, lane.job
    if runs.ended and not runs.coming:
        owner = {"collection": urls.key_text(key)} | ({} if job is None else {"job": job})
        return f"/runs?{ended}&{urlencode(owner)}"
    if job is not None:
        return f"{urls.job(key, job, 'explain')}?{middle}"
    if not runs.total:
        return ""
    return f"{PATH}?{urlencode({'of': urls.key_text(key), 'zoom': window.zoom.value})}&{start}#cell"


@lru_cache(maxsize=16)
def _cell_queries(window: TimeWindow) -> Sequence[tuple[str, str, str]]:
    """Return, for each cell, the parts of addresses that name its start, its middle, its runs."""
    return [
        (
            urlencode({"at": format_instant(cell.start)}),
            urlencode({"at": format_instant(Instant((cell.start + cell.end) // 2))}),
            urlencode(_period(cell)),
        )
        for cell in window.cells
    ]


def _period(cell: TimeCell) -> dict[str, str]:
    return {"since": format_instant(cell.start), "until": format_instant(Instant(cell.end - 1))}


def _runs_address(request: PageRequest, cell: TimeCell) -> str:
    key = request.chosen_key
    collection = "" if key is None else urls.key_text(key)
    return urls.with_query("/runs", **_period(cell), collection=collection)


def _explain_address(request: PageRequest, query: TimelineQuery, shown_day: date) -> str:
    """Return where a time is explained: the chosen one, else the shown day unless it is today."""
    of, at = request.query.get("of"), query.chosen_at
    if at is not None:
        return urls.with_query("/explain", of=of, at=format_instant(at))
    is_today = shown_day == day_of(request.zone, request.now)
    return urls.with_query("/explain", of=of, date="" if is_today else str(shown_day))


def _runs_at(view: TimelineView, window: TimeWindow, chosen: TimeCell | None) -> CountedRuns:
    return CountedRuns() if chosen is None else view.total[window.cells.index(chosen)]


def _address(request: PageRequest, **query: str) -> str:
    return urls.with_query(PATH, of=request.query.get("of"), **query)
