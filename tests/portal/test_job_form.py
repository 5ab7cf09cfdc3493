"""The job form creates and saves every kind of job, and keeps every property."""

from base64 import b64encode
from typing import Any

import pytest

from tests.portal.browser import JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import ACTION, EDIT, NEW, SECRET, new_form, stored
from tests.support import bodies
from tests.support.api_client import http_job
from tests.support.certificates import a_pfx

SIGNING = f"whsec_{b64encode(b'k' * 24).decode()}"
TOPIC = f"{ACTION}__serviceBusTopicMessage"
BROKERED = {
    "contentType": "text/plain",
    "correlationId": "c",
    "forcePersistence": False,
    "label": "l",
    "messageId": "m",
    "partitionKey": "p",
    "replyTo": "r",
    "replyToSessionId": "rs",
    "scheduledEnqueueTimeUtc": "2026-02-03T04:05:06.1234567Z",
    "sessionId": "s",
    "timeToLive": "00:30:00",
    "to": "t",
    "viaPartitionKey": "v",
}


def recurring(**recurrence: Any) -> dict[str, Any]:
    return http_job(recurrence=recurrence)


def with_policy(**policy: Any) -> dict[str, Any]:
    job = http_job()
    job["properties"]["action"]["retryPolicy"] = policy
    return job


