"""The job list of a collection: search, filter, sort, and change many jobs at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from msgspec import Struct
from starlette.responses import Response

from foliot.app.dashboard import ListedJobs
from foliot.core.errors import FoliotError, Invalid
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model.dashboard import CountedCollection
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.rules.job_sentence import job_sentence
from foliot.core.rules.lifecycle import next_execution_at
from foliot.core.rules.quota import max_jobs
from foliot.portal import urls
from foliot.portal.formatting import how_many
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import explain
from foliot.portal.page_request import BAD, GOOD, Notice, PageRequest, fingerprint_of

_PER_PART = 100
_AT_A_TIME = 50
_NAMED_REFUSALS = 3
# The hidden first button of the list's form, which Enter presses without a script.
_NOTHING = "nothing"

SORTS = {
    "name": "Name",
    "next": "Next run",
    "last": "Last run",
    "failures": "Most failures",
}


class JobRow(Struct, frozen=True):
    """A job in the list."""

    job: Job
    sentence: str
    next_at: Instant | None
    outcomes: Sequence[AttemptStatus]
    health: AttemptStatus | None


class JobFilter(Struct, frozen=True):
    """Which jobs the list shows, and in which order."""

    search: str
    state: str
    outcome: str
    sort: str

    @property
    def filters(self) -> Mapping[str, str]:
        """The filter as query parameters."""
        return {"q": self.search, "state": self.state, "outcome": self.outcome, "sort": self.sort}


async def show(request: PageRequest) -> Response:
    """Show the first jobs of a list, or the next part as the user scrolls."""
    job_filter, skip = _read_filter(request.query), request.skip
    found = await request.use_cases.dashboard.jobs(request.who, request.key)
    chosen = _matching(found, job_filter)
    shown = chosen[skip : skip + _PER_PART]
    strips = await request.use_cases.dashboard.outcomes(shown)
    values: dict[str, Any] = {
        **collection_values(CountedCollection(found.collection, len(found.jobs)), "jobs"),
        "rows": [
            JobRow(
                job,
                job_sentence(job, request.now),
                next_execution_at(job, found.collection),
                strips.get(job.id, ()),
                next(iter(found.last.get(job.id, ())), None),
            )
            for job in shown
        ],
        "job_filter": job_filter,
        "filters": job_filter.filters,
        "total": len(chosen),
        "states": [state.value for state in JobState],
        # A job's last outcome is never a postponed occurrence.
        "statuses": [AttemptStatus.COMPLETED.value, AttemptStatus.FAILED.value],
        "sorts": SORTS,
        "following": _address(request, job_filter, skip=str(skip + _PER_PART))
        if len(chosen) > skip + _PER_PART
        else "",
    }
    fingerprint = fingerprint_of(values["total"], [_changing_values(row) for row in values["rows"]])
    values["live"] = _address(request, job_filter, seen=fingerprint)
    if request.is_partial and not skip:
        return request.render_part_if_changed("job_list.html", fingerprint, **values)
    if request.is_partial:
        return request.render_part("job_rows.html", **values)
    return request.render_page("jobs.html", **values)


def collection_values(found: CountedCollection, tab: str) -> dict[str, Any]:
    """Return the template values that all pages of a collection need."""
    return {
        "collection": found.collection,
        "key": found.collection.key,
        "all_jobs": found.job_count,
        "most": max_jobs(found.collection),
        "tab": tab,
    }


def _changing_values(row: JobRow) -> tuple[object, ...]:
    """Return the values of a row that change, for the fingerprint of the list."""
    job = row.job
    return job.id, job.state, row.next_at, row.sentence, job.last_execution_at, row.outcomes


async def change_many(request: PageRequest) -> Response:
    """Enable, disable, run or delete the selected jobs, or all jobs of the list."""
    if request.form.get("do") == _NOTHING:
        return request.redirect(urls.collection(request.key))
    action = _ACTIONS.get(request.form.get("do"))
    if action is None:
        raise Invalid(("do",), f"give one of {', '.join(_ACTIONS)}.")
    change, done = action
    job_filter = _read_filter(request.form)
    names = request.form.all("job")
    if request.form.get("every"):
        found = await request.use_cases.dashboard.jobs(request.who, request.key)
        names = [job.name for job in _matching(found, job_filter)]
        if str(len(names)) != request.form.get("total"):
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


def _read_filter(fields: Form) -> JobFilter:
    return JobFilter(
        search=fields.get("q").strip(),
        state=fields.get("state"),
        outcome=fields.get("outcome"),
        sort=fields.get("sort") if fields.get("sort") in SORTS else "",
    )


def _matching(found: ListedJobs, job_filter: JobFilter) -> list[Job]:
    search = job_filter.search.lower()
    jobs = [
        job
        for job in found.jobs
        if search in job.name.lower()
        and job_filter.state in ("", job.state.value)
        and (not job_filter.outcome or [job_filter.outcome] == [*found.last.get(job.id, ())])
    ]
    match job_filter.sort:
        case "next":
            return sorted(jobs, key=lambda job: job.next_at or LAST_TICK)
        case "last":
            return sorted(jobs, key=lambda job: -(job.last_execution_at or 0))
        case "failures":
            return sorted(jobs, key=lambda job: -job.failure_count)
        case _:
            return jobs


def _address(request: PageRequest, job_filter: JobFilter, **more: str) -> str:
    return urls.with_query(urls.collection(request.key), **job_filter.filters, **more)
