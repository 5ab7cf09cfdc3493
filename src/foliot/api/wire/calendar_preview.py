"""The calendar of a body, as if the job were saved and enabled: its action is not read."""

from msgspec import structs

from foliot.api.wire.fields import read_field
from foliot.api.wire.json_reader import Properties, optional_object
from foliot.api.wire.policy import POLICY_FIELD
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.json_text import Json
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.policy import Policy
from foliot.core.rules.lifecycle import FINAL, Revision, create, revise

_SAMPLE = Action(kind=ActionKind.HTTP, part=HttpRequest(uri="http://localhost/", method="GET"))


def definition_in(body: Json, old: Job | None) -> Definition:
    """Return the definition with the calendar of a body, its action that of the old job."""
    properties = optional_object(Properties(body, hides=True), "properties")
    given = properties or Properties({}, ("properties",))
    rule, start, policy = decode_recurrence(given), decode_start(given), _policy(given)
    if old is None:
        return Definition(start=start, action=_SAMPLE, recurrence=rule, policy=policy)
    return structs.replace(old.definition, start=start, recurrence=rule, policy=policy)


def job_as_enabled(
    definition: Definition, old: Job | None, now: Instant, defaults: JobDefaults
) -> Job:
    """Return the job with a definition, or refuse its calendar; `old` is replaced."""
    if old is None:
        return create(CollectionId(0), "new", Revision(definition), now, defaults)
    if old.state in FINAL:
        return structs.replace(old, definition=definition)
    return revise(old, Revision(definition, JobState.ENABLED), now, defaults)


def _policy(given: Properties) -> Policy | None:
    try:
        return read_field(given, POLICY_FIELD)
    except Invalid:
        return None  # it is refused where the whole job is read
