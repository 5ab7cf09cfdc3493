"""The jobs of a collection: found, sorted, and changed many at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from msgspec import Struct
from starlette.responses import Response

from foliot.app.dashboard import ListedJobs
from foliot.core.errors import FoliotError, Invalid
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.recurrence import sentence
from foliot.core.rules.lifecycle import next_execution_at, timetable_of
from foliot.core.rules.quota import max_jobs
from foliot.portal import urls
from foliot.portal.formatting import how_many
from foliot.portal.forms.job import SHAPE
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import told
from foliot.portal.page_request import BAD, GOOD, Notice, Visit, mark_of

_PER_PART = 100
_AT_A_TIME = 50
_NAMED = 3
# What the form of a list does when Enter is pressed in it, without a script.
_NOTHING = "nothing"

SORTS = {
    "name": "Name",
    "next": "Next run",
    "last": "Last run",
    "failures": "Most failures",
}


class Row(Struct, frozen=True):
    """A job as the list shows it."""

    job: Job
    sentence: str
    next_at: Instant | None
    outcomes: Sequence[AttemptStatus]
    health: AttemptStatus | None


class Wanted(Struct, frozen=True):
    """Which jobs are to be shown, and how sorted."""

    search: str
    state: str
    outcome: str
    sort: str

    @property
    def filters(self) -> Mapping[str, str]:
        """The same as the address of a list, or a form that is about all of it, names it."""
        return {"q": self.search, "state": self.state, "outcome": self.outcome, "sort": self.sort}


async def show(visit: Visit) -> Response:
    """Show the jobs of a collection, or the next part of them."""
    wanted, skip = _wanted(visit.query), visit.skip
    found = await visit.use_cases.dashboard.jobs(visit.who, visit.key)
    chosen = _chosen(found, wanted)
    shown = chosen[skip : skip + _PER_PART]
    strips = await visit.use_cases.dashboard.outcomes(shown)
    values: dict[str, Any] = {
        "collection": found.collection,
        "key": found.collection.key,
        "rows": [
            Row(
                job,
                sentence(timetable_of(job)),
                next_execution_at(job, found.collection),
                strips.get(job.id, ()),
                next(iter(found.last.get(job.id, ())), None),
            )
            for job in shown
        ],
        "wanted": wanted,
        "filters": wanted.filters,
        "total": len(chosen),
        "all_jobs": len(found.jobs),
        "most": max_jobs(found.collection),
        "states": [state.value for state in JobState],
        # A skipped occurrence is no outcome of a job.
        "statuses": [AttemptStatus.COMPLETED.value, AttemptStatus.FAILED.value],
        "sorts": SORTS,
        "following": _address(visit, wanted, skip=str(skip + _PER_PART))
        if len(chosen) > skip + _PER_PART
        else "",
    }
    mark = mark_of(values["total"], [_standing(row) for row in values["rows"]])
    values["live"] = _address(visit, wanted, seen=mark)
    if visit.is_partial and not skip:
        return visit.part_if_new("job_list.html", mark, **values)
    if visit.is_partial:
        return visit.part("job_rows.html", **values)
    return visit.page("jobs.html", **values)


def _standing(row: Row) -> tuple[object, ...]:
    """Return what a row shows of a job that changes."""
    job = row.job
    return job.id, job.state, row.next_at, row.sentence, job.last_execution_at, row.outcomes


async def change_many(visit: Visit) -> Response:
    """Enable, disable, run or delete the jobs that were selected, or all of the list."""
    if visit.form.get("do") == _NOTHING:
        return visit.go(urls.collection(visit.key))
    action = _ACTIONS.get(visit.form.get("do"))
    if action is None:
        raise Invalid(("do",), f"give one of {', '.join(_ACTIONS)}.")
    change, done = action
    wanted = _wanted(visit.form)
    names = visit.form.all("job")
    if visit.form.get("every"):
        found = await visit.use_cases.dashboard.jobs(visit.who, visit.key)
        names = [job.name for job in _chosen(found, wanted)]
        if str(len(names)) != visit.form.get("total"):
            match = f"{how_many(len(names), 'job')} {'matches' if len(names) == 1 else 'match'} now"
            words = f"Nothing was done: the list has changed, {match}."
            return visit.go(_address(visit, wanted), (BAD, words))
    refused: list[str] = []
    for start in range(0, len(names), _AT_A_TIME):
        part = names[start : start + _AT_A_TIME]
        results = await asyncio.gather(
            *(change(visit, name) for name in part), return_exceptions=True
        )
        for name, result in zip(part, results, strict=True):
            if isinstance(result, FoliotError):
                refused.append(f"{name}: {told(result, SHAPE)}")
            elif isinstance(result, BaseException):
                raise result
    return visit.go(_address(visit, wanted), *_told(len(names), refused, done))


async def enable(visit: Visit, name: str) -> None:
    """Let a job run."""
    jobs = visit.use_cases.jobs
    await jobs.set_job_state(visit.who, visit.key, name, JobState.ENABLED)


async def disable(visit: Visit, name: str) -> None:
    """Keep a job from running."""
    jobs = visit.use_cases.jobs
    await jobs.set_job_state(visit.who, visit.key, name, JobState.DISABLED)


async def run(visit: Visit, name: str) -> None:
    """Have a job run at once."""
    await visit.use_cases.runs.run_job(visit.who, visit.key, name, uuid4().hex)


async def delete(visit: Visit, name: str) -> None:
    """Remove a job with its history."""
    await visit.use_cases.jobs.delete_job(visit.who, visit.key, name)


_ACTIONS: dict[str, tuple[Callable[[Visit, str], Awaitable[None]], str]] = {
    "enable": (enable, "job enabled"),
    "disable": (disable, "job disabled"),
    "run": (run, "run started"),
    "delete": (delete, "job deleted"),
}


def _told(count: int, refused: list[str], done: str) -> list[Notice]:
    notices: list[Notice] = []
    well = count - len(refused)
    if well:
        what, _, happened = done.partition(" ")
        notices.append((GOOD, f"{how_many(well, what)} {happened}."))
    if refused:
        more = len(refused) - _NAMED
        words = " ".join(refused[:_NAMED]) + (f" And {more} more." if more > 0 else "")
        notices.append((BAD, f"{len(refused):,} failed. {words}"))
    return notices or [(BAD, "Select at least one job.")]


def _wanted(fields: Form) -> Wanted:
    return Wanted(
        search=fields.get("q").strip(),
        state=fields.get("state"),
        outcome=fields.get("outcome"),
        sort=fields.get("sort") if fields.get("sort") in SORTS else "",
    )


def _chosen(found: ListedJobs, wanted: Wanted) -> list[Job]:
    search = wanted.search.lower()
    jobs = [
        job
        for job in found.jobs
        if search in job.name.lower()
        and wanted.state in ("", job.state.value)
        and (not wanted.outcome or [wanted.outcome] == [*found.last.get(job.id, ())])
    ]
    match wanted.sort:
        case "next":
            return sorted(jobs, key=lambda job: job.next_at or LAST_TICK)
        case "last":
            return sorted(jobs, key=lambda job: -(job.last_execution_at or 0))
        case "failures":
            return sorted(jobs, key=lambda job: -job.failure_count)
        case _:
            return jobs


def _address(visit: Visit, wanted: Wanted, **more: str) -> str:
    return urls.with_query(urls.collection(visit.key), **wanted.filters, **more)
