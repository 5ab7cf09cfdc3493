"""Creates jobs: from the form, as a copy, or in place of a deleted or ended job."""

import asyncio

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission, replace_job
from foliot.app.audit import MissingJob
from foliot.app.jobs import ReviseJob
from foliot.core.access import check_sight, require
from foliot.core.errors import Conflict, Invalid
from foliot.core.ids import MAX_NAME
from foliot.core.json_text import Json, parse_json
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import Revision
from foliot.portal import urls
from foliot.portal.forms.conflict import NameTaken, problem_of_conflict
from foliot.portal.forms.fields import Kind, Values, read_values
from foliot.portal.forms.first_start import start_set_by_form
from foliot.portal.forms.job import JOB_FORM, kept_secrets
from foliot.portal.forms.job_read import decode_body, original_of, read_job
from foliot.portal.forms.job_rules import COPIED
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, explain, problem_of
from foliot.portal.forms.schedule_inputs import ZONE, shown_inputs
from foliot.portal.forms.zones import UTC
from foliot.portal.job_body import body_of
from foliot.portal.missing_jobs import find_missing_job
from foliot.portal.page_request import GOOD, PageRequest
from foliot.portal.pages.job_draft import JobDraft, refused_draft, show_job_form

# Inputs of this name list the secrets that the job had when the form was opened.
KEPT = "kept"
_STATE = "properties.state"
_STATES = ([JobState.ENABLED.value], [JobState.DISABLED.value])
_SUFFIX = "-copy"
_BAD_REQUEST = 400
_CONFLICT = 409
BLANK_JOB: Json = {
    "properties": {
        "action": {"type": "Https", "request": {"method": "GET"}},
        "recurrence": {
            "frequency": "day",
            "interval": 1,
            "schedule": {"hours": [9], "minutes": [0]},
        },
    }
}


async def show_new(request: PageRequest) -> Response:
    """Show the form for a new job."""
    require(request.who, Role.CONTRIBUTOR)
    await request.use_cases.collections.get_collection(request.who, request.key)
    return await show_job_form(request, None, JobDraft(values=blank_values(request)))


def blank_values(request: PageRequest, body: Json = None) -> Values:
    """Return the values of the form for a new job, in the viewer's time zone."""
    zone = UTC if request.zone is None else request.zone.key
    return shown_inputs(read_values(body or BLANK_JOB, JOB_FORM)) | {ZONE: [zone]}


async def show_duplicate(request: PageRequest) -> Response:
    """Show the form for a copy of a job, without its secrets."""
    require(request.who, Role.CONTRIBUTOR)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    body = body_of(found.job)
    values = shown_inputs(read_values(body, JOB_FORM), start_set_by_form(found.job, request.now))
    draft = JobDraft(
        values=_with_initial_state(values),
        name=_copy_name(found.job.name),
        original=body,
        copy_of=found.job.name,
        copied=_in_form_order(kept_secrets(found.job.definition.action)),
    )
    return await show_job_form(request, None, draft)


async def create(request: PageRequest) -> Response:
    """Create a job from the form."""
    authorise(request)
    name, original = request.form.get("name").strip(), original_of(request.form)

    async def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        draft = refused_draft(request.form, problems, status=status, name=name, original=original)
        return await show_job_form(request, None, draft)

    found = await asyncio.to_thread(read_job, request, request.form, original)
    if isinstance(found, dict):
        return await refused(found)
    try:
        return await save_new(request, name, found)
    except Invalid as refusal:
        # Only the transaction knows the calendars of the collection.
        return await refused(problem_of(refusal, JOB_FORM))
    except Conflict as refusal:
        return await refused(problem_of_conflict(refusal), _CONFLICT)


async def create_from_json(request: PageRequest) -> Response:
    """Create a job from the JSON of a job that was deleted while the user edited it."""
    authorise(request)
    try:
        body = parse_json(request.form.get("json").encode())
        revision = await asyncio.to_thread(decode_body, request, body)
        return await save_new(request, request.job, revision)
    except (Invalid, Conflict) as refusal:
        status = _CONFLICT if isinstance(refusal, Conflict) else _BAD_REQUEST
        missing = await find_missing_job(request)
        return missing_job_json(request, missing, explain(refusal), status)


