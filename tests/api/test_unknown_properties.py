"""A name that means nothing is refused: what was meant by it would not happen."""

from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, JOBS, Client, a_collection, http_job
from tests.support.bodies import basic, bus_job, certificate, daily, queue_job, request_job, topic
from tests.support.certificates import a_pfx

ACTION = "properties.action"
REQUEST = f"{ACTION}.request"


def with_in_action(**others: Any) -> dict[str, Any]:
    body = http_job()
    body["properties"]["action"] |= others
    return body


BODIES: dict[str, tuple[Any, str]] = {
    "misspelt": (
        http_job(starttTime="2026-02-01T00:00:00Z"),
        "properties.starttTime: is not known here; did you mean 'startTime'?",
    ),
    "misspelt recurrence": (
        http_job(recurence=daily()),
        "properties.recurence: is not known here; did you mean 'recurrence'?",
    ),
    "misspelt, and required": (
        {"properties": {"acton": {"type": "Http"}}},
        "properties.acton: is not known here; did you mean 'action'?",
    ),
    "url for uri": (
        {"properties": {"action": {"type": "Http", "request": {"url": "http://h/"}}}},
        f"{REQUEST}.url: is not known here; did you mean 'uri'?",
    ),
    "beside the properties": (
        {**http_job(), "state": "disabled"},
        "state: is not known here; it belongs into 'properties'.",
    ),
    "misspelt beside the properties": (
        {**http_job(), "starttTime": "2026-02-01T00:00:00Z"},
        "starttTime: is not known here; did you mean 'startTime'? It belongs into 'properties'.",
    ),
    "misspelt, and deeper": (
        http_job(methood="GET"),
        "properties.methood: is not known here; did you mean 'method'? "
        "It belongs into 'properties.action.request'.",
    ),
    "in the wrong object": (
        http_job(method="GET"),
        "properties.method: is not known here; it belongs into 'properties.action.request'.",
    ),
    "without properties": (
        {"action": http_job()["properties"]["action"]},
        "action: is not known here; it belongs into 'properties'.",
    ),
    "misspelt properties": (
        {"Propertis": {}},
        "Propertis: is not known here; did you mean 'properties'?",
    ),
    "too far in": (
        http_job(properties={}),
        "properties.properties: is not known here; it belongs to the top of the body.",
    ),
    "in an action": (
        with_in_action(shoe=5),
        f"{ACTION}.shoe: is not known here; the known properties are ",
    ),
    "in an error action": (
        with_in_action(errorAction={**http_job()["properties"]["action"], "errorAction": {}}),
        f"{ACTION}.errorAction.errorAction: is not known here; it belongs into 'properties'.",
    ),
    "in a retry policy": (
        with_in_action(retryPolicy={"count": 3}),
        f"{ACTION}.retryPolicy.count: is not known here; ",
    ),
    "in a request": (request_job(header={}), f"{REQUEST}.header: is not known here; did you mean"),
    "of another authentication": (
        basic(password="p", tenant="t"),  # noqa: S106  (made up)
        f"{REQUEST}.authentication.tenant: is not known here; ",
    ),
    "in a queue message": (
        queue_job(account="a"),
        f"{ACTION}.queueMessage.account: is not known here; ",
    ),
    "in a topic's authentication": (
        topic(kind="x"),
        f"{ACTION}.serviceBusTopicMessage.authentication.kind: is not known here; ",
    ),
    "in brokered properties": (
        bus_job(brokeredMessageProperties={"lable": "x"}),
        f"{ACTION}.serviceBusQueueMessage.brokeredMessageProperties.lable: is not known here; "
        "did you mean 'label'?",
    ),
    "in a list": (
        http_job(
            recurrence={
                "frequency": "month",
                "schedule": {
                    "monthlyOccurrences": [{"day": "friday"}, {"day": "monday", "nth": 1}]
                },
            }
        ),
        "properties.recurrence.schedule.monthlyOccurrences[1].nth: is not known here; ",
    ),
    "a number of a weekday twice": (
        http_job(
            recurrence={
                "frequency": "month",
                "schedule": {
                    "monthlyOccurrences": [{"day": "monday", "occurrence": 1, "Occurrence": 2}]
                },
            }
        ),
        "properties.recurrence.schedule.monthlyOccurrences[0].Occurrence: is given twice, ",
    ),
    "null": (http_job(startTimes=None), "properties.startTimes: is not known here; did you mean"),
    "long": (
        http_job(**{"x" * 10_000: 1}),
        f"properties.{'x' * 60}...: is not known here; the known properties are startTime, ",
    ),
}


