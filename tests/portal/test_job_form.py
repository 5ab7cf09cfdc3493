"""The form of a job: it loses nothing, says what is wrong where it is, and shows no secret."""

import json
import re
from html import unescape
from typing import Any

import pytest

from foliot.core.model.token import Scope
from tests.portal.browser import COLLECTION, JOB, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.support import bodies
from tests.support.api_client import http_job
from tests.support.certificates import a_pfx

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
        found = reading.search_collections(Scope())[0].collection
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


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING)
def test_a_copy_is_the_same_but_for_its_secrets(billing: Browser, body: dict[str, Any]) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)
    secrets = {name: _secret_of(name) for field, name in copy if field == "copied"}

    saved = billing.send(NEW, filled(copy, name="Twin", **secrets))

    assert "Job created." in saved.words
    first, second = (billing.api("GET", f"Billing/jobs/{name}") for name in ("Nightly", "Twin"))
    copied = _without_certificate(first["properties"]["action"])
    assert _without_certificate(second["properties"]["action"]) == copied
    assert second["properties"].get("recurrence") == first["properties"].get("recurrence")


def _secret_of(field: str) -> str:
    return a_pfx("client", SECRET).text if field.endswith(".pfx") else SECRET


def _without_certificate(action: dict[str, Any]) -> dict[str, Any]:
    signing = action.get("request", {}).get("authentication", {})
    for name in [each for each in signing if each.startswith("certificate")]:
        del signing[name]
    return action


def new_form(billing: Browser) -> list[tuple[str, str]]:
    return filled(
        read_form(billing.get(NEW).text, NEW),
        name="Nightly",
        properties__action__request__uri="https://127.0.0.1/",
    )


