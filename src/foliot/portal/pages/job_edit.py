"""Making and changing a job: by the form, or as JSON; both become the body that the API takes."""

import asyncio

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.job import Address, Submission, decode_job, replace_job
from foliot.api.wire.json_reader import Json, Properties, optional_object, parse_json
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.access import check_sight, require
from foliot.core.credentials import masked_job
from foliot.core.errors import Conflict, FoliotError, Invalid
from foliot.core.ids import CollectionId, check_name
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import Revision, create, revise
from foliot.portal import urls
from foliot.portal.forms.conflict import merge_forms, with_theirs
from foliot.portal.forms.fields import read, write
from foliot.portal.forms.first_start import with_first_start
from foliot.portal.forms.job import CALENDAR, SHAPE, kept_secrets
from foliot.portal.forms.job_rules import rules_broken
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, in_words, problem_of, problems_of, summary_of
from foliot.portal.page_request import GOOD, Visit
from foliot.portal.pages.job import body_of, pretty
from foliot.portal.pages.job_draft import Draft, job_form, job_json, refused_draft
from foliot.portal.preview import DAYS, preview

_BAD_REQUEST = 400
_CONFLICT = 409
_BLANK: Json = {
    "properties": {
        "action": {"type": "Https", "request": {"method": "GET"}},
        "recurrence": {"frequency": "day", "interval": 1},
    }
}
_SAMPLE = Action(kind=ActionKind.HTTP, part=HttpRequest(uri="http://localhost/", method="GET"))


class _ChangedMeanwhile(Conflict):
    """Someone else has changed the job since the form was made."""


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
        values=read(body, SHAPE),
        name=f"{found.job.name}-copy",
        was=body,
        copy_of=found.job.name,
        copied=_in_order(kept_secrets(found.job.definition.action)),
    )
    return job_form(visit, None, draft)


async def show_edit(visit: Visit) -> Response:
    """Show the form of a job that is there."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    body = body_of(found.job)
    return job_form(visit, found, Draft(values=read(body, SHAPE), was=body))


async def show_json(visit: Visit) -> Response:
    """Show a job as JSON; who may not change it does not see credentials in it."""
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    is_reader = visit.who.role is Role.READER
    body = body_of(masked_job(found.job) if is_reader else found.job)
    return job_json(visit, found, Draft(values={}, was=body, text=pretty(body)))


async def make(visit: Visit) -> Response:
    """Make a job."""
    _authorise(visit)
    name, was = visit.form.get("name").strip(), _was(visit.form)

    def refused(problems: Problems, status: int = _BAD_REQUEST) -> Response:
        return job_form(
            visit, None, refused_draft(visit.form, problems, status=status, name=name, was=was)
        )

    found = await asyncio.to_thread(_read, visit, visit.form, was)
    if isinstance(found, dict):
        return refused(found)
    revision = found

    def new(old: Job | None) -> Revision:
        if old is not None:
            raise _NameTaken(f"There is a job '{old.name}' here already; give another name.")
        return replace_job(None, revision)

    try:
        saved = await visit.use_cases.jobs.save_job(visit.who, visit.key, name, new)
    except Conflict as refusal:
        field = "name" if isinstance(refusal, _NameTaken) else ""
        return refused({field: str(refusal)}, _CONFLICT)
    return visit.go(urls.job(saved.collection.key, saved.job.name), (GOOD, "Job created."))


async def save(visit: Visit) -> Response:
    """Change a job by the form."""
    _authorise(visit)
    was = _was(visit.form)
    form = with_theirs(visit.form, SHAPE, was)
    revision = await asyncio.to_thread(_read, visit, form, was)
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
    found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
    return job_form(visit, found, refused_draft(visit.form, problems, status=status, was=was))


async def save_json(visit: Visit) -> Response:
    """Change a job as JSON."""
    _authorise(visit)
    was, text = _was(visit.form), visit.form.get("json")
    theirs, status = "", _BAD_REQUEST
    try:
        revision = await asyncio.to_thread(_decoded, visit, parse_json(text.encode()))
        return await _replace(visit, was, revision)
    except (Invalid, Conflict) as refusal:
        found = await visit.use_cases.dashboard.job(visit.who, visit.key, visit.job)
        problem = str(refusal)
        if isinstance(refusal, Conflict):
            status = _CONFLICT
        if isinstance(refusal, _ChangedMeanwhile):
            was = body_of(found.job)
            theirs = pretty(was)
    draft = Draft(
        values={}, was=was, text=text, problems={"json": problem}, status=status, theirs=theirs
    )
    return job_json(visit, found, draft)


async def show_preview(visit: Visit) -> Response:
    """Show when a job would run, if it were saved as the schedule stands now."""
    try:
        job = await _as_if_saved(visit)
        shown = preview(job, visit.now)
    except FoliotError as refusal:
        return visit.part("preview.html", shown=None, problem=_told(refusal), days=DAYS, rows=2)
    return visit.part("preview.html", shown=shown, problem="", days=DAYS, rows=2)


def _told(refusal: FoliotError) -> str:
    """Say what is wrong with a schedule, by the names that the form has for its fields."""
    if not isinstance(refusal, Invalid):
        return str(refusal)
    return summary_of(problem_of(refusal, SHAPE))[0].words


def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(field.name for field in SHAPE.fields if field.name in names)


def _authorise(visit: Visit) -> None:
    """Refuse who may not change the job, before anything that was sent is looked at."""
    require(visit.who, Role.CONTRIBUTOR)
    check_sight(visit.who, visit.key)


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


def _read(visit: Visit, form: Form, was: Json) -> Submission | Problems:
    """Read a form, or tell all that is wrong with it."""
    is_new = "job" not in visit.names
    name = form.get("name").strip()

    def read_one(tried: Form) -> Submission:
        body = write(tried, SHAPE, was)
        revision = _decoded(
            visit, with_first_start(body, tried, visit.now, None if is_new else was)
        )
        if is_new:
            create(CollectionId(0), name, replace_job(None, revision), visit.now)
        return revision

    problems = problems_of(form, SHAPE, read_one)
    for field, words in rules_broken(form):
        problems[field] = in_words(field, words)
    if is_new:
        try:
            check_name(("name",), name)
        except Invalid as refusal:
            problems = {"name": in_words("name", refusal.problem)} | problems
    return problems or read_one(form)


def _decoded(visit: Visit, body: Json) -> Submission:
    return decode_job(body, Address(visit.key, visit.names.get("job")), visit.desk.limits)


async def _replace(visit: Visit, was: Json, revision: Submission) -> Response:
    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if _calendar_and_action(body_of(old)) != _calendar_and_action(was):
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


def _calendar_and_action(body: Json) -> Json:
    """Return what only people change; the state is also the engine's."""
    properties = body.get("properties") if isinstance(body, dict) else None
    if not isinstance(properties, dict):
        return None
    return {name: value for name, value in properties.items() if name != "state"}


def _was(form: Form) -> Json:
    text = form.get("was")
    return parse_json(text.encode()) if text else None
