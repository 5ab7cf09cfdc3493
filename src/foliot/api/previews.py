"""Previews: when a job would run, and what a save would refuse. Nothing is stored."""

import asyncio
from collections.abc import Mapping
from datetime import UTC

from msgspec import structs

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import number_of
from foliot.api.query_values import known_only
from foliot.api.wire.calendar_preview import definition_in, job_as_enabled
from foliot.api.wire.every_refusal import Findings, body_refusals, without_value
from foliot.api.wire.job import Address, decode_job, encode_definition, replace_job
from foliot.api.wire.pfx.certificate import Certificates, open_valid_certificates
from foliot.app.job_previews import SaveContext, as_if_saved, limits_broken
from foliot.app.use_cases import UseCases
from foliot.core.errors import Conflict, FoliotError, Invalid, Path, path_text
from foliot.core.instant import Wall, format_instant, reading_of
from foliot.core.json_text import Json
from foliot.core.model.job import Job
from foliot.core.recurrence import ExplainedTime, zone_of
from foliot.core.rules.coming_runs import as_enabled, coming_runs
from foliot.core.rules.job_sentence import job_sentence

_DEFAULT_COUNT, MOST_TIMES = 10, 100
_KNOWN = ("count", "api-version")
_RECURRENCE = ("properties", "recurrence")


async def of_new_job(use_cases: UseCases, call: Call) -> ApiResponse:
    """Tell when a new job would run, and what a save would refuse; nothing is stored."""
    return await _preview(use_cases, call, None)


async def of_job(use_cases: UseCases, call: Call) -> ApiResponse:
    """Tell when a job runs, or would with this body, and what a save would refuse."""
    return await _preview(use_cases, call, call.job)


async def _preview(use_cases: UseCases, call: Call, name: str | None) -> ApiResponse:
    known_only(call.query, _KNOWN)
    count = number_of(call.query, "count", 1, MOST_TIMES) or _DEFAULT_COUNT
    is_stored = name is not None and not call.body
    body = None if is_stored else call.json()
    context = await use_cases.job_previews.context(call.who, call.key, name, must_exist=is_stored)
    if context.job is not None and is_stored:
        return _answer(as_enabled(context.job, context.at), context, count, [])
    opened, unreadable = await open_valid_certificates(body)
    problems = await asyncio.to_thread(_problems, call, context, body, (opened, unreadable))
    return _answer(_calendar(body, context), context, count, problems)


def _answer(job: Job | None, context: SaveContext, count: int, problems: list[Json]) -> ApiResponse:
    if job is None:
        return ApiResponse(content={"times": [], "problems": problems})
    times: list[Json] = [_time(job, each) for each in coming_runs(job, context.at, count)]
    return ApiResponse(
        content={"sentence": job_sentence(job, context.at), "times": times, "problems": problems}
    )


def _time(job: Job, each: ExplainedTime) -> Json:
    zone = zone_of(job.definition.recurrence)
    moment = reading_of(Wall(each.at)).replace(tzinfo=UTC)
    local = moment.astimezone(zone or UTC).isoformat()
    return {"at": format_instant(each.at), "local": local, "notes": list(each.notes)}


def _calendar(body: Json, context: SaveContext) -> Job | None:
    """Return the job with the calendar of a body, whatever else is refused; None if that is."""
    try:
        definition = context.with_days(definition_in(body, context.job))
        return job_as_enabled(definition, context.job, context.at, context.defaults)
    except FoliotError:
        return None


def _problems(
    call: Call,
    context: SaveContext,
    body: Json,
    certificates: tuple[Certificates, Mapping[Path, Invalid]],
) -> list[Json]:
    """List what a save would refuse: each value with its path, then limits that it would break."""
    opened, unreadable = certificates
    for path in unreadable:
        body = without_value(body, path[:-1])
    conflicts: list[str] = []

    def check(tried: Json) -> Job | None:
        submission = decode_job(tried, Address(call.key, context.name), call.limits, opened)
        revision = replace_job(context.job, submission)
        try:
            return as_if_saved(context, revision)
        except Conflict as refusal:
            conflicts.append(str(refusal))
            return None

    old = context.job
    stored: Json = old and {"properties": encode_definition(old.definition, call.client)}
    found = body_refusals(body, check, stored)
    conflicts += _broken_limits(context, found)
    refusals = [*unreadable.values(), *found.refusals.values()]
    return [
        *({"path": path_text(each.path), "message": each.problem} for each in refusals),
        *({"path": "", "message": each} for each in conflicts),
    ]


def _broken_limits(context: SaveContext, found: Findings[Path, Job | None]) -> list[str]:
    job = found.accepted
    if job is None:
        return []
    if any(path[:2] == _RECURRENCE for path in found.refusals):
        # Where a part of the calendar was refused, the rest of it says nothing about limits.
        job = structs.replace(job, definition=structs.replace(job.definition, recurrence=None))
    return [*limits_broken(context, job)]
