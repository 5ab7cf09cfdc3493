"""Creating a job: a new one, a copy, or one in place of a job that can no longer be changed."""

import asyncio

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Submission, replace_job
from foliot.api.wire.json_reader import Json, parse_json
from foliot.core.access import check_sight, require
from foliot.core.errors import Conflict, Invalid
from foliot.core.ids import MAX_NAME
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import Revision
from foliot.portal import urls
from foliot.portal.forms.conflict import NameTaken
from foliot.portal.forms.fields import Kind, read_values
from foliot.portal.forms.job import JOB_FORM, kept_secrets
from foliot.portal.forms.job_read import decode_body, original_of, read_job
from foliot.portal.forms.job_rules import COPIED
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, explain
from foliot.portal.page_request import GOOD, PageRequest
from foliot.portal.pages.job import body_of
from foliot.portal.pages.job_draft import Draft, job_form, refused_draft

# Inputs of this name hold the secrets that the job of a form had when the form was made.
KEPT = "kept"
_STATE = "properties.state"
_STATES = ([JobState.ENABLED.value], [JobState.DISABLED.value])
_SUFFIX = "-copy"
_BAD_REQUEST = 400
_CONFLICT = 409
_BLANK: Json = {
    "properties": {
        "action": {"type": "Https", "request": {"method": "GET"}},
        "recurrence": {"frequency": "day", "interval": 1},
    }
}


async def show_new(request: PageRequest) -> Response:
    """Show the form of a new job."""
    require(request.who, Role.CONTRIBUTOR)
    await request.use_cases.collections.get_collection(request.who, request.key)
    return job_form(request, None, Draft(values=read_values(_BLANK, JOB_FORM)))


async def show_duplicate(request: PageRequest) -> Response:
    """Show the form of a new job that is like this one, but for its secrets."""
    require(request.who, Role.CONTRIBUTOR)
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    body = body_of(found.job)
    draft = Draft(
        values=_runnable(read_values(body, JOB_FORM)),
        name=_copied_name(found.job.name),
        original=body,
        copy_of=found.job.name,
        copied=_in_order(kept_secrets(found.job.definition.action)),
    )
    return job_form(request, None, draft)


async def make(request: PageRequest) -> Response:
    """Make a job."""
    authorise(request)
    name, original = request.form.get("name").strip(), original_of(request.form)

    def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        return job_form(
            request,
            None,
            refused_draft(request.form, problems, status=status, name=name, original=original),
        )

    found = await asyncio.to_thread(read_job, request, request.form, original)
    if isinstance(found, dict):
        return refused(found)
    try:
        return await _create(request, name, found)
    except Conflict as refusal:
        field = "name" if isinstance(refusal, NameTaken) else ""
        return refused({field: str(refusal)}, _CONFLICT)


async def make_from_json(request: PageRequest) -> Response:
    """Make a job anew from JSON that was written to change one which was deleted meanwhile."""
    authorise(request)
    try:
        body = parse_json(request.form.get("json").encode())
        return await _create(
            request, request.job, await asyncio.to_thread(decode_body, request, body)
        )
    except (Invalid, Conflict) as refusal:
        status = _CONFLICT if isinstance(refusal, Conflict) else _BAD_REQUEST
        return json_of_deleted(request, explain(refusal), status)


def form_of_deleted(request: PageRequest) -> Response:
    """Show what was typed to change a job that was deleted meanwhile, as the form of a new one."""
    words = f"Job '{request.job}' was deleted while you were editing it. Create it anew, or cancel."
    return _anew(request, words, request.job)


def form_of_ended(request: PageRequest, job: Job) -> Response:
    """Show what was typed to change a job that has ended, as the form of another one."""
    words = (
        f"Job '{job.name}' is {job.state.value} and can no longer be changed. "
        "Create another job from this form, or cancel."
    )
    return _anew(request, words, _copied_name(job.name), copy_of=job.name)


def json_of_deleted(request: PageRequest, problem: str = "", status: int = _CONFLICT) -> Response:
    """Show the JSON that was typed to change a job that was deleted meanwhile."""
    return request.render_page(
        "job_json_deleted.html",
        http_status=status,
        key=request.key,
        name=request.job,
        text=request.form.get("json"),
        problem=problem,
    )


def authorise(request: PageRequest) -> None:
    """Refuse who may not change the job, before anything that was sent is looked at."""
    require(request.who, Role.CONTRIBUTOR)
    check_sight(request.who, request.key)


async def _create(request: PageRequest, name: str, revision: Submission) -> Response:
    def new(old: Job | None) -> Revision:
        if old is not None:
            raise NameTaken(f"There is a job '{old.name}' here already; give another name.")
        return replace_job(None, revision)

    saved = await request.use_cases.jobs.save_job(request.who, request.key, name, new)
    return request.redirect(urls.job(saved.collection.key, saved.job.name), (GOOD, "Job created."))


def _anew(request: PageRequest, words: str, name: str, copy_of: str = "") -> Response:
    secrets = _secrets_of(request.form)
    if secrets:
        words += " Passwords and keys must be given again."
    draft = refused_draft(
        request.form, {"": words}, status=_CONFLICT, name=name, original=original_of(request.form)
    )
    draft = structs.replace(draft, values=_runnable(draft.values), copied=secrets, copy_of=copy_of)
    return job_form(request, None, draft)


def _runnable(values: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a form with a state that a new job can have."""
    return values if values[_STATE] in _STATES else values | {_STATE: _STATES[0]}


def _copied_name(name: str) -> str:
    return name[: MAX_NAME - len(_SUFFIX)] + _SUFFIX


def _secrets_of(form: Form) -> tuple[str, ...]:
    """Return the secrets that a form was about: those that were kept and those that were typed."""
    typed = [field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET]
    given = [name for name in typed if form.get(name)]
    return _in_order(frozenset([*form.all(KEPT), *form.all(COPIED), *given]))


def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    secrets = (field.name for field in JOB_FORM.fields if field.kind is Kind.SECRET)
    return tuple(name for name in secrets if name in names)
