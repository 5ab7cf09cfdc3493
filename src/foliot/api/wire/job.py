"""Jobs and their history, as resources."""

import re
from types import MappingProxyType
from typing import NamedTuple

from msgspec import json, structs

from foliot.api.wire.action import decode_action, encode_action
from foliot.api.wire.collection import collection_id
from foliot.api.wire.duration import Notation
from foliot.api.wire.envelope import check_identity, inner_properties, read_resource
from foliot.api.wire.json_reader import Json, Properties, required_object, without_nulls
from foliot.api.wire.merge import merge, nulls
from foliot.api.wire.pfx.certificate import Certificates
from foliot.api.wire.schedule import (
    decode_recurrence,
    decode_start,
    encode_recurrence,
    encode_start,
)
from foliot.core.errors import Path, wrong
from foliot.core.ids import CollectionKey
from foliot.core.instant import LAST_TICK, Instant, format_instant
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.recurrence import zone_of
from foliot.core.rules.changed_fields import check_changes
from foliot.core.rules.kept_secrets import SecretPath, keep_secrets
from foliot.core.rules.lifecycle import FINAL, Revision, next_execution_at

_NONE_OPENED: Certificates = MappingProxyType({})
_STATES = {state.value: state for state in JobState}
_STATES_TO_ASK_FOR = "one of enabled, disabled"
_LAST_NUMBER = 2**63 - 1
_HISTORY_NAME = re.compile(r"(\d{20}):(\d{20})", re.ASCII)


class Address(NamedTuple):
    """Where a job stands, as the call has it; one that is yet to be named has no name."""

    collection: CollectionKey
    job: str | None = None


class Submission(Revision, frozen=True, kw_only=True):
    """A job as it was sent: how large, and which limits there are for what it changes."""

    size: int
    limits: Limits


def decode_job(
    body: Json, address: Address, limits: Limits, certificates: Certificates = _NONE_OPENED
) -> Submission:
    """Read a job; what it changes is held against limits when the old one is known."""
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
    )
    state = _state(given)
    resource.refuse_unknown()
    return Submission(definition, state, size=len(json.encode(body)), limits=limits)


def replace_job(old: Job | None, new: Submission) -> Revision:
    """Return a PUT's job: whole as it was sent, but for the secrets it leaves out."""
    _check_state(new, old)
    if old is None:
        check_changes(new.definition, None, new.limits, new.size)
        return new
    # Replaced means enabled again where nothing is said, except for a job that has ended.
    state = new.state or (None if old.state in FINAL else JobState.ENABLED)
    return structs.replace(_completed(new, old, frozenset()), state=state)


def patch_job(
    old: Job,
    patch: Json,
    address: Address,
    limits: Limits,
    certificates: Certificates = _NONE_OPENED,
) -> Revision:
    """Return a job with a patch laid over it."""
    Properties(patch, hides=True)  # what is no object is refused before it replaces anything
    base: Json = {"properties": encode_definition(old.definition, Notation.AS_GIVEN)}
    new = decode_job(merge(base, patch), address, limits, certificates)
    _check_state(new, old)
    return _completed(new, old, frozenset(nulls(patch)))


def encode_job(collection: Collection, job: Job, notation: Notation) -> dict[str, Json]:
    """Write a job as a resource."""
    properties = encode_definition(job.definition, notation)
    properties["state"] = job.state.value
    status = _status(collection, job)
    if status is not None:
        properties["status"] = status
    return {
        "id": f"{collection_id(collection.key)}/jobs/{job.name}",
        "type": "Microsoft.Scheduler/jobCollections/jobs",
        "name": f"{collection.key.name}/{job.name}",
        "properties": properties,
    }


def encode_history(collection: Collection, job: Job, entry: HistoryEntry) -> dict[str, Json]:
    """Write an attempt as a resource."""
    name = history_name(entry.started_at, entry.number)
    return {
        "id": f"{collection_id(collection.key)}/jobs/{job.name}/history/{name}",
        "type": "Microsoft.Scheduler/jobCollections/jobs/history",
        "name": f"{collection.key.name}/{job.name}/{name}",
        "properties": {
            "startTime": format_instant(entry.started_at),
            "endTime": format_instant(entry.ended_at),
            "expectedExecutionTime": format_instant(entry.expected_at),
            "status": entry.status.value,
            "message": entry.message,
            "retryCount": entry.retry_count,
            "repeatCount": entry.repeat_count,
            "actionName": "ErrorAction" if entry.is_error_action else "MainAction",
        },
    }


def history_name(started_at: Instant, number: int) -> str:
    """Return the name of an attempt: sorted by it, the newest comes first."""
    return f"{LAST_TICK - started_at:020}:{_LAST_NUMBER - number:020}"


def parse_history_name(name: str) -> tuple[Instant, int]:
    """Return start and number of the attempt with this name, or raise ValueError."""
    match = _HISTORY_NAME.fullmatch(name)
    if match is None:
        raise ValueError(name)
    started_at, number = LAST_TICK - int(match[1]), _LAST_NUMBER - int(match[2])
    if started_at < 0 or number < 0:
        raise ValueError(name)
    return Instant(started_at), number


def _state(given: Properties) -> JobState | None:
    value = given.get("state")
    if value is None:
        return None
    if not isinstance(value, str) or value.lower() not in _STATES:
        raise wrong(given.at("state"), value, _STATES_TO_ASK_FOR)
    return _STATES[value.lower()]


def _check_state(new: Revision, old: Job | None) -> None:
    """Refuse a final state, unless the job has it already and it is only sent back."""
    if new.state in FINAL and (old is None or old.state is not new.state):
        raise wrong(("properties", "state"), new.state, _STATES_TO_ASK_FOR)


def _completed(new: Submission, old: Job, forgotten: frozenset[Path]) -> Revision:
    """Return a job with the secrets it leaves out, if all that it changes is in order."""
    place = SecretPath(("properties", "action"), forgotten)
    action = keep_secrets(new.definition.action, old.definition.action, place)
    definition = structs.replace(new.definition, action=action)
    check_changes(definition, old.definition, new.limits, new.size)
    return structs.replace(new, definition=definition)


def encode_definition(definition: Definition, notation: Notation) -> dict[str, Json]:
    """Write what a client asked for, leaving out its secrets."""
    start, rule = definition.start, definition.recurrence
    return without_nulls(
        {
            "startTime": None if start is None else encode_start(start, zone_of(rule)),
            "action": encode_action(definition.action, notation),
            "recurrence": None if rule is None else encode_recurrence(rule),
        }
    )


def _status(collection: Collection, job: Job) -> dict[str, Json] | None:
    if job.state is JobState.DISABLED and job.execution_count == 0:
        return None
    last, following = job.last_execution_at, next_execution_at(job, collection)
    return without_nulls(
        {
            "lastExecutionTime": None if last is None else format_instant(last),
            "nextExecutionTime": None if following is None else format_instant(following),
            "executionCount": job.execution_count,
            "failureCount": job.failure_count,
            "faultedCount": job.faulted_count,
        }
    )
