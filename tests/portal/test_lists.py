"""Lists of jobs: filters, refreshes, changes of many jobs, masked credentials."""

from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec import structs

from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.jobs import change, names, stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import an_entry

FAILED = AttemptStatus.FAILED


def test_a_next_run_in_the_past_is_due_now(billing: Browser) -> None:
    with_job(billing, startTime="2026-01-10T00:01:00Z")
    before = billing.get(COLLECTION)
    billing.set_time("2026-01-10T00:02:00Z")
    after = billing.get(COLLECTION)

    assert "in 1 min" in before.words
    assert "due now" in after.words
    assert 'class="relative upcoming"' in after.text


def test_refreshing_an_unchanged_list_returns_no_content(billing: Browser) -> None:
    with_job(billing)
    live = billing.get(COLLECTION).text.split('id="list"')[1].split('hx-get="')[1].split('"')[0]

    same = billing.part(live)
    billing.post(f"{JOB}/disable")
    other = billing.part(live)

    assert same.status == 204
    assert (other.status, "disabled" in other.words) == (200, True)


def matching(browser: Browser, **filters: str) -> str:
    """Return what a list says about which jobs match."""
    shown = browser.get(f"{COLLECTION}?{urlencode(filters)}").text
    return shown.split('name="matching" value="')[1].split('"')[0]


def every(browser: Browser, wish: str, seen: str, **filters: str) -> Any:
    fields = {"every": "1", "matching": seen, "do": wish, "job": "shard-0"}
    return browser.post(COLLECTION, fields | filters)


def test_select_all_changes_jobs_that_are_not_loaded(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(102):
        browser.api(
            "PUT", f"Billing/jobs/shard-{number}", http_job(recurrence={"frequency": "day"})
        )
    browser.api("PUT", "Billing/jobs/other", http_job(recurrence={"frequency": "day"}))

    filters = {"q": "name:shard", "state": "enabled"}
    shown = every(browser, "disable", matching(browser, **filters), **filters)

    assert "102 jobs disabled." in shown.words
    assert "No jobs match these filters" in shown.words
    assert stored(browser, "other").state.value == "enabled"
    assert "No jobs match" not in browser.get(f"{COLLECTION}?q=shard&state=disabled").words


def test_select_all_changes_nothing_if_the_list_has_changed(billing: Browser) -> None:
    with_job(billing, "shard-0")
    with_job(billing, "shard-1")
    seen = matching(billing, q="shard")
    billing.post(f"{COLLECTION}/jobs/shard-1/delete")
    with_job(billing, "shard-2")

    shown = every(billing, "delete", seen, q="shard")

    assert "No job was changed: the list has changed, 2 jobs match now." in shown.words
    assert names(billing) == ["shard-0", "shard-2"]


def test_select_all_needs_what_the_list_said(billing: Browser) -> None:
    with_job(billing, "shard-0")

    shown = every(billing, "delete", "", q="shard")

    assert "No job was changed: the list has changed, 1 job matches now." in shown.words


def test_enter_in_the_list_does_nothing(billing: Browser) -> None:
    with_job(billing)
    form = billing.get(COLLECTION).text.split("data-many>")[1]

    # Enter presses the first button of a form.
    assert form.index('<button name="do" value="nothing" hidden>') == form.index("<button")
    billing.post(COLLECTION, {"job": "Nightly", "do": "nothing"})
    job = stored(billing)
    assert billing.run(billing.store.read(lambda reading: reading.runs(job.id))) == []


def test_credentials_in_headers_and_addresses_are_masked(billing: Browser) -> None:
    body = http_job()
    request = body["properties"]["action"]["request"]
    request["uri"] = "https://ann:hunter2@example.com/a?code=hunter3&x=1"
    request["headers"] = {
        "Authorization": "Bearer hunter4",
        "headers": "plain",
        "Cookie": "hunter5",
    }
    failure = {"type": "Http", "request": request | {"headers": {"X-Api-Key": "hunter6"}}}
    body["properties"]["action"]["errorAction"] = failure
    billing.api("PUT", "Billing/jobs/Nightly", body)

    pages = [billing.get(path) for path in (JOB, f"{JOB}/action", f"{JOB}/schedule", COLLECTION)]

    assert not any("hunter" in page.text for page in pages)
    assert "https://***@example.com/a?code=***&x=1" in pages[0].words
    assert "request.headers.Authorization ***" in pages[1].words
    assert "request.headers.headers plain" in pages[1].words
    assert "errorAction.request.headers.X-Api-Key ***" in pages[1].words

    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")
    assert "hunter" not in billing.get(f"{JOB}/json").text


def test_invisible_characters_are_escaped(billing: Browser) -> None:
    with_job(billing)
    job = stored(billing)
    message = "\x1b[2Jdone\u202e<b>gpj.exe</b>\u2066\u200b\ttab\r\nline\rover\ufeff"
    entry = an_entry(job.id, status=FAILED, outcome=RunOutcome.FAILED, message=message)
    change(billing, lambda to: to.add_history(entry))
    # Tags like this one are refused now, and may be there from before.
    change(billing, lambda to: _tag(to, {"a\u202eb": "\x07"}))

    pages = [billing.get(path).text for path in (JOB, f"{JOB}/runs", "/runs", "/collections")]

    for page in pages:
        assert not set(page) & set("\x1b\x07\u202e\u2066\u200b\ufeff")
        assert "<b>gpj" not in page
    assert r"\x1b[2Jdone\u202e&lt;b&gt;gpj.exe&lt;/b&gt;\u2066\u200b" in pages[1]
    assert "\ttab\r\nline\\rover\\ufeff" in pages[1]
    assert r"a\u202eb: \x07" in pages[3]


@pytest.mark.parametrize(
    ("role", "scope"),
    [
        pytest.param(Role.OWNER, {"subscription": "me"}, id="an Owner of a part"),
        pytest.param(
            Role.CONTRIBUTOR,
            {"subscription": "me", "group": "home", "collection": "billing"},
            id="a collection's Contributor",
        ),
        pytest.param(Role.READER, {}, id="a Reader"),
    ],
)
def test_only_owners_of_the_server_see_settings_and_machine_names(
    billing: Browser, role: Role, scope: dict[str, str]
) -> None:
    billing.add_token("other", role, scope=scope)
    billing.sign_in("other")

    settings, about = billing.get("/settings"), billing.get("/about")

    assert (settings.status, about.status) == (200, 200)
    assert "FOLIOT_PORT" not in settings.text
    assert "P20Premium 1,000" in settings.words
    assert "Foliot 9.9" in about.words
    assert f"Role {role.value}" in about.words
    for secret in ("SQLite, here", "node-1"):
        assert secret not in about.text


def test_the_about_page_shows_role_and_scope(billing: Browser) -> None:
    billing.add_token("scoped", Role.READER, scope={"subscription": "me", "group": "home"})
    billing.sign_in("scoped")

    assert "Scope /subscriptions/me/resourceGroups/home" in billing.get("/about").words


def _tag(transaction: Transaction, tags: dict[str, str]) -> None:
    (found,) = transaction.collections("me")
    transaction.save_collection(structs.replace(found, tags=tags))
