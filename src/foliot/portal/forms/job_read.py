"""What a form of a job asks for, or all that is wrong with it."""

from foliot.api.wire.job import Address, Submission, decode_job, replace_job
from foliot.api.wire.json_reader import Json, parse_json
from foliot.app.dashboard import WatchedJob
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionId, check_name
from foliot.core.instant import Instant
from foliot.core.rules.lifecycle import create, revise
from foliot.portal.forms.fields import read, write
from foliot.portal.forms.first_start import with_first_start
from foliot.portal.forms.job import SHAPE
from foliot.portal.forms.job_rules import rules_broken
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, in_words, problems_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import body_of


def read_job(
    request: PageRequest, form: Form, was: Json, found: WatchedJob | None = None
) -> Submission | Problems:
    """Read a form of a job that was found, or of a new one, or tell all that is wrong with it."""
    name = form.get("name").strip()
    # Of a job that someone else has changed, the conflict is told instead.
    is_current = found is not None and not is_changed(found, was)

    def read_one(tried: Form) -> Submission:
        stored = None if found is None else was
        body = with_first_start(write(tried, SHAPE, was), tried, request.now, stored)
        revision = decoded(request, body)
        if found is None:
            create(CollectionId(0), name, replace_job(None, revision), request.now)
        elif is_current:
            _revise(found, revision, request.now)
        return revision

    problems = problems_of(form, SHAPE, read_one, read(was, SHAPE))
    for field, words in rules_broken(form):
        problems[field] = in_words(field, words)
    if found is None:
        try:
            check_name(("name",), name)
        except Invalid as refusal:
            problems = {"name": in_words("name", refusal.problem)} | problems
    return problems or read_one(form)


def decoded(request: PageRequest, body: Json) -> Submission:
    """Read a job as the API would."""
    return decode_job(body, Address(request.key, request.names.get("job")), request.context.limits)


def is_changed(found: WatchedJob, was: Json) -> bool:
    """Tell whether someone has changed a job since a form was made from it."""
    return calendar_and_action(body_of(found.job)) != calendar_and_action(was)


def calendar_and_action(body: Json) -> Json:
    """Return what only people change; the state is also the engine's."""
    properties = body.get("properties") if isinstance(body, dict) else None
    if not isinstance(properties, dict):
        return None
    return {name: value for name, value in properties.items() if name != "state"}


def was_of(form: Form) -> Json:
    """Return the body that a form was made from."""
    text = form.get("was")
    return parse_json(text.encode()) if text else None


def _revise(found: WatchedJob, revision: Submission, now: Instant) -> None:
    """Raise what is refused of a change only when it is laid over the job."""
    wanted = replace_job(found.job, revision)
    revise(found.job, wanted, now, has_open_runs=bool(found.runs))
