"""PATCH of a job: left out is kept, null removes, lists are replaced, objects are merged."""

from typing import Any

import pytest

from tests.support.api_client import JOB, Client, http_job
from tests.support.bodies import action_job, bus_job, queue_job, request_job


def full_job() -> dict[str, Any]:
    body = request_job(
        headers={"Accept": "*/*", "X-Kind": "a"},
        body="hello",
        authentication={"type": "Basic", "username": "u", "password": "p"},
    )
    body["properties"]["action"] |= {
        "retryPolicy": {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 2},
        "errorAction": queue_job(sasToken="t")["properties"]["action"],
    }
    body["properties"] |= {
        "startTime": "2026-01-12T08:00:00Z",
        "recurrence": {
            "frequency": "week",
            "interval": 2,
            "count": 9,
            "schedule": {"weekDays": ["monday", "friday"], "hours": [8], "minutes": [0]},
        },
        "state": "disabled",
    }
    return body


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name)
    return value


def nested(path: str, value: Any) -> Any:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


CHANGES: dict[str, tuple[str, Any, Any]] = {
    "a start": ("startTime", "2026-01-13T08:00:00Z", "2026-01-13T08:00:00Z"),
    "no start": ("startTime", None, None),
    "a state": ("state", "Enabled", "enabled"),
    "a uri": ("action.request.uri", "https://example.com/b", "https://example.com/b"),
    "a method": ("action.request.method", "GET", "GET"),
    "a body": ("action.request.body", "", ""),
    "no body": ("action.request.body", None, None),
    "no headers": ("action.request.headers", None, None),
    "another header": (
        "action.request.headers",
        {"X-New": 1},
        {"Accept": "*/*", "X-Kind": "a", "X-New": "1"},
    ),
    "a header": ("action.request.headers", {"X-Kind": "b"}, {"Accept": "*/*", "X-Kind": "b"}),
    "a header spelt differently": (
        "action.request.headers",
        {"x-kind": "b"},
        {"Accept": "*/*", "x-kind": "b"},
    ),
    "no header": ("action.request.headers", {"ACCEPT": None}, {"X-Kind": "a"}),
    "no authentication": ("action.request.authentication", None, None),
    "another authentication": (
        "action.request.authentication",
        {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c"},
        {"tenant": "t", "audience": "a", "clientId": "c", "type": "ActiveDirectoryOAuth"},
    ),
    "another user name": (
        "action.request.authentication",
        {"username": "bob", "password": "new"},
        {"username": "bob", "type": "Basic"},
    ),
    "https": ("action.type", "HTTPS", "Https"),
    "a retry count": (
        "action.retryPolicy",
        {"retryCount": 0},
        {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 0},
    ),
    "no retry policy": ("action.retryPolicy", None, None),
    "no error action": ("action.errorAction", None, None),
    "an error message": ("action.errorAction.queueMessage.message", "x", "x"),
    "no recurrence": ("recurrence", None, None),
    "no count": ("recurrence.count", None, None),
    "an interval": ("recurrence.interval", 3, 3),
    "no interval": ("recurrence.interval", None, 1),
    "other weekdays": ("recurrence.schedule.weekDays", ["SUNDAY"], ["sunday"]),
    "one weekday": ("recurrence.schedule.weekDays", "Sunday", ["sunday"]),
    "other hours": ("recurrence.schedule.hours", [9, 10], [9, 10]),
    "no minutes": ("recurrence.schedule.minutes", None, None),
    "no schedule": ("recurrence.schedule", None, None),
    "a time zone": ("recurrence.timeZone", "Europe/Prague", "Europe/Prague"),
}


@pytest.mark.parametrize(("path", "value", "shown"), CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("spell", [str, str.upper, str.lower], ids=["as is", "upper", "lower"])
def test_a_patch_changes_what_it_names_and_nothing_else(
    billing: Client, path: str, value: Any, shown: Any, spell: Any
) -> None:
    before = billing.put(JOB, full_job()).json["properties"]

    reply = billing.patch(JOB, {spell("properties"): nested(spell(path), value)})

    assert reply.status == 200, reply.content
    after = reply.json["properties"]
    assert at(after, path) == shown
    assert without(after, path) == without(before, path)
    assert billing.get(JOB).content == reply.content


def without(properties: Any, path: str) -> Any:
    """Return the properties without what stands at the path, and without the status."""
    name, _, rest = path.partition(".")
    kept = {key: value for key, value in properties.items() if key not in (name, "status")}
    return kept | ({name: without(properties[name], rest)} if rest else {})


@pytest.mark.parametrize(
    "patch",
    [{}, {"properties": {}}, {"properties": {"action": {}}}],
    ids=["nothing", "properties", "action"],
)
def test_a_patch_of_nothing_changes_nothing(billing: Client, patch: Any) -> None:
    created = billing.put(JOB, full_job())
    before = billing.state()

    reply = billing.patch(JOB, patch)

    assert (reply.status, reply.content) == (200, created.content)
    assert billing.state() == before


KINDS: dict[str, dict[str, Any]] = {
    "http": http_job()["properties"]["action"],
    "storage queue": queue_job()["properties"]["action"],
    "bus queue": bus_job()["properties"]["action"],
    "topic": {
        "type": "ServiceBusTopic",
        "serviceBusTopicMessage": {"topicPath": "t", "namespace": "n", "message": "m"},
    },
}


@pytest.mark.parametrize("new", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("old", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("place", ["action", "errorAction"])
def test_a_change_of_type_drops_what_belonged_to_the_other(
    billing: Client, old: dict[str, Any], new: dict[str, Any], place: str
) -> None:
    def placed(action: dict[str, Any]) -> Any:
        outer = {} if place == "action" else http_job()["properties"]["action"]
        return action if place == "action" else outer | {"errorAction": action}

    billing.put(JOB, action_job(placed(old)))

    reply = billing.patch(JOB, {"properties": {"action": placed(new)}})

    assert reply.status == 200, reply.content
    shown = reply.json["properties"]["action"]
    assert (shown if place == "action" else shown["errorAction"]) == new


def test_a_change_of_type_needs_the_part_that_belongs_to_it(billing: Client) -> None:
    billing.put(JOB, http_job())
    before = billing.state()

    reply = billing.patch(JOB, {"properties": {"action": {"type": "StorageQueue"}}})

    assert reply.status == 400
    assert reply.message.startswith("properties.action.queueMessage: is missing")
    assert billing.state() == before


def test_a_change_of_type_may_send_the_old_part_back(billing: Client) -> None:
    billing.put(JOB, full_job())
    old = billing.get(JOB).json["properties"]["action"]
    new = queue_job()["properties"]["action"]

    reply = billing.patch(JOB, {"properties": {"action": old | new}})

    assert reply.status == 200, reply.content
    assert "request" not in reply.json["properties"]["action"]


@pytest.mark.parametrize("change", [{"uri": "https://example.com/new"}, {"body": None}, {"x": 1}])
def test_a_change_of_type_with_a_changed_old_part_is_refused(
    billing: Client, change: dict[str, Any]
) -> None:
    billing.put(JOB, full_job())
    old = billing.get(JOB).json["properties"]["action"]
    part = {"request": old["request"] | change}
    before = billing.state()

    reply = billing.patch(
        JOB, {"properties": {"action": queue_job()["properties"]["action"] | part}}
    )

    assert reply.status == 400
    assert "properties.action.request: does not belong" in reply.message
    assert billing.state() == before


def test_a_part_of_another_type_without_the_type_is_refused(billing: Client) -> None:
    billing.put(JOB, http_job())
    part = queue_job()["properties"]["action"]["queueMessage"]

    reply = billing.patch(JOB, {"properties": {"action": {"queueMessage": part}}})

    assert reply.status == 400
    assert "does not belong to an action of type" in reply.message


def test_custom_properties_are_the_clients_own_words(billing: Client) -> None:
    custom = {"Kind": "1", "queueMessage": "2", "minutes": "3"}
    billing.put(JOB, bus_job(customMessageProperties=custom))

    patch = {"kind": "x", "type": "Http", "minute": 5}
    message = {"serviceBusQueueMessage": {"customMessageProperties": patch}}
    reply = billing.patch(JOB, {"properties": {"action": message}})

    shown = reply.json["properties"]["action"]["serviceBusQueueMessage"]
    assert shown["customMessageProperties"] == custom | {"kind": "x", "type": "Http", "minute": "5"}


def test_the_old_names_of_schedules_replace_the_new(billing: Client) -> None:
    recurrence = {"frequency": "day", "schedule": {"hours": [1], "minutes": [2]}}
    billing.put(JOB, http_job(recurrence=recurrence))

    patch = {"hour": 5, "Minute": None}
    reply = billing.patch(JOB, {"properties": {"recurrence": {"schedule": patch}}})

    assert reply.json["properties"]["recurrence"]["schedule"] == {"hours": [5]}


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"properties": None}, "properties: is missing"),
        ({"properties": 5}, "properties: a number is not valid"),
        ({"properties": {"action": None}}, "properties.action: is missing"),
        ({"properties": {"action": "x"}}, "properties.action: a string is not valid"),
        ({"properties": {"action": {"type": None}}}, "properties.action.type: is missing"),
        ({"properties": {"action": {"type": "Ftp"}}}, "properties.action.type: "),
        ({"properties": {"action": {"request": None}}}, "properties.action.request: is missing"),
        (
            {"properties": {"action": {"request": {"uri": None}}}},
            "properties.action.request.uri: is missing",
        ),
        (
            {"properties": {"recurrence": {"frequency": None}}},
            "properties.recurrence.frequency: is missing",
        ),
        (
            {"properties": {"recurrence": {"frequency": "day"}}},
            "properties.recurrence.schedule.weekDays: Cannot set days of week",
        ),
        (
            {"properties": {"recurrence": {"schedule": {"weekDays": []}}}},
            "properties.recurrence.schedule.weekDays: [] is empty",
        ),
        ({"properties": {"recurrence": []}}, "properties.recurrence: a list is not valid"),
        ({"properties": {"state": "faulted"}}, 'properties.state: "faulted" is not valid'),
    ],
    ids=[
        "no properties",
        "properties",
        "no action",
        "action",
        "no type",
        "type",
        "no request",
        "no uri",
        "no frequency",
        "frequency",
        "empty list",
        "recurrence",
        "state",
    ],
)
def test_a_patch_that_leaves_no_valid_job_is_refused(
    billing: Client, patch: Any, message: str
) -> None:
    billing.put(JOB, full_job())
    before = billing.state()

    reply = billing.patch(JOB, patch)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(message)
    assert billing.state() == before


def test_a_put_replaces_the_whole_definition(billing: Client) -> None:
    billing.put(JOB, full_job() | {"properties": full_job()["properties"] | {"state": "enabled"}})

    reply = billing.put(JOB, http_job())

    assert set(reply.json["properties"]) == {"action", "state", "status"}
    assert reply.json["properties"]["action"] == {
        "request": {"uri": "http://example.com/", "method": "get"},
        "type": "Http",
    }
