"""Jobs and their history, as resources."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Raw, json, structs

from foliot.api.wire.action import ACTION, ERROR_ACTION, PART_NAMES, decode_action
from foliot.api.wire.clients import ANY_CLIENT, WireClient
from foliot.api.wire.collection import COLLECTION_TYPE, collection_id
from foliot.api.wire.envelope import IDENTITY, TAGS, check_identity, inner_properties, read_resource
from foliot.api.wire.field_types import ANSWERED_INTEGER, INSTANT, TEXT, described, read_only, word
from foliot.api.wire.fields import FieldType, WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties, required_object
from foliot.api.wire.kept_answers import KeptAnswers
from foliot.api.wire.merge import merge, nulls
from foliot.api.wire.pfx.certificate import Certificates
from foliot.api.wire.policy import POLICY_FIELD
from foliot.api.wire.retry_policy import RETRY_POLICY
from foliot.api.wire.schedule import (
    MOMENT,
    RECURRENCE_TYPE,
    decode_recurrence,
    decode_start,
    encode_start,
)
from foliot.core.errors import Path, wrong
from foliot.core.ids import CollectionKey
from foliot.core.instant import LAST_TICK, Instant, format_instant
from foliot.core.json_text import Json
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.recurrence import zone_of
from foliot.core.rules.changed_fields import MAX_DESCRIPTION, check_changes
from foliot.core.rules.kept_secrets import SecretPath, keep_secrets
from foliot.core.rules.lifecycle import FINAL, Revision, next_execution_at

JOB_TYPE = f"{COLLECTION_TYPE}/jobs"
_NONE_OPENED: Certificates = MappingProxyType({})
_STATES = {state.value: state for state in JobState}
_OUTCOMES = {outcome.value: outcome for outcome in RunOutcome}
_ATTEMPT_STATUSES = {status.value: status for status in AttemptStatus}
_STATES_TO_ASK_FOR = "one of enabled, disabled"
_LAST_NUMBER = 2**63 - 1
_HISTORY_NAME = re.compile(r"(\d{20}):(\d{20})", re.ASCII)

_STATE = WireField(
    "state",
    "",
    described(
        word(_STATES, expected=_STATES_TO_ASK_FOR),
        description="in any letter case; clients send only the first two",
    ),
    "State",
)
_STATUS = WireObject(
    Job,
    WireField("lastExecutionTime", "last_execution_at", INSTANT),
    WireField("nextExecutionTime", "", INSTANT),
    WireField("executionCount", "execution_count", ANSWERED_INTEGER),
    WireField("failureCount", "failure_count", ANSWERED_INTEGER),
    WireField("faultedCount", "faulted_count", ANSWERED_INTEGER),
    WireField("lastOutcome", "last_outcome", read_only(word(_OUTCOMES))),
    WireField("consecutiveFailures", "consecutive_failures", ANSWERED_INTEGER),
    WireField("pausedBecause", "paused_because", TEXT),
)
# What only our own version of the API says of every job.
_OUTCOME_NAMES = ("lastOutcome", "consecutiveFailures")
_DESCRIPTION = WireField(
    "description", "description", described(TEXT, maxLength=MAX_DESCRIPTION), "Description"
)
_PROPERTIES = WireObject(
    Definition,
    WireField("startTime", "start", MOMENT, "Start"),
    ACTION,
    WireField("recurrence", "recurrence", RECURRENCE_TYPE),
    POLICY_FIELD,
    _DESCRIPTION,
    TAGS,
    _STATE,
    WireField("status", "", read_only(_STATUS.type())),
    # The old documentation has these beside the action.
    WireField("retryPolicy", "", described(RETRY_POLICY.type(), deprecated=True)),
    WireField("errorAction", "", described(ERROR_ACTION.type, deprecated=True)),
)
JOB = WireObject(
    Job,
    *IDENTITY,
    WireField("properties", "definition", _PROPERTIES.type(), required=True),
    component="Job",
)

_ACTION_NAMES = {False: "MainAction", True: "ErrorAction"}


def _action_name(is_error_action: bool, _client: WireClient) -> str:  # noqa: FBT001  (the value)
    return _ACTION_NAMES[is_error_action]


_ACTION_NAME = FieldType(
    None, {"type": "string", "enum": list(_ACTION_NAMES.values())}, encode=_action_name
)
_HISTORY_PROPERTIES = WireObject(
    HistoryEntry,
    WireField("startTime", "started_at", INSTANT, required=True),
    WireField("endTime", "ended_at", INSTANT, required=True),
    WireField("expectedExecutionTime", "expected_at", INSTANT, required=True),
    WireField("status", "status", word(_ATTEMPT_STATUSES), required=True),
    WireField("message", "message", TEXT, required=True),
    WireField("retryCount", "retry_count", ANSWERED_INTEGER, required=True),
    WireField("repeatCount", "repeat_count", ANSWERED_INTEGER, required=True),
    WireField("actionName", "is_error_action", _ACTION_NAME, required=True),
)
HISTORY_ENTRY = WireObject(
    HistoryEntry,
    *IDENTITY,
    WireField("properties", "", _HISTORY_PROPERTIES.type(), required=True),
    component="HistoryEntry",
)


class Address(NamedTuple):
    """The collection and the name of a job, from the URL; a job to be created may have no name."""

    collection: CollectionKey
    job: str | None = None


class Submission(Revision, frozen=True, kw_only=True):
    """A job as a client sent it, with its size and the limits for what it changes."""

    size: int
    limits: Limits


def decode_job(
    body: Json, address: Address, limits: Limits, certificates: Certificates = _NONE_OPENED
) -> Submission:
    """Read a job; its limits are checked later, against the job it replaces."""
    resource = read_resource(body, hides=True)
    key, name = address
    if name is not None:
        check_identity(resource, f"{collection_id(key)}/jobs/{name}", (name, f"{key.name}/{name}"))
    given = inner_properties(resource) or required_object(resource, "properties")
    given.ignore("status")
    definition = Definition(
        start=decode_start(given),
        action=decode_action(given, certificates),
        recurrence=decode_recurrence(given),
        policy=read_field(given, POLICY_FIELD),
        description=read_field(given, _DESCRIPTION),
        tags=read_field(given, TAGS),
    )
    state = read_field(given, _STATE)
    resource.refuse_unknown()
    return Submission(definition, state, size=len(json.encode(body)), limits=limits)


def replace_job(old: Job | None, new: Submission) -> Revision:
    """Return the job of a PUT: as it was sent, plus stored secrets that it leaves out."""
    _check_state(new, old)
    if old is None:
        check_changes(new.definition, None, new.limits, new.size)
        return new
    # A PUT without a state enables the job, unless it has ended.
    state = new.state or (None if old.state in FINAL else JobState.ENABLED)
    return structs.replace(_completed(new, old, frozenset()), state=state)


def patch_job(
    old: Job,
    patch: Json,
    address: Address,
    limits: Limits,
    certificates: Certificates = _NONE_OPENED,
) -> Revision:
    """Return a job with a patch applied."""
    Properties(patch, hides=True)  # what is no object is refused before it replaces anything
    base: Json = {"properties": encode_definition(old.definition, ANY_CLIENT)}
    new = decode_job(merge(base, patch), address, limits, certificates)
    _check_state(new, old)
    return _completed(new, old, frozenset(nulls(patch)))


def encode_job(collection: Collection, job: Job, client: WireClient) -> dict[str, Json]:
    """Write a job as a resource."""
    properties = _encode_properties(
        job.definition, client, state=job.state.value, status=_status(collection, job, client)
    )
    return _resource(collection, job, properties)


def write_jobs(collection: Collection, jobs: Iterable[Job], client: WireClient) -> list[Raw]:
    """Write jobs as `encode_job` does, or return the JSON of earlier answers."""
    return _JOBS.get_all(jobs, collection, client)


def encode_history(collection: Collection, job: Job, entry: HistoryEntry) -> dict[str, Json]:
    """Write a history entry as a resource."""
    name = history_name(entry.started_at, entry.number)
    return {
        "id": f"{job_id(collection.key, job.name)}/history/{name}",
        "type": f"{JOB_TYPE}/history",
        "name": f"{collection.key.name}/{job.name}/{name}",
        "properties": _HISTORY_PROPERTIES.encode(entry, ANY_CLIENT),
    }


def job_id(key: CollectionKey, name: str) -> str:
    """Return the identity of a job: its path."""
    return f"{collection_id(key)}/jobs/{name}"


def history_name(started_at: Instant, number: int) -> str:
    """Return the name of a history entry; sorted by name, the newest comes first."""
    return f"{LAST_TICK - started_at:020}:{_LAST_NUMBER - number:020}"


def parse_history_name(name: str) -> tuple[Instant, int]:
    """Return start and number of the history entry with this name, or raise ValueError."""
    match = _HISTORY_NAME.fullmatch(name)
    if match is None:
        raise ValueError(name)
    started_at, number = LAST_TICK - int(match[1]), _LAST_NUMBER - int(match[2])
    if started_at < 0 or number < 0:
        raise ValueError(name)
    return Instant(started_at), number


def _check_state(new: Revision, old: Job | None) -> None:
    """Refuse a final state, unless the job has it already and the client sends it back."""
    if new.state in FINAL and (old is None or old.state is not new.state):
        raise wrong(("properties", "state"), new.state, _STATES_TO_ASK_FOR)


def _completed(new: Submission, old: Job, forgotten: frozenset[Path]) -> Revision:
    """Add the stored secrets that a job leaves out, and check what it changes."""
    place = SecretPath(("properties", "action"), PART_NAMES, forgotten)
    action = keep_secrets(new.definition.action, old.definition.action, place)
    definition = structs.replace(new.definition, action=action)
    check_changes(definition, old.definition, new.limits, new.size)
    return structs.replace(new, definition=definition)


def encode_definition(definition: Definition, client: WireClient) -> dict[str, Json]:
    """Write the definition of a job, without its secrets."""
    return _encode_properties(definition, client)


def _write_definition(definition: Definition, client: WireClient) -> Mapping[str, Raw]:
    properties = encode_definition(definition, client)
    return {name: Raw(json.encode(each)) for name, each in properties.items()}


def _write_job(job: Job, collection: Collection, client: WireClient) -> Raw:
    status = _status(collection, job, client)
    properties: dict[str, Any] = {
        **_DEFINITIONS.get(job.definition, client),
        "state": job.state.value,
    }
    if status is not None:
        properties["status"] = status
    return Raw(json.encode(_resource(collection, job, properties)))


# A job that has run since has the same definition, which is most of what is written.
_DEFINITIONS = KeptAnswers(_write_definition)
_JOBS = KeptAnswers(_write_job)


def _resource(collection: Collection, job: Job, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": job_id(collection.key, job.name),
        "type": JOB_TYPE,
        "name": f"{collection.key.name}/{job.name}",
        "properties": properties,
    }


def _encode_properties(definition: Definition, client: WireClient, **more: Json) -> dict[str, Json]:
    start, zone = definition.start, zone_of(definition.recurrence)
    start_time = None if start is None else encode_start(start, zone)
    return _PROPERTIES.encode(definition, client, startTime=start_time, **more)


def _status(collection: Collection, job: Job, client: WireClient) -> dict[str, Json] | None:
    if job.state is JobState.DISABLED and job.execution_count == 0:
        return None
    following = next_execution_at(job, collection)
    next_time = None if following is None else format_instant(following)
    hidden = {} if client.reads_outcomes else dict.fromkeys(_OUTCOME_NAMES)
    return _STATUS.encode(job, ANY_CLIENT, nextExecutionTime=next_time, **hidden)
