"""What the audit log keeps of a change: how things were, without secrets and within limits of size.

A secret becomes a mask; one that the change replaced becomes another mask, which says so. Headers
and addresses are masked as callers see them who may not change the job.
"""

import hashlib
from collections.abc import Mapping
from itertools import zip_longest
from typing import Final, TypeVar

from msgspec import Struct, json, structs

from foliot.core.credentials import MASK, is_credential_header, masked_uri
from foliot.core.model.action import Action, HttpRequest
from foliot.core.model.alert import (
    Alert,
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.audit import (
    AlertSnapshot,
    CalendarSnapshot,
    CollectionSnapshot,
    GroupSnapshot,
    JobSnapshot,
    Snapshot,
    TokenSnapshot,
)
from foliot.core.model.calendar import Calendar
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.model.token import Token
from foliot.core.recurrence import NO_CALENDAR_DAYS
from foliot.core.rules.alert_limits import host_of
from foliot.core.secret import Secret

CHANGED_MASK: Final = "*** (changed)"
# An entry has two of them. A job has 16 KiB at most, unless an operator allows more.
MAX_SNAPSHOT_BYTES: Final = 32 * 1024
_SHORT_TEXT: Final = 1000
_MOST_DATES: Final = 1000
_MOST_RECIPIENTS: Final = 4

Part = TypeVar("Part")


def job_snapshot(job: Job, other: Job | None = None) -> JobSnapshot:
    """Return a job without secrets; of the `other` version, those that differ are told."""
    before = None if other is None else other.definition
    return JobSnapshot(job.state, hidden_definition(job.definition, before))


def collection_snapshot(collection: Collection) -> CollectionSnapshot:
    """Return what a caller can change of a collection."""
    return CollectionSnapshot(
        location=collection.location,
        tags=collection.tags,
        sku=collection.sku,
        state=collection.state,
        quota=collection.quota,
    )


def group_snapshot(group: ResourceGroup) -> GroupSnapshot:
    """Return what a caller can change of a resource group."""
    return GroupSnapshot(group.location, group.tags)


def calendar_snapshot(calendar: Calendar) -> CalendarSnapshot:
    """Return the days of a calendar."""
    return CalendarSnapshot(tuple(map(str, calendar.dates)))


def alert_snapshot(alert: Alert, other: Alert | None = None) -> AlertSnapshot:
    """Return an alert without secrets; of the `other` version, those that differ are told."""
    old = () if other is None else other.definition.destinations
    destinations = tuple(
        _hidden_destination(each, before)
        for each, before in zip_longest(alert.definition.destinations, old)
        if each is not None
    )
    hidden = structs.replace(alert.definition, destinations=destinations)
    return AlertSnapshot(alert.is_enabled, hidden)


def token_snapshot(token: Token) -> TokenSnapshot:
    """Return a token without its hash."""
    return TokenSnapshot(token.id, token.role, token.scope, token.expires_at)


def hidden_definition(definition: Definition, old: Definition | None = None) -> Definition:
    """Return a definition without secrets, and without the days of its calendars."""
    action = _hidden(definition.action, None if old is None else old.action)
    return structs.replace(definition, action=action, calendar_days=NO_CALENDAR_DAYS)


def bounded(snapshot: Snapshot | None) -> tuple[Snapshot | None, bool]:
    """Return a snapshot that is small enough to be kept, and whether something was cut."""
    if snapshot is None or _size(snapshot) <= MAX_SNAPSHOT_BYTES:
        return snapshot, False
    match snapshot:
        case JobSnapshot():
            cut: Snapshot = _with_short_texts(snapshot)
        case AlertSnapshot():
            cut = _with_short_destinations(snapshot)
        case CalendarSnapshot():
            cut = CalendarSnapshot(snapshot.dates[:_MOST_DATES])
        case _:
            return None, True
    return (cut if _size(cut) <= MAX_SNAPSHOT_BYTES else None), True


def _size(snapshot: Snapshot) -> int:
    return len(json.encode(snapshot))


def _hidden(value: Part, old: object) -> Part:
    """Return a part of an action with masks in place of its secrets; `old` is what it replaces."""
    if not isinstance(value, Struct):
        return value
    if isinstance(value, Secret):
        is_changed = isinstance(old, Secret) and old != value
        return structs.replace(value, value=CHANGED_MASK if is_changed else MASK)
    parts = {
        name: _hidden(part, getattr(old, name, None))
        for name in value.__struct_fields__
        if isinstance(part := getattr(value, name), Struct)
    }
    hidden = structs.replace(value, **parts)
    if isinstance(hidden, HttpRequest):
        return _hidden_request(hidden, old if isinstance(old, HttpRequest) else None)
    return hidden


def _hidden_request(request: HttpRequest, old: HttpRequest | None) -> HttpRequest:
    uri = _hidden_uri(request.uri, None if old is None else old.uri)
    headers = request.headers
    if headers is not None:
        before = (old and old.headers) or {}
        headers = {name: _hidden_header(name, value, before) for name, value in headers.items()}
    return structs.replace(request, uri=uri, headers=headers)


def _hidden_uri(uri: str, old: str | None) -> str:
    """Mask the credentials of an address; if nothing else differs, say that they changed."""
    hidden = masked_uri(uri)
    if old is not None and old != uri and masked_uri(old) == hidden:
        return hidden.replace(MASK, CHANGED_MASK)
    return hidden


def _hidden_destination(
    destination: AlertDestination, old: AlertDestination | None
) -> AlertDestination:
    """Return a destination without secrets; of a secret address the host is kept."""
    match destination:
        case WebhookDestination():
            before = old.uri if isinstance(old, WebhookDestination) else None
            uri = _hidden_uri(destination.uri, before)
            return structs.replace(_hidden(destination, old), uri=uri)
        case SlackDestination():
            mask = _hidden(destination.uri, getattr(old, "uri", None)).reveal()
            host = host_of(destination.uri.reveal())
            return SlackDestination(uri=Secret(f"https://{host}/{mask}"))
        case EmailDestination():
            return destination


def _hidden_header(name: str, value: str, before: Mapping[str, str]) -> str:
    if not is_credential_header(name):
        return value
    return CHANGED_MASK if name in before and before[name] != value else MASK


def _with_short_texts(snapshot: JobSnapshot) -> JobSnapshot:
    definition = snapshot.definition
    action = _with_short_parts(definition.action)
    return JobSnapshot(snapshot.state, structs.replace(definition, action=action))


def _with_short_parts(action: Action) -> Action:
    """Cut the texts of an action that can be long: bodies, messages and headers."""
    part, error = action.part, action.error_action
    if isinstance(part, HttpRequest):
        headers = part.headers and {name: _short(text) for name, text in part.headers.items()}
        body = None if part.body is None else _short(part.body)
        part = structs.replace(part, uri=_short(part.uri), headers=headers, body=body)
    else:
        part = structs.replace(part, message=_short(part.message))
    return structs.replace(action, part=part, error_action=error and _with_short_parts(error))


def _with_short_destinations(snapshot: AlertSnapshot) -> AlertSnapshot:
    definition = snapshot.definition
    destinations = tuple(map(_short_destination, definition.destinations))
    description = definition.description and _short(definition.description)
    cut = structs.replace(definition, destinations=destinations, description=description)
    return AlertSnapshot(snapshot.is_enabled, cut)


def _short_destination(destination: AlertDestination) -> AlertDestination:
    match destination:
        case WebhookDestination(uri=uri):
            return structs.replace(destination, uri=_short(uri))
        case EmailDestination(to=to) if len(to) > _MOST_RECIPIENTS:
            others = f"... ({len(to)} recipients, {_digest(','.join(to))})"
            return EmailDestination(to=(*to[:_MOST_RECIPIENTS], others))
        case _:
            return destination


def _short(text: str) -> str:
    if len(text) <= _SHORT_TEXT:
        return text
    return f"{text[:_SHORT_TEXT]}... ({len(text)} characters, {_digest(text)})"


def _digest(text: str) -> str:
    """Return a hash, which tells two long texts apart that begin alike."""
    return f"SHA-256 {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
