"""Alerts in files: decoded as the API does, and compared with those of a server.

An alert is compared as the server would answer it, without its secrets: whether a webhook is
signed, and at which host a Slack address is, are all that an answer tells of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from foliot.api.wire.alert import GivenAlert, decode_alert, encode_alert_properties, replace_alert
from foliot.cli.files.changes import ChangeKind, FieldChange, differences
from foliot.cli.files.current import ServerJob
from foliot.cli.files.masking import HiddenPlaces, refusal_at
from foliot.client.job_documents import DeclaredJob
from foliot.client.job_files import JsonObject
from foliot.client.placeholders import revealed
from foliot.core.credentials import masked_uri
from foliot.core.errors import Invalid, path_text
from foliot.core.ids import CollectionId, CollectionKey, check_name
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.core.model.alert import Alert, SlackDestination
from foliot.core.rules.kept_alert_secrets import GivenDestination, GivenWebhook, KeptSlack
from foliot.core.secret import Secret


class FileAlert(Struct, frozen=True, kw_only=True):
    """An alert as a file wants it; `filled` is what is sent, with a `FilledText` for each secret.

    `properties` are those of an answer, as far as the file says them.
    """

    name: str
    origin: str
    filled: Any
    places: HiddenPlaces
    given: GivenAlert
    properties: JsonObject

    @property
    def has_secrets(self) -> bool:
        """Whether it holds secrets that a server does not give back."""
        return any(_has_secret(each) for each in self.given.destinations)


class AlertPlan(Struct, frozen=True, kw_only=True):
    """What happens to an alert; a deleted one has no `alert`."""

    name: str
    kind: ChangeKind
    alert: FileAlert | None = None
    fields: Sequence[FieldChange] = ()


def decode_file_alert(key: CollectionKey, declared: DeclaredJob, filled: Any) -> FileAlert:
    """Decode an alert of a file as the API does."""
    places = HiddenPlaces.of(filled)
    try:
        given = decode_alert({"properties": revealed(filled)}, key, declared.name)
        properties = _answered(declared.name, given)
    except Invalid as refusal:
        place = f"{declared.origin}, alert {declared.name}"
        raise refusal_at(place, places.refusal(refusal)) from None
    return FileAlert(
        name=declared.name,
        origin=declared.origin,
        filled=filled,
        places=places,
        given=given,
        properties=properties,
    )


def plan_alerts(
    wanted: Sequence[FileAlert] | None,
    current: Mapping[str, ServerJob],
    *,
    prune: bool,
    resend_secrets: bool,
) -> Iterator[AlertPlan]:
    """Compare the alerts of files with those of the server."""
    if wanted is None:
        return
    for each in wanted:
        old = current.get(each.name.lower())
        if old is None:
            _check_new(each)
            yield AlertPlan(name=each.name, kind=ChangeKind.CREATE, alert=each)
        elif fields := list(_fields(each, old)):
            yield AlertPlan(name=old.name, kind=ChangeKind.CHANGE, alert=each, fields=fields)
        elif resend_secrets and each.has_secrets:
            yield AlertPlan(name=old.name, kind=ChangeKind.RESEND, alert=each)
    named = {each.name.lower() for each in wanted}
    for folded, old in current.items():
        if prune and folded not in named:
            yield AlertPlan(name=old.name, kind=ChangeKind.DELETE)


def _check_new(alert: FileAlert) -> None:
    place = f"{alert.origin}, alert {alert.name}"
    try:
        check_name((), alert.name)
        replace_alert(None, alert.given)
    except Invalid as refusal:
        raise refusal_at(place, alert.places.refusal(refusal)) from None


def _answered(name: str, given: GivenAlert) -> JsonObject:
    """Return an alert as an answer has it; a Slack address that is left out is known by host."""
    stand_ins = tuple(_stand_in(*each) for each in enumerate(given.destinations))
    definition, is_enabled = replace_alert(None, structs.replace(given, destinations=stand_ins))
    alert = Alert(
        collection_id=CollectionId(0),
        name=name,
        definition=definition,
        is_enabled=is_enabled,
        changed_at=Instant(0),
    )
    return encode_alert_properties(alert)


def _stand_in(index: int, destination: GivenDestination) -> GivenDestination:
    if isinstance(destination, KeptSlack):
        return SlackDestination(uri=Secret(f"https://{destination.host or ''}/{index}"))
    return destination


def _fields(alert: FileAlert, old: ServerJob) -> Iterator[FieldChange]:
    before: JsonObject = {**old.properties, "state": old.state}
    after: JsonObject = {
        **alert.properties,
        "sendTo": _with_kept(alert, before.get("sendTo")),
    }
    for path, mine, yours in differences(before, after):
        was, becomes = _shown(mine, alert.places), _shown(yours, alert.places)
        yield FieldChange(path_text(path), was, becomes)


def _with_kept(alert: FileAlert, current: Json) -> Json:
    """Return the destinations of a file, with what the server keeps of those it leaves out."""
    stored = current if isinstance(current, list) else []
    wanted = alert.properties.get("sendTo")
    pairs = zip(alert.given.destinations, wanted if isinstance(wanted, list) else [], strict=True)
    return [_kept(given, each, stored) for given, each in pairs]


def _kept(given: GivenDestination, answered: Json, stored: Sequence[Json]) -> Json:
    if isinstance(given, GivenWebhook) and not _has_secret(given) and not given.forgets:
        signed: Json = {**answered, "signed": True} if isinstance(answered, dict) else None
        return signed if signed in stored else answered
    if isinstance(given, KeptSlack) and given.host is None:
        return next((each for each in stored if _type(each) == "slack"), answered)
    return answered


def _type(destination: Json) -> Json:
    return destination.get("type") if isinstance(destination, dict) else None


def _shown(value: Json, places: HiddenPlaces, name: str = "") -> Json:
    """Return a value as a plan shows it: without values of placeholders, and credentials."""
    match value:
        case dict():
            return {key: _shown(each, places, key) for key, each in value.items()}
        case list():
            return [_shown(each, places) for each in value]
        case str():
            return places.without_values(masked_uri(value) if name == "uri" else value)
        case _:
            return value


def _has_secret(destination: GivenDestination) -> bool:
    match destination:
        case GivenWebhook(destination=webhook):
            return webhook.secret is not None
        case SlackDestination():
            return True
        case _:
            return False
