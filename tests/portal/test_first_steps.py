"""The three steps on the overview of a new installation."""

import pytest
from msgspec import structs

from foliot.core.model.token import Role
from foliot.portal.pages import first_steps
from tests.portal.browser import COLLECTION, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import change, stored, with_job

ALERT = {
    "properties": {
        "when": {"failed": {"inARow": 1}},
        "sendTo": [{"type": "webhook", "uri": "https://hooks.example/"}],
    }
}


def steps(browser: Browser) -> str:
    return browser.get("/").words.partition("three steps")[2]


def test_an_empty_installation_begins_with_an_address(browser: Browser) -> None:
    assert "1" not in steps(browser).split("Create the first job.")[0]
    assert "Address to call" in steps(browser)

    form = browser.get("/jobs/new?address=https%3A%2F%2Fapi.example%2Fhealth")
    pairs = read_form(form.text, "/jobs/new")
    created = browser.send("/jobs/new", filled(pairs, collection="work", group="home"))

    assert 'value="https://api.example/health"' in form.text
    assert "Collection and job created." in created.words
    assert "Create the first job. done first-job" in steps(browser)
    assert "Run first-job now" in steps(browser)


def test_each_step_is_done_when_it_is_done(billing: Browser) -> None:
    with_job(billing)
    assert "Run Nightly now" in steps(billing)

    job = structs.replace(stored(billing), last_execution_at=billing.clock.now())
    change(billing, lambda to: to.save_job(job))
    assert "See it run. done" in steps(billing)
    assert f'href="{COLLECTION}/new-alert"' in billing.get("/").text

    billing.api("PUT", "Billing/alerts/night", ALERT, version="2026-11-01")
    assert steps(billing) == ""
    assert billing.part("/first-steps").text.strip() == ""


def test_unchanged_steps_are_not_sent_again(billing: Browser) -> None:
    mark = billing.get("/").text.split("/first-steps?seen=")[1].split('"')[0]

    assert billing.part(f"/first-steps?seen={mark}").status == 204
    with_job(billing)
    assert "Run Nightly now" in billing.part(f"/first-steps?seen={mark}").words


def test_dismissed_steps_stay_away(browser: Browser) -> None:
    browser.post("/first-steps")

    assert steps(browser) == ""
    assert browser.sign_in().status == 200
    assert steps(browser) == ""


def test_steps_stay_while_jobs_and_collections_are_added(billing: Browser) -> None:
    for number in range(4):
        with_job(billing, f"job{number}")
    billing.api("PUT", "Archive", {"properties": {"sku": {"name": "Standard"}}})

    assert "Create the first job. done job0" in steps(billing)
    assert f'href="{COLLECTION}/new-alert"' in billing.get("/").text


def test_an_installation_with_many_jobs_shows_no_steps(
    billing: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_steps, "_MOST_JOBS", 3)
    for number in range(4):
        with_job(billing, f"job{number}")

    assert steps(billing) == ""


def test_an_alert_in_any_collection_is_the_last_step(billing: Browser) -> None:
    with_job(billing)
    job = structs.replace(stored(billing), last_execution_at=billing.clock.now())
    change(billing, lambda to: to.save_job(job))
    billing.api("PUT", "Other", {"properties": {"sku": {"name": "Standard"}}})
    billing.api("PUT", "Other/alerts/night", ALERT, version="2026-11-01")

    assert steps(billing) == ""


def test_a_reader_sees_no_steps_and_cannot_dismiss_them(browser: Browser) -> None:
    browser.add_token("rita", Role.READER)
    browser.sign_in("rita")

    assert steps(browser) == ""
    assert browser.post("/first-steps", csrf=browser.get("/about").csrf).status == 403


def test_an_address_that_is_no_address_is_refused_by_the_form(browser: Browser) -> None:
    form = browser.get("/jobs/new?address=%22%3E%3Cscript%3E")

    assert form.status == 200
    assert "<script>" not in form.text.split("<main")[1]
