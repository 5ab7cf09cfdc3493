"""Problems of the job form, at their fields and in the summary."""

import json
from typing import Any

import pytest

from foliot.core.job_defaults import JobDefaults
from foliot.dispatch.queue_endpoints import storage_endpoints
from foliot.portal.forms.job_rules import rules_broken
from foliot.portal.forms.posted import Form
from tests.portal.browser import JOB, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import (
    ACTION,
    EDIT,
    NEW,
    RECURRENCE,
    SECRET,
    new_form,
    paragraph_at,
    problems_on,
    refused_on,
)
from tests.support.api_client import http_job
from tests.support.certificates import a_pfx

QUEUE = "properties.action.queueMessage"


def test_a_message_is_measured_in_the_format_of_the_server(billing: Browser) -> None:
    billing.use_cases.jobs.defaults = JobDefaults(queue_format="envelope")
    form, queue = new_form(billing), f"{ACTION}__queueMessage"
    fields = {
        f"{ACTION}__type": "StorageQueue",
        f"{queue}__storageAccount": "acme",
        f"{queue}__queueName": "orders",
        f"{queue}__message": "&" * 12_000,
    }

    offered = billing.get(NEW)
    refused = billing.send(NEW, filled(form, **fields))

    assert "default (envelope)" in offered.text
    assert refused.status == 400
    assert "as it goes to the queue" in problems_on(refused)[f"{QUEUE}.message"]


def queue_fields(account: str) -> dict[str, str]:
    queue = f"{ACTION}__queueMessage"
    return {
        f"{ACTION}__type": "StorageQueue",
        f"{queue}__storageAccount": account,
        f"{queue}__queueName": "orders",
        f"{queue}__message": "hello",
    }


NO_KEY = {f"{ACTION}__serviceBusQueueMessage__authentication__type": ""}


def bus_fields(namespace: str) -> dict[str, str]:
    queue = f"{ACTION}__serviceBusQueueMessage"
    return {
        f"{ACTION}__type": "ServiceBusQueue",
        f"{queue}__namespace": namespace,
        f"{queue}__queueName": "orders",
        f"{queue}__message": "hello",
    }


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        (
            queue_fields("127.0.0.1"),
            f"{QUEUE}.storageAccount",
            '"127.0.0.1" is not the name of a storage account.',
        ),
        (
            bus_fields("acme.servicebus.windows.net"),
            "properties.action.serviceBusQueueMessage.namespace",
            '"acme.servicebus.windows.net" is not the name of a service bus namespace; '
            "give only 'acme', the first part of the address.",
        ),
        (
            queue_fields("https://myaccount.queue.core.windows.net/"),
            f"{QUEUE}.storageAccount",
            "give only 'myaccount', the first part of the address.",
        ),
        (
            queue_fields("acme") | {f"{ACTION}__queueMessage__queueName": "My Queue"},
            f"{QUEUE}.queueName",
            '"My Queue" is not the name of a queue; '
            "give 3 to 63 lower-case letters, digits and single hyphens.",
        ),
    ],
    ids=["storage account", "namespace", "address of an account", "queue"],
)
def test_a_name_that_every_run_would_refuse_is_refused_by_the_form(
    billing: Browser, fields: dict[str, str], field: str, words: str
) -> None:
    refused = billing.send(NEW, filled(new_form(billing), **fields))

    assert refused.status == 400
    assert words in problems_on(refused)[field]


