"""Runs as resources: Foliot's own, since the old service had only attempts to show."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from foliot.api.wire.clients import ANY_CLIENT, WireClient
from foliot.api.wire.collection import collection_id
from foliot.api.wire.envelope import IDENTITY
from foliot.api.wire.exchange import TIMINGS_SCHEMA, encode_timings
from foliot.api.wire.field_types import ANSWERED_INTEGER, INSTANT, TEXT, word
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.job import JOB_TYPE
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, format_instant
from foliot.core.json_text import Json
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome, SkipReason
from foliot.core.model.reason import Reason
from foliot.core.model.run import Run, Trigger
from foliot.core.model.run_record import EndedRun, OpenRun, OpenState
from foliot.core.rules.timings_text import read_timings

OUTCOMES: dict[str, RunOutcome | OpenState] = {
    **{each.value: each for each in OpenState},
    **{each.value: each for each in RunOutcome},
}
TRIGGERS = {each.value.lower(): each for each in Trigger}
REASONS = {each.value.lower(): each.value for each in (*Reason, *SkipReason)}
_STATUSES = {status.value: status for status in AttemptStatus}


def _list_of(objects: WireObject[Any]) -> FieldType:
    schema = {"type": "array", "items": objects.schema()}

    def encode(values: Sequence[object], client: WireClient) -> Json:
        return [objects.encode(each, client) for each in values]

    return FieldType(None, schema, encode=encode)


def _encode_timings(text: str, _: WireClient) -> Json:
    timings = read_timings(text)
    return None if timings is None else encode_timings(timings)


_TIMINGS = FieldType(None, TIMINGS_SCHEMA, encode=_encode_timings)
_ATTEMPT = WireObject(
    HistoryEntry,
    WireField("startTime", "started_at", INSTANT, required=True),
    WireField("endTime", "ended_at", INSTANT, required=True),
    WireField("status", "status", word(_STATUSES), required=True),
    WireField("reason", "reason", TEXT),
    WireField("host", "host", TEXT),
    WireField("statusCode", "status_code", ANSWERED_INTEGER),
    WireField("timings", "timings", _TIMINGS),
    WireField("message", "message", TEXT, required=True),
)
_CAUSE = ("reason", "host", "statusCode")
_ATTEMPTS = WireField("attempts", "attempts", _list_of(_ATTEMPT), required=True)


class _ErrorAction(Struct, frozen=True):
    outcome: str
    attempts: Sequence[HistoryEntry]


_ERROR_ACTION = WireObject(
    _ErrorAction, WireField("outcome", "outcome", TEXT, required=True), _ATTEMPTS
)
_SKIPPED = WireObject(
    HistoryEntry,
    WireField("count", "skipped_count", ANSWERED_INTEGER),
    WireField("from", "expected_at", INSTANT, required=True),
    WireField("to", "last_expected_at", INSTANT),
)
_PROPERTIES = WireObject(
    HistoryEntry,
    WireField("plannedAt", "expected_at", INSTANT, required=True),
    WireField("trigger", "trigger", word(TRIGGERS)),
    WireField("occurrence", "repeat_count", ANSWERED_INTEGER, required=True),
    WireField("tag", "tag", TEXT),
    WireField("outcome", "outcome", word(OUTCOMES), required=True),
    WireField("reason", "reason", TEXT),
    WireField("host", "host", TEXT),
    WireField("statusCode", "status_code", ANSWERED_INTEGER),
    WireField("message", "message", TEXT),
    WireField("startTime", "", INSTANT),
    WireField("endTime", "", INSTANT),
    WireField("nextAttemptTime", "", INSTANT),
    WireField("attempts", "", _ATTEMPTS.type, required=True),
    WireField("errorAction", "", _ERROR_ACTION.type()),
    WireField("skipped", "", _SKIPPED.type()),
)
RUN = WireObject(
    HistoryEntry,
    *IDENTITY,
    WireField("properties", "", _PROPERTIES.type(), required=True),
    component="Run",
)


def encode_run(run: OpenRun | EndedRun) -> dict[str, Json]:
    """Write a run as a resource."""
    match run:
        case OpenRun():
            return _resource(run.key, run.job, run.run.tag, _open_properties(run.run, run.attempts))
        case EndedRun(entry=entry):
            name = entry.tag or f"n{entry.number}"
            return _resource(run.key, run.job, name, _ended_properties(entry, run.attempts))


def _open_properties(run: Run, attempts: Sequence[HistoryEntry]) -> dict[str, Json]:
    is_running = run.lease is not None
    return {
        "plannedAt": format_instant(run.expected_at),
        "trigger": run.trigger.value,
        "occurrence": run.occurrence,
        "tag": run.tag,
        "outcome": OpenState.RUNNING.value if is_running else OpenState.WAITING.value,
        **_cause_in(attempts),
        **_start_of(attempts),
        **_next_attempt(run),
        "attempts": _encode_attempts(attempts),
    }


def _cause_in(attempts: Sequence[HistoryEntry]) -> dict[str, Json]:
    """Return why the last attempt of an open run failed, as ended runs have it."""
    if not attempts:
        return {}
    written = _ATTEMPT.encode(attempts[-1], ANY_CLIENT)
    return {name: written[name] for name in _CAUSE if name in written}


def _next_attempt(run: Run) -> dict[str, Json]:
    """Return when a waiting run makes its next attempt, unless it waits for another one to end."""
    if run.lease is not None or run.due_at is None:
        return {}
    return {"nextAttemptTime": format_instant(run.due_at)}


def _ended_properties(entry: HistoryEntry, attempts: Sequence[HistoryEntry]) -> dict[str, Json]:
    main = [each for each in attempts if not each.is_error_action]
    errors = [each for each in attempts if each.is_error_action]
    is_skipped = entry.outcome is RunOutcome.SKIPPED
    return _PROPERTIES.encode(
        entry,
        ANY_CLIENT,
        # The message of an attempt stands with the attempt.
        message=entry.message if not attempts else None,
        **_start_of(main),
        **({} if is_skipped else {"endTime": format_instant(entry.ended_at)}),
        attempts=_encode_attempts(main),
        errorAction=_encode_error_action(errors),
        skipped=_SKIPPED.encode(entry, ANY_CLIENT) if is_skipped else None,
    )


def _encode_error_action(attempts: Sequence[HistoryEntry]) -> Json:
    if not attempts:
        return None
    has_succeeded = attempts[-1].status is AttemptStatus.COMPLETED
    outcome = RunOutcome.SUCCEEDED if has_succeeded else RunOutcome.FAILED
    return _ERROR_ACTION.encode(_ErrorAction(outcome.value, attempts), ANY_CLIENT)


def _encode_attempts(attempts: Sequence[HistoryEntry]) -> Json:
    return [_ATTEMPT.encode(each, ANY_CLIENT) for each in attempts]


def _start_of(attempts: Sequence[HistoryEntry]) -> dict[str, Json]:
    first: Instant | None = attempts[0].started_at if attempts else None
    return {} if first is None else {"startTime": format_instant(first)}


def _resource(key: CollectionKey, job: str, name: str, properties: Json) -> dict[str, Json]:
    return {
        "id": f"{collection_id(key)}/jobs/{job}/runs/{name}",
        "type": f"{JOB_TYPE}/runs",
        "name": f"{key.name}/{job}/{name}",
        "properties": properties,
    }