@pytest.mark.parametrize(("body", "message"), BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_a_job_with_a_name_that_means_nothing_is_refused(
    billing: Client, method: str, body: Any, message: str
) -> None:
    before = billing.state()

    reply = billing.call(method, JOB if method == "PUT" else JOBS, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(message)
    assert len(reply.message) < 500
    assert billing.state() == before


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"state": "disabled"}, "state: is not known here; it belongs into 'properties'."),
        ({"properties": {"stat": "disabled"}}, "properties.stat: is not known here; did you"),
        ({"properties": {"starttTime": None}}, "properties.starttTime: is not known here; did"),
        (
            {"starttTime": None, "properties": {}},
            "starttTime: is not known here; did you mean 'startTime'? It belongs into",
        ),
        ({"unknown": 1}, "unknown: is not known here; the known properties are properties."),
        ({"tags": {}}, "tags: is not known here; it belongs into 'properties'."),
        (
            {"properties": {"action": {"request": {"authentication": {"user": "x"}}}}},
            f"{REQUEST}.authentication.user: is not known here; did you mean 'username'?",
        ),
    ],
    ids=["at the top", "misspelt", "null", "misspelt at the top", "unknown", "tags", "deep"],
)
def test_a_patch_with_a_name_that_means_nothing_is_refused(
    billing: Client, patch: Any, message: str
) -> None:
    billing.put(JOB, basic(password="p"))  # noqa: S106  (made up)
    before = billing.state()

    reply = billing.patch(JOB, patch)

    assert reply.status == 400
    assert reply.message.startswith(message)
    assert billing.state() == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"sku": {"name": "Free"}}, "sku: is not known here; it belongs into 'properties'."),
        (a_collection(stat="x"), "properties.stat: is not known here; did you mean 'state'?"),
        (a_collection() | {"tag": {}}, "tag: is not known here; did you mean 'tags'?"),
        (
            a_collection(quota={"maxJobs": 5}),
            "properties.quota.maxJobs: is not known here; did you mean 'maxJobCount'?",
        ),
        (
            a_collection(location="westus"),
            "properties.location: is not known here; it belongs to the top of the body.",
        ),
        (
            {"properties": {"sku": {"name": "Free", "tier": "x"}}},
            "properties.sku.tier: is not known here; the known properties are name.",
        ),
        (
            a_collection(quota={"maxRecurrence": {"frequency": "day", "intervall": 2}}),
            "properties.quota.maxRecurrence.intervall: is not known here; did you mean 'interval'?",
        ),
    ],
    ids=["beside", "misspelt", "tag", "quota", "too far in", "sku", "recurrence"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_collection_with_a_name_that_means_nothing_is_refused(
    billing: Client, method: str, body: Any, message: str
) -> None:
    before = billing.state()

    reply = billing.call(method, COLLECTION, body)

    assert (reply.status, reply.message) == (400, message)
    assert billing.state() == before


@pytest.mark.parametrize(
    "body",
    [http_job(), basic(), queue_job(), topic(), certificate(pfx=a_pfx().text)],
    ids=["http", "basic", "queue", "topic", "certificate"],
)
def test_what_a_get_returns_can_be_sent_back(billing: Client, body: Any) -> None:
    assert billing.put(JOB, body).status == 201

    shown = billing.get(JOB).json

    assert billing.put(JOB, shown).json == shown
    assert billing.patch(JOB, shown).json == shown


def test_a_collection_can_be_sent_back_as_it_is_shown(billing: Client) -> None:
    shown = billing.get(COLLECTION).json

    assert billing.put(COLLECTION, shown).json == shown
    assert billing.patch(COLLECTION, shown).json == shown


def test_another_authentication_takes_the_place_of_the_old_one(billing: Client) -> None:
    billing.put(JOB, basic(password="p"))  # noqa: S106  (made up)
    wanted = {"type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c"}

    reply = billing.patch(JOB, {"properties": {"action": {"request": {"authentication": wanted}}}})

    assert reply.json["properties"]["action"]["request"]["authentication"] == wanted