def test_the_name_of_an_account_that_the_operator_has_set_is_accepted(billing: Browser) -> None:
    placed = '{"127.0.0.1": "http://127.0.0.1:10001/devstoreaccount1"}'
    form = Form(filled(new_form(billing), **queue_fields("127.0.0.1")))

    told = dict(rules_broken(form, billing.context))
    set_by_operator = billing.context._replace(storage=storage_endpoints(None, placed))

    assert f"{QUEUE}.storageAccount" in told
    assert not dict(rules_broken(form, set_by_operator))


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        pytest.param({"name": "1st"}, "name", '"1st" is not valid; give 1 to 100', id="name"),
        pytest.param(
            {"properties__policy__timeout": "banana"},
            "properties.policy.timeout",
            '"banana" is not valid; give a length of time such as 30s, 5m, 2h or 1d;',
            id="length of time",
        ),
        pytest.param(
            {"properties__description": "x" * 1001},
            "properties.description",
            "Description has 1001 characters; give at most 1000.",
            id="description",
        ),
        pytest.param(
            {"properties__tags:name": ["a/b"], "properties__tags:value": ["1"]},
            "properties.tags",
            '"a/b" is not valid; give names without',
            id="tags",
        ),
        pytest.param(
            {f"{ACTION}__request__uri": "ftp://h/"},
            "properties.action.request.uri",
            '"ftp://h/" is not valid; give an absolute address',
            id="address",
        ),
        pytest.param(
            {f"{ACTION}__request__uri": ""},
            "properties.action.request.uri",
            "Address is missing.",
            id="no address",
        ),
        pytest.param(
            {f"{RECURRENCE}__interval": "often"},
            "properties.recurrence.interval",
            '"often" is not valid; give a whole number.',
            id="no number",
        ),
        pytest.param(
            {f"{RECURRENCE}__schedule__hours": ["1", "25"], "times_by": "chips"},
            "properties.recurrence.schedule.hours",
            "25 is not valid; give an hour from 0 to 23.",
            id="an hour",
        ),
        pytest.param(
            {f"{RECURRENCE}__timeZone": "Europe/Pragua"},
            "properties.recurrence.timeZone",
            'did you mean "Europe/Prague"?',
            id="time zone",
        ),
        pytest.param(
            {
                f"{ACTION}__request__headers:name": ["A", "A"],
                f"{ACTION}__request__headers:value": ["1", "2"],
            },
            "properties.action.request.headers",
            "A is given twice; give it once.",
            id="a header twice",
        ),
        pytest.param(
            {
                f"{ACTION}__request__headers:name": ["Host"],
                f"{ACTION}__request__headers:value": ["1"],
            },
            "properties.action.request.headers",
            "cannot be set",
            id="a header that is not to be set",
        ),
        pytest.param(
            {
                f"{ACTION}__retryPolicy__retryType": "fixed",
                f"{ACTION}__retryPolicy__retryInterval": "1s",
            },
            "properties.action.retryPolicy.retryInterval",
            "is not valid; give",
            id="retry interval",
        ),
        pytest.param(
            {f"{ACTION}__errorAction__type": "StorageQueue"},
            "properties.action.errorAction.queueMessage.storageAccount",
            "",
            id="error action",
        ),
    ],
)
def test_a_problem_is_shown_at_its_field_in_the_words_of_the_api(
    billing: Browser, fields: dict[str, Any], field: str, words: str
) -> None:
    given = filled(new_form(billing), **fields)

    refused = billing.send(NEW, given)

    assert refused.status == 400
    if words:
        start = refused.text.index(f'id="{field}-problem"')
        assert words in refused.words
        assert words.split('"', maxsplit=1)[0].strip() in paragraph_at(refused.text, start)
    assert billing.api("GET", "Billing/jobs")["value"] == []
    assert dict(read_form(refused.text, NEW))["name"] == dict(given)["name"]


