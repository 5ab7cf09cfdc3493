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
from foliot.portal.forms.fields import Kind, read
from foliot.portal.forms.job import SHAPE, kept_secrets
from foliot.portal.forms.job_read import decoded, read_job, was_of
from foliot.portal.forms.job_rules import COPIED
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, told
from foliot.portal.page_request import GOOD, Visit
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


class _NameTaken(Conflict):
    """There is a job of that name."""


async def show_new(visit: Visit) -> Response:
    """Show the form of a new job."""
    require(visit.who, Role.CONTRIBUTOR)
    await visit.use_cases.collections.get_collection(visit.who, visit.key)
    return job_form(visit, None, Draft(values=read(_BLANK, SHAPE)))


async def show_duplicate(visit: Visit) -> Response:
    """Show the form of a new job that is like this one, but for its secrets."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    body = body_of(found.job)
    draft = Draft(
        values=_runnable(read(body, SHAPE)),
        name=_copied_name(found.job.name),
        was=body,
        copy_of=found.job.name,
        copied=_in_order(kept_secrets(found.job.definition.action)),
    )
    return job_form(visit, None, draft)


async def make(visit: Visit) -> Response:
    """Make a job."""
    authorise(visit)
    name, was = visit.form.get("name").strip(), was_of(visit.form)

    def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        return job_form(
            visit, None, refused_draft(visit.form, problems, status=status, name=name, was=was)
        )

    found = await asyncio.to_thread(read_job, visit, visit.form, was)
    if isinstance(found, dict):
        return refused(found)
    try:
        return await _create(visit, name, found)
    except Conflict as refusal:
        field = "name" if isinstance(refusal, _NameTaken) else ""
        return refused({field: str(refusal)}, _CONFLICT)


async def make_from_json(visit: Visit) -> Response:
    """Make a job anew from JSON that was written to change one which was deleted meanwhile."""
    authorise(visit)
    try:
        body = parse_json(visit.form.get("json").encode())
        return await _create(visit, visit.job, await asyncio.to_thread(decoded, visit, body))
    except (Invalid, Conflict) as refusal:
        status = _CONFLICT if isinstance(refusal, Conflict) else _BAD_REQUEST
        return json_of_deleted(visit, told(refusal), status)


def form_of_deleted(visit: Visit) -> Response:
    """Show what was typed to change a job that was deleted meanwhile, as the form of a new one."""
    words = f"Job '{visit.job}' was deleted while you were editing it. Create it anew, or cancel."
    return _anew(visit, words, visit.job)


def form_of_ended(visit: Visit, job: Job) -> Response:
    """Show what was typed to change a job that has ended, as the form of another one."""
    words = (
        f"Job '{job.name}' is {job.state.value} and can no longer be changed. "
        "Create another job from this form, or cancel."
    )
    return _anew(visit, words, _copied_name(job.name), copy_of=job.name)


def json_of_deleted(visit: Visit, problem: str = "", status: int = _CONFLICT) -> Response:
    """Show the JSON that was typed to change a job that was deleted meanwhile."""
    return visit.page(
        "job_json_deleted.html",
        http_status=status,
        key=visit.key,
        name=visit.job,
        text=visit.form.get("json"),
        problem=problem,
    )


def authorise(visit: Visit) -> None:
    """Refuse who may not change the job, before anything that was sent is looked at."""
    require(visit.who, Role.CONTRIBUTOR)
    check_sight(visit.who, visit.key)


async def _create(visit: Visit, name: str, revision: Submission) -> Response:
    def new(old: Job | None) -> Revision:
        if old is not None:
            raise _NameTaken(f"There is a job '{old.name}' here already; give another name.")
        return replace_job(None, revision)

    saved = await visit.use_cases.jobs.save_job(visit.who, visit.key, name, new)
    return visit.go(urls.job(saved.collection.key, saved.job.name), (GOOD, "Job created."))


def _anew(visit: Visit, words: str, name: str, copy_of: str = "") -> Response:
    secrets = _secrets_of(visit.form)
    if secrets:
        words += " Passwords and keys must be given again."
    draft = refused_draft(
        visit.form, {"": words}, status=_CONFLICT, name=name, was=was_of(visit.form)
    )
    draft = structs.replace(draft, values=_runnable(draft.values), copied=secrets, copy_of=copy_of)
    return job_form(visit, None, draft)


def _runnable(values: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a form with a state that a new job can have."""
    return values if values[_STATE] in _STATES else values | {_STATE: _STATES[0]}


def _copied_name(name: str) -> str:
    return name[: MAX_NAME - len(_SUFFIX)] + _SUFFIX


def _secrets_of(form: Form) -> tuple[str, ...]:
    """Return the secrets that a form was about: those that were kept and those that were typed."""
    typed = [field.name for field in SHAPE.fields if field.kind is Kind.SECRET]
    given = [name for name in typed if form.get(name)]
    return _in_order(frozenset([*form.all(KEPT), *form.all(COPIED), *given]))


def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    secrets = (field.name for field in SHAPE.fields if field.kind is Kind.SECRET)
    return tuple(name for name in secrets if name in names)
