"""A job: what it does, when, how it went, and what can be done with it."""

from collections.abc import Iterator
from typing import Any

from msgspec import json, structs
from starlette.responses import Response

from foliot.api.wire.action import encode_action
from foliot.api.wire.duration import Notation
from foliot.api.wire.job import encode_definition, history_name, parse_history_name
from foliot.api.wire.json_reader import Json
from foliot.app.dashboard import WatchedJob
from foliot.app.page import Page
from foliot.core.credentials import masked_job, masked_uri
from foliot.core.errors import InvalidQuery
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.recurrence import sentence
from foliot.core.rules.lifecycle import FINAL, next_execution_at, resume, timetable_of
from foliot.portal import urls
from foliot.portal.forms.job import kept_secrets
from foliot.portal.page_request import GOOD, Visit, mark_of
from foliot.portal.pages import jobs
from foliot.portal.preview import DAYS, preview

_PER_PAGE = 50
_LATEST = 8


async def show(visit: Visit) -> Response:
    """Show how a job is doing."""
    found = await _found(visit)
    return visit.page("job_overview.html", tab="overview", **_doing(found))


async def show_live(visit: Visit) -> Response:
    """Show the part of it that changes."""
    values = _doing(await _found(visit))
    return visit.part_if_new("job_live.html", values.pop("mark"), **values)


async def show_action(visit: Visit) -> Response:
    """Show what a job does."""
    found = await _found(visit)
    action = found.job.definition.action
    facts = list(_facts(_encoded(masked_job(found.job)), (), kept_secrets(action)))
    return visit.page("job_action.html", tab="action", facts=facts, **common(found))


async def show_schedule(visit: Visit) -> Response:
    """Show when a job runs."""
    found = await _found(visit)
    shown = preview(_as_enabled(found.job, visit.now), visit.now)
    return visit.page("job_schedule.html", tab="schedule", shown=shown, days=DAYS, **common(found))


async def show_history(visit: Visit) -> Response:
    """Show the attempts of a job, the newest first."""
    status, after = visit.query.get("status"), visit.query.get("after")
    statuses = [each.value for each in AttemptStatus]
    try:
        place = parse_history_name(after) if after else None
    except ValueError:
        raise InvalidQuery(
            "This page of the history cannot be found; begin at the first."
        ) from None
    found = await _found(visit)
    _, entries = await visit.use_cases.history.list_history(
        visit.who,
        visit.key,
        visit.job,
        Page(_PER_PAGE + 1, 0, place),
        AttemptStatus(status) if status in statuses else None,
    )
    last = entries[_PER_PAGE - 1] if len(entries) > _PER_PAGE else None
    address = urls.job(found.collection.key, found.job.name, "history")
    return visit.page(
        "job_history.html",
        tab="history",
        entries=entries[:_PER_PAGE],
        charted=_charted(found),
        status=status,
        statuses=statuses,
        is_first=place is None,
        following=""
        if last is None
        else urls.with_query(
            address, status=status, after=history_name(last.started_at, last.number)
        ),
        **common(found),
    )


async def run(visit: Visit) -> Response:
    """Have a job run at once."""
    await jobs.run(visit, visit.job)
    return visit.go(urls.job(visit.key, visit.job), (GOOD, "Run started."))


async def enable(visit: Visit) -> Response:
    """Let a job run."""
    await jobs.enable(visit, visit.job)
    return visit.go(urls.job(visit.key, visit.job), (GOOD, "Job enabled."))


async def disable(visit: Visit) -> Response:
    """Keep a job from running."""
    await jobs.disable(visit, visit.job)
    return visit.go(urls.job(visit.key, visit.job), (GOOD, "Job disabled."))


async def delete(visit: Visit) -> Response:
    """Remove a job with its history."""
    await jobs.delete(visit, visit.job)
    return visit.go(urls.collection(visit.key), (GOOD, f"Job {visit.job} deleted."))


def body_of(job: Job) -> dict[str, Json]:
    """Return the body that would make a job, but for its secrets."""
    definition = encode_definition(job.definition, Notation.AS_GIVEN)
    return {"properties": {**definition, "state": job.state.value}}


def pretty(body: Json) -> str:
    """Write JSON for people."""
    return json.format(json.encode(body), indent=2).decode()


async def _found(visit: Visit) -> WatchedJob:
    return await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)


def common(found: WatchedJob) -> dict[str, Any]:
    """Return what every page of a job shows."""
    job = found.job
    return {
        "collection": found.collection,
        "key": found.collection.key,
        "job": job,
        "next_at": next_execution_at(job, found.collection),
        "is_final": job.state in FINAL,
        "is_enabled": job.state is JobState.ENABLED,
    }


def _doing(found: WatchedJob) -> dict[str, Any]:
    return {
        **common(found),
        "sentence": sentence(timetable_of(found.job)),
        "mark": mark_of(found.job, found.runs, [each.number for each in found.newest]),
        "runs": found.runs,
        "entries": found.newest[:_LATEST],
        "target": _target(_encoded(found.job)),
    }


def _as_enabled(job: Job, now: Instant) -> Job:
    """Return the job as it would be if it ran, so that its times can be told."""
    if job.next_at is not None or job.state in FINAL:
        return job
    return resume(structs.replace(job, state=JobState.ENABLED), now)


def _charted(found: WatchedJob) -> list[HistoryEntry]:
    """Return the attempts whose outcome is the job's own."""
    return [each for each in found.newest if not each.is_error_action]


def _encoded(job: Job) -> dict[str, Any]:
    return encode_action(job.definition.action, Notation.AS_GIVEN)


def _target(action: dict[str, Any]) -> str:
    """Say in a line where an action goes."""
    match action:
        case {"request": {"method": method, "uri": uri}}:
            return f"{method.upper()} {masked_uri(uri)}"
        case {"queueMessage": {"storageAccount": account, "queueName": queue}}:
            return f"Storage queue {queue} of account {account}"
        case {"serviceBusQueueMessage": {"queueName": queue, "namespace": namespace}}:
            return f"Service Bus queue {queue} of namespace {namespace}"
        case {"serviceBusTopicMessage": {"topicPath": topic, "namespace": namespace}}:
            return f"Service Bus topic {topic} of namespace {namespace}"
        case _:
            return ""


def _facts(value: Json, path: tuple[str, ...], kept: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Go through what an action is made of, as it is written, with its secrets as dots."""
    if not isinstance(value, dict):
        yield ".".join(path), value if isinstance(value, str) else json.encode(value).decode()
        return
    for name, inner in value.items():
        yield from _facts(inner, (*path, name), kept)
    place = ".".join(("properties", "action", *path))
    for secret in sorted(kept):
        parent, _, name = secret.rpartition(".")
        if parent == place:
            yield ".".join((*path, name)), "•••••• (set)"
