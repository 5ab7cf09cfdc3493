"""The JSON Schemas and the decoders give the same verdict on a body.

Two rules of the decoders cannot be said in a schema: names and words count in any letter case, and
null is the same as absent. A number that is written as a string has its limits in the decoders
alone. Rules between several fields are not in the schemas either.
"""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from foliot.api.openapi.schemas import components
from foliot.api.wire.collection import COLLECTION, decode_collection
from foliot.api.wire.fields import WireField, reference
from foliot.api.wire.job import JOB, Address, decode_job, replace_job
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits
from foliot.core.rules.tags_and_location import check_labels
from tests.support.api_client import a_collection, http_job
from tests.support.bodies import (
    basic,
    bus,
    certificate,
    daily,
    in_error_action,
    oauth,
    queue_job,
    topic,
    webhooks,
    with_action,
)

KEY = CollectionKey("s", "g", "Billing")
LARGE = re.compile(r"[0-9]{5}")
BUS = "properties.action.serviceBusQueueMessage"
TOPIC = "properties.action.serviceBusTopicMessage"
BROKERED = f"{BUS}.brokeredMessageProperties"
DURATIONS = (
    *("PT30S", "PT5M", "PT1H", "P1D", "PT1D", "P1W", "P1M", "P1DT2H3M4.5S", "pt5m", "P1DT"),
    *("00:00:30", "1:02:03", "0:30", "1.02:03:04", "548.00:00:00", "00:00:30.1234567"),
)
NO_DURATIONS = (
    *("", "P", "PT", "T1H", "30", "P1S", "PT1W", "P-1D", "PT.5S", "P1.5D", "24:00:00", "1:60"),
    *("00:00:30.12345678", "1.2", ":30", "PT5M ", "PT5M\n", " PT5M", "PT٣M", "PT" + "0" * 40 + "S"),
)


def validator(component: str) -> Draft202012Validator:
    shapes = {"components": {"schemas": components(Limits())}}
    return Draft202012Validator({**reference(component), **shapes})


JOB_SCHEMA, COLLECTION_SCHEMA = validator("Job"), validator("Collection")


def is_decoded(body: Any) -> bool:
    """Tell whether a job is accepted in the place of none."""
    try:
        replace_job(None, decode_job(body, Address(KEY, "Nightly"), Limits()))
    except Invalid:
        return False
    return True


def is_decoded_collection(body: Any) -> bool:
    try:
        check_labels(decode_collection(body, KEY, knows_premium_tiers=True))
    except Invalid:
        return False
    return True


