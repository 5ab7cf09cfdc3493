"""The pages of one job: overview, action, schedule; run, enable, disable, delete."""

from collections.abc import Iterator
from typing import Any

from msgspec import json
from starlette.responses import Response

from foliot.api.wire.action import encode_action
from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.job import job_id
from foliot.app.dashboard import JobDetails
from foliot.core.access import require
from foliot.core.credentials import masked_job, masked_uri
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.recurrence import instant_of_moment, zone_of
from foliot.core.recurrence.phrases import date_time
from foliot.core.recurrence.zone import to_wall
from foliot.core.rules.coming_runs import as_enabled
from foliot.core.rules.job_sentence import job_sentence
from foliot.core.rules.lifecycle import FINAL, next_execution_at
from foliot.portal import urls
from foliot.portal.forms.job import kept_secrets
from foliot.portal.forms.secrets import secret_warnings
from foliot.portal.open_run_lines import open_run_lines
from foliot.portal.page_request import GOOD, PageRequest, fingerprint_of
from foliot.portal.pages import jobs
from foliot.portal.preview import DAYS, is_time_of, preview

_LATEST = 8


async def show(request: PageRequest) -> Response:
    """Show the overview of a job."""
    found = await load(request)
    return request.render_page(
        "job_overview.html", tab="overview", **_overview_values(found, request.now)
    )


async def show_live(request: PageRequest) -> Response:
    """Show the part of the overview that the page refreshes."""
    values = _overview_values(await load(request), request.now)
    return request.render_part_if_changed("job_live.html", values.pop("fingerprint"), **values)


async def show_action(request: PageRequest) -> Response:
    """Show the action of a job, with masked credentials."""
    found = await load(request)
    action = found.job.definition.action
    facts = list(_facts(_encoded(masked_job(found.job)), (), kept_secrets(action)))
    return request.render_page("job_action.html", tab="action", facts=facts, **job_values(found))


async def show_schedule(request: PageRequest) -> Response:
    """Show the schedule of a job and its next runs."""
    found = await load(request)
    shown = preview(as_enabled(found.job, request.now), request.now)
    return request.render_page(
        "job_schedule.html",
        tab="schedule",
        shown=shown,
        is_my_time=request.zone is not None and is_time_of(shown, request.zone),
        days=DAYS,
        **job_values(found),
    )


async def show_properties(request: PageRequest) -> Response:
    """Show the names of a job, when it was changed and by whom."""
    found = await load(request)
    key, name = found.collection.key, found.job.name
    return request.render_page(
        "job_properties.html",
        tab="properties",
        resource_id=job_id(key, name),
        record=await request.use_cases.jobs.get_record(request.who, key, name),
        **job_values(found),
    )


async def run(request: PageRequest) -> Response:
    """Run a job now."""
    await jobs.run(request, request.job)
    return request.redirect(urls.job(request.key, request.job), (GOOD, "Run started."))


async def enable(request: PageRequest) -> Response:
    """Enable a job."""
    await jobs.enable(request, request.job)
    return request.redirect(urls.job(request.key, request.job), (GOOD, "Job enabled."))


async def disable(request: PageRequest) -> Response:
    """Disable a job."""
    await jobs.disable(request, request.job)
    return request.redirect(urls.job(request.key, request.job), (GOOD, "Job disabled."))


async def show_delete(request: PageRequest) -> Response:
    """Say what is lost when a job is deleted; a script shows the same in a dialog."""
    require(request.who, Role.CONTRIBUTOR)
    return request.render_page("job_delete.html", **job_values(await load(request)))


async def delete(request: PageRequest) -> Response:
    """Delete a job with its history."""
    await jobs.delete(request, request.job)
    return request.redirect(urls.collection(request.key), (GOOD, f"Job {request.job} deleted."))


def pretty(body: Json) -> str:
    """Return indented JSON."""
    return json.format(json.encode(body), indent=2).decode()


async def load(request: PageRequest) -> JobDetails:
    """Return the job that the address names."""
    return await request.use_cases.dashboard.job(request.who, request.key, request.job)


def job_values(found: JobDetails) -> dict[str, Any]:
    """Return the template values that all pages of a job need."""
    job = found.job
    return {
        "collection": found.collection,
        "key": found.collection.key,
        "job": job,
        "next_at": next_execution_at(job, found.collection),
        "is_final": job.state in FINAL,
        "is_enabled": job.state is JobState.ENABLED,
    }


def _overview_values(found: JobDetails, now: Instant) -> dict[str, Any]:
    return {
        **job_values(found),
        "sentence": job_sentence(found.job, now),
        "warnings": _warnings(found.job, now),
        "begins_at": _begins_at(found.job, now),
        "fingerprint": fingerprint_of(
            found.job,
            found.collection,
            found.runs,
            found.last,
            [each.number for each in found.newest],
        ),
        "open_runs": open_run_lines(found.runs, found.job, found.collection),
        "entries": found.newest[:_LATEST],
        "last": found.last,
        "target": _target(_encoded(found.job)),
    }


def _warnings(job: Job, now: Instant) -> list[str]:
    """Return why runs will fail, for a job that will have any."""
    warnings = secret_warnings(job.definition.action, now)
    return [] if job.state in FINAL else list(warnings.values())


def _begins_at(job: Job, now: Instant) -> str:
    """Return when a schedule begins that has not begun yet, in its zone, as its times are told."""
    rule, start = job.definition.recurrence, job.definition.start
    if rule is None or start is None:
        return ""
    zone = zone_of(rule)
    at = instant_of_moment(zone, start)
    label = f"{rule.time_zone} time" if rule.time_zone else "UTC"
    return f"{date_time(to_wall(zone, at))} {label}" if at > now else ""


def charted(found: JobDetails) -> list[HistoryEntry]:
    """Return the attempts for the chart: those of the action, not of the error action."""
    return [each for each in found.newest if not each.is_error_action]


def _encoded(job: Job) -> dict[str, Any]:
    return encode_action(job.definition.action, ANY_CLIENT)


def _target(action: dict[str, Any]) -> str:
    """Return the target of an action on one line."""
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
    """Yield the properties of an action by JSON path, with dots for stored secrets."""
    if not isinstance(value, dict):
        yield ".".join(path), value if isinstance(value, str) else json.encode(value).decode()
        return
    for name, inner in value.items():
        yield from _facts(inner, (*path, name), kept)
    full_path = ".".join(("properties", "action", *path))
    for secret in sorted(kept):
        parent, _, name = secret.rpartition(".")
        if parent == full_path:
            yield ".".join((*path, name)), "•••••• (set)"
