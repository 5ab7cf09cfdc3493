"""The jobs of a collection: found, sorted, and changed many at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import uuid4

from msgspec import Struct
from starlette.responses import Response

from foliot.api.wire.job import Address, patch_job
from foliot.api.wire.reader import Json
from foliot.core.errors import FoliotError, Invalid
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.lifecycle import Revision, next_execution_at, timetable_of
from foliot.core.model import AttemptStatus, Job, JobState
from foliot.core.quota import max_jobs
from foliot.core.recurrence import sentence
from foliot.portal import paths
from foliot.portal.visit import BAD, GOOD, Notice, Visit
from foliot.watch import ListedJobs

_PER_PART = 100
_AT_A_TIME = 50
_NAMED = 3

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


class Wanted(Struct, frozen=True):
    """Which jobs are to be shown, and how sorted."""

    search: str
    state: str
    outcome: str
    sort: str
    skip: int


async def show(visit: Visit) -> Response:
    """Show the jobs of a collection, or the next part of them."""
    wanted = _wanted(visit)
    found = await visit.desk.watch.jobs(visit.who, visit.key)
    chosen = _chosen(found, wanted)
    shown = chosen[wanted.skip : wanted.skip + _PER_PART]
    strips = await visit.desk.watch.outcomes(shown)
    values: dict[str, Any] = {
        "collection": found.collection,
        "key": found.collection.key,
        "rows": [
            Row(
                job,
                sentence(timetable_of(job)),
                next_execution_at(job, found.collection),
                strips.get(job.id, ()),
            )
            for job in shown
        ],
        "wanted": wanted,
        "total": len(chosen),
        "all_jobs": len(found.jobs),
        "most": max_jobs(found.collection),
        "states": [state.value for state in JobState],
        "statuses": [status.value for status in AttemptStatus],
        "sorts": SORTS,
        "following": _following(visit, wanted) if len(chosen) > wanted.skip + _PER_PART else "",
    }
    if visit.is_partial:
        return visit.part("job_rows.html" if wanted.skip else "job_list.html", **values)
    return visit.page("jobs.html", **values)


async def change_many(visit: Visit) -> Response:
    """Enable, disable, run or delete the jobs that were chosen."""
    names, wish = visit.form.all("job"), visit.form.get("do")
    action = _ACTIONS.get(wish)
    if action is None:
        raise Invalid(("do",), f"give one of {', '.join(_ACTIONS)}.")
    change, done = action
    refused: list[str] = []
    for start in range(0, len(names), _AT_A_TIME):
        part = names[start : start + _AT_A_TIME]
        results = await asyncio.gather(
            *(change(visit, name) for name in part), return_exceptions=True
        )
        for name, result in zip(part, results, strict=True):
            if isinstance(result, FoliotError):
                refused.append(f"{name}: {result}")
            elif isinstance(result, BaseException):
                raise result
    return visit.go(paths.collection(visit.key), *_told(len(names), refused, done))


async def set_state(visit: Visit, name: str, state: JobState) -> None:
    """Enable or disable a job, as a PATCH of the API does."""

    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        patch: Json = {"properties": {"state": state.value}}
        return patch_job(old, patch, Address(visit.key, name), visit.desk.limits)

    await visit.desk.service.save_job(visit.who, visit.key, name, revised, must_exist=True)


async def enable(visit: Visit, name: str) -> None:
    """Let a job run."""
    await set_state(visit, name, JobState.ENABLED)


async def disable(visit: Visit, name: str) -> None:
    """Keep a job from running."""
    await set_state(visit, name, JobState.DISABLED)


async def run(visit: Visit, name: str) -> None:
    """Have a job run at once."""
    await visit.desk.service.run_job(visit.who, visit.key, name, uuid4().hex)


async def delete(visit: Visit, name: str) -> None:
    """Remove a job with its history."""
    await visit.desk.service.delete_job(visit.who, visit.key, name)


_ACTIONS: dict[str, tuple[Callable[[Visit, str], Awaitable[None]], str]] = {
    "enable": (enable, "enabled"),
    "disable": (disable, "disabled"),
    "run": (run, "on their way"),
    "delete": (delete, "deleted"),
}


def _told(count: int, refused: list[str], done: str) -> list[Notice]:
    notices: list[Notice] = []
    well = count - len(refused)
    if well:
        notices.append((GOOD, f"{well} {'job is' if well == 1 else 'jobs are'} {done}."))
    if refused:
        more = len(refused) - _NAMED
        words = " ".join(refused[:_NAMED]) + (f" And {more} more." if more > 0 else "")
        notices.append((BAD, f"{len(refused)} refused. {words}"))
    return notices or [(BAD, "Choose at least one job.")]


def _wanted(visit: Visit) -> Wanted:
    query = visit.query
    skip = query.get("skip")
    return Wanted(
        search=query.get("q").strip(),
        state=query.get("state"),
        outcome=query.get("outcome"),
        sort=query.get("sort") if query.get("sort") in SORTS else "name",
        skip=int(skip) if skip.isascii() and skip.isdigit() and len(skip) < 9 else 0,  # noqa: PLR2004
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


def _following(visit: Visit, wanted: Wanted) -> str:
    return paths.with_query(
        paths.collection(visit.key),
        q=wanted.search,
        state=wanted.state,
        outcome=wanted.outcome,
        sort=wanted.sort,
        skip=str(wanted.skip + _PER_PART),
    )
