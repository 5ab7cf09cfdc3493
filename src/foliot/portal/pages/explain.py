"""Explain a time: what became of the planned times of a job around a moment or in a day."""

from collections.abc import Sequence
from typing import Final

from msgspec import structs
from starlette.responses import Response

from foliot.core.access import scope_of, sees
from foliot.core.errors import CollectionNotFound, Invalid, InvalidQuery, JobNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, MINUTE, Instant, Wall, format_instant, parse_moment
from foliot.core.model.job_search import JobSearch
from foliot.core.near_names import nearest, shortened
from foliot.core.recurrence.zone import instant_of_moment, to_instant, to_wall
from foliot.core.rules.explained_moment import ExplainedMoment
from foliot.core.rules.repeated_runs import TimeRange
from foliot.portal import urls
from foliot.portal.charts.time_cells import local_reading
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import job_values

PATH: Final = "/explain"
_COLLECTIONS: Final = 200
_JOBS: Final = 1000
_WRONG: Final = 400
_LINES_OF_DAY: Final = 48


async def show_choice(request: PageRequest) -> Response:
    """Ask for a job and a moment, and go to the answer."""
    job, key = request.query.get("job").strip(), request.chosen_key
    problems: list[str] = []
    at, is_day = _moment(request, problems), _is_whole_day(request)
    if request.query.all("job"):
        problems += await _problems_of_choice(request, key, job)
        if not problems and key is not None:
            given = {"date": request.query.get("date")} if is_day else {"at": format_instant(at)}
            return request.redirect(urls.with_query(urls.job(key, job, "explain"), **given))
    seen = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in seen]
    chosen = key or (keys[0] if len(keys) == 1 else None)
    return request.render_page(
        "explain.html",
        http_status=_WRONG if problems else 200,
        problems=problems,
        job_name=job,
        job_names=await _job_names(request, chosen),
        moment=local_reading(request.zone, at),
        is_day=is_day,
        zone="UTC" if request.zone is None else request.zone.key,
        chosen_key=chosen,
        collections=keys,
        naming=naming_of(keys),
    )


async def _problems_of_choice(
    request: PageRequest, key: CollectionKey | None, job: str
) -> Sequence[str]:
    if key is None or not job:
        missing = [] if key else ["collection: choose the collection of the job."]
        return missing if job else [*missing, "job: give the name of a job."]
    try:
        await request.use_cases.dashboard.job(request.who, key, job)
    except CollectionNotFound as refusal:
        return [f"collection: {refusal}"]
    except JobNotFound:
        by_folded_name = {each.lower(): each for each in await _job_names(request, key)}
        meant = [by_folded_name[each] for each in nearest(job.lower(), by_folded_name)]
        question = f"did you mean '{meant[0]}'?" if meant else "choose one from the list."
        return [f"job: no job has the name '{shortened(job)}'; {question}"]
    return []


async def _job_names(request: PageRequest, key: CollectionKey | None) -> Sequence[str]:
    """Return the first names of jobs of the chosen collection, if the viewer may see it."""
    if key is None or not sees(request.who, key):
        return []
    found = await request.use_cases.search.jobs(
        request.who, scope_of(key), JobSearch(), limit=_JOBS
    )
    return [each.name for each in found]


async def show(request: PageRequest) -> Response:
    """Explain a moment of a job, or a whole day."""
    problems: list[str] = []
    at = _moment(request, problems)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    is_day = _is_whole_day(request) and not problems
    explained = await (_explain_day(request, at) if is_day else _explain(request, at))
    return request.render_page(
        "job_explain.html",
        http_status=_WRONG if problems else 200,
        tab="explain",
        problems=problems,
        explained=structs.replace(explained, here=explained.here[:_LINES_OF_DAY]),
        has_more=len(explained.here) > _LINES_OF_DAY,
        moment=local_reading(request.zone, at),
        is_day=is_day,
        zone="UTC" if request.zone is None else request.zone.key,
        **job_values(found),
    )


async def _explain(request: PageRequest, at: Instant) -> ExplainedMoment:
    return await request.use_cases.ledger.explain(request.who, request.key, request.job, at)


async def _explain_day(request: PageRequest, begin: Instant) -> ExplainedMoment:
    """Explain all of a day of the viewer: what was planned in it, before it and after it."""
    day = to_wall(request.zone, begin) // DAY
    end = to_instant(request.zone, Wall((day + 1) * DAY))
    first, last = await _explain(request, begin), await _explain(request, Instant(end - MINUTE))
    here = await request.use_cases.ledger.lines(
        request.who, request.key, request.job, TimeRange(begin, end), _LINES_OF_DAY + 1
    )
    return structs.replace(last, at=begin, here=here, before=first.before)


def _is_whole_day(request: PageRequest) -> bool:
    """Tell whether the address has a date and no time."""
    query = request.query
    return bool(query.get("date")) and not query.get("time") and not query.get("at")


def _moment(request: PageRequest, problems: list[str]) -> Instant:
    """Return the moment in the address, to the minute: `at`, or `date` with `time`; else now."""
    day, clock = request.query.get("date"), request.query.get("time")
    text = request.query.get("at") or (f"{day}T{clock or '00:00'}" if day else "")
    at = request.now
    try:
        at = instant_of_moment(request.zone, parse_moment(text)) if text else at
        request.use_cases.ledger.check_explained(at)
    except Invalid as refusal:
        problems.append(f"time: {refusal.problem}")
    except InvalidQuery as refusal:
        problems.append(str(refusal))
        at = request.now
    # The nearest planned times are looked for a year away.
    at = max(at, 400 * DAY)
    return Instant(at - at % MINUTE)
