"""The JSON Schema of alerts and their decoder give the same verdict on a body."""

import copy
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from foliot.api.openapi.schemas import components
from foliot.api.wire.alert import decode_alert, replace_alert
from foliot.api.wire.fields import reference
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits

KEY = CollectionKey("s", "g", "Billing")
SCHEMA = Draft202012Validator(
    {**reference("Alert"), "components": {"schemas": components(Limits())}}
)
WEBHOOK = {"type": "webhook", "uri": "https://example.com/"}
ALERT = {"properties": {"when": {"failed": {"inARow": 1}}, "sendTo": [WEBHOOK]}}
WHEN, SEND_TO, QUIET = "properties.when", "properties.sendTo", "properties.quietHours"
HOURS = {"from": "22:00", "to": "07:00"}

# A path, the values that are valid there and some that are not.
FIELDS: list[tuple[str, list[Any], list[Any]]] = [
    ("properties.state", ["enabled", "disabled"], ["paused", 5]),
    ("properties.description", ["", "x" * 1000], ["x" * 1001, 5]),
    ("properties.tags", [{}, {"a": "b"}, {"a": 5}], [[], {"a": []}, {"": "x"}]),
    ("properties.status", [{"openIncidents": 3, "waitingMessages": 0}], []),
    (WHEN, [{"paused": True}, {"late": {"by": "PT5M"}}], [{}, [], {"fail": {}}, {"paused": "yes"}]),
    (f"{WHEN}.failed", [{"inARow": 100}, {"inARow": "2"}], [{}, 2, {"inARow": 0}, {"of": 1}]),
    (f"{WHEN}.noSuccess", [{"intervals": 1000}], [{"intervals": 1001}, {"intervals": 0.5}]),
    (f"{WHEN}.expiring", [{"within": "P14D"}, {"within": "12:00"}], [{"within": "14d"}, {}]),
    (SEND_TO, [[WEBHOOK]], [[], WEBHOOK, [{}], [{"type": "pager"}], ["https://a.example/"]]),
    (
        SEND_TO,
        [[{"type": "slack", "uri": "https://a.example/x"}]],
        [[{"type": "slack", "uri": "x"}], [{"type": "slack", "url": "https://a.example"}]],
    ),
    (
        SEND_TO,
        [[{"type": "email", "to": "a@b.example"}], [{"type": "email", "to": ["a@b.example"]}]],
        [[{"type": "email"}], [{"type": "email", "to": []}], [{"type": "email", "to": ["a b@c"]}]],
    ),
    (SEND_TO, [], [[WEBHOOK | {"uri": uri}] for uri in ("", "h", "ftp://h", "http://h/ ", 5)]),
    (SEND_TO, [[WEBHOOK | {"signed": True}]], [[WEBHOOK | {"secret": 5}], [WEBHOOK | {"x": 1}]]),
    (
        QUIET,
        [HOURS, HOURS | {"timeZone": "Europe/Prague"}],
        [{}, {"from": "22:00"}, HOURS | {"to": "24:00"}, HOURS | {"to": "7:00"}, HOURS | {"x": 1}],
    ),
    ("properties.sentTo", [], [[WEBHOOK]]),
]
CASES = [
    pytest.param(path, value, is_valid, id=f"{path} {value!r}"[:90])
    for path, good, bad in FIELDS
    for values, is_valid in ((good, True), (bad, False))
    for value in values
]


def is_decoded(body: Any) -> bool:
    """Tell whether an alert is accepted in the place of none."""
    try:
        replace_alert(None, decode_alert(body, KEY, "oncall"))
    except Invalid:
        return False
    return True


def having(path: str, value: Any) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(ALERT)
    *parents, last = path.split(".")
    place = changed
    for name in parents:
        place = place.setdefault(name, {})
    place[last] = value
    return changed


@pytest.mark.parametrize(("path", "value", "is_valid"), CASES)
def test_schema_and_decoder_agree_on_a_value(path: str, value: Any, *, is_valid: bool) -> None:
    body = having(path, value)

    assert (SCHEMA.is_valid(body), is_decoded(body)) == (is_valid, is_valid)


@pytest.mark.parametrize("name", ["when", "sendTo"])
def test_schema_and_decoder_agree_on_what_is_required(name: str) -> None:
    body = copy.deepcopy(ALERT)
    del body["properties"][name]

    assert (SCHEMA.is_valid(body), is_decoded(body)) == (False, False)