EVERYTHING = {
    "once": http_job(),
    "once, later": http_job(startTime="2026-02-03T04:05:06.1234567Z"),
    "disabled": http_job(state="disabled"),
    "every minute": recurring(frequency="minute", interval=7, count=3),
    "hourly at minutes": recurring(frequency="hour", schedule={"minutes": [7, 59, 0]}),
    "daily": recurring(frequency="day", interval=3, endTime="2027-01-01T00:00:00Z"),
    "daily at times in months": recurring(
        frequency="day", schedule={"hours": [23, 0], "minutes": [1], "months": [12, 1]}
    ),
    "weekly, its days out of order": recurring(
        frequency="week", schedule={"weekDays": ["sunday", "monday"], "hours": [5]}
    ),
    "weekly without days": recurring(frequency="week", schedule={"hours": [5]}),
    "days of the month, from the end, too": recurring(
        frequency="month", schedule={"monthDays": [31, 1, -1, -5]}
    ),
    "weekdays of the month": recurring(
        frequency="month",
        schedule={
            "monthlyOccurrences": [
                {"day": "friday", "occurrence": -1},
                {"day": "monday"},
                {"day": "friday", "occurrence": 2},
            ]
        },
    ),
    "yearly in a time zone": recurring(
        frequency="year", timeZone="Europe/Prague", schedule={"months": [2], "monthDays": [29]}
    ),
    "request": bodies.request_job(
        method="pUt",
        headers={"X-a": "1", "x-empty": ""},
        body="line 1\nline 2 ä \t",
        uri="https://h/",
    ),
    "line ends of all kinds": bodies.request_job(body="\na\r\nb\rc\n"),
    "line ends where none are shown": bodies.bus_job(
        brokeredMessageProperties={"label": "a\nb"}, customMessageProperties={"a": "1\r\n2"}
    ),
    "request with empty parts": bodies.request_job(headers={}, body=""),
    "not specified": bodies.request_job(authentication={"type": "NotSpecified"}),
    "basic": bodies.basic(password=SECRET),
    "basic without a name": bodies.request_job(authentication={"type": "Basic", "username": ""}),
    "oauth": bodies.oauth(secret=SECRET),
    "webhooks": bodies.webhooks(secret=SIGNING),
    "expectations": bodies.request_job(expect={"status": "200, 404", "bodyContains": "a\nb"}),
    "placeholders": bodies.with_action(
        bodies.request_job(uri="https://h/{{planned:%F}}", body="{{{{ {{tag}}"), template=True
    ),
    "no placeholders": bodies.with_action(bodies.queue_job(message="{{x"), template=False),
    "certificate": bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
    "queue": bodies.queue_job(sasToken=SECRET, format="envelope", message="a\nb"),
    "queue with an empty message": bodies.queue_job(message=""),
    "bus": bodies.bus(sasKey=SECRET),
    "bus without a type of its key": bodies.bus_job(authentication={"sasKeyName": "root"}),
    "bus with an empty authentication": bodies.bus_job(authentication={}),
    "bus with all": bodies.bus_job(
        transportType="amqp",
        brokeredMessageProperties=BROKERED,
        customMessageProperties={"a": "1", "A": "2"},
    ),
    "bus with empty parts": bodies.bus_job(
        brokeredMessageProperties={}, customMessageProperties={}
    ),
    "topic": bodies.topic(sasKey=SECRET),
    "topic, not specified": bodies.topic_job(
        transportType="NotSpecified", authentication={"type": "NotSpecified", "sasKeyName": "k"}
    ),
    "retries": with_policy(retryType="fixed", retryInterval="00:01:00", retryCount=0),
    "retries without a type": with_policy(retryInterval="PT1D", retryCount=20),
    "no retries, with an interval": with_policy(retryType="none", retryInterval="PT30S"),
    "growing intervals": with_policy(
        retryType="exponential", retryInterval="PT1S", maxRetryInterval="1.00:00:00", retryOn="any"
    ),
    "transient failures alone": with_policy(retryOn="transient", retryCount=2),
    "an empty policy": with_policy(),
    "a timeout": http_job(policy={"timeout": "PT1.5S"}),
    "an empty policy of the job": http_job(policy={}),
    "a description in lines": http_job(description="Closes the books.\r\nAsk\tthe team.\n"),
    "tags": http_job(tags={"team": "ledger", "empty": ""}),
    "an empty description and no tags": http_job(description="", tags={}),
    "error action": bodies.in_error_action(bodies.basic(password=SECRET)),
    "error action to a topic": bodies.in_error_action(bodies.topic(sasKey=SECRET)),
}


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_opening_and_saving_changes_nothing(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    before, shown_before = stored(billing).definition, billing.api("GET", "Billing/jobs/Nightly")

    page = billing.get(EDIT)
    saved = billing.send(EDIT, read_form(page.text, EDIT))

    assert saved.status == 200, saved.words
    assert "Saved." in saved.words
    assert stored(billing).definition == before
    assert billing.api("GET", "Billing/jobs/Nightly") == shown_before
    assert SECRET not in page.text


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_saving_the_json_as_it_is_changes_nothing(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    before = stored(billing).definition

    page = billing.get(f"{JOB}/json")
    saved = billing.send(f"{JOB}/json", read_form(page.text, f"{JOB}/json"))

    assert "Saved." in saved.words
    assert stored(billing).definition == before
    assert SECRET not in page.text


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_a_copy_has_everything_but_the_secrets(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)
    secrets = {name: _secret_of(name) for field, name in copy if field == "copied"}

    saved = billing.send(NEW, filled(copy, name="Twin", **secrets))

    assert "Job created." in saved.words
    first, second = (billing.api("GET", f"Billing/jobs/{name}") for name in ("Nightly", "Twin"))
    copied = _without_certificate(first["properties"]["action"])
    assert _without_certificate(second["properties"]["action"]) == copied
    for name in ("recurrence", "policy", "description", "tags"):
        assert second["properties"].get(name) == first["properties"].get(name)


def _secret_of(field: str) -> str:
    if field.endswith(".pfx"):
        return a_pfx("client", SECRET).text
    return SIGNING if field.endswith(".authentication.secret") else SECRET


def _without_certificate(action: dict[str, Any]) -> dict[str, Any]:
    signing = action.get("request", {}).get("authentication", {})
    for name in [each for each in signing if each.startswith("certificate")]:
        del signing[name]
    return action


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        pytest.param(
            {
                f"{ACTION}__type": "Http",
                f"{ACTION}__request__method": "PUT",
                f"{ACTION}__request__body": "a\r\nb",
            },
            {
                "type": "Http",
                "request": {"uri": "https://127.0.0.1/", "method": "PUT", "body": "a\nb"},
            },
            id="http",
        ),
        pytest.param(
            {
                f"{ACTION}__request__headers:name": ["A", "", "B"],
                f"{ACTION}__request__headers:value": ["1", "", ""],
            },
            {
                "type": "Https",
                "request": {
                    "uri": "https://127.0.0.1/",
                    "method": "GET",
                    "headers": {"A": "1", "B": ""},
                },
            },
            id="https with headers",
        ),
        pytest.param(
            {
                f"{ACTION}__request__authentication__type": "Basic",
                f"{ACTION}__request__authentication__username": "ann",
                f"{ACTION}__request__authentication__password": SECRET,
            },
            {
                "type": "Https",
                "request": {
                    "uri": "https://127.0.0.1/",
                    "method": "GET",
                    "authentication": {"type": "Basic", "username": "ann"},
                },
            },
            id="basic",
        ),
        pytest.param(
            {
                f"{ACTION}__type": "StorageQueue",
                f"{ACTION}__queueMessage__storageAccount": "acme",
                f"{ACTION}__queueMessage__queueName": "orders",
                f"{ACTION}__queueMessage__message": "hello",
                f"{ACTION}__queueMessage__sasToken": SECRET,
            },
            {
                "type": "StorageQueue",
                "queueMessage": {
                    "storageAccount": "acme",
                    "queueName": "orders",
                    "message": "hello",
                },
            },
            id="storage queue",
        ),
        pytest.param(
            {
                f"{ACTION}__type": "ServiceBusQueue",
                f"{ACTION}__serviceBusQueueMessage__namespace": "n",
                f"{ACTION}__serviceBusQueueMessage__queueName": "q",
                f"{ACTION}__serviceBusQueueMessage__message": "hello",
                f"{ACTION}__serviceBusQueueMessage__authentication__type": "sharedAccessKey",
                f"{ACTION}__serviceBusQueueMessage__authentication__sasKeyName": "root",
                f"{ACTION}__serviceBusQueueMessage__authentication__sasKey": SECRET,
            },
            {
                "type": "ServiceBusQueue",
                "serviceBusQueueMessage": {
                    "namespace": "n",
                    "queueName": "q",
                    "message": "hello",
                    "authentication": {"type": "sharedAccessKey", "sasKeyName": "root"},
                },
            },
            id="service bus queue",
        ),
        pytest.param(
            {
                f"{ACTION}__type": "ServiceBusTopic",
                f"{TOPIC}__namespace": "n",
                f"{TOPIC}__topicPath": "t",
                f"{TOPIC}__message": "hello",
                f"{TOPIC}__brokeredMessageProperties__forcePersistence": "true",
                f"{TOPIC}__authentication__type": "",
            },
            {
                "type": "ServiceBusTopic",
                "serviceBusTopicMessage": {
                    "namespace": "n",
                    "topicPath": "t",
                    "message": "hello",
                    "brokeredMessageProperties": {"forcePersistence": True},
                },
            },
            id="service bus topic",
        ),
    ],
)
def test_the_form_creates_a_job_of_each_kind(
    billing: Browser, fields: dict[str, Any], action: dict[str, Any]
) -> None:
    saved = billing.send(NEW, filled(new_form(billing), **fields))

    assert "Job created." in saved.words, saved.words
    assert billing.api("GET", "Billing/jobs/Nightly")["properties"]["action"] == action


