"""Changing a job: by the form, or as JSON; both become the body that the API takes."""

import asyncio

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission, replace_job
from foliot.api.wire.json_reader import Json, Properties, optional_object, parse_json
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.access import require
from foliot.core.credentials import masked_job
from foliot.core.errors import Conflict, FoliotError, Invalid, JobNotFound
from foliot.core.ids import CollectionId
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import FINAL, Revision, create, revise
from foliot.portal import urls
from foliot.portal.forms.conflict import merge_forms, with_theirs
from foliot.portal.forms.fields import read, write
from foliot.portal.forms.first_start import with_first_start
from foliot.portal.forms.job import CALENDAR, SHAPE
from foliot.portal.forms.job_read import calendar_and_action, decoded, read_job, was_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import problem_of, told
from foliot.portal.page_request import BAD, GOOD, Visit
from foliot.portal.pages.job import body_of, pretty
from foliot.portal.pages.job_create import (
    authorise,
    form_of_deleted,
    form_of_ended,
    json_of_deleted,
)
from foliot.portal.pages.job_draft import Draft, job_form, job_json, refused_draft
from foliot.portal.preview import DAYS, preview

_BAD_REQUEST = 400
_CONFLICT = 409
_SAMPLE = Action(kind=ActionKind.HTTP, part=HttpRequest(uri="http://localhost/", method="GET"))


class _ChangedMeanwhile(Conflict):
    """Someone else has changed the job since the form was made."""


async def show_edit(visit: Visit) -> Response:
    """Show the form of a job that is there; one that has ended can only be copied."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    job = found.job
    if job.state in FINAL:
        words = (
            f"Job '{job.name}' is {job.state.value} and can no longer be changed. "
            "Change this copy of it instead."
        )
        return visit.go(urls.job(found.collection.key, job.name, "duplicate"), (BAD, words))
    body = body_of(job)
    return job_form(visit, found, Draft(values=read(body, SHAPE), was=body))


async def show_json(visit: Visit) -> Response:
    """Show a job as JSON; who may not change it does not see credentials in it."""
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    is_reader = visit.who.role is Role.READER
    body = body_of(masked_job(found.job) if is_reader else found.job)
    return job_json(visit, found, Draft(values={}, was=body, text=pretty(body)))


async def save(visit: Visit) -> Response:
    """Change a job by the form; if it was deleted meanwhile, offer to create it anew."""
    authorise(visit)
    was = was_of(visit.form)
    try:
        return await _save(visit, was)
    except JobNotFound:
        return form_of_deleted(visit)


async def save_json(visit: Visit) -> Response:
    """Change a job as JSON; if it was deleted meanwhile, offer to create it anew."""
    authorise(visit)
    try:
        return await _save_json(visit)
    except JobNotFound:
        return json_of_deleted(visit)


async def show_preview(visit: Visit) -> Response:
    """Show when a job would run, if it were saved as the schedule stands now."""
    try:
        job = await _as_if_saved(visit)
        shown = preview(job, visit.now)
    except FoliotError as refusal:
        problem = told(refusal, SHAPE)
        return visit.part("preview.html", shown=None, problem=problem, days=DAYS, rows=2)
    return visit.part("preview.html", shown=shown, problem="", days=DAYS, rows=2)


async def _as_if_saved(visit: Visit) -> Job:
    name = visit.query.get("of")
    old = (await visit.use_cases.jobs.get_job(visit.who, visit.key, name)).job if name else None
    was: Json = {} if old is None else body_of(old)
    body = with_first_start(write(visit.query, CALENDAR, was), visit.query, visit.now, was)
    properties = optional_object(Properties(body), "properties")
    given = properties or Properties({}, ("properties",))
    rule, start = decode_recurrence(given), decode_start(given)
    if old is None:
        definition = Definition(start=start, action=_SAMPLE, recurrence=rule)
        return create(CollectionId(0), "new", Revision(definition), visit.now)
    definition = structs.replace(old.definition, start=start, recurrence=rule)
    return revise(old, Revision(definition, JobState.ENABLED), visit.now)


async def _save(visit: Visit, was: Json) -> Response:
    form = with_theirs(visit.form, SHAPE, was)
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    if found.job.state in FINAL:
        return form_of_ended(visit, found.job)
    revision = await asyncio.to_thread(read_job, visit, form, was, found)
    problems, status = (revision, _BAD_REQUEST) if isinstance(revision, dict) else ({}, 200)
    try:
        if isinstance(revision, Submission):
            return await _replace(visit, was, revision)
    except Invalid as refusal:
        problems, status = problem_of(refusal, SHAPE), _BAD_REQUEST
    except _ChangedMeanwhile:
        return await _conflict(visit, form, was)
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    return job_form(visit, found, refused_draft(visit.form, problems, status=status, was=was))


async def _save_json(visit: Visit) -> Response:
    was, text = was_of(visit.form), visit.form.get("json")
    theirs, status = "", _BAD_REQUEST
    try:
        revision = await asyncio.to_thread(decoded, visit, parse_json(text.encode()))
        return await _replace(visit, was, revision)
    except (Invalid, Conflict) as refusal:
        found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
        problem = told(refusal)
        if isinstance(refusal, Conflict):
            status = _CONFLICT
        if isinstance(refusal, _ChangedMeanwhile):
            was = body_of(found.job)
            theirs = pretty(was)
    draft = Draft(
        values={}, was=was, text=text, problems={"json": problem}, status=status, theirs=theirs
    )
    return job_json(visit, found, draft)


async def _replace(visit: Visit, was: Json, revision: Submission) -> Response:
    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if calendar_and_action(body_of(old)) != calendar_and_action(was):
            raise _ChangedMeanwhile("Someone else changed this job while you were editing it.")
        return replace_job(old, revision)

    saved = await visit.use_cases.jobs.save_job(
        visit.who, visit.key, visit.job, revised, must_exist=True
    )
    return visit.go(urls.job(saved.collection.key, saved.job.name), (GOOD, "Saved."))


async def _conflict(visit: Visit, form: Form, was: Json) -> Response:
    """Show what each of two people wants; saving again is about what is stored now."""
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    theirs = body_of(found.job)
    merged = merge_forms(form, SHAPE, was, theirs)
    draft = Draft(values=merged.values, was=theirs, status=_CONFLICT, merged=merged)
    return job_form(visit, found, draft)
