"""`action`, with its error action: what a job does."""

from typing import Any, TypeVar

from msgspec import structs

from foliot.api.wire.clients import WireClient
from foliot.api.wire.field_types import BOOLEAN, described, word
from foliot.api.wire.fields import (
    FieldType,
    Schema,
    WireField,
    WireObject,
    read_field,
    reference,
)
from foliot.api.wire.http import REQUEST, decode_request
from foliot.api.wire.json_reader import (
    Properties,
    optional_object,
    read_word,
    required,
    required_object,
    without_nulls,
)
from foliot.api.wire.message import (
    QUEUE_MESSAGE,
    SERVICE_BUS_QUEUE_MESSAGE,
    SERVICE_BUS_TOPIC_MESSAGE,
    decode_queue_message,
)
from foliot.api.wire.pfx.certificate import Certificates
from foliot.api.wire.retry_policy import RETRY_POLICY
from foliot.core.errors import Invalid, Path, shown
from foliot.core.json_text import Json
from foliot.core.model.action import Action, ActionKind, ActionPart, RetryPolicy
from foliot.core.rules.text_templates import check_placeholders

Found = TypeVar("Found")

_KINDS = {kind.lower(): kind for kind in ActionKind}
_EXPECTED_KIND = f"one of {', '.join(ActionKind)}"
_PARTS: dict[ActionKind, tuple[str, WireObject[Any]]] = {
    ActionKind.HTTP: ("request", REQUEST),
    ActionKind.HTTPS: ("request", REQUEST),
    ActionKind.STORAGE_QUEUE: ("queueMessage", QUEUE_MESSAGE),
    ActionKind.SERVICE_BUS_QUEUE: ("serviceBusQueueMessage", SERVICE_BUS_QUEUE_MESSAGE),
    ActionKind.SERVICE_BUS_TOPIC: ("serviceBusTopicMessage", SERVICE_BUS_TOPIC_MESSAGE),
}

# The name of the part that belongs to each kind of action.
PART_NAMES = {kind: name for kind, (name, _) in _PARTS.items()}


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


def encode_action(action: Action, client: WireClient) -> dict[str, Json]:
    """Write an action, without its secrets."""
    (part, shape), policy = _PARTS[action.kind], action.retry_policy
    return without_nulls(
        {
            part: shape.encode(action.part, client),
            "type": action.kind.value,
            "retryPolicy": policy and RETRY_POLICY.encode(policy, client),
            "errorAction": action.error_action and encode_action(action.error_action, client),
            "template": action.template,
        }
    )


def _action(given: Properties, certificates: Certificates, *around: Properties) -> Action:
    template = read_field(given, _TEMPLATE)
    kind, part = _kind(given), _part(given, certificates, is_template=bool(template))
    if template:
        check_placeholders(part, given.at(PART_NAMES[kind]))
    policy = _retry_policy(given, *around)
    return Action(kind=kind, part=part, retry_policy=policy, template=template)


def _only(found: list[Found], path: Path) -> Found | None:
    """Return the one value of a property that several places may have."""
    if any(each != found[0] for each in found):
        raise Invalid(path, "is given twice with different values; give it once, in the action.")
    return found[0] if found else None


def _kind(given: Properties) -> ActionKind:
    value = required(given, "type", _EXPECTED_KIND)
    return read_word(value, given.at("type"), _KINDS, _EXPECTED_KIND)


def _part(given: Properties, certificates: Certificates, *, is_template: bool) -> ActionPart:
    kind = _kind(given)
    own, shape = _PARTS[kind]
    for name in dict.fromkeys(PART_NAMES.values()):
        if name != own and given.get(name) is not None:
            raise Invalid(
                given.at(name),
                f"does not belong to an action of type {shown(kind)}; give {own} instead.",
            )
    part = required_object(given, own)
    match kind:
        case ActionKind.HTTP | ActionKind.HTTPS:
            return decode_request(part, certificates, is_template=is_template)
        case ActionKind.STORAGE_QUEUE:
            return decode_queue_message(part)
        case ActionKind.SERVICE_BUS_QUEUE | ActionKind.SERVICE_BUS_TOPIC:
            return shape.decode(part)


def _retry_policy(action: Properties, *around: Properties) -> RetryPolicy | None:
    # Old samples have it in the request, the old documentation beside the action.
    places = [action, optional_object(action, "request"), *around]
    found = [(each, each.child("retryPolicy")) for each in places if each is not None]
    given = [(place.at("retryPolicy"), policy) for place, policy in found if policy is not None]
    policies = [RETRY_POLICY.decode(policy) for _, policy in given]
    return _only(policies, given[-1][0] if given else ())


_TYPE = WireField("type", "kind", word(_KINDS), "Type", required=True)
_RETRY_POLICY = WireField("retryPolicy", "retry_policy", RETRY_POLICY.type())
_TEMPLATE = WireField("template", "template", BOOLEAN, "Placeholders")
_PART_FIELDS = {
    name: WireField(name, "part", shape.type(), required=True) for name, shape in _PARTS.values()
}
ERROR_ACTION = WireField(
    "errorAction",
    "error_action",
    FieldType(
        None,
        reference("ErrorAction"),
        fields=(_TYPE, *_PART_FIELDS.values(), _RETRY_POLICY, _TEMPLATE),
    ),
)
ACTION = WireField(
    "action",
    "action",
    FieldType(
        None,
        reference("Action"),
        encode=encode_action,
        fields=(*ERROR_ACTION.type.fields, ERROR_ACTION),
    ),
    required=True,
)


def action_schemas() -> dict[str, Schema]:
    """Return the JSON Schemas of actions and of their parts."""
    parts = {shape.component: shape.schema() for _, shape in _PARTS.values()}
    return {
        **parts,
        RETRY_POLICY.component: RETRY_POLICY.schema(),
        "ErrorAction": _schema(),
        "Action": _schema(ERROR_ACTION),
    }


def _schema(*others: WireField) -> Schema:
    """Return one choice for each part: the type says which part an action has."""
    choices: list[Schema] = []
    for name, field in _PART_FIELDS.items():
        kinds = [kind.value for kind in PART_NAMES if PART_NAMES[kind] == name]
        own_type = _TYPE._replace(type=described(_TYPE.type, enum=kinds))
        fields = (field, own_type, _RETRY_POLICY, _TEMPLATE, *others)
        choices.append(WireObject(Action, *fields).schema())
    return {"oneOf": choices}