def test_a_name_that_is_taken_is_refused(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())

    refused = billing.send(NEW, new_form(billing))

    assert refused.status == 409
    assert "Job 'Nightly' exists already; choose another name." in refused.words


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
def test_invalid_json_is_refused_and_shown_unchanged(
    billing: Browser, text: str, status: int, words: str
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    path = f"{JOB}/json"

    refused = billing.send(path, filled(read_form(billing.get(path).text, path), json=text))

    assert refused.status == status
    assert words in refused.words
    assert dict(read_form(refused.text, path))["json"] == text.replace("\n", "\r\n")


def test_a_malformed_form_is_refused_with_status_400(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    csrf = billing.get("/about").csrf

    assert billing.send(EDIT, [("csrf", csrf), ("was", "{")]).status == 400
    assert billing.send(EDIT, [("csrf", csrf)]).status == 400
    assert billing.send(EDIT, [("csrf", csrf), ("was", "[]")]).status == 400


def test_the_summary_lists_all_problems_with_the_labels_of_the_form(billing: Browser) -> None:
    fields = {
        "name": "1st",
        f"{ACTION}__request__uri": "",
        f"{ACTION}__request__headers:name": ["A", "A"],
        f"{ACTION}__request__headers:value": ["1", "2"],
        f"{ACTION}__retryPolicy__retryType": "fixed",
        f"{ACTION}__retryPolicy__retryInterval": "1s",
        f"{ACTION}__errorAction__type": "StorageQueue",
        f"{RECURRENCE}__interval": "often",
        f"{RECURRENCE}__timeZone": "Europe/Pragua",
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


def test_a_certificate_that_cannot_be_opened_is_listed_with_the_other_problems(
    billing: Browser,
) -> None:
    signing = f"{ACTION}__request__authentication"
    fields = {
        f"{ACTION}__request__uri": "nowhere",
        f"{signing}__type": "ClientCertificate",
        f"{signing}__pfx": a_pfx("client", SECRET).text,
        f"{signing}__password": "wrong",
    }

    refused = billing.send(NEW, filled(new_form(billing), **fields))

    assert refused_on(refused) == {
        "properties.action.request.uri",
        "properties.action.request.authentication.pfx",
    }


def test_a_schedule_that_never_occurs_is_a_problem_of_its_frequency(billing: Browser) -> None:
    fields = {
        f"{RECURRENCE}__frequency": "month",
        f"{RECURRENCE}__schedule__monthDays": ["30"],
        f"{RECURRENCE}__schedule__months": ["2"],
    }

    told = problems_on(billing.send(NEW, filled(new_form(billing), **fields)))

    assert "this schedule never occurs" in told["properties.recurrence.frequency"].lower()
    assert "once" not in told["properties.recurrence.frequency"]


def test_an_https_action_with_an_http_address_is_refused(billing: Browser) -> None:
    uri = "properties.action.request.uri"

    refused = billing.send(NEW, filled(new_form(billing), **{uri: "HTTP://h/"}))

    assert refused.status == 400
    assert "without encryption" in problems_on(refused)[uri]


def test_an_invalid_state_is_a_problem_of_its_field(billing: Browser) -> None:
    refused = billing.send(NEW, filled(new_form(billing), properties__state="completed"))

    assert refused.status == 400
    assert problems_on(refused).keys() == {"properties.state"}


def test_a_full_collection_is_a_problem_above_the_form(billing: Browser) -> None:
    billing.api("PATCH", "Billing", {"properties": {"quota": {"maxJobCount": 1}}})
    billing.api("PUT", "Billing/jobs/Other", http_job())

    refused = billing.send(NEW, new_form(billing))

    assert refused.status == 409
    assert problems_on(refused) == {}
    assert "Not saved: 1 problem." in refused.words


def test_a_message_to_a_service_bus_begins_with_a_key(billing: Browser) -> None:
    key = "properties.action.serviceBusQueueMessage.authentication.type"
    assert dict(new_form(billing))[key] == "sharedAccessKey"
    saved = billing.send(NEW, filled(new_form(billing), **bus_fields("acme"), **NO_KEY))

    assert "It has no key: its runs fail until one is set." in saved.words
    # Nobody is led to change what was saved.
    again = dict(read_form(billing.get(EDIT).text, EDIT))
    assert again[key] == ""


def test_the_ways_to_authenticate_are_explained(billing: Browser) -> None:
    words = billing.get(NEW).words

    assert "“Not specified” does the same" in words
    assert "“Not specified” is a shared access key too" in words


def test_problems_are_listed_in_the_order_of_the_form(billing: Browser) -> None:
    kind = {"properties__action__type": "ServiceBusTopic"}

    refused = billing.send(NEW, filled(new_form(billing), **kind))

    labels = [field.rpartition(".")[2] for field in problems_on(refused)]
    assert labels.index("namespace") < labels.index("topicPath")