A = "properties__action"


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        pytest.param(
            {f"{A}__type": "Http", f"{A}__request__method": "PUT", f"{A}__request__body": "a\r\nb"},
            {
                "type": "Http",
                "request": {"uri": "https://127.0.0.1/", "method": "PUT", "body": "a\nb"},
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
                    "uri": "https://127.0.0.1/",
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
                    "uri": "https://127.0.0.1/",
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

    assert "Job created." in saved.words, saved.words
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

    assert "Job created." in saved.words, saved.words
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
            "Address is missing.",
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
            {f"{A}__retryPolicy__retryType": "", f"{A}__type": "Https"}
            | {f"{A}__request__uri": "https://example.com/"},
            {"request": {"uri": "https://example.com/", "method": "get"}, "type": "Https"},
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
    assert "someone else changed this job while you were editing it" in refused.words
    assert definition(billing).action.part.uri == "http://other.test/"


def test_a_name_that_is_taken_is_refused(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())

    refused = billing.send(NEW, new_form(billing))

    assert refused.status == 409
    assert "There is a job 'Nightly' here already" in refused.words


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        pytest.param("{", 400, "The text is not JSON", id="no JSON"),
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
    assert billing.send(EDIT, [("csrf", csrf)]).status == 400
    assert billing.send(EDIT, [("csrf", csrf), ("was", "[]")]).status == 400


def problems_on(shown: Shown) -> dict[str, str]:
    """Return what the summary of a form says, by the field it leads to."""
    summary = shown.text.split('id="problems"')[1].split("</div>")[0]
    return {
        field: unescape(words) for field, words in re.findall(r'href="#([^"]+)">([^<]+)<', summary)
    }


def test_all_problems_are_told_at_once_in_the_words_of_the_form(billing: Browser) -> None:
    fields = {
        "name": "1st",
        f"{A}__request__uri": "",
        f"{A}__request__headers:name": ["A", "A"],
        f"{A}__request__headers:value": ["1", "2"],
        f"{A}__retryPolicy__retryType": "fixed",
        f"{A}__retryPolicy__retryInterval": "1s",
        f"{A}__errorAction__type": "StorageQueue",
        f"{R}__interval": "often",
        f"{R}__timeZone": "Europe/Pragua",
    }

    refused = billing.send(NEW, filled(new_form(billing), **fields))

    told = problems_on(refused)
    assert told["name"].startswith('Name: "1st" is not valid')
    assert told["properties.action.request.uri"] == "Address is missing."
    assert told["properties.action.request.headers"] == "Headers: A is given twice; give it once."
    assert told["properties.recurrence.interval"].startswith('Repeat every: "often" is not valid')
    error_action = "properties.action.errorAction.queueMessage"
    assert told[f"{error_action}.storageAccount"] == "Error action: Storage account is missing."
    assert told[f"{error_action}.message"] == "Error action: Message is missing."
    assert told.keys() >= {
        "properties.action.retryPolicy.retryInterval",
        "properties.recurrence.timeZone",
        f"{error_action}.queueName",
    }
    for field in told:
        assert f'id="{field}"' in refused.text
        assert f'id="{field}-problem"' in refused.text
    assert 'id="problems" role="alert" tabindex="-1" autofocus' in refused.text


def test_a_certificate_that_cannot_be_opened_is_told_with_the_other_problems(
    billing: Browser,
) -> None:
    signing = f"{A}__request__authentication"
    fields = {
        f"{A}__request__uri": "nowhere",
        f"{signing}__type": "ClientCertificate",
        f"{signing}__pfx": a_pfx("client", SECRET).text,
        f"{signing}__password": "wrong",
    }

    told = problems_on(billing.send(NEW, filled(new_form(billing), **fields)))

    assert told.keys() == {
        "properties.action.request.uri",
        "properties.action.request.authentication.pfx",
    }


def test_a_schedule_that_never_occurs_is_told_beside_its_frequency(billing: Browser) -> None:
    fields = {
        f"{R}__frequency": "month",
        f"{R}__schedule__monthDays": ["30"],
        f"{R}__schedule__months": ["2"],
    }

    told = problems_on(billing.send(NEW, filled(new_form(billing), **fields)))

    assert "this schedule never occurs" in told["properties.recurrence.frequency"].lower()
    assert "once" not in told["properties.recurrence.frequency"]


def test_https_with_a_plain_address_is_refused(billing: Browser) -> None:
    uri = "properties.action.request.uri"

    refused = billing.send(NEW, filled(new_form(billing), **{uri: "HTTP://h/"}))

    assert refused.status == 400
    assert "without encryption" in problems_on(refused)[uri]


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        pytest.param(bodies.basic(password=SECRET), ["Password"], id="basic"),
        pytest.param(bodies.queue_job(sasToken=SECRET), ["Shared access signature"], id="queue"),
        pytest.param(
            bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET),
            ["Password", "Certificate with its key"],
            id="certificate",
        ),
        pytest.param(
            bodies.in_error_action(bodies.topic(sasKey=SECRET)),
            ["Error action: Key"],
            id="topic",
        ),
    ],
)
def test_a_copy_asks_for_the_secrets_of_the_original(
    billing: Browser, body: dict[str, Any], labels: list[str]
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", body)
    page = billing.get(f"{JOB}/duplicate")

    refused = billing.send(NEW, read_form(page.text, NEW))

    assert f"Give these again: {' '.join(labels)} " in page.words
    assert page.words.count("must be given again") == len(labels)
    assert refused.status == 400
    assert sorted(problems_on(refused).values()) == sorted(
        f"{label} must be given again: a copy does not take it from the original."
        for label in labels
    )
    assert [each["name"] for each in billing.api("GET", "Billing/jobs")["value"]] == [
        "Billing/Nightly"
    ]
    assert ("copied" in dict(read_form(refused.text, NEW))) is True


def test_a_copy_that_no_longer_needs_a_secret_is_not_asked_for_it(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)

    saved = billing.send(NEW, filled(copy, **{f"{A}__request__authentication__type": ""}))

    assert "Job created." in saved.words


WEEKLY = {f"{R}__frequency": "week", f"{R}__schedule__weekDays": ["friday"]}


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        pytest.param(
            WEEKLY | {f"{R}__schedule__hours": ["9"], f"{R}__schedule__minutes": ["30"]},
            "2026-01-16T09:30:00Z",
            id="the next scheduled time",
        ),
        pytest.param(WEEKLY, "2026-01-16T00:01:00Z", id="on the minute"),
        pytest.param(WEEKLY | {"first": "now"}, None, id="at once where that is asked for"),
        pytest.param(
            WEEKLY | {"properties__startTime": "2026-02-01T00:00:00Z"},
            "2026-02-01T00:00:00Z",
            id="a start that is given",
        ),
        pytest.param({f"{R}__frequency": "week"}, None, id="no days and times: a grid from now"),
        pytest.param({f"{R}__frequency": ""}, None, id="once"),
    ],
)
def test_a_job_on_a_schedule_begins_with_the_schedule(
    billing: Browser, fields: dict[str, Any], start: str | None
) -> None:
    billing.set_time("2026-01-12T00:00:30Z")
    billing.sign_in()

    billing.send(NEW, filled(new_form(billing), **fields))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties.get("startTime") == start


def test_the_preview_says_when_a_job_also_runs_at_once(billing: Browser) -> None:
    query = "properties.recurrence.frequency=week&properties.recurrence.schedule.weekDays=friday"
    path = f"{COLLECTION}/preview?{query}&properties.recurrence.schedule.hours=9"

    by_default, at_once = billing.part(path), billing.part(f"{path}&first=now")

    assert "Every week on Friday at 09:00 UTC Next 10 runs" in by_default.words
    assert "Every week on Friday at 09:00 UTC, and once when it is saved" in at_once.words


