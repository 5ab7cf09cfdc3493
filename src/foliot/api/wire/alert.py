"""Alerts of a collection, as resources: Foliot's own, since the old service had none."""

import re
from typing import Any

from msgspec import Struct

from foliot.api.wire.alert_destination import DESTINATIONS
from foliot.api.wire.clients import ANY_CLIENT, WireClient
from foliot.api.wire.collection import COLLECTION_TYPE, collection_id
from foliot.api.wire.envelope import IDENTITY, TAGS, check_identity, inner_properties, read_resource
from foliot.api.wire.field_types import (
    ANSWERED_INTEGER,
    BOOLEAN,
    DURATION,
    INSTANT,
    TEXT,
    described,
    integer_from,
    read_given_text,
    read_only,
    word,
)
from foliot.api.wire.fields import FieldType, WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties, required_object
from foliot.api.wire.merge import merge
from foliot.core.errors import within, wrong
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.alert import (
    Alert,
    AlertConditions,
    AlertDefinition,
    QuietHours,
)
from foliot.core.model.notification import AlertState, DestinationState
from foliot.core.recurrence.zone import find_zone
from foliot.core.rules.alert_limits import MAX_IN_A_ROW, MAX_INTERVALS, check_alert
from foliot.core.rules.changed_fields import MAX_DESCRIPTION
from foliot.core.rules.kept_alert_secrets import GivenDestination, keep_alert_secrets

ALERT_TYPE = f"{COLLECTION_TYPE}/alerts"
_STATES = {"enabled": "enabled", "disabled": "disabled"}
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


class GivenAlert(Struct, frozen=True, kw_only=True):
    """An alert as a client sent it; secrets that it leaves out are not there yet."""

    is_enabled: bool
    conditions: AlertConditions
    destinations: tuple[GivenDestination, ...]
    tags: dict[str, str] | None = None
    quiet_hours: QuietHours | None = None
    description: str | None = None


def _with_one(name: str, kind: FieldType, title: str) -> FieldType:
    """Return the type of an object that has one property, which it must have."""
    field = WireField(name, "value", kind, title, required=True)
    shape: WireObject[Any] = WireObject(dict, field)

    def decode(given: Properties, outer: str) -> Any:
        return read_field(required_object(given, outer), field)

    def encode(value: Any, client: WireClient) -> Json:
        return {name: value if kind.encode is None else kind.encode(value, client)}

    return FieldType(decode, shape.schema(), encode=encode, fields=(field,))


def _number(most: int) -> FieldType:
    return integer_from(1, most)._replace(expected=f"a whole number from 1 to {most}")


def _time(given: Properties, name: str) -> int:
    text = read_given_text(given, name)
    found = _TIME.fullmatch(text)
    if found is None:
        raise wrong(given.at(name), text, 'a time of day such as "22:00"')
    return 60 * int(found[1]) + int(found[2])


def _write_time(minutes: int, _client: WireClient) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _zone(given: Properties, name: str) -> str:
    zone = read_given_text(given, name)
    with within(*given.path):
        find_zone(zone)
    return zone


def _quiet_hours(**given: Any) -> QuietHours:
    found = QuietHours(**given)
    if found.begin == found.end:
        at = shown_time(found.end)
        expected = "another time than from, or set the state to disabled"
        raise wrong(("to",), at, expected)
    return found


def shown_time(minutes: int) -> str:
    """Return minutes since midnight as hours and minutes."""
    return _write_time(minutes, ANY_CLIENT)


_DURATION = DURATION._replace(expected='a duration such as "PT5M" or "P14D"')
_TIME_OF_DAY = FieldType(
    _time,
    {"type": "string", "pattern": f"^{_TIME.pattern}$", "examples": ["22:00"]},
    encode=_write_time,
    expected='a time of day such as "22:00"',
)
_WHEN: WireObject[AlertConditions] = WireObject(
    AlertConditions,
    WireField(
        "failed",
        "failed_in_a_row",
        _with_one("inARow", _number(MAX_IN_A_ROW), "Failed runs in a row"),
    ),
    WireField("late", "late_by", _with_one("by", _DURATION, "Late by more than")),
    WireField(
        "noSuccess",
        "no_success_intervals",
        _with_one("intervals", _number(MAX_INTERVALS), "Intervals without a success"),
    ),
    WireField("paused", "paused", BOOLEAN, "Paused by its policy"),
    WireField("expiring", "expiring_within", _with_one("within", _DURATION, "Expires within")),
    keywords={"minProperties": 1},
)
_QUIET_HOURS: WireObject[QuietHours] = WireObject(
    _quiet_hours,
    WireField("from", "begin", _TIME_OF_DAY, "From", required=True),
    WireField("to", "end", _TIME_OF_DAY, "To", required=True),
    WireField(
        "timeZone",
        "time_zone",
        FieldType(
            _zone,
            {"type": "string", "default": "UTC", "examples": ["Europe/Prague"]},
            absent="UTC",
        ),
        "Time zone",
    ),
)
_STATE = WireField("state", "", word(_STATES), "State")
_DESTINATION_STATUS = WireObject(
    DestinationState,
    WireField("waitingMessages", "waiting", ANSWERED_INTEGER, required=True),
    WireField("lastSentTime", "last_sent_at", INSTANT),
    WireField("lastFailureTime", "last_failed_at", INSTANT),
    WireField("lastError", "last_error", TEXT),
)


