"""The list of all jobs across collections: search and filter, page by page."""

from typing import Any

from msgspec import structs
from starlette.responses import Response

from foliot.app.dashboard import RecentRuns
from foliot.core.ids import JobId
from foliot.core.model.job import JobState
from foliot.core.model.job_search import FoundJob, JobPosition, JobSearch
from foliot.core.model.run_outcome import RunOutcome
from foliot.portal import urls
from foliot.portal.choice_problem import problem_of_choice
from foliot.portal.collection_names import naming_of
from foliot.portal.job_filters import JobFilter, read_filter
from foliot.portal.job_rows import row_of_found
from foliot.portal.page_request import PageRequest, fingerprint_of
from foliot.portal.pages.jobs import WRONG_FILTER, list_values, rows_wanted

PATH = "/jobs"
_COLLECTIONS = 200
# A refresh reads what all jobs are searched by, so that it is rarer than that of a collection.
_SECONDS = 30
_DIGITS = 18


async def show(request: PageRequest) -> Response:
    """Show the first jobs that match, or the next part as the user scrolls."""
    job_filter, after = _filter(request), _position(request.query.get("after"))
    found, following = await _found(request, job_filter, after)
    recent = await request.use_cases.dashboard.recent_runs([each.job for each in found if each.job])
    collections = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in collections]
    rows = [
        row_of_found(each, recent.get(each.position.job_id, RecentRuns()), request.now)
        for each in found
    ]
    fingerprint = fingerprint_of(rows, following)
    values: dict[str, Any] = {
        **list_values(job_filter, PATH),
        "rows": rows,
        "all_jobs": await request.use_cases.search.count_jobs(request.who),
        "collections": keys,
        "scope": request.chosen_scope,
        "naming": naming_of([*keys, *(each.collection.key for each in found)]),
        "may_select": False,
        "seconds": _SECONDS,
        "following": _address(request, job_filter, after=following) if following else "",
        "live": _address(request, job_filter, seen=fingerprint),
    }
    if request.is_partial and after is None:
        return request.render_part_if_changed("job_list.html", fingerprint, **values)
    if request.is_partial:
        return request.render_part("job_rows.html", **values)
    status = WRONG_FILTER if job_filter.problem else 200
    return request.render_page("all_jobs.html", http_status=status, **values)


def _filter(request: PageRequest) -> JobFilter:
    job_filter = read_filter(request.query)
    problems = [job_filter.problem, problem_of_choice(request)]
    return structs.replace(job_filter, problem=" ".join(filter(None, problems)))


async def _found(
    request: PageRequest, job_filter: JobFilter, after: JobPosition | None
) -> tuple[list[FoundJob], str]:
    """Return the jobs of a page, and where the next page begins, empty after the last."""
    if job_filter.problem:
        return [], ""
    search = JobSearch(
        terms=job_filter.terms,
        state=JobState(job_filter.state) if job_filter.state else None,
        outcome=RunOutcome(job_filter.outcome) if job_filter.outcome else None,
        after=after,
    )
    limit = rows_wanted(request)
    found = await request.use_cases.search.jobs(
        request.who, request.chosen_scope, search, limit=limit + 1
    )
    last = found[limit - 1].position if len(found) > limit else None
    return [*found[:limit]], "" if last is None else f"{last.job_id}/{last.folded_name}"


def _position(text: str) -> JobPosition | None:
    number, mark, name = text.partition("/")
    is_good = mark and number.isascii() and number.isdigit() and len(number) <= _DIGITS
    return JobPosition(name, JobId(int(number))) if is_good else None


def _address(request: PageRequest, job_filter: JobFilter, **more: str) -> str:
    of = request.query.get("of")
    return urls.with_query(PATH, **{**job_filter.filters, "sort": "", "of": of}, **more)
