"""The job list of a collection: search, filter, sort, and change many jobs at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import uuid4

from starlette.responses import Response

from foliot.app.dashboard import ListedJobs
from foliot.core.errors import FoliotError, Invalid
from foliot.core.model.dashboard import CountedCollection
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.plurals import how_many
from foliot.core.rules.quota import max_jobs
from foliot.portal import urls
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.problems import explain
from foliot.portal.job_filters import OUTCOMES, SORTS, STATES, JobFilter, filtered, read_filter
from foliot.portal.job_rows import row_of_job
from foliot.portal.page_request import BAD, GOOD, Notice, PageRequest, fingerprint_of

ROWS_PER_PART = 100
WRONG_FILTER = 400
# A refresh shows at most so many rows.
_MOST_ROWS = 1000
_DIGITS = 6
_SECONDS = 10
_AT_A_TIME = 50
_NAMED_REFUSALS = 3
# The hidden first button of the list's form, which Enter presses without a script.
_NOTHING = "nothing"


async def show(request: PageRequest) -> Response:
    """Show the first jobs of a list, or the next part as the user scrolls."""
    job_filter, skip = read_filter(request.query), request.skip
    found = await _jobs(request, job_filter)
    chosen = filtered(found.jobs, job_filter, found.retried)
    end = skip + rows_wanted(request)
    shown = chosen[skip:end]
    recent = await request.use_cases.dashboard.recent_runs(shown)
    rows = [row_of_job(found.collection, job, recent[job.id], request.now) for job in shown]
    values: dict[str, Any] = {
        **collection_values(CountedCollection(found.collection, len(found.jobs)), "jobs"),
        **list_values(job_filter, urls.collection(request.key)),
        "rows": rows,
        "total": len(chosen),
        "matching": _fingerprint_of_names(chosen),
        "may_select": request.who.role is not Role.READER,
        "naming": None,
        "seconds": _SECONDS,
        "following": _address(request, job_filter, skip=str(end)) if len(chosen) > end else "",
    }
    fingerprint = fingerprint_of(len(chosen), rows)
    values["live"] = _address(request, job_filter, seen=fingerprint)
    if request.is_partial and not skip:
        return request.render_part_if_changed("job_list.html", fingerprint, **values)
    if request.is_partial:
        return request.render_part("job_rows.html", **values)
    status = WRONG_FILTER if job_filter.problem else 200
    return request.render_page("jobs.html", http_status=status, **values)


def list_values(job_filter: JobFilter, address: str) -> dict[str, Any]:
    """Return the template values that all lists of jobs need; `address` is that of the list."""
    return {
        "job_filter": job_filter,
        "filters": job_filter.filters,
        "address": address,
        "states": STATES,
        "statuses": OUTCOMES,
        "sorts": SORTS,
    }


def collection_values(found: CountedCollection, tab: str) -> dict[str, Any]:
    """Return the template values that all pages of a collection need."""
    return {
        "collection": found.collection,
        "key": found.collection.key,
        "all_jobs": found.job_count,
        "most": max_jobs(found.collection),
        "tab": tab,
    }


async def change_many(request: PageRequest) -> Response:
    """Enable, disable, run or delete the selected jobs, or all jobs of the list."""
    if request.form.get("do") == _NOTHING:
        return request.redirect(urls.collection(request.key))
    action = _ACTIONS.get(request.form.get("do"))
    if action is None:
        raise Invalid(("do",), f"give one of {', '.join(_ACTIONS)}.")
    change, done = action
    job_filter = read_filter(request.form)
    names = request.form.all("job")
    if request.form.get("every"):
        found = await _jobs(request, job_filter)
        chosen = filtered(found.jobs, job_filter, found.retried)
        names = [job.name for job in chosen]
        if _fingerprint_of_names(chosen) != request.form.get("matching"):
            match = f"{how_many(len(names), 'job')} {'matches' if len(names) == 1 else 'match'} now"
            words = f"No job was changed: the list has changed, {match}."
            return request.redirect(_address(request, job_filter), (BAD, words))
    refused: list[str] = []
    for start in range(0, len(names), _AT_A_TIME):
        part = names[start : start + _AT_A_TIME]
        results = await asyncio.gather(
            *(change(request, name) for name in part), return_exceptions=True
        )
        for name, result in zip(part, results, strict=True):
            if isinstance(result, FoliotError):
                refused.append(f"{name}: {explain(result, JOB_FORM)}")
            elif isinstance(result, BaseException):
                raise result
    return request.redirect(_address(request, job_filter), *_notices(len(names), refused, done))


async def enable(request: PageRequest, name: str) -> None:
    """Enable a job."""
    jobs = request.use_cases.jobs
    await jobs.set_job_state(request.who, request.key, name, JobState.ENABLED)


async def disable(request: PageRequest, name: str) -> None:
    """Disable a job."""
    jobs = request.use_cases.jobs
    await jobs.set_job_state(request.who, request.key, name, JobState.DISABLED)


async def run(request: PageRequest, name: str) -> None:
    """Run a job now."""
    await request.use_cases.runs.run_job(request.who, request.key, name, uuid4().hex)


async def delete(request: PageRequest, name: str) -> None:
    """Delete a job with its history."""
    await request.use_cases.jobs.delete_job(request.who, request.key, name)


_ACTIONS: dict[str, tuple[Callable[[PageRequest, str], Awaitable[None]], str]] = {
    "enable": (enable, "job enabled"),
    "disable": (disable, "job disabled"),
    "run": (run, "run started"),
    "delete": (delete, "job deleted"),
}


async def _jobs(request: PageRequest, job_filter: JobFilter) -> ListedJobs:
    """Return the jobs of the collection with what the filter has to know of them."""
    with_retried = job_filter.asks_for_failed
    return await request.use_cases.dashboard.jobs(
        request.who, request.key, with_retried=with_retried
    )


def _notices(count: int, refused: list[str], done: str) -> list[Notice]:
    notices: list[Notice] = []
    well = count - len(refused)
    if well:
        what, _, happened = done.partition(" ")
        notices.append((GOOD, f"{how_many(well, what)} {happened}."))
    if refused:
        more = len(refused) - _NAMED_REFUSALS
        words = " ".join(refused[:_NAMED_REFUSALS]) + (f" And {more} more." if more > 0 else "")
        notices.append((BAD, f"{len(refused):,} failed. {words}"))
    return notices or [(BAD, "Select at least one job.")]


def _fingerprint_of_names(jobs: Sequence[Job]) -> str:
    """Return a hash of which jobs these are, in any order: a user who selects all means them."""
    return fingerprint_of(sorted(job.id for job in jobs))


def rows_wanted(request: PageRequest) -> int:
    """Return how many rows to show: a refresh asks for all that a page has loaded."""
    text = request.query.get("rows")
    asked = int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0
    return min(max(asked, ROWS_PER_PART), _MOST_ROWS)


def _address(request: PageRequest, job_filter: JobFilter, **more: str) -> str:
    return urls.with_query(urls.collection(request.key), **job_filter.filters, **more)
