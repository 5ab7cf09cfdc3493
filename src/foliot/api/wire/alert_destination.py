"""`sendTo` of an alert: webhooks, Slack and e-mail; what answers leave out of them."""

from typing import Any

from foliot.api.wire.address import (
    NOT_IN_AN_ADDRESS,
    check_address,
    check_characters,
    check_secret_address,
)
from foliot.api.wire.clients import ANY_CLIENT, WireClient
from foliot.api.wire.field_types import (
    BOOLEAN,
    SECRET,
    TEXT,
    described,
    list_of,
    read_given_text,
    read_only,
    words_schema,
)
from foliot.api.wire.fields import FieldType, Schema, WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_list, read_text, read_word, required
from foliot.api.wire.properties import wrong_kind
from foliot.core.errors import Path
from foliot.core.json_text import Json
from foliot.core.model.alert import (
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.rules.alert_limits import (
    MAX_ADDRESS_CHARACTERS,
    MAX_DESTINATIONS,
    MAX_RECIPIENT_CHARACTERS,
    MAX_RECIPIENTS,
    RECIPIENT_PATTERN,
    host_of,
)
from foliot.core.rules.kept_alert_secrets import GivenDestination, GivenWebhook, KeptSlack
from foliot.core.secret import Secret

_SLACK_EXAMPLE = "https://hooks.slack.com/services/..."


def _address(given: Properties, name: str) -> str:
    uri, path = read_given_text(given, name), given.at(name)
    check_characters(uri, path)
    check_address(uri, path)
    return uri


def _secret_address(given: Properties, name: str) -> Secret:
    uri, path = read_text(given.get(name), given.at(name), hides=True), given.at(name)
    check_secret_address(uri, path, _SLACK_EXAMPLE)
    return Secret(uri)


def _recipient(value: Json, path: Path) -> str:
    return read_text(value, path, "an e-mail address")


def _slack(*, uri: Secret | None, host: str | None) -> SlackDestination | KeptSlack:
    return KeptSlack(host and host.lower()) if uri is None else SlackDestination(uri=uri)


_CHARACTERS = NOT_IN_AN_ADDRESS.pattern[1:]
_ADDRESS_SCHEMA: Schema = {
    "type": "string",
    "pattern": f"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#{_CHARACTERS}[^{_CHARACTERS}*$",
    "maxLength": MAX_ADDRESS_CHARACTERS,
}
_RECIPIENTS = list_of(
    _recipient,
    {
        "type": "string",
        "maxLength": MAX_RECIPIENT_CHARACTERS,
        "pattern": f"^{RECIPIENT_PATTERN}$",
        "examples": ["oncall@example.com"],
    },
    most=MAX_RECIPIENTS,
)._replace(expected="a list of e-mail addresses")
_SHAPES: dict[str, WireObject[Any]] = {
    "webhook": WireObject(
        WebhookDestination,
        WireField(
            "uri",
            "uri",
            FieldType(_address, _ADDRESS_SCHEMA, expected="an address"),
            "Address",
            required=True,
        ),
        WireField("secret", "secret", SECRET, "Signing secret"),
        WireField("signed", "", read_only(BOOLEAN)),
    ),
    "slack": WireObject(
        _slack,
        WireField(
            "uri",
            "uri",
            FieldType(_secret_address, {**SECRET.schema, **_ADDRESS_SCHEMA}),
            "Address",
        ),
        WireField(
            "host",
            "host",
            described(TEXT, readOnly=True, description="the host of an address that was left out"),
        ),
    ),
    "email": WireObject(
        EmailDestination,
        WireField("to", "to", _RECIPIENTS, "Recipients", required=True),
    ),
}
_TYPES = {name: name for name in _SHAPES}
_EXPECTED_TYPE = f"one of {', '.join(_SHAPES)}"


def read_destinations(given: Properties, name: str) -> tuple[GivenDestination, ...]:
    """Read the list of destinations."""
    value, path = given.get(name), given.at(name)
    if not isinstance(value, list):
        # It may be an address that is a secret.
        raise wrong_kind(path, value, "a list [...]", hides=True)
    items = read_list(value, path, single=False)
    return tuple(_read(each, (*path, index)) for index, each in enumerate(items))


def _read(value: Json, path: Path) -> GivenDestination:
    item = Properties(value, path, hides=True)
    kind = read_word(required(item, "type", _EXPECTED_TYPE), item.at("type"), _TYPES)
    found = _SHAPES[kind].decode(item)
    item.refuse_unknown()
    if isinstance(found, WebhookDestination):
        return GivenWebhook(found, forgets=item.has("secret") and item.get("secret") is None)
    return found


def write_destinations(
    destinations: tuple[AlertDestination, ...], client: WireClient = ANY_CLIENT
) -> list[Json]:
    """Write destinations without their secrets; of a Slack address only the host is shown."""
    return [_write(each, client) for each in destinations]


def _write(value: AlertDestination, client: WireClient) -> dict[str, Json]:
    match value:
        case WebhookDestination():
            signed = True if value.secret is not None else None
            return {"type": "webhook", **_SHAPES["webhook"].encode(value, client, signed=signed)}
        case SlackDestination():
            return {"type": "slack", "host": host_of(value.uri.reveal())}
        case EmailDestination():
            return {"type": "email", **_SHAPES["email"].encode(value, client)}


def _schema(kind: str) -> Schema:
    shape = _SHAPES[kind]
    needed = [each.name for each in shape.fields if each.required]
    schema = shape.schema(required=["type", *needed])
    schema["properties"]["type"] = words_schema([kind])
    return schema


DESTINATIONS = FieldType(
    read_destinations,
    {
        "type": "array",
        "items": {"oneOf": [_schema(kind) for kind in _SHAPES]},
        "minItems": 1,
        "maxItems": MAX_DESTINATIONS,
    },
    encode=write_destinations,
    expected="a list of destinations",
)