@pytest.mark.parametrize(
    ("body", "fields", "action"),
    [
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {f"{ACTION}__type": "StorageQueue", f"{ACTION}__queueMessage__storageAccount": "a"}
            | {
                f"{ACTION}__queueMessage__queueName": "abc",
                f"{ACTION}__queueMessage__message": "m",
            },
            {
                "queueMessage": {"storageAccount": "a", "queueName": "abc", "message": "m"},
                "type": "StorageQueue",
            },
            id="another kind",
        ),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {f"{ACTION}__request__authentication__type": ""},
            {"request": {"uri": "https://example.com/a", "method": "POST"}, "type": "Http"},
            id="no authentication",
        ),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {
                f"{ACTION}__request__authentication__type": "Basic",
                f"{ACTION}__request__authentication__username": "u",
                f"{ACTION}__request__authentication__password": "p",
            },
            {
                "request": {
                    "uri": "https://example.com/a",
                    "method": "POST",
                    "authentication": {"type": "Basic", "username": "u"},
                },
                "type": "Http",
            },
            id="another authentication",
        ),
        pytest.param(
            with_policy(retryType="fixed", retryCount=3),
            {f"{ACTION}__retryPolicy__retryType": "", f"{ACTION}__type": "Https"}
            | {f"{ACTION}__request__uri": "https://example.com/"},
            {"request": {"uri": "https://example.com/", "method": "get"}, "type": "Https"},
            id="the default policy again, and https",
        ),
        pytest.param(
            bodies.in_error_action(bodies.basic()),
            {f"{ACTION}__errorAction__type": ""},
            {"request": {"uri": "http://example.com/", "method": "get"}, "type": "Http"},
            id="no error action",
        ),
    ],
)
def test_a_new_choice_removes_the_values_of_the_old_choice(
    billing: Browser, body: dict[str, Any], fields: dict[str, str], action: dict[str, Any]
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    page = billing.get(EDIT)

    saved = billing.send(EDIT, filled(read_form(page.text, EDIT), **fields))

    assert "Saved." in saved.words, saved.words
    assert billing.api("GET", "Billing/jobs/Nightly")["properties"]["action"] == action


def test_a_description_and_tags_are_written_and_removed(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    labels = {
        "properties.description": "Closes the books",
        "properties.tags:name": ["team", ""],
        "properties.tags:value": ["ledger", ""],
    }

    def saved(**fields: Any) -> dict[str, Any]:
        billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), **fields))
        return billing.api("GET", "Billing/jobs/Nightly")["properties"]

    given = saved(**labels)
    removed = saved(**dict.fromkeys(labels, ""))

    assert (given["description"], given["tags"]) == ("Closes the books", {"team": "ledger"})
    assert removed.keys().isdisjoint({"description", "tags"})
