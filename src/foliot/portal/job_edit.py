"""Making and changing a job: by the form, or as JSON; both become the body that the API takes."""

from calendar import month_abbr
from collections.abc import Callable

from msgspec import Struct, json, structs
from starlette.responses import Response

from foliot.api.wire.calendar import decode_recurrence, decode_start
from foliot.api.wire.certificate import Certificates, open_certificates
from foliot.api.wire.job import Address, decode_job, replace_job
from foliot.api.wire.reader import Json, Properties, optional_object, parse_json
from foliot.core.access import require
from foliot.core.errors import Conflict, FoliotError, Invalid
from foliot.core.ids import CollectionId
from foliot.core.lifecycle import Revision, create, revise
from foliot.core.model import Action, ActionKind, Definition, HttpRequest, Job, JobState, Role
from foliot.core.recurrence import WEEK_DAYS
from foliot.portal import paths
from foliot.portal.fields import Values, entered, field_of, read, write
from foliot.portal.forms import Form
from foliot.portal.job import body_of, common, pretty
from foliot.portal.job_form import CALENDAR, SHAPE, kept_secrets
from foliot.portal.preview import DAYS, preview
from foliot.portal.visit import GOOD, Visit
from foliot.watch import WatchedJob

_BAD_REQUEST = 400
_CONFLICT = 409
_BLANK: Json = {
    "properties": {
        "action": {"type": "Https", "request": {"method": "GET"}},
        "recurrence": {"frequency": "day", "interval": 1},
    }
}
_SAMPLE = Action(kind=ActionKind.HTTP, part=HttpRequest(uri="http://localhost/", method="GET"))


class _Draft(Struct, frozen=True, kw_only=True):
    """What a form shows, and what is wrong with it."""

    values: Values
    name: str = ""
    was: Json = None
    text: str = ""
    problems: dict[str, str] = {}
    status: int = 200


async def show_new(visit: Visit) -> Response:
    """Show the form of a new job."""
    require(visit.who, Role.CONTRIBUTOR)
    await visit.desk.service.get_collection(visit.who, visit.key)
    return _form(visit, None, _Draft(values=read(_BLANK, SHAPE)))


