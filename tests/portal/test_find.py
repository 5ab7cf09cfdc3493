"""Find: jobs, collections, addresses, alerts and commands, within the visitor's role and scope."""

import re

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.jobs import with_job
from tests.support.api_client import http_job

OPTION = re.compile(r'<(?:a|button) class="find-option".*?</(?:a|button)>', re.DOTALL)

SERVICE_BUS_ACTION = {
    "type": "ServiceBusQueue",
    "serviceBusQueueMessage": {
        "namespace": "contoso",
        "queueName": "orders",
        "transportType": "AMQP",
        "authentication": {"type": "sharedAccessKey", "sasKey": "k", "sasKeyName": "n"},
        "message": "m",
    },
}


def options(browser: Browser, text: str, at: str = "/") -> list[str]:
    """Return the titles and hints of what the dialog shows."""
    shown = browser.part(f"/find?q={text}&at={at}")
    assert shown.status == 200
    plain = (re.sub(r"<[^>]+>", " ", each) for each in OPTION.findall(shown.text))
    return [" ".join(each.split()) for each in plain]


@pytest.fixture
def filled(billing: Browser) -> Browser:
    """Return a browser with jobs in two collections."""
    with_job(billing)
    billing.api("PUT", "Archive", {"properties": {"sku": {"name": "Standard"}}})
    other = http_job(recurrence={"frequency": "day"}, tags={"team": "payments"})
    other["properties"]["action"]["request"]["uri"] = "http://api.acme.example/hooks/hunter2?x=1"
    billing.api("PUT", "Archive/jobs/cleanup", other)
    billing.api("PUT", "Archive/jobs/orders", {"properties": {"action": SERVICE_BUS_ACTION}})
    return billing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("night", "Nightly enabled Billing · example.com", id="a job by name"),
        pytest.param("acme", "cleanup enabled Archive · api.acme.example", id="a job by host"),
        pytest.param("tag:team", "cleanup enabled Archive · api.acme.example", id="a job by tag"),
        pytest.param("http://api.acme.example/a", "cleanup enabled Archive · api.acme.example",
                     id="a job by an address"),
        pytest.param("api.acme.example:18999", "cleanup enabled Archive · api.acme.example",
                     id="a job by host and port"),
        pytest.param("contoso.servicebus.windows.net", "orders enabled Archive · contoso",
                     id="a job by the host of its queue"),
        pytest.param("contoso.servicebus.windows.net", "contoso 1 job", id="the host of a queue"),
        pytest.param("bill", "Billing enabled me / home · 1 job", id="a collection"),
        pytest.param("api.acme", "api.acme.example 1 job", id="a host"),
        pytest.param("new job", "New job", id="a command"),
        pytest.param("last night", "Failures of last night", id="a page with a filter"),
        pytest.param("pause arch", "Pause collection Archive me / home", id="pause a collection"),
        pytest.param("theme", "Change theme", id="the theme"),
        pytest.param("alert", "Alerts of Archive me / home", id="the alerts of a collection"),
        pytest.param("alerts", "New alert in Billing me / home", id="a new alert"),
        pytest.param("new alert in arch", "New alert in Archive me / home", id="an alert there"),
    ],
)  # fmt: skip
def test_find_shows(filled: Browser, text: str, expected: str) -> None:
    assert expected in options(filled, text)


def test_names_that_begin_with_the_text_come_first(billing: Browser) -> None:
    for name in ("a-report", "b-report", "report-z", "z-report"):
        with_job(billing, name)

    assert [each.split()[0] for each in options(billing, "report")] == [
        *("report-z", "a-report", "b-report", "z-report"),
    ]


def test_without_a_text_the_commands_of_the_page_come_first(filled: Browser) -> None:
    at_job, at_other_page = options(filled, "", JOB), options(filled, "")

    assert at_job[:4] == [
        *("Edit Nightly", "Run Nightly now", "New job in Billing"),
        "Pause collection Billing me / home",
    ]
    assert at_other_page[:2] == ["New job", "New collection"]
    assert "Run Nightly now" in options(filled, "run now", f"{JOB}/schedule")


