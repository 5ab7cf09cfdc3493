"""The part of a job that says what it does: `action`, with its error action and retry policy."""

from typing import TypeVar

from msgspec import structs

from foliot.api.wire.duration import Notation, encode_duration, optional_duration
from foliot.api.wire.http import decode_request, encode_request
from foliot.api.wire.json_reader import (
    Json,
    Properties,
    optional_integer,
    optional_object,
    optional_text,
    read_word,
    required,
    required_object,
    without_nulls,
)
from foliot.api.wire.message import (
    decode_bus_message,
    decode_queue_message,
    encode_bus_message,
    encode_queue_message,
)
from foliot.api.wire.pfx.certificate import Certificates
from foliot.core.errors import Invalid, Path, shown, wrong
from foliot.core.instant import DAY, SECOND
from foliot.core.model.action import (
    PART_NAMES,
    Action,
    ActionKind,
    ActionPart,
    HttpRequest,
    QueueMessage,
    RetryKind,
    RetryPolicy,
    ServiceBusMessage,
)

Found = TypeVar("Found")

_KINDS = {kind.lower(): kind for kind in ActionKind}
_RETRY_KINDS = {kind.value: kind for kind in RetryKind}
_MIN_RETRY_INTERVAL = 15 * SECOND
_MAX_RETRY_INTERVAL = 548 * DAY  # 18 months
_MAX_RETRIES = 20


def decode_action(job: Properties, certificates: Certificates) -> Action:
    """Read `action` from the properties of a job."""
    given = required_object(job, "action")
    errors = [
        _action(error, certificates)
        for each in (given, job)  # the old documentation lists it beside the action
        if (error := optional_object(each, "errorAction")) is not None
    ]
    action = _action(given, certificates, job)
    return structs.replace(action, error_action=_only(errors, job.at("errorAction")))


def encode_action(action: Action, notation: Notation) -> dict[str, Json]:
    """Write an action, leaving out its secrets."""
    return without_nulls(
        {
            PART_NAMES[action.kind]: _encode_part(action.part, action.kind, notation),
            "type": action.kind.value,
            "retryPolicy": _encode_retry_policy(action.retry_policy, notation),
            "errorAction": action.error_action and encode_action(action.error_action, notation),
        }
    )


def _action(given: Properties, certificates: Certificates, *around: Properties) -> Action:
    return Action(
        kind=_kind(given),
        part=_part(given, certificates),
        retry_policy=_retry_policy(given, *around),
    )


def _only(found: list[Found], path: Path) -> Found | None:
    """Take what may stand in several places, but not with different values."""
    if any(each != found[0] for each in found):
        raise Invalid(path, "is given twice with different values; give it once, in the action.")
    return found[0] if found else None


def _kind(given: Properties) -> ActionKind:
    known = ", ".join(ActionKind)
    value = required(given, "type", f"one of {known}")
    if not isinstance(value, str) or value.lower() not in _KINDS:
        raise wrong(given.at("type"), value, f"one of {known}")
    return _KINDS[value.lower()]


def _part(given: Properties, certificates: Certificates) -> ActionPart:
    kind = _kind(given)
    own = PART_NAMES[kind]
    for name in dict.fromkeys(PART_NAMES.values()):
        if name != own and given.get(name) is not None:
            raise Invalid(
                given.at(name),
                f"does not belong to an action of type {shown(kind)}; give {own} instead.",
            )
    part = required_object(given, own)
    match kind:
        case ActionKind.HTTP | ActionKind.HTTPS:
            return decode_request(part, certificates)
        case ActionKind.STORAGE_QUEUE:
            return decode_queue_message(part)
        case ActionKind.SERVICE_BUS_QUEUE:
            return decode_bus_message(part, "queueName")
        case ActionKind.SERVICE_BUS_TOPIC:
            return decode_bus_message(part, "topicPath")


def _encode_part(part: ActionPart, kind: ActionKind, notation: Notation) -> dict[str, Json]:
    match part:
        case HttpRequest():
            return encode_request(part)
        case QueueMessage():
            return encode_queue_message(part)
        case ServiceBusMessage():
            entity = "queueName" if kind is ActionKind.SERVICE_BUS_QUEUE else "topicPath"
            return encode_bus_message(part, entity, notation)


def _retry_policy(action: Properties, *around: Properties) -> RetryPolicy | None:
    # Old samples have it in the request, the old documentation beside the action.
    places = [action, optional_object(action, "request"), *around]
    found = [(each, each.child("retryPolicy")) for each in places if each is not None]
    given = [(place.at("retryPolicy"), policy) for place, policy in found if policy is not None]
    policies = [_read_retry_policy(policy) for _, policy in given]
    return _only(policies, given[-1][0] if given else ())


def _read_retry_policy(given: Properties) -> RetryPolicy:
    kind = optional_text(given, "retryType")
    interval, count = (
        optional_duration(given, "retryInterval"),
        optional_integer(given, "retryCount"),
    )
    if interval is not None and not _MIN_RETRY_INTERVAL <= interval.ticks <= _MAX_RETRY_INTERVAL:
        expected = "15 seconds to 18 months (548 days)"
        raise wrong(given.at("retryInterval"), interval.text, expected)
    if count is not None and not 0 <= count <= _MAX_RETRIES:
        raise wrong(given.at("retryCount"), count, f"a whole number from 0 to {_MAX_RETRIES}")
    return RetryPolicy(
        kind=None if kind is None else read_word(kind, given.at("retryType"), _RETRY_KINDS),
        interval=interval,
        count=count,
    )


def _encode_retry_policy(policy: RetryPolicy | None, notation: Notation) -> Json:
    if policy is None:
        return None
    return without_nulls(
        {
            "retryType": policy.kind and policy.kind.value,
            "retryInterval": policy.interval and encode_duration(policy.interval, notation),
            "retryCount": policy.count,
        }
    )