async def show_duplicate(visit: Visit) -> Response:
    """Show the form of a new job that is like this one, but for its secrets."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.desk.watch.job(visit.who, visit.key, visit.job)
    body = body_of(found.job)
    draft = _Draft(values=read(body, SHAPE), name=f"{found.job.name}-copy", was=body)
    return _form(visit, None, draft)


async def show_edit(visit: Visit) -> Response:
    """Show the form of a job that is there."""
    require(visit.who, Role.CONTRIBUTOR)
    found = await visit.desk.watch.job(visit.who, visit.key, visit.job)
    body = body_of(found.job)
    return _form(visit, found, _Draft(values=read(body, SHAPE), was=body))


async def show_json(visit: Visit) -> Response:
    """Show a job as JSON."""
    found = await visit.desk.watch.job(visit.who, visit.key, visit.job)
    body = body_of(found.job)
    return _json(visit, found, _Draft(values={}, was=body, text=pretty(body)))


async def make(visit: Visit) -> Response:
    """Make a job."""
    name, was = visit.form.get("name").strip(), _was(visit.form)
    opened: Certificates = {}

    def new(old: Job | None) -> Revision:
        if old is not None:
            raise Conflict(f"There is a job '{old.name}' here already; give another name.")
        body = write(visit.form, SHAPE, was)
        address = Address(visit.key, name)
        return replace_job(None, decode_job(body, address, visit.desk.limits, opened))

    try:
        require(visit.who, Role.CONTRIBUTOR)
        opened = await open_certificates(write(visit.form, SHAPE, was))
        saved = await visit.desk.service.save_job(visit.who, visit.key, name, new)
    except (Invalid, Conflict) as refusal:
        return _form(visit, None, _refused(visit.form, refusal, name=name, was=was))
    return visit.go(paths.job(saved.collection.key, saved.job.name), (GOOD, "The job is there."))


async def save(visit: Visit) -> Response:
    """Change a job by the form."""
    was = _was(visit.form)
    try:
        return await _replace(visit, was, lambda: write(visit.form, SHAPE, was))
    except (Invalid, Conflict) as refusal:
        found = await visit.desk.watch.job(visit.who, visit.key, visit.job)
        return _form(visit, found, _refused(visit.form, refusal, was=was))


async def save_json(visit: Visit) -> Response:
    """Change a job as JSON."""
    was, text = _was(visit.form), visit.form.get("json")
    try:
        return await _replace(visit, was, lambda: parse_json(text.encode()))
    except (Invalid, Conflict) as refusal:
        found = await visit.desk.watch.job(visit.who, visit.key, visit.job)
        problems, status = {"json": str(refusal)}, _status(refusal)
        draft = _Draft(values={}, was=was, text=text, problems=problems, status=status)
        return _json(visit, found, draft)


async def show_preview(visit: Visit) -> Response:
    """Show when a job would run, if it were saved as the schedule stands now."""
    try:
        job = await _as_if_saved(visit)
        shown = preview(job, visit.now)
    except FoliotError as refusal:
        return visit.part("preview.html", shown=None, problem=str(refusal), days=DAYS, rows=2)
    return visit.part("preview.html", shown=shown, problem="", days=DAYS, rows=2)


async def _as_if_saved(visit: Visit) -> Job:
    given = Properties(write(visit.query, CALENDAR, {}))
    properties = optional_object(given, "properties") or Properties({}, ("properties",))
    rule, start = decode_recurrence(properties), decode_start(properties)
    if not visit.query.get("of"):
        definition = Definition(start=start, action=_SAMPLE, recurrence=rule)
        return create(CollectionId(0), "new", Revision(definition), visit.now)
    old = (await visit.desk.service.get_job(visit.who, visit.key, visit.query.get("of"))).job
    definition = structs.replace(old.definition, start=start, recurrence=rule)
    return revise(old, Revision(definition, JobState.ENABLED), visit.now)


async def _replace(visit: Visit, was: Json, body: Callable[[], Json]) -> Response:
    require(visit.who, Role.CONTRIBUTOR)
    opened = await open_certificates(body())

    def revised(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        if _calendar_and_action(body_of(old)) != _calendar_and_action(was):
            raise Conflict("Someone has changed the job meanwhile; reload it, then change it.")
        address = Address(visit.key, visit.job)
        return replace_job(old, decode_job(body(), address, visit.desk.limits, opened))

    saved = await visit.desk.service.save_job(
        visit.who, visit.key, visit.job, revised, must_exist=True
    )
    return visit.go(paths.job(saved.collection.key, saved.job.name), (GOOD, "Saved."))


def _calendar_and_action(body: Json) -> Json:
    """Return what only people change; the state is also the engine's."""
    properties = body.get("properties") if isinstance(body, dict) else None
    if not isinstance(properties, dict):
        return None
    return {name: value for name, value in properties.items() if name != "state"}


def _was(form: Form) -> Json:
    text = form.get("was")
    return parse_json(text.encode()) if text else None


def _refused(form: Form, refusal: Invalid | Conflict, *, was: Json, name: str = "") -> _Draft:
    """Return the form as it was sent, with what is wrong beside the field it belongs to."""
    place = ""
    if isinstance(refusal, Invalid):
        place = "name" if refusal.path == ("name",) else field_of(refusal.path, SHAPE)
    words = refusal.problem if isinstance(refusal, Invalid) and place else str(refusal)
    return _Draft(
        values=entered(form, SHAPE),
        name=name,
        was=was,
        problems={place: words},
        status=_status(refusal),
    )


def _status(refusal: Invalid | Conflict) -> int:
    return _BAD_REQUEST if isinstance(refusal, Invalid) else _CONFLICT


def _form(visit: Visit, found: WatchedJob | None, draft: _Draft) -> Response:
    job = None if found is None else found.job
    return visit.page(
        "job_form.html",
        http_status=draft.status,
        key=visit.key if found is None else found.collection.key,
        job=job,
        name=draft.name,
        values=draft.values,
        problems=draft.problems,
        was="" if draft.was is None else json.encode(draft.was).decode(),
        kept=frozenset[str]() if job is None else kept_secrets(job.definition.action),
        week_days=WEEK_DAYS,
        months=month_abbr,
    )


def _json(visit: Visit, found: WatchedJob, draft: _Draft) -> Response:
    return visit.page(
        "job_json.html",
        http_status=draft.status,
        tab="json",
        text=draft.text,
        was=json.encode(draft.was).decode(),
        problem=draft.problems.get("json", ""),
        **common(found),
    )
