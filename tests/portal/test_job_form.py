"""The form of a job: it loses nothing, says what is wrong where it is, and shows no secret."""

import json
from typing import Any

import pytest

from foliot.core.model import Scope
from tests.api import bodies
from tests.api.client import http_job
from tests.certificates import a_pfx
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.filling import filled, read_form

NEW = f"{COLLECTION}/new"
EDIT = f"{JOB}/edit"
SECRET = "s3cr3t-and-not-shown"  # noqa: S105  (of a test)
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
    "an empty policy": with_policy(),
    "error action": bodies.in_error_action(bodies.basic(password=SECRET)),
    "error action to a topic": bodies.in_error_action(bodies.topic(sasKey=SECRET)),
}


def definition(browser: Browser) -> Any:
    def view(reading: Any) -> Any:
        found = reading.collections_seen(Scope())[0].collection
        return reading.located_job(found.key, "Nightly")[1].definition

    return browser.run(browser.store.read(view))


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_opening_and_saving_changes_nothing(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    before, shown_before = definition(billing), billing.api("GET", "Billing/jobs/Nightly")

    page = billing.get(EDIT)
    saved = billing.send(EDIT, read_form(page.text, EDIT))

    assert saved.status == 200, saved.words
    assert "Saved." in saved.words
    assert definition(billing) == before
    assert billing.api("GET", "Billing/jobs/Nightly") == shown_before
    assert SECRET not in page.text


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_saving_the_json_as_it_is_changes_nothing(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    before = definition(billing)

    page = billing.get(f"{JOB}/json")
    saved = billing.send(f"{JOB}/json", read_form(page.text, f"{JOB}/json"))

    assert "Saved." in saved.words
    assert definition(billing) == before
    assert SECRET not in page.text


# A copy of a certificate's job is refused until the file is given again.
COPIED = {name: body for name, body in EVERYTHING.items() if name != "certificate"}


@pytest.mark.parametrize("body", COPIED.values(), ids=COPIED)
def test_a_copy_is_the_same_but_for_its_secrets(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    page = billing.get(f"{JOB}/duplicate")

    saved = billing.send(NEW, filled(read_form(page.text, NEW), name="Twin"))

    assert "The job is there." in saved.words
    first, second = (billing.api("GET", f"Billing/jobs/{name}") for name in ("Nightly", "Twin"))
    copied = _without_certificate(first["properties"]["action"])
    assert _without_certificate(second["properties"]["action"]) == copied
    assert second["properties"].get("recurrence") == first["properties"].get("recurrence")


def _without_certificate(action: dict[str, Any]) -> dict[str, Any]:
    signing = action.get("request", {}).get("authentication", {})
    for name in [each for each in signing if each.startswith("certificate")]:
        del signing[name]
    return action


def new_form(billing: Browser) -> list[tuple[str, str]]:
    return filled(
        read_form(billing.get(NEW).text, NEW),
        name="Nightly",
        properties__action__request__uri="http://127.0.0.1/",
    )


A = "properties__action"


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        pytest.param(
            {f"{A}__type": "Http", f"{A}__request__method": "PUT", f"{A}__request__body": "a\r\nb"},
            {
                "type": "Http",
                "request": {"uri": "http://127.0.0.1/", "method": "PUT", "body": "a\nb"},
            },
            id="http",
        ),
        pytest.param(
            {
                f"{A}__request__headers:name": ["A", "", "B"],
                f"{A}__request__headers:value": ["1", "", ""],
            },
            {
                "type": "Https",
                "request": {
                    "uri": "http://127.0.0.1/",
                    "method": "GET",
                    "headers": {"A": "1", "B": ""},
                },
            },
            id="https with headers",
        ),
        pytest.param(
            {
                f"{A}__request__authentication__type": "Basic",
                f"{A}__request__authentication__username": "ann",
                f"{A}__request__authentication__password": SECRET,
            },
            {
                "type": "Https",
                "request": {
                    "uri": "http://127.0.0.1/",
                    "method": "GET",
                    "authentication": {"type": "Basic", "username": "ann"},
                },
            },
            id="basic",
        ),
        pytest.param(
            {
                f"{A}__type": "StorageQueue",
                f"{A}__queueMessage__storageAccount": "acme",
                f"{A}__queueMessage__queueName": "q",
                f"{A}__queueMessage__message": "hello",
                f"{A}__queueMessage__sasToken": SECRET,
            },
            {
                "type": "StorageQueue",
                "queueMessage": {"storageAccount": "acme", "queueName": "q", "message": "hello"},
            },
            id="storage queue",
        ),
        pytest.param(
            {
                f"{A}__type": "ServiceBusQueue",
                f"{A}__serviceBusQueueMessage__namespace": "n",
                f"{A}__serviceBusQueueMessage__queueName": "q",
                f"{A}__serviceBusQueueMessage__message": "hello",
                f"{A}__serviceBusQueueMessage__authentication__type": "sharedAccessKey",
                f"{A}__serviceBusQueueMessage__authentication__sasKeyName": "root",
                f"{A}__serviceBusQueueMessage__authentication__sasKey": SECRET,
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
                f"{A}__type": "ServiceBusTopic",
                f"{A}__serviceBusTopicMessage__namespace": "n",
                f"{A}__serviceBusTopicMessage__topicPath": "t",
                f"{A}__serviceBusTopicMessage__message": "hello",
                f"{A}__serviceBusTopicMessage__brokeredMessageProperties__forcePersistence": "true",
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
def test_a_job_of_each_kind_is_made(
    billing: Browser, fields: dict[str, Any], action: dict[str, Any]
) -> None:
    saved = billing.send(NEW, filled(new_form(billing), **fields))

    assert "The job is there." in saved.words, saved.words
    assert billing.api("GET", "Billing/jobs/Nightly")["properties"]["action"] == action


R = "properties__recurrence"


@pytest.mark.parametrize(
    ("fields", "recurrence"),
    [
        pytest.param({f"{R}__frequency": ""}, None, id="once"),
        pytest.param({}, {"frequency": "day", "interval": 1}, id="every day, the first offer"),
        pytest.param(
            {
                f"{R}__frequency": "week",
                f"{R}__interval": "2",
                f"{R}__schedule__weekDays": ["monday", "friday"],
                f"{R}__schedule__hours": ["8", "17"],
                f"{R}__schedule__minutes:more": "7; 22 7",
            },
            {
                "frequency": "week",
                "interval": 2,
                "schedule": {
                    "weekDays": ["monday", "friday"],
                    "hours": [8, 17],
                    "minutes": [7, 22],
                },
            },
            id="weekly",
        ),
        pytest.param(
            {
                f"{R}__frequency": "month",
                f"{R}__schedule__weekDays": ["monday"],
                f"{R}__schedule__monthlyOccurrences:day": ["monday", "friday"],
                f"{R}__schedule__monthlyOccurrences:nth": ["-1", ""],
            },
            {
                "frequency": "month",
                "interval": 1,
                "schedule": {
                    "monthlyOccurrences": [{"day": "monday", "Occurrence": -1}, {"day": "friday"}]
                },
            },
            id="weekdays of the month; what belongs to weeks is left behind",
        ),
    ],
)
def test_a_schedule_is_built(
    billing: Browser, fields: dict[str, Any], recurrence: dict[str, Any] | None
) -> None:
    saved = billing.send(NEW, filled(new_form(billing), **fields))

    assert "The job is there." in saved.words, saved.words
    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties.get("recurrence") == recurrence


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        pytest.param({"name": "1st"}, "name", '"1st" is not valid; give 1 to 100', id="name"),
        pytest.param(
            {f"{A}__request__uri": "ftp://h/"},
            "properties.action.request.uri",
            '"ftp://h/" is not valid; give an absolute address',
            id="address",
        ),
        pytest.param(
            {f"{A}__request__uri": ""},
            "properties.action.request.uri",
            "is missing; give a string.",
            id="no address",
        ),
        pytest.param(
            {f"{R}__interval": "often"},
            "properties.recurrence.interval",
            '"often" is not valid; give a whole number.',
            id="no number",
        ),
        pytest.param(
            {f"{R}__schedule__hours": ["1", "25"]},
            "properties.recurrence.schedule.hours",
            "25 is not valid; give an hour from 0 to 23.",
            id="an hour",
        ),
        pytest.param(
            {f"{R}__timeZone": "Europe/Pragua"},
            "properties.recurrence.timeZone",
            'did you mean "Europe/Prague"?',
            id="time zone",
        ),
        pytest.param(
            {f"{A}__request__headers:name": ["A", "A"], f"{A}__request__headers:value": ["1", "2"]},
            "properties.action.request.headers",
            "A is given twice; give it once.",
            id="a header twice",
        ),
        pytest.param(
            {f"{A}__request__headers:name": ["Host"], f"{A}__request__headers:value": ["1"]},
            "properties.action.request.headers",
            "cannot be set",
            id="a header that is not to be set",
        ),
        pytest.param(
            {f"{A}__retryPolicy__retryType": "fixed", f"{A}__retryPolicy__retryInterval": "1s"},
            "properties.action.retryPolicy.retryInterval",
            "is not valid; give",
            id="retry interval",
        ),
        pytest.param(
            {f"{A}__errorAction__type": "StorageQueue"},
            "properties.action.errorAction.queueMessage.storageAccount",
            "",
            id="error action",
        ),
    ],
)
def test_a_problem_stands_beside_its_field_in_the_words_of_the_api(
    billing: Browser, fields: dict[str, Any], field: str, words: str
) -> None:
    given = filled(new_form(billing), **fields)

    refused = billing.send(NEW, given)

    assert refused.status == 400
    if words:
        start = refused.text.index(f'id="{field}-problem"')
        assert words in refused.words
        assert words.split('"', maxsplit=1)[0].strip() in _text_at(refused.text, start)
    assert billing.api("GET", "Billing/jobs")["value"] == []
    assert dict(read_form(refused.text, NEW))["name"] == dict(given)["name"]


def _text_at(html: str, start: int) -> str:
    return html[start : html.index("</p>", start)].replace("&#34;", '"').replace("&#39;", "'")


def test_a_refused_form_does_not_show_the_secret_again(billing: Browser) -> None:
    fields = {
        f"{A}__request__authentication__type": "Basic",
        f"{A}__request__authentication__password": SECRET,
        f"{A}__request__uri": "nowhere",
    }

    refused = billing.send(NEW, filled(new_form(billing), **fields))

    assert refused.status == 400
    assert SECRET not in refused.text


def test_a_secret_that_would_go_elsewhere_is_asked_for_again(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    page = billing.get(EDIT)

    refused = billing.send(
        EDIT, filled(read_form(page.text, EDIT), **{f"{A}__request__uri": "https://evil.test/"})
    )

    assert refused.status == 400
    start = refused.text.index('id="properties.action.request.authentication.password-problem"')
    assert "send the secret again" in _text_at(refused.text, start)


def test_a_new_secret_replaces_the_old_one(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET[::-1]))
    page = billing.get(EDIT)

    billing.send(
        EDIT,
        filled(read_form(page.text, EDIT), **{f"{A}__request__authentication__password": SECRET}),
    )

    assert definition(billing).action.part.authentication.password.reveal() == SECRET


@pytest.mark.parametrize(
    ("body", "fields", "action"),
    [
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {f"{A}__type": "StorageQueue", f"{A}__queueMessage__storageAccount": "a"}
            | {f"{A}__queueMessage__queueName": "q", f"{A}__queueMessage__message": "m"},
            {
                "queueMessage": {"storageAccount": "a", "queueName": "q", "message": "m"},
                "type": "StorageQueue",
            },
            id="another kind",
        ),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {f"{A}__request__authentication__type": ""},
            {"request": {"uri": "https://example.com/a", "method": "POST"}, "type": "Http"},
            id="no authentication",
        ),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            {
                f"{A}__request__authentication__type": "Basic",
                f"{A}__request__authentication__username": "u",
                f"{A}__request__authentication__password": "p",
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
            {f"{A}__retryPolicy__retryType": "", f"{A}__type": "Https"},
            {"request": {"uri": "http://example.com/", "method": "get"}, "type": "Https"},
            id="the default policy again, and https",
        ),
        pytest.param(
            bodies.in_error_action(bodies.basic()),
            {f"{A}__errorAction__type": ""},
            {"request": {"uri": "http://example.com/", "method": "get"}, "type": "Http"},
            id="no error action",
        ),
    ],
)
def test_another_choice_leaves_nothing_of_the_one_before(
    billing: Browser, body: dict[str, Any], fields: dict[str, str], action: dict[str, Any]
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    page = billing.get(EDIT)

    saved = billing.send(EDIT, filled(read_form(page.text, EDIT), **fields))

    assert "Saved." in saved.words, saved.words
    assert billing.api("GET", "Billing/jobs/Nightly")["properties"]["action"] == action


def test_what_someone_else_changed_meanwhile_is_not_overwritten(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    pairs = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PUT", "Billing/jobs/Nightly", http_job("http://other.test/"))

    refused = billing.send(EDIT, pairs)

    assert refused.status == 409
    assert "Someone has changed the job meanwhile" in refused.words
    assert definition(billing).action.part.uri == "http://other.test/"


def test_a_name_that_is_taken_is_refused(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())

    refused = billing.send(NEW, new_form(billing))

    assert refused.status == 409
    assert "There is a job 'Nightly' here already" in refused.words


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        pytest.param("{", 400, "the text is not JSON", id="no JSON"),
        pytest.param("{}", 400, "properties: is missing", id="no job"),
        pytest.param(
            json.dumps(http_job(state="completed")), 400, "properties.state", id="a final state"
        ),
    ],
)
def test_bad_json_is_refused_and_shown_as_it_was_written(
    billing: Browser, text: str, status: int, words: str
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    path = f"{JOB}/json"

    refused = billing.send(path, filled(read_form(billing.get(path).text, path), json=text))

    assert refused.status == status
    assert words in refused.words
    assert dict(read_form(refused.text, path))["json"] == text.replace("\n", "\r\n")


def test_a_broken_form_is_refused_without_a_failure(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    csrf = billing.get("/about").csrf

    assert billing.send(EDIT, [("csrf", csrf), ("was", "{")]).status == 400
    assert billing.send(EDIT, [("csrf", csrf)]).status == 409
    assert billing.send(EDIT, [("csrf", csrf), ("was", "[]")]).status == 409