def having(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a body with a value at a path."""
    changed = copy.deepcopy(body)
    *parents, last = path.split(".")
    place = changed
    for name in parents:
        place = place.setdefault(name, {})
    place[last] = value
    return changed


def without(body: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a body without what is at a path."""
    changed = copy.deepcopy(body)
    *parents, last = path.split(".")
    place = changed
    for name in parents:
        place = place[name]
    del place[last]
    return changed


RECURRENCE = "properties.recurrence"
SCHEDULE = f"{RECURRENCE}.schedule"
ACTION = "properties.action"
REQUEST = f"{ACTION}.request"
AUTHENTICATION = f"{REQUEST}.authentication"
RETRY = f"{ACTION}.retryPolicy"
MONTHLY = http_job(recurrence={"frequency": "month"})
WEEKLY = http_job(recurrence={"frequency": "week"})
GROWING = with_action(http_job(), retryPolicy={"retryType": "exponential"})
TEMPLATE = with_action(http_job(), template=True)
ZONED = http_job(recurrence={"frequency": "month", "timeZone": "Europe/Prague"})
FRIDAY = {"day": "friday"}
BESIDE_CRON = ({"frequency": "day"}, {"interval": 1}, {"schedule": {"hours": 5}})

# A body, a path in it, the values that are valid there and some that are not.
FIELDS: list[tuple[dict[str, Any], str, list[Any], list[Any]]] = [
    (http_job(), "properties.state", ["enabled", "disabled"], ["paused", 5]),
    (http_job(), "properties.status", [{"executionCount": 3}], []),
    (http_job(), "properties.startTime", ["2026-02-01T00:00:00Z"], [5, []]),
    (http_job(), RECURRENCE, [daily()], [{}, [], {"interval": 2}]),
    (
        http_job(),
        RECURRENCE,
        [{"cron": "@daily"}, {"cron": "0 9 * * *", "count": 5, "timeZone": "Europe/Prague"}],
        [{"cron": 5}, *({"cron": "@daily"} | more for more in BESIDE_CRON)],
    ),
    (
        ZONED,
        f"{RECURRENCE}.dst",
        [{"skipped": "skip"}, {"repeated": "both"}],
        [{}, [], {"skipped": "never"}, {"shoe": 1}],
    ),
    (MONTHLY, f"{RECURRENCE}.dst", [], [{"skipped": "skip"}]),
    (
        MONTHLY,
        f"{RECURRENCE}.exclude",
        [{"dates": "2026-12-25"}, {"dates": ["2026-12-24/2027-01-01"], "then": "next"}],
        [{}, {"then": "next"}, *({"dates": dates} for dates in ([], 5, ["25.12.2026"]))],
    ),
    (MONTHLY, f"{RECURRENCE}.exclude.then", [], ["later"]),
    (
        MONTHLY,
        f"{RECURRENCE}.exclude.calendars",
        ["holidays", ["holidays", "Bank_2-x"]],
        [[], 5, ["1st"], "", [*"abcdefghijk"]],
    ),
    (MONTHLY, f"{RECURRENCE}.frequency", ["month", "day", "daily"], ["fortnight", 5]),
    (
        MONTHLY,
        f"{RECURRENCE}.interval",
        [1, 2.0, 18, "2", "018"],
        [0, 1.5, 2000, "2.0", "+2", " 2", ""],
    ),
    (MONTHLY, f"{RECURRENCE}.count", [0, 1, "1"], [-1, "one"]),
    (MONTHLY, f"{RECURRENCE}.timeZone", ["Europe/Prague"], [5]),
    (MONTHLY, SCHEDULE, [{"minute": 5, "hour": [6]}], [{}, [], {"shoe": 1}]),
    (
        MONTHLY,
        f"{SCHEDULE}.minutes",
        [0, 59, [5], [5, 5], "5", ["0", 5]],
        [-1, 60, [], [60], "5\n", "\u0665", {}],
    ),
    (MONTHLY, f"{SCHEDULE}.hours", [0, 23, [5]], [24, [], [1.5], True]),
    (MONTHLY, f"{SCHEDULE}.monthDays", [1, -31, [31, -1], "-1"], [0, 32, [0], [-32], "--1"]),
    (MONTHLY, f"{SCHEDULE}.months", [1, 12, [2]], [0, 13, []]),
    (
        MONTHLY,
        f"{SCHEDULE}.monthlyOccurrences",
        [[FRIDAY], *([FRIDAY | {name: 3}] for name in ("occurrence", "Occurrence"))],
        [FRIDAY, [], ["friday"], [{}], *([FRIDAY | {"occurrence": nth}] for nth in (0, 6, "x"))],
    ),
    (WEEKLY, f"{SCHEDULE}.weekDays", ["monday", ["monday"] * 7], [["monday"] * 8, ["mon"], 1]),
    (http_job(), f"{ACTION}.type", ["Http", "Https"], ["StorageQueue", "Ftp", 5]),
    (http_job(), f"{ACTION}.queueMessage", [], [{}]),
    (http_job(), f"{REQUEST}.httpAuthentication", [{"any": "thing"}, 5], []),
    (
        http_job(),
        f"{REQUEST}.uri",
        ["http://h", "HTTPS://h:80/a?b#c", "https://[::1]/", "http://u:p@h/ü%20"],
        ["", "h", "ftp://h/", "http:/h", "http:///p", "http://h/ ", "http://h/{x}", 5],
    ),
    (
        http_job(),
        f"{REQUEST}.method",
        ["GET", "get", "M-SEARCH", "x!#$%&'*+.^_`|~9"],
        ["", "GET ", "G(T", "GÉT", 5],
    ),
    (
        http_job(),
        f"{REQUEST}.headers",
        [{}, {"A_b.c": "d"}, {"A": 5, "B": True, "C": 1.5}],
        [[], "A: b", {"": "x"}, {"A b": "c"}, {"A": []}, {"A": {}}],
    ),
    (http_job(), f"{REQUEST}.body", ["", "x" * 8192], ["x" * 8193, 5, {}]),
    (http_job(), RETRY, [{}], [{"count": 3}, []]),
    (http_job(), f"{REQUEST}.retryPolicy", [{"retryType": "none"}], [{"retryType": "x"}]),
    (http_job(), "properties.retryPolicy", [{"retryType": "none"}], [{"retryType": "x"}]),
    (http_job(), "properties.errorAction", [http_job()["properties"]["action"]], [{}]),
    (http_job(), f"{RETRY}.retryType", ["none", "fixed", "exponential"], ["often", 5]),
    (http_job(), f"{RETRY}.retryOn", ["any", "transient"], ["5xx", 5]),
    (GROWING, f"{RETRY}.maxRetryInterval", ["PT30S", "PT1H", "548.00:00:00"], ["5", 5]),
    (
        http_job(),
        f"{REQUEST}.expect",
        [{"status": "200"}, {"bodyContains": "ok"}, {"status": "302", "bodyContains": "x" * 1000}],
        [{}, [], "200", {"statuses": "200"}, {"bodyContains": ""}, {"bodyContains": "x" * 1001}],
    ),
    (
        http_job(),
        f"{REQUEST}.expect.status",
        ["200", "200-299,404", " 200 - 204 , 999 ", ",".join(["200"] * 20)],
        ["", "2xx", "199", "1000", "200-", "200,", ",".join(["200"] * 21), 200, [200]],
    ),
    (http_job(), f"{ACTION}.template", [True, False], ["true", 1]),
    (
        TEMPLATE,
        f"{REQUEST}.uri",
        ["http://h/{{tag}}", "http://h?{{planned:%Y %m}}=1", "http://h/{{{{"],
        ["http://h/{tag}", "{{tag}}"],
    ),
    (http_job(), "properties.policy", [{}, {"timeout": "PT1M"}], [[], "PT1M", {"timeouts": "x"}]),
    (http_job(), "properties.policy.timeout", ["PT1S", "00:10:00"], ["", "1m", 60]),
    (http_job(), f"{RETRY}.retryCount", [0, 20, "3"], [-1, 21, "3 times"]),
    (http_job(), f"{RETRY}.retryInterval", ["PT15S", "PT5M", "P1D", "1.02:03:04"], ["5", 5]),
    (
        http_job(),
        AUTHENTICATION,
        [{"type": "NotSpecified"}],
        [{}, {"type": "Basic"}, {"type": "Digest", "username": "a"}],
    ),
    (basic(), f"{AUTHENTICATION}.password", ["", "p"], [5]),
    (oauth(), f"{AUTHENTICATION}.secret", ["", "s"], [5]),
    (oauth(), f"{AUTHENTICATION}.tenant", ["t", "a.b_c-d"], ["", "../x", 5]),
    (oauth(), f"{AUTHENTICATION}.audience", ["a"], ["", 5]),
    (oauth(), f"{AUTHENTICATION}.clientId", ["c"], ["", 5]),
    (basic(), f"{AUTHENTICATION}.tenant", [], ["t"]),
    (oauth(), f"{AUTHENTICATION}.username", [], ["ann"]),
    (webhooks(), f"{AUTHENTICATION}.secret", [f"whsec_{'A' * 32}"], [5]),
    (webhooks(), f"{AUTHENTICATION}.password", [], ["p"]),
    (queue_job(), f"{ACTION}.queueMessage.format", ["text", "envelope"], ["xml", 5]),
    (queue_job(), f"{ACTION}.queueMessage.sasToken", ["?sv=1"], [5]),
    (bus(), f"{BUS}.transportType", ["netMessaging", "amqp", "notSpecified"], ["http"]),
    (bus(), f"{BUS}.authentication.type", ["sharedAccessKey", "notSpecified"], ["Basic"]),
    (bus(), f"{BUS}.authentication.sasKey", ["k"], [5]),
    (bus(), f"{BUS}.customMessageProperties", [{"a": "b", "n": 5}], [[], {"a": []}]),
    (bus(), f"{BROKERED}.label", ["x"], [5]),
    (bus(), f"{BROKERED}.forcePersistence", [True], ["true"]),
    (bus(), f"{BROKERED}.scheduledEnqueueTimeUtc", ["2026-02-01T00:00:00Z"], [5]),
    (bus(), f"{BROKERED}.timeToLive", [*DURATIONS], [*NO_DURATIONS, 5]),
]
# A body and the paths of what it must have.
REQUIRED: list[tuple[dict[str, Any], list[str]]] = [
    (http_job(), ["properties", ACTION, f"{ACTION}.type", REQUEST]),
    (http_job(), [f"{REQUEST}.uri", f"{REQUEST}.method"]),
    (basic(), [f"{AUTHENTICATION}.{name}" for name in ("type", "username")]),
    (oauth(), [f"{AUTHENTICATION}.{name}" for name in ("type", "tenant", "audience", "clientId")]),
    (
        queue_job(),
        [f"{ACTION}.queueMessage.{name}" for name in ("storageAccount", "queueName", "message")],
    ),
    (bus(), [f"{BUS}.{name}" for name in ("queueName", "namespace", "message")]),
    (topic(), [f"{TOPIC}.{name}" for name in ("topicPath", "namespace", "message")]),
]


@pytest.mark.parametrize(
    ("body", "path", "value", "is_valid"),
    [
        pytest.param(body, path, value, verdict, id=f"{path}={str(value)[:40]!r} {verdict}")
        for body, path, good, bad in FIELDS
        for values, verdict in ((good, True), (bad, False))
        for value in values
    ],
)
def test_schema_and_decoder_agree_on_a_value(
    body: dict[str, Any], path: str, value: Any, *, is_valid: bool
) -> None:
    changed = having(body, path, value)

    assert (JOB_SCHEMA.is_valid(changed), is_decoded(changed)) == (is_valid, is_valid)


@pytest.mark.parametrize(
    ("body", "path"),
    [pytest.param(body, path, id=path) for body, paths in REQUIRED for path in paths],
)
def test_schema_and_decoder_agree_on_what_is_required(body: dict[str, Any], path: str) -> None:
    assert (JOB_SCHEMA.is_valid(body), is_decoded(body)) == (True, True)

    lacking = without(body, path)

    assert (JOB_SCHEMA.is_valid(lacking), is_decoded(lacking)) == (False, False)


@pytest.mark.parametrize(
    ("body", "is_valid"),
    [
        ({}, True),
        (a_collection(), True),
        ({"location": "West US", "tags": {"a": "b", "n": 5}}, True),
        ({"location": ""}, True),
        ({"location": "<x>"}, False),
        ({"tags": []}, False),
        ({"tags": {"": "x"}}, False),
        ({"tags": {"a": "x" * 257}}, False),
        ({"tags": {str(number): "x" for number in range(16)}}, False),
        (a_collection("P20Premium", state="Suspended"), True),
        ({"properties": {"sku": {}}}, False),
        ({"properties": {"sku": {"name": "Huge"}}}, False),
        ({"properties": {"state": "Open"}}, False),
        (a_collection(quota={"maxJobCount": 0, "maxJobOccurrence": 1}), True),
        (a_collection(quota={"maxJobCount": "10"}), True),
        (a_collection(quota={"maxJobCount": "9" * 11}), False),
        (a_collection(quota={"maxJobCount": -1}), False),
        (a_collection(quota={"maxJobOccurrence": 0}), False),
        (a_collection(quota={"maxRecurrence": {"frequency": "hour", "interval": 1}}), True),
        (a_collection(quota={"maxRecurrence": {"frequency": "hour", "interval": 0}}), True),
        (a_collection(quota={"maxRecurrence": {"frequency": "hour", "interval": -1}}), False),
        (a_collection(quota={"maxRecurrence": {"interval": 1}}), False),
    ],
    ids=lambda part: str(part)[:90],
)
def test_schema_and_decoder_agree_on_a_collection(body: Any, *, is_valid: bool) -> None:
    assert (COLLECTION_SCHEMA.is_valid(body), is_decoded_collection(body)) == (is_valid, is_valid)


# Numbers so large that a duration exceeds what clients can hold are refused by the decoder alone.
@given(st.text("PTYMWDHS0123456789.:pt ", max_size=12).filter(lambda text: not LARGE.search(text)))
def test_schema_and_decoder_agree_on_what_looks_like_a_duration(text: str) -> None:
    body = having(bus(), f"{BROKERED}.timeToLive", text)

    assert JOB_SCHEMA.is_valid(body) == is_decoded(body)


def objects(fields: tuple[WireField, ...], path: str = "") -> Iterator[str]:
    """Go through the paths of the objects whose fields are in a table."""
    for field in fields:
        if field.type.fields:
            yield f"{path}{field.name}"
            yield from objects(field.type.fields, f"{path}{field.name}.")


WHOLE_JOBS = [
    http_job(recurrence=daily(schedule={"hours": 5})),
    *(in_error_action(body) for body in (basic(), oauth(), webhooks(), certificate(), queue_job())),
    *map(in_error_action, (bus(), topic())),
    *(queue_job(), having(bus(), BROKERED, {"label": "x"})),
    having(topic(), f"{TOPIC}.brokeredMessageProperties", {"label": "x"}),
]


@pytest.mark.parametrize("path", ["", *dict.fromkeys(objects(JOB.fields))])
def test_schema_and_decoder_refuse_an_unknown_name_in_a_job(path: str) -> None:
    if path.endswith("status"):
        return  # it comes only from us: what a client sends back of it is ignored
    for body in WHOLE_JOBS:
        changed = having(body, f"{path}.shoe".lstrip("."), 5)

        assert (JOB_SCHEMA.is_valid(changed), is_decoded(changed)) == (False, False)


@pytest.mark.parametrize("path", ["", *objects(COLLECTION.fields)])
def test_schema_and_decoder_refuse_an_unknown_name_in_a_collection(path: str) -> None:
    body = a_collection(quota={"maxRecurrence": {"frequency": "day"}})
    changed = having(body, f"{path}.shoe".lstrip("."), 5)

    assert (COLLECTION_SCHEMA.is_valid(changed), is_decoded_collection(changed)) == (False, False)
