"""The fields of the alert form, and what they become in the body of a PUT.

A body has a list of destinations; the form has a fixed number of slots, by their position. Periods
and recipients are shown as people write them: `5m`, one address to a line.
"""

import copy
import re
from collections.abc import Iterator

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.core.rules.alert_limits import MAX_DESTINATIONS
from foliot.portal.forms.fields import Choice, Field, FormSchema, Kind
from foliot.portal.forms.json_path import remove_value, set_value, value_at
from foliot.portal.forms.periods import iso_period, short_period
from foliot.portal.forms.zones import zone_called

SEND_TO = "properties.sendTo"
QUIET = "properties.quietHours"
QUIET_ZONE = f"{QUIET}.timeZone"
_WHEN = "properties.when"
PERIODS = ("properties.when.late.by", "properties.when.expiring.within")
_BETWEEN = re.compile(r"[\s,;]+")


def slot(index: int) -> str:
    """Return the JSON path of a destination in the body that the form edits."""
    return f"{SEND_TO}.{index}"


def _slot_fields(index: int) -> Iterator[Field]:
    kind = f"{slot(index)}.type"
    yield Field(kind)
    yield Field(f"{slot(index)}.uri", Kind.TEXT, kind, frozenset({"webhook"}))
    yield Field(f"{slot(index)}.secret", Kind.SECRET, kind, frozenset({"webhook"}))
    yield Field(f"{slot(index)}.slack", Kind.SECRET, kind, frozenset({"slack"}))
    yield Field(f"{slot(index)}.to", Kind.LINES, kind, frozenset({"email"}))


ALERT_FORM = FormSchema(
    fields=(
        Field("properties.state"),
        Field("properties.description", Kind.LINES),
        Field("properties.tags", Kind.PAIRS),
        Field("properties.when.failed.inARow", Kind.INTEGER),
        Field("properties.when.late.by"),
        Field("properties.when.noSuccess.intervals", Kind.INTEGER),
        Field("properties.when.paused", Kind.BOOLEAN),
        Field("properties.when.expiring.within"),
        *(field for index in range(MAX_DESTINATIONS) for field in _slot_fields(index)),
        Field(f"{QUIET}.from"),
        Field(f"{QUIET}.to"),
        Field(QUIET_ZONE),
    ),
    choices=tuple(
        Choice(f"{slot(index)}.type", empties=slot(index), removes=slot(index))
        for index in range(MAX_DESTINATIONS)
    ),
)
BLANK_ALERT: Json = {
    "properties": {"state": "enabled", "when": {"failed": {"inARow": 1}}, "sendTo": {}}
}


def form_body(properties: Json) -> Json:
    """Return the properties of an answer as the body that the form edits."""
    found = copy.deepcopy(properties) if isinstance(properties, dict) else {}
    given = found.get("sendTo")
    destinations = given if isinstance(given, list) else []
    found["sendTo"] = {str(index): _shown(each) for index, each in enumerate(destinations)}
    found.pop("status", None)
    body: dict[str, Json] = {"properties": found}
    for name in PERIODS:
        period = value_at(body, name)
        if isinstance(period, str):
            set_value(body, name, short_period(period))
    return body


def wire_body(edited: dict[str, Json]) -> dict[str, Json]:
    """Return what the form has edited as the body of a PUT."""
    body = copy.deepcopy(edited)
    for name in PERIODS:
        period = value_at(body, name)
        if isinstance(period, str):
            set_value(body, name, iso_period(period))
    if value_at(body, _WHEN) is None:
        set_value(body, _WHEN, {})
    slots = [_destination(each) for _, each in _filled(body)]
    remove_value(body, SEND_TO)
    if slots:
        set_value(body, SEND_TO, [*slots])
    if not value_at(body, f"{QUIET}.from") and not value_at(body, f"{QUIET}.to"):
        remove_value(body, QUIET)
    zone = value_at(body, QUIET_ZONE)
    if isinstance(zone, str):
        set_value(body, QUIET_ZONE, zone_called(zone))
    return body


def in_form(refusal: Invalid, edited: dict[str, Json]) -> Invalid:
    """Return a refusal of a body with the path that its value has in the form."""
    path = refusal.path
    if path[:2] != ("properties", "sendTo"):
        return refusal
    filled = list(_filled(edited))
    if len(path) == 2 and not filled:  # noqa: PLR2004  (properties.sendTo)
        return Invalid((*path, 0, "type"), "add at least one destination.")
    index = path[2] if len(path) > 2 else 0  # noqa: PLR2004  (properties.sendTo[index])
    if not isinstance(index, int) or index >= len(filled):
        return Invalid((*path[:2], 0, "type"), refusal.problem)
    number, destination = filled[index]
    name = str(path[3]) if len(path) > 3 else "type"  # noqa: PLR2004  (properties.sendTo[index].name)
    if name == "uri" and destination.get("type") == "slack":
        name = "slack"
    return Invalid((*path[:2], number, name), refusal.problem)


def kept_secrets_of(properties: Json) -> frozenset[str]:
    """Name the fields of secrets that are stored and not shown."""
    found: set[str] = set()
    given = value_at(properties, "sendTo")
    for index, each in enumerate(given if isinstance(given, list) else []):
        if value_at(each, "signed"):
            found.add(f"{slot(index)}.secret")
        if value_at(each, "host"):
            found.add(f"{slot(index)}.slack")
    return frozenset(found)


def slack_hosts(properties: Json) -> dict[str, str]:
    """Return the hosts of stored Slack addresses, by slot."""
    given = value_at(properties, "sendTo")
    hosts = [value_at(each, "host") for each in (given if isinstance(given, list) else [])]
    return {slot(index): str(host) for index, host in enumerate(hosts) if host}


def _shown(destination: Json) -> Json:
    if not isinstance(destination, dict):
        return destination
    recipients = destination.get("to")
    if not isinstance(recipients, list):
        return destination
    return {**destination, "to": "\n".join(map(str, recipients))}


def _destination(given: dict[str, Json]) -> Json:
    found = {name: each for name, each in given.items() if name not in ("slack", "to")}
    if given.get("slack"):
        found["uri"] = given["slack"]
    recipients = given.get("to")
    if isinstance(recipients, str):
        addresses: list[Json] = [each for each in _BETWEEN.split(recipients) if each]
        found["to"] = addresses
    return found


def _filled(body: Json) -> Iterator[tuple[int, dict[str, Json]]]:
    """Go through the destinations of the form, with the number of their slot."""
    slots = value_at(body, SEND_TO)
    for name, each in sorted((slots if isinstance(slots, dict) else {}).items()):
        if isinstance(each, dict) and name.isdecimal():
            yield int(name), each
