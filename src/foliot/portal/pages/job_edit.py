"""Changes jobs, in the form or as JSON; both use the body of a PUT."""

import asyncio

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission, replace_job
from foliot.core.access import require
from foliot.core.credentials import masked_job
from foliot.core.errors import Conflict, Invalid, JobNotFound
from foliot.core.json_text import Json, parse_json
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.job_moves import JobPlace
from foliot.core.rules.lifecycle import FINAL, Revision
from foliot.portal import urls
from foliot.portal.forms.conflict import (
    ChangedMeanwhile,
    LastChange,
    merge_forms,
    merge_json,
)
from foliot.portal.forms.fields import read_values
from foliot.portal.forms.first_start import FIRST, kept_run_at_once, start_set_by_form
from foliot.portal.forms.job import JOB_FORM
from foliot.portal.forms.job_read import (
    decode_body,
    is_changed,
    is_paused_only,
    job_fields,
    original_of,
    read_job,
)
from foliot.portal.forms.problems import explain, problem_of
from foliot.portal.forms.schedule_inputs import shown_inputs, without_empty_exclusion
from foliot.portal.forms.secrets import lost_secrets, with_lost_secrets
from foliot.portal.job_body import body_of
from foliot.portal.missing_jobs import find_missing_job, link_to, move_words
from foliot.portal.page_request import BAD, GOOD, PageRequest
from foliot.portal.pages.job import pretty
from foliot.portal.pages.job_create import (
    authorise,
    ended_job_form,
    missing_job_form,
    missing_job_json,
)
from foliot.portal.pages.job_draft import JobDraft, job_json, refused_draft, show_job_form

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
    values = shown_inputs(read_values(body, JOB_FORM), start_set_by_form(job, request.now))
    return await show_job_form(request, found, JobDraft(values=values, original=body))


async def show_json(request: PageRequest) -> Response:
    """Show a job as JSON, with masked credentials for a Reader."""
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    is_reader = request.who.role is Role.READER
    body = body_of(masked_job(found.job) if is_reader else found.job)
    return job_json(request, found, JobDraft(values={}, original=body, text=pretty(body)))


async def save(request: PageRequest) -> Response:
    """Save the form of a job, or show what was typed where the job is now, or as a new job."""
    authorise(request)
    original = original_of(request.form)
    try:
        return await _save(request, original)
    except JobNotFound:
        missing = await find_missing_job(request)
    if missing.place is None:
        return await missing_job_form(request, missing)
    return await _show_moved(request, missing.place, original)


async def save_json(request: PageRequest) -> Response:
    """Save the JSON of a job, or show what was typed where the job is now, or as a new job."""
    authorise(request)
    try:
        return await _save_json(request)
    except JobNotFound:
        missing = await find_missing_job(request)
    if missing.place is None:
        return missing_job_json(request, missing)
    return await _show_moved_json(request, missing.place)


async def _save(request: PageRequest, original: Json) -> Response:
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    if found.job.state in FINAL:
        return await ended_job_form(request, found.job)
    revision = await asyncio.to_thread(read_job, request, request.form, original, found)
    problems, status = (revision, _BAD_REQUEST) if isinstance(revision, dict) else ({}, 200)
    try:
        if isinstance(revision, Submission):
            return await _replace(request, original, revision)
    except Invalid as refusal:
        problems, status = problem_of(refusal, JOB_FORM), _BAD_REQUEST
    except ChangedMeanwhile:
        return await _show_conflict(request, original)
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    draft = refused_draft(request.form, problems, status=status, original=original)
    return await show_job_form(request, found, draft)


async def _save_json(request: PageRequest) -> Response:
    original, text = original_of(request.form), request.form.get("json")
    merged, change, status = None, LastChange(), _BAD_REQUEST
    try:
        mine = parse_json(text.encode())
        revision = await asyncio.to_thread(decode_body, request, mine)
        return await _replace(request, original, revision)
    except (Invalid, Conflict) as refusal:
        found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
        problem = explain(refusal)
        if isinstance(refusal, Conflict):
            status = _CONFLICT
        if isinstance(refusal, ChangedMeanwhile):
            theirs = body_of(found.job)
            merged = merge_json(original, parse_json(text.encode()), theirs)
            change = await _last_change(request, found.job, original)
            original, text = theirs, pretty(merged.body)
    draft = JobDraft(
        values={},
        original=original,
        text=text,
        problems={"json": problem},
        status=status,
        merged_json=merged,
        change=change,
    )
    return job_json(request, found, draft)


async def _replace(request: PageRequest, original: Json, revision: Submission) -> Response:
    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if is_changed(old, original):
            raise ChangedMeanwhile("Someone else changed this job while you were editing it.")
        return replace_job(old, revision)

    saved = await request.use_cases.jobs.save_job(
        request.who, request.key, request.job, revised, must_exist=True
    )
    return request.redirect(urls.job(saved.collection.key, saved.job.name), (GOOD, "Saved."))


async def _show_conflict(request: PageRequest, original: Json) -> Response:
    """Show the values of both users; the next save compares with what is stored now."""
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    if found.job.state in FINAL:
        return await ended_job_form(request, found.job)
    theirs = body_of(found.job)
    mine = without_empty_exclusion(job_fields(request.form, original))
    merged = merge_forms(mine, JOB_FORM, original, theirs)
    merged = merged._replace(change=await _last_change(request, found.job, original))
    # Who leaves the start to the form has that of the other user now.
    is_left = not request.form.get(FIRST)
    start_set = start_set_by_form(found.job, request.now) if is_left else None
    values = shown_inputs(merged.values, start_set) | kept_run_at_once(mine, merged.values)
    draft = JobDraft(
        values=values,
        original=theirs,
        problems=with_lost_secrets({}, request.form, JOB_FORM),
        status=_CONFLICT,
        lost=lost_secrets(request.form, JOB_FORM),
        merged=merged,
        note=_pause_words(found.job),
    )
    return await show_job_form(request, found, draft)


async def _show_moved(request: PageRequest, place: JobPlace, original: Json) -> Response:
    """Show what was typed in the form of the job where it is now."""
    there = request.within(place.key)
    found = await request.use_cases.dashboard.job(request.who, place.key, place.name)
    draft = refused_draft(request.form, {}, status=_CONFLICT, original=original)
    words, link = _moved_words(request, place), link_to(place)
    return await show_job_form(there, found, structs.replace(draft, note=words, link=link))


async def _show_moved_json(request: PageRequest, place: JobPlace) -> Response:
    """Show what was typed in the JSON of the job where it is now."""
    found = await request.use_cases.dashboard.job(request.who, place.key, place.name)
    draft = JobDraft(
        values={},
        original=original_of(request.form),
        text=request.form.get("json"),
        problems={"json": _moved_words(request, place)},
        status=_CONFLICT,
    )
    return job_json(request.within(place.key), found, draft)


def _moved_words(request: PageRequest, place: JobPlace) -> str:
    return f"{move_words(request, place)} while you were editing it. Save again to change it there."


async def _last_change(request: PageRequest, job: Job, original: Json) -> LastChange:
    if is_paused_only(job, original):
        return LastChange("its policy")
    record = await request.use_cases.jobs.get_record(request.who, request.key, request.job)
    return LastChange(record.changed_by, record.changed_at)


def _pause_words(job: Job) -> str:
    is_paused = job.state is JobState.DISABLED and job.paused_because is not None
    return f"The job was disabled by its policy: {job.paused_because}." if is_paused else ""
