"""Changes jobs, in the form or as JSON; both use the body of a PUT."""

import asyncio

from starlette.responses import Response

from foliot.api.wire.calendar_preview import definition_in, job_as_enabled
from foliot.api.wire.job import Submission, replace_job
from foliot.core.access import require
from foliot.core.credentials import masked_job
from foliot.core.errors import Conflict, FoliotError, Invalid, JobNotFound
from foliot.core.json_text import Json, parse_json
from foliot.core.model.job import Definition, Job
from foliot.core.model.token import Role
from foliot.core.rules.calendars import named_calendars
from foliot.core.rules.lifecycle import FINAL, Revision
from foliot.portal import urls
from foliot.portal.forms.conflict import ChangedMeanwhile, merge_forms, with_theirs
from foliot.portal.forms.fields import read_values, write_body
from foliot.portal.forms.first_start import with_first_start
from foliot.portal.forms.job import JOB_FORM, SCHEDULE_FORM
from foliot.portal.forms.job_read import calendar_and_action, decode_body, original_of, read_job
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import explain, problem_of
from foliot.portal.page_request import BAD, GOOD, PageRequest
from foliot.portal.pages.job import body_of, pretty
from foliot.portal.pages.job_create import (
    authorise,
    deleted_job_form,
    deleted_job_json,
    ended_job_form,
)
from foliot.portal.pages.job_draft import JobDraft, job_form, job_json, refused_draft
from foliot.portal.preview import DAYS, preview

_BAD_REQUEST = 400
_CONFLICT = 409


async def show_edit(request: PageRequest) -> Response:
    """Show the form of a job; a job that has ended leads to the form for a copy."""
    require(request.who, Role.CONTRIBUTOR)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    job = found.job
    if job.state in FINAL:
        words = (
            f"Job '{job.name}' is {job.state.value} and can no longer be changed. "
            "Edit this copy instead."
        )
        return request.redirect(urls.job(found.collection.key, job.name, "duplicate"), (BAD, words))
    body = body_of(job)
    return job_form(request, found, JobDraft(values=read_values(body, JOB_FORM), original=body))


async def show_json(request: PageRequest) -> Response:
    """Show a job as JSON, with masked credentials for a Reader."""
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    is_reader = request.who.role is Role.READER
    body = body_of(masked_job(found.job) if is_reader else found.job)
    return job_json(request, found, JobDraft(values={}, original=body, text=pretty(body)))


async def save(request: PageRequest) -> Response:
    """Save the form of a job; if the job was deleted meanwhile, offer to create it again."""
    authorise(request)
    original = original_of(request.form)
    try:
        return await _save(request, original)
    except JobNotFound:
        return deleted_job_form(request)


async def save_json(request: PageRequest) -> Response:
    """Save the JSON of a job; if the job was deleted meanwhile, offer to create it again."""
    authorise(request)
    try:
        return await _save_json(request)
    except JobNotFound:
        return deleted_job_json(request)


async def show_preview(request: PageRequest) -> Response:
    """Show the next runs of the schedule in the form, before it is saved."""
    try:
        job = await _as_if_saved(request)
        shown = preview(job, request.now)
    except FoliotError as refusal:
        problem = explain(refusal, JOB_FORM)
        return request.render_part("preview.html", shown=None, problem=problem, days=DAYS, rows=2)
    return request.render_part("preview.html", shown=shown, problem="", days=DAYS, rows=2)


async def _as_if_saved(request: PageRequest) -> Job:
    # The form of a job whose collection is not chosen yet has an address of its own.
    name = request.query.get("of") if "collection" in request.names else ""
    old = (
        (await request.use_cases.jobs.get_job(request.who, request.key, name)).job if name else None
    )
    original: Json = {} if old is None else body_of(old)
    body = with_first_start(
        write_body(request.query, SCHEDULE_FORM, original), request.query, request.now, original
    )
    definition = await _with_days(request, definition_in(body, old))
    return job_as_enabled(definition, old, request.now, request.use_cases.jobs.defaults)


async def _with_days(request: PageRequest, definition: Definition) -> Definition:
    """Return a definition with the days of its calendars; without a collection it names none."""
    if not named_calendars(definition) or "collection" not in request.names:
        return definition
    return await request.use_cases.calendars.with_days(request.who, request.key, definition)


async def _save(request: PageRequest, original: Json) -> Response:
    form = with_theirs(request.form, JOB_FORM, original)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    if found.job.state in FINAL:
        return ended_job_form(request, found.job)
    revision = await asyncio.to_thread(read_job, request, form, original, found)
    problems, status = (revision, _BAD_REQUEST) if isinstance(revision, dict) else ({}, 200)
    try:
        if isinstance(revision, Submission):
            return await _replace(request, original, revision)
    except Invalid as refusal:
        problems, status = problem_of(refusal, JOB_FORM), _BAD_REQUEST
    except ChangedMeanwhile:
        return await _show_conflict(request, form, original)
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    return job_form(
        request, found, refused_draft(request.form, problems, status=status, original=original)
    )


async def _save_json(request: PageRequest) -> Response:
    original, text = original_of(request.form), request.form.get("json")
    theirs, status = "", _BAD_REQUEST
    try:
        revision = await asyncio.to_thread(decode_body, request, parse_json(text.encode()))
        return await _replace(request, original, revision)
    except (Invalid, Conflict) as refusal:
        found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
        problem = explain(refusal)
        if isinstance(refusal, Conflict):
            status = _CONFLICT
        if isinstance(refusal, ChangedMeanwhile):
            original = body_of(found.job)
            theirs = pretty(original)
    draft = JobDraft(
        values={},
        original=original,
        text=text,
        problems={"json": problem},
        status=status,
        theirs=theirs,
    )
    return job_json(request, found, draft)


async def _replace(request: PageRequest, original: Json, revision: Submission) -> Response:
    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if calendar_and_action(body_of(old)) != calendar_and_action(original):
            raise ChangedMeanwhile("Someone else changed this job while you were editing it.")
        return replace_job(old, revision)

    saved = await request.use_cases.jobs.save_job(
        request.who, request.key, request.job, revised, must_exist=True
    )
    return request.redirect(urls.job(saved.collection.key, saved.job.name), (GOOD, "Saved."))


async def _show_conflict(request: PageRequest, form: Form, original: Json) -> Response:
    """Show the values of both users; the next save compares with what is stored now."""
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    theirs = body_of(found.job)
    merged = merge_forms(form, JOB_FORM, original, theirs)
    draft = JobDraft(values=merged.values, original=theirs, status=_CONFLICT, merged=merged)
    return job_form(request, found, draft)
