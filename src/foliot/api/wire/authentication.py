"""How an HTTP request authenticates: `authentication`, whose `type` says which fields it has."""

from typing import Any

from msgspec import structs

from foliot.api.wire.clients import WireClient
from foliot.api.wire.field_types import (
    INSTANT,
    SECRET,
    TEXT,
    described,
    read_given_text,
    read_only,
    words_schema,
)
from foliot.api.wire.fields import FieldType, Schema, WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_word, required, required_object
from foliot.core.json_text import Json
from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    NoAuthentication,
    OAuth,
    StandardWebhooks,
)


def _thumbprint(given: Properties, name: str) -> str | None:
    """Read which certificate a client means that does not send it."""
    return None if given.get("pfx") is not None else read_given_text(given, name)


_THUMBPRINT = read_only(TEXT)._replace(decode=_thumbprint)
_TENANT = described(TEXT, pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$")
_NOT_EMPTY = described(TEXT, minLength=1)

_SHAPES: dict[str, WireObject[Any]] = {
    "Basic": WireObject(
        BasicAuthentication,
        WireField("username", "username", TEXT, "User name"),
        WireField("password", "password", SECRET, "Password"),
    ),
    "ClientCertificate": WireObject(
        ClientCertificate,
        WireField("pfx", "pfx", SECRET, "Certificate with its key"),
        WireField("password", "password", SECRET, "Password"),
        WireField("certificateThumbprint", "thumbprint", _THUMBPRINT),
        WireField("certificateExpiration", "expires_at", read_only(INSTANT)),
        WireField("certificateExpirationDate", "expires_at", read_only(INSTANT)),
        WireField("certificateSubjectName", "subject", read_only(TEXT)),
    ),
    "ActiveDirectoryOAuth": WireObject(
        OAuth,
        WireField("tenant", "tenant", _TENANT, "Tenant"),
        WireField("audience", "audience", _NOT_EMPTY, "Audience"),
        WireField("clientId", "client_id", _NOT_EMPTY, "Client ID"),
        WireField("secret", "secret", SECRET, "Secret"),
    ),
    "StandardWebhooks": WireObject(
        StandardWebhooks,
        WireField("secret", "secret", SECRET, "Secret"),
    ),
    "NotSpecified": WireObject(NoAuthentication),
}
# A stored job may lack these, a new one may not: the rules for changes ask for them.
_NEEDED = {"Basic": ["username"], "ActiveDirectoryOAuth": ["tenant", "audience", "clientId"]}
_TYPES = {name.lower(): name for name in _SHAPES}
_TYPE_OF = {shape.make: name for name, shape in _SHAPES.items()}


def _read(request: Properties, name: str) -> HttpAuthentication:
    given = required_object(request, name)
    expected = f"one of {', '.join(_SHAPES)}"
    kind = read_word(required(given, "type", expected), given.at("type"), _TYPES, expected)
    return _SHAPES[kind].decode(given)


def _write(value: HttpAuthentication, client: WireClient) -> dict[str, Json]:
    if isinstance(value, ClientCertificate) and value.pfx is None:
        value = structs.replace(value, thumbprint=None)
    kind = _TYPE_OF[type(value)]
    return {**_SHAPES[kind].encode(value, client), "type": kind}


def _schema(kind: str) -> Schema:
    schema = _SHAPES[kind].schema(required=["type", *_NEEDED.get(kind, ())])
    schema["properties"]["type"] = words_schema([kind])
    return schema


AUTHENTICATION = FieldType(
    _read,
    {"oneOf": [_schema(kind) for kind in _SHAPES]},
    encode=_write,
    fields=(
        WireField("type", "", TEXT, "Authentication"),
        *(field for shape in _SHAPES.values() for field in shape.fields),
    ),
)
