"""The JSON Schemas of requests and answers, from the tables of fields of the wire."""

from foliot.api.wire.action import action_schemas
from foliot.api.wire.cluster_nodes import NODE
from foliot.api.wire.collection import COLLECTION
from foliot.api.wire.fields import Schema, reference
from foliot.api.wire.http import REQUEST
from foliot.api.wire.job import HISTORY_ENTRY, JOB
from foliot.api.wire.run import RUN
from foliot.api.wire.schedule import RECURRENCE
from foliot.core.limits import Limits

_TEXT: Schema = {"type": "string"}
_OBJECTS = (RECURRENCE, JOB, COLLECTION, HISTORY_ENTRY, RUN)


def components(limits: Limits) -> dict[str, Schema]:
    """Return all named schemas."""
    return {
        "Error": _object(error=_object(code=_TEXT, message=_TEXT)),
        **action_schemas(),
        REQUEST.component: _request(limits),
        **{each.component: each.schema() for each in _OBJECTS},
        "JobPatch": _patch("properties"),
        "JobList": _list_of(JOB.component),
        "CollectionPatch": _patch("tags", "properties"),
        "CollectionList": _list_of(COLLECTION.component),
        "HistoryList": _list_of(HISTORY_ENTRY.component),
        "RunList": _list_of(RUN.component),
        "NodeList": _object(value={"type": "array", "items": NODE.schema()}),
        "Provider": _object(id=_TEXT, namespace=_TEXT, registrationState=_TEXT),
    }


def _request(limits: Limits) -> Schema:
    """Return the schema of a request with the limits of this server."""
    schema = REQUEST.schema()
    for name, limit in (
        ("uri", {"maxLength": limits.max_uri_characters}),
        ("headers", {"maxProperties": limits.max_headers}),
        ("body", {"maxLength": limits.max_body_characters}),
    ):
        schema["properties"][name] = {**schema["properties"][name], **limit}
    return schema


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _patch(*names: str) -> Schema:
    """Return the schema of a patch: any part of a resource, null for what is removed."""
    anything: Schema = {"type": ["object", "null"], "additionalProperties": True}
    return {"type": "object", "properties": dict.fromkeys(names, anything)}


def _list_of(component: str) -> Schema:
    items: Schema = {"type": "array", "items": reference(component)}
    return _object(value=items, nextLink={"type": ["string", "null"]})
