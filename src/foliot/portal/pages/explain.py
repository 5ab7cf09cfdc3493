"""Explain a time: what became of the planned times of a job around a moment, and why."""

from collections.abc import Sequence
from typing import Final

from starlette.responses import Response

from foliot.core.access import sees
from foliot.core.errors import CollectionNotFound, Invalid, InvalidQuery, JobNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, MINUTE, Instant, format_instant, parse_moment
from foliot.core.model.job_search import JobSearch
from foliot.core.near_names import nearest, shortened
from foliot.core.recurrence.zone import instant_of_moment
from foliot.portal import urls
from foliot.portal.charts.time_cells import local_reading
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import job_values

PATH: Final = "/explain"
_COLLECTIONS: Final = 200
_JOBS: Final = 1000
_WRONG: Final = 400


async def show_choice(request: PageRequest) -> Response:
    """Ask for a job and a moment, and go to the answer."""
    job, key = request.query.get("job").strip(), request.chosen_key
    problems: list[str] = []
    at = _moment(request, problems)
    if request.query.all("job"):
        problems += await _problems_of_choice(request, key, job)
        if not problems and key is not None:
            return request.redirect(
                urls.with_query(urls.job(key, job, "explain"), at=format_instant(at))
            )
    seen = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in seen]
    return request.render_page(
        "explain.html",
        http_status=_WRONG if problems else 200,
        problems=problems,
        job_name=job,
        job_names=await _job_names(request, key),
        moment=local_reading(request.zone, at),
        zone="UTC" if request.zone is None else request.zone.key,
        chosen_key=key,
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
        request.who, request.chosen_scope, JobSearch(), limit=_JOBS
    )
    return [each.name for each in found]


async def show(request: PageRequest) -> Response:
    """Explain a moment of a job."""
    problems: list[str] = []
    at = _moment(request, problems)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    explained = await request.use_cases.ledger.explain(request.who, request.key, request.job, at)
    return request.render_page(
        "job_explain.html",
        http_status=_WRONG if problems else 200,
        tab="explain",
        problems=problems,
        explained=explained,
        moment=local_reading(request.zone, at),
        zone="UTC" if request.zone is None else request.zone.key,
        **job_values(found),
    )


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