def test_run_now_runs_the_job_of_the_page(filled: Browser) -> None:
    shown = filled.part(f"/find?q=run&at={JOB}").text
    address = shown.split('formaction="')[1].split('"')[0]

    filled.post(address)

    assert filled.rows("SELECT name, trigger FROM run JOIN job ON job.id = job_id") == [
        ("Nightly", "manual")
    ]


def test_a_paused_collection_is_resumed(filled: Browser) -> None:
    filled.post(f"{COLLECTION}/disable")

    assert options(filled, "pause bill") == []
    assert options(filled, "resume collection bill") == ["Resume collection Billing me / home"]


def test_a_reader_finds_nothing_that_changes_something(filled: Browser) -> None:
    filled.add_token("reader", Role.READER)
    filled.sign_in("reader")

    found = options(filled, "", JOB) + options(filled, "pause bill", COLLECTION)

    for word in ("Run ", "Edit ", "New ", "Pause ", "Tokens", "Changes"):
        assert not any(each.startswith(word) for each in found)
    assert options(filled, "nightly") == ["Nightly enabled Billing · example.com"]


def test_nothing_outside_the_scope_is_found(filled: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    filled.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    filled.sign_in("scoped")

    for text in ("cleanup", "acme", "archive", "tag:team", "pause arch"):
        assert options(filled, text, "/collections/me/home/Archive") == []
    assert "Archive" not in filled.part("/find?q=&at=/collections/me/home/Archive").text


def test_a_part_of_an_address_that_may_be_a_secret_is_not_found(filled: Browser) -> None:
    assert options(filled, "hunter2") == []
    assert options(filled, "hooks") == []


def test_find_is_a_page_without_a_script(filled: Browser) -> None:
    shown = filled.get("/find?q=night")

    assert f'href="{JOB}"' in shown.text
    assert "Nothing matches “zzz”" in filled.get("/find?q=zzz").words
    assert "New job" in filled.get("/find").words
    run = filled.get(f"/find?q=run&at={JOB}")
    assert f'<form method="post" action="{JOB}/run">' in run.text


@pytest.mark.parametrize(
    "text", ["a+b+c+d+e+f+g", "x" * 201, "%22", "%3Cb%3E", "%00", "%25", "%5C", "tag:", "name:%E2"]
)
def test_an_odd_search_is_answered(filled: Browser, text: str) -> None:
    statuses = {
        filled.get(f"{path}?q={text}").status
        for path in ("/find", "/jobs", "/collections", COLLECTION)
    }

    assert statuses <= {200, 400}


def test_a_search_is_shown_as_text(filled: Browser) -> None:
    for path in ("/find", "/jobs", "/collections", COLLECTION):
        shown = filled.get(f"{path}?q=%3Ci%3Ex%3C/i%3E%22").text
        assert "<i>x" not in shown
        assert "&lt;i&gt;x&lt;/i&gt;&#34;" in shown


def test_a_search_that_is_too_long_is_explained(filled: Browser) -> None:
    words = "The search has 7 words; search for at most 6."

    for path in ("/find", "/jobs", COLLECTION):
        assert words in filled.get(f"{path}?q=a+b+c+d+e+f+g").words


def test_every_command_opens_a_page(filled: Browser) -> None:
    shown = filled.part(f"/find?at={JOB}").text
    addresses = re.findall(r'href="([^"]+)"', shown)

    assert len(addresses) > 10
    assert {address: filled.get(address).status for address in addresses} == dict.fromkeys(
        addresses, 200
    )


def test_commands_about_alerts_are_of_the_collection_of_the_page_first(filled: Browser) -> None:
    assert options(filled, "alert", JOB)[:2] == [
        "Alerts of Billing me / home",
        "New alert in Billing me / home",
    ]
    assert options(filled, "alerts+bill", "/") == options(filled, "alert", JOB)[:2]


def test_commands_about_alerts_are_those_of_the_role_and_the_scope(filled: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    filled.add_token("scoped", Role.READER, scope=scope)
    filled.sign_in("scoped")

    assert options(filled, "alert") == ["Alerts of Billing me / home", "Alerts"]


def test_every_command_about_alerts_opens_a_page(filled: Browser) -> None:
    addresses = re.findall(r'href="([^"]+)"', filled.part("/find?q=alert").text)

    assert [filled.get(each).status for each in addresses] == [200] * 5