async def missing_job_form(request: PageRequest, missing: MissingJob) -> Response:
    """Show the edits of a job that is gone in the form for a new job."""
    # One that was moved exists: nobody should create it twice without a thought.
    name = request.job if missing.is_deleted else ""
    return await _as_new_job(request, _missing_words(request, missing), name)


async def ended_job_form(request: PageRequest, job: Job) -> Response:
    """Show the edits of a job that has ended meanwhile in the form for a copy."""
    words = (
        f"Job '{job.name}' is {job.state.value} and can no longer be changed. "
        "Create another job from this form, or cancel."
    )
    return await _as_new_job(request, words, _copy_name(job.name), copy_of=job.name)


def missing_job_json(
    request: PageRequest, missing: MissingJob, problem: str = "", status: int = _CONFLICT
) -> Response:
    """Show the edited JSON of a job that is gone."""
    secrets = " Its secrets were deleted too: add them to the JSON." if missing.is_deleted else ""
    return request.render_page(
        "job_json_deleted.html",
        http_status=status,
        key=request.key,
        name=request.job,
        words=_missing_words(request, missing) + secrets,
        is_deleted=missing.is_deleted,
        text=request.form.get("json"),
        problem=problem,
    )


def authorise(request: PageRequest) -> None:
    """Check the caller's rights before the form is read."""
    require(request.who, Role.CONTRIBUTOR)
    check_sight(request.who, request.key)


def only_new(revision: Submission) -> ReviseJob:
    """Return a revision that makes this job and changes none."""

    def revise(old: Job | None) -> Revision:
        if old is not None:
            raise NameTaken("name", f"Job '{old.name}' exists already; choose another name.")
        return replace_job(None, revision)

    return revise


async def save_new(request: PageRequest, name: str, revision: Submission) -> Response:
    """Create a job in the collection of the request, and show it."""
    jobs = request.use_cases.jobs
    saved = await jobs.save_job(request.who, request.key, name, only_new(revision))
    address = urls.job(saved.collection.key, saved.job.name)
    return request.redirect(address, (GOOD, "Job created."))


async def _as_new_job(request: PageRequest, words: str, name: str, copy_of: str = "") -> Response:
    secrets = _secrets_in(request.form)
    if secrets:
        words += " Enter its passwords and keys again."
    draft = refused_draft(
        request.form, {"": words}, status=_CONFLICT, name=name, original=original_of(request.form)
    )
    draft = structs.replace(
        draft, values=_with_initial_state(draft.values), copied=secrets, copy_of=copy_of
    )
    return await show_job_form(request, None, draft)


def _missing_words(request: PageRequest, missing: MissingJob) -> str:
    name = request.job
    if missing.is_deleted:
        return f"Job '{name}' was deleted while you were editing it. Create it again, or cancel."
    return (
        f"Job '{name}' is no longer here: it was deleted or moved while you were editing it. "
        "Cancel, and find out where it is; if it was moved, a job that you create here would run "
        "beside it."
    )


def _with_initial_state(values: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the values with a state that a new job can have."""
    return values if values[_STATE] in _STATES else values | {_STATE: _STATES[0]}


def _copy_name(name: str) -> str:
    return name[: MAX_NAME - len(_SUFFIX)] + _SUFFIX


def _secrets_in(form: Form) -> tuple[str, ...]:
    """Return the secrets of a posted form: stored, copied or typed."""
    typed = [field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET]
    given = [name for name in typed if form.get(name)]
    return _in_form_order(frozenset([*form.all(KEPT), *form.all(COPIED), *given]))


def _in_form_order(names: frozenset[str]) -> tuple[str, ...]:
    secrets = (field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET)
    return tuple(name for name in secrets if name in names)