def _write_destination_states(states: list[DestinationState], client: WireClient) -> Json:
    return [_DESTINATION_STATUS.encode(each, client) for each in states]


_STATUS = WireObject(
    AlertState,
    WireField("openIncidents", "open_incidents", ANSWERED_INTEGER, required=True),
    WireField("waitingMessages", "waiting", ANSWERED_INTEGER, required=True),
    WireField("lastSentTime", "last_sent_at", INSTANT),
    WireField("lastFailureTime", "last_failed_at", INSTANT),
    WireField("lastError", "last_error", TEXT),
    WireField(
        "destinations",
        "of_each_destination",
        FieldType(
            None,
            {
                "type": "array",
                "items": _DESTINATION_STATUS.schema(),
                "description": "of each destination, in the order of sendTo",
            },
            encode=_write_destination_states,
        ),
    ),
)
_CONDITIONS = WireField("when", "conditions", _WHEN.type(), required=True)
_SEND_TO = WireField("sendTo", "destinations", DESTINATIONS, required=True)
_QUIET = WireField("quietHours", "quiet_hours", _QUIET_HOURS.type())
_DESCRIPTION = WireField(
    "description", "description", described(TEXT, maxLength=MAX_DESCRIPTION), "Description"
)
_PROPERTIES: WireObject[AlertDefinition] = WireObject(
    AlertDefinition,
    _STATE,
    _DESCRIPTION,
    TAGS,
    _CONDITIONS,
    _SEND_TO,
    _QUIET,
    WireField("status", "", read_only(_STATUS.type())),
)
ALERT = WireObject(
    Alert,
    *IDENTITY,
    WireField("properties", "", _PROPERTIES.type(), required=True),
    component="Alert",
)


def decode_alert(body: Json, key: CollectionKey, name: str) -> GivenAlert:
    """Read an alert; its limits are checked once its secrets are there."""
    resource = read_resource(body)
    check_identity(resource, alert_id(key, name), (name, f"{key.name}/{name}"))
    given = inner_properties(resource) or required_object(resource, "properties")
    given.ignore("status")
    found = GivenAlert(
        is_enabled=read_field(given, _STATE) != "disabled",
        description=read_field(given, _DESCRIPTION),
        tags=read_field(given, TAGS),
        conditions=read_field(given, _CONDITIONS),
        destinations=read_field(given, _SEND_TO),
        quiet_hours=read_field(given, _QUIET),
    )
    resource.refuse_unknown()
    return found


def replace_alert(old: Alert | None, new: GivenAlert) -> tuple[AlertDefinition, bool]:
    """Return the alert of a PUT: as it was sent, plus stored secrets that it leaves out."""
    before = None if old is None else old.definition
    with within("properties"):
        with within("sendTo"):
            destinations = keep_alert_secrets(
                new.destinations, () if before is None else before.destinations
            )
        definition = AlertDefinition(
            conditions=new.conditions,
            destinations=destinations,
            tags=new.tags,
            quiet_hours=new.quiet_hours,
            description=new.description,
        )
        check_alert(definition, before)
    return definition, new.is_enabled


def patch_alert(old: Alert, patch: Json, key: CollectionKey) -> tuple[AlertDefinition, bool]:
    """Return an alert with a patch applied: objects are merged, lists are replaced."""
    Properties(patch)  # what is no object is refused before it replaces anything
    base: Json = {"properties": encode_alert_properties(old)}
    return replace_alert(old, decode_alert(merge(base, patch), key, old.name))


def encode_alert(key: CollectionKey, alert: Alert, status: AlertState) -> dict[str, Json]:
    """Write an alert as a resource, without its secrets."""
    return {
        "id": alert_id(key, alert.name),
        "type": ALERT_TYPE,
        "name": f"{key.name}/{alert.name}",
        "properties": {
            **encode_alert_properties(alert),
            "status": _STATUS.encode(status, ANY_CLIENT),
        },
    }


def encode_alert_properties(alert: Alert) -> dict[str, Json]:
    """Write what a client may send of an alert, without its secrets."""
    return encode_definition_of_alert(alert.definition, is_enabled=alert.is_enabled)


def encode_definition_of_alert(definition: AlertDefinition, *, is_enabled: bool) -> dict[str, Json]:
    """Write the definition of an alert, with its state, without its secrets."""
    state = "enabled" if is_enabled else "disabled"
    return _PROPERTIES.encode(definition, ANY_CLIENT, state=state)


def alert_id(key: CollectionKey, name: str) -> str:
    """Return the identity of an alert: its path."""
    return f"{collection_id(key)}/alerts/{name}"
