"""Entries of the audit log, as resources. Foliot's own.

A snapshot is written as the API writes the resource, with a mask in place of each secret.
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, structs

from foliot.api.wire.action import PART_NAMES
from foliot.api.wire.alert import alert_id, encode_definition_of_alert
from foliot.api.wire.audit_changes import ValueChange, changes_between, shortened
from foliot.api.wire.calendar import calendar_id
from foliot.api.wire.clients import OWN_CLIENT
from foliot.api.wire.collection import collection_id, encode_collection
from foliot.api.wire.fields import Schema
from foliot.api.wire.job import encode_definition, job_id
from foliot.api.wire.resource_group import group_id
from foliot.api.wire.scope import scope_text
from foliot.core.ids import CollectionKey
from foliot.core.instant import format_instant
from foliot.core.json_text import Json
from foliot.core.model.action import Action
from foliot.core.model.alert import SlackDestination
from foliot.core.model.audit import (
    AlertSnapshot,
    AuditAction,
    AuditDetails,
    AuditEntry,
    AuditKind,
    AuditSubject,
    Author,
    CalendarSnapshot,
    CollectionSnapshot,
    GroupSnapshot,
    JobSnapshot,
    Snapshot,
    TokenSnapshot,
)
from foliot.core.model.collection import Collection
from foliot.core.secret import Secret

ACTIONS: Final = {each.value: each for each in AuditAction}
KINDS: Final = {each.value: each for each in AuditKind}
_TYPE: Final = "Foliot/audit"
_SECRET_NAMES: Final = {
    "password": "password",
    "pfx": "pfx",
    "secret": "secret",
    "sas_token": "sasToken",
    "sas_key": "sasKey",
}
_NO_KEY: Final = CollectionKey("", "", "")


def encode_entry(entry: AuditEntry, *, is_whole: bool = False) -> dict[str, Json]:
    """Write an entry; a whole one has all of the resource before and after, not only changes."""
    entry = writable(entry)
    properties: dict[str, Json] = {
        "time": format_instant(entry.at),
        "who": _author(entry.author),
        "requestId": entry.author.request_id,
        "action": entry.action.value,
        "resource": _subject(entry.subject),
        "changes": [_change(each, is_whole=is_whole) for each in entry_changes(entry)],
        **_details(entry.details),
        "isCut": entry.is_cut or None,
        "isUnreadable": (not entry.is_readable) or None,
    }
    if is_whole:
        properties |= {
            "before": encode_snapshot(entry.before),
            "after": encode_snapshot(entry.after),
        }
    return {
        "id": f"/audit/{entry.id}",
        "type": _TYPE,
        "name": str(entry.id),
        "properties": {name: value for name, value in properties.items() if value is not None},
    }


def writable(entry: AuditEntry) -> AuditEntry:
    """Return an entry, as one that cannot be read if its snapshots cannot be written."""
    try:
        for each in (entry.before, entry.after):
            encode_snapshot(each)
    except ValueError:
        return structs.replace(entry, before=None, after=None, is_readable=False)
    return entry


def entry_changes(entry: AuditEntry) -> list[ValueChange]:
    """Return the fields that a change has changed; none of what was created or deleted whole."""
    if entry.before is None or entry.after is None:
        return []
    return changes_between(encode_snapshot(entry.before), encode_snapshot(entry.after))


def encode_snapshot(snapshot: Snapshot | None) -> Json:  # noqa: PLR0911  (one for each kind)
    """Write how something was, as the API writes it."""
    match snapshot:
        case None:
            return None
        case JobSnapshot():
            properties = encode_definition(snapshot.definition, OWN_CLIENT)
            _add_masks(properties.get("action"), snapshot.definition.action)
            return {"properties": {**properties, "state": snapshot.state.value}}
        case CollectionSnapshot():
            return _collection(snapshot)
        case GroupSnapshot():
            return _without_nulls({"location": snapshot.location, "tags": _tags(snapshot.tags)})
        case CalendarSnapshot():
            return {"properties": {"dates": [*snapshot.dates]}}
        case AlertSnapshot():
            return _alert(snapshot)
        case TokenSnapshot():
            return _without_nulls(
                {
                    "id": snapshot.id,
                    "role": snapshot.role.value,
                    "scope": scope_text(snapshot.scope),
                    "expires": snapshot.expires_at and format_instant(snapshot.expires_at),
                }
            )


def subject_id(subject: AuditSubject) -> str | None:  # noqa: PLR0911  (one for each kind)
    """Return the path of what was changed; tokens and failures have none."""
    key = CollectionKey(subject.subscription or "", subject.group or "", subject.collection or "")
    name = subject.name or ""
    match subject.kind:
        case AuditKind.JOB:
            return job_id(key, name)
        case AuditKind.CALENDAR:
            return calendar_id(key, name)
        case AuditKind.ALERT:
            return alert_id(key, name)
        case AuditKind.COLLECTION:
            return collection_id(key)
        case AuditKind.GROUP:
            return group_id(key.subscription, key.group)
        case AuditKind.DEPLOYMENT:
            group = group_id(key.subscription, key.group)
            return f"{group}/providers/Microsoft.Resources/deployments/{name}"
        case AuditKind.TOKEN | AuditKind.FAILURES:
            return None


def _author(author: Author) -> Json:
    return _without_nulls(
        {
            "name": author.name,
            "tokenId": author.token_id,
            "role": author.role and author.role.value,
            "address": author.address,
        }
    )


def _subject(subject: AuditSubject) -> Json:
    return _without_nulls(
        {
            "kind": subject.kind.value,
            "id": subject_id(subject),
            "subscription": subject.subscription,
            "resourceGroup": subject.group,
            "collection": subject.collection,
            "name": subject.name,
        }
    )


def _change(change: ValueChange, *, is_whole: bool) -> Json:
    before, after = change.before, change.after
    if not is_whole:
        before, after = shortened(before), shortened(after)
    return {"path": change.path, "before": before, "after": after}


def _details(details: AuditDetails) -> dict[str, Json]:
    return {
        "tag": details.tag,
        "runs": details.runs,
        "from": None if details.since is None else format_instant(details.since),
        "to": None if details.until is None else format_instant(details.until),
        "collections": details.collections,
        "jobs": details.jobs,
        "names": [*details.names] or None,
        "reason": details.reason,
    }


def _collection(snapshot: CollectionSnapshot) -> Json:
    collection = Collection(
        key=_NO_KEY,
        location=snapshot.location,
        tags=snapshot.tags,
        sku=snapshot.sku,
        state=snapshot.state,
        quota=snapshot.quota,
    )
    written = encode_collection(collection, knows_premium_tiers=True)
    return {name: each for name, each in written.items() if name not in ("id", "type", "name")}


def _alert(snapshot: AlertSnapshot) -> Json:
    written = encode_definition_of_alert(snapshot.definition, is_enabled=snapshot.is_enabled)
    places = written["sendTo"]
    assert isinstance(places, list)  # noqa: S101  (as it is written)
    for place, destination in zip(places, snapshot.definition.destinations, strict=True):
        if isinstance(place, dict):
            place.update(_masks(destination))
            if isinstance(destination, SlackDestination):
                place["uri"] = destination.uri.reveal()
    return {"properties": written}


def _add_masks(written: Json, action: Action) -> None:
    """Add the masks that stand for secrets, which the API itself never writes."""
    if not isinstance(written, dict):
        return
    part = written.get(PART_NAMES[action.kind])
    for place, owner in ((part, action.part), (_inner(part), _inner_value(action.part))):
        if isinstance(place, dict) and owner is not None:
            place.update(_masks(owner))
    if action.error_action is not None:
        _add_masks(written.get("errorAction"), action.error_action)


def _inner(part: Json) -> Json:
    return part.get("authentication") if isinstance(part, dict) else None


def _inner_value(part: Struct) -> Struct | None:
    return getattr(part, "authentication", None)


def _masks(owner: Struct) -> Iterator[tuple[str, Json]]:
    for attribute, name in _SECRET_NAMES.items():
        value = getattr(owner, attribute, None)
        if isinstance(value, Secret):
            yield name, value.reveal()


def _tags(tags: dict[str, str] | None) -> Json:
    return None if tags is None else dict(tags)


def _without_nulls(values: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in values.items() if value is not None}


_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_TIME: Schema = {"type": "string", "format": "date-time"}
_ANYTHING: Schema = {}


def _object(*required: str, **properties: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


ENTRY_SCHEMA: Final = _object(
    *("id", "type", "name", "properties"),
    id=_TEXT,
    type=_TEXT,
    name=_TEXT,
    properties=_object(
        *("time", "who", "action", "resource", "changes"),
        time=_TIME,
        who=_object("name", name=_TEXT, tokenId=_COUNT, role=_TEXT, address=_TEXT),
        requestId=_TEXT,
        action={"type": "string", "enum": list(ACTIONS)},
        resource=_object(
            "kind",
            kind={"type": "string", "enum": list(KINDS)},
            **dict.fromkeys(("id", "subscription", "resourceGroup", "collection", "name"), _TEXT),
        ),
        changes={
            "type": "array",
            "items": _object("path", path=_TEXT, before=_ANYTHING, after=_ANYTHING),
        },
        **dict.fromkeys(("tag", "reason"), _TEXT),
        **dict.fromkeys(("runs", "collections", "jobs"), _COUNT),
        **{"from": _TIME, "to": _TIME},
        names={"type": "array", "items": _TEXT},
        isCut={"type": "boolean"},
        isUnreadable={"type": "boolean"},
        before=_ANYTHING,
        after=_ANYTHING,
    ),
)