def test_a_new_schedule_of_a_job_does_not_make_it_run_at_once(billing: Browser) -> None:
    schedule = {"weekDays": ["friday"], "hours": [9], "minutes": [0]}
    billing.api("PUT", "Billing/jobs/Nightly", recurring(frequency="week", schedule=schedule))
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, **{f"{R}__schedule__hours": ["10"]}))

    properties = billing.api("GET", "Billing/jobs/Nightly")["properties"]
    assert properties["startTime"].endswith("T10:00:00Z")
    assert properties["status"]["nextExecutionTime"] == properties["startTime"]


def test_what_two_people_changed_can_be_settled(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", bodies.request_job(uri="http://a/", body="one"))
    mine = filled(
        read_form(billing.get(EDIT).text, EDIT),
        **{f"{A}__request__uri": "http://mine/", f"{A}__request__headers:name": ["A"]},
        **{f"{A}__request__headers:value": ["1"]},
    )
    theirs = bodies.request_job(uri="http://theirs/", body="two", headers={"A": "2"})
    billing.api("PUT", "Billing/jobs/Nightly", theirs)

    shown = billing.send(EDIT, mine)
    again = billing.send(
        EDIT,
        [*read_form(shown.text, EDIT), ("take", "properties.action.request.headers")],
    )

    assert shown.status == 409
    assert "so they now have the new values: Body." in shown.words
    assert "Address http://mine/ http://theirs/" in shown.words
    assert "Headers A: 1 A: 2" in shown.words
    assert "Saved." in again.words
    part = definition(billing).action.part
    assert (part.uri, part.body, part.headers) == ("http://mine/", "two", {"A": "2"})


def test_lists_that_two_people_changed_are_told_in_order(billing: Browser) -> None:
    def weekly(*days: str, hours: list[int]) -> dict[str, Any]:
        return recurring(frequency="week", schedule={"weekDays": [*days], "hours": hours})

    billing.api("PUT", "Billing/jobs/Nightly", weekly("monday", hours=[1]))
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PUT", "Billing/jobs/Nightly", weekly("friday", hours=[3, 2]))

    shown = billing.send(
        EDIT,
        filled(
            form,
            **{f"{R}__schedule__weekDays": ["tuesday"], f"{R}__schedule__hours": ["2", "3"]},
        ),
    )

    assert "On these days Tuesday Friday" in shown.words
    assert "You had not changed these" not in shown.words
    assert "At these hours 2" not in shown.words


def test_json_that_someone_else_changed_is_shown_beside_ones_own(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    path = f"{JOB}/json"
    form = read_form(billing.get(path).text, path)
    billing.api("PUT", "Billing/jobs/Nightly", http_job("http://theirs/"))

    mine = filled(form, json=json.dumps(http_job("http://mine/")))
    shown = billing.send(path, mine)
    again = billing.send(path, read_form(shown.text, path))

    assert shown.status == 409
    assert "http://theirs/" in shown.words
    assert "Saved." in again.words
    assert definition(billing).action.part.uri == "http://mine/"


def test_a_state_that_cannot_be_asked_for_is_told_beside_it(billing: Browser) -> None:
    refused = billing.send(NEW, filled(new_form(billing), properties__state="completed"))

    assert refused.status == 400
    assert problems_on(refused).keys() == {"properties.state"}


def test_a_full_collection_is_told_above_the_form(billing: Browser) -> None:
    billing.api("PATCH", "Billing", {"properties": {"quota": {"maxJobCount": 1}}})
    billing.api("PUT", "Billing/jobs/Other", http_job())

    refused = billing.send(NEW, new_form(billing))

    assert refused.status == 409
    assert problems_on(refused) == {}
    assert "Not saved: one thing needs your attention." in refused.words


def test_a_form_that_says_not_what_it_was_made_from_is_a_conflict(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())

    shown = billing.send(EDIT, filled(read_form(billing.get(EDIT).text, EDIT), was="[]"))

    assert shown.status == 409


def test_the_preview_of_a_job_that_is_gone_says_so(billing: Browser) -> None:
    assert "Job 'gone' cannot be found." in billing.part(f"{COLLECTION}/preview?of=gone").words


def test_another_certificate_for_a_copy_needs_no_password_of_the_old_one(billing: Browser) -> None:
    body = bodies.certificate(pfx=a_pfx("client", SECRET).text, password=SECRET)
    billing.api("PUT", "Billing/jobs/Nightly", body)
    copy = read_form(billing.get(f"{JOB}/duplicate").text, NEW)
    pfx = "properties.action.request.authentication.pfx"

    refused = billing.send(NEW, filled(copy, **{pfx: a_pfx("client", SECRET).text}))

    assert problems_on(refused).keys() == {pfx}
