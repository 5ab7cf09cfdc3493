"""Lists of jobs and failures: filters, refreshes, changes of many jobs, masked credentials."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.model.history import AttemptStatus
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, Browser
from tests.portal.jobs import change, names, stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import an_entry

FAILED, POSTPONED = AttemptStatus.FAILED, AttemptStatus.POSTPONED


def failing(browser: Browser, name: str, *, second: int = -60) -> None:
    """Add a job whose main action fails and whose error action goes well."""
    with_job(browser, name, recurrence={"frequency": "day"})
    job = stored(browser, name)

    def happen(to: Transaction) -> None:
        to.add_history(an_entry(job.id, second=second, status=FAILED, message=f"{name} broke"))
        to.add_history(an_entry(job.id, second=second + 1, is_error_action=True))

    change(browser, happen)


def test_a_job_whose_error_action_succeeded_is_listed_as_failed(billing: Browser) -> None:
    failing(billing, "bad")
    billing.set_time("2026-01-10T00:00:03Z")

    row = billing.get(f"{COLLECTION}?outcome=failed")
    overview = billing.get("/")
    history = billing.get(f"{COLLECTION}/jobs/bad/history")

    assert 'value="bad"' in row.text
    assert '<span class="badge failed">failed</span>' in row.text
    assert 'aria-label="Last 1: 1 failed"' in row.text
    assert 'value="bad"' not in billing.get(f"{COLLECTION}?outcome=completed").text
    assert "Failed attempts, last 24 hours 1" in overview.words
    assert "Attempts, last hour 1" in overview.words
    assert "bad Billing 1 1 min ago" in overview.words
    assert "last 1 attempt, newest on the right" in history.words
    assert "completed error action" in history.words


def test_a_skipped_occurrence_does_not_hide_a_failure(billing: Browser) -> None:
    failing(billing, "bad")
    job = stored(billing, "bad")
    change(billing, lambda to: to.add_history(an_entry(job.id, status=POSTPONED)))

    shown = billing.get(f"{COLLECTION}?outcome=failed")

    assert '<span class="badge failed">failed</span>' in shown.text
    assert 'aria-label="Last 2: 1 failed, 1 postponed"' in shown.text


def test_failed_jobs_are_listed_in_pages(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(52):
        failing(browser, f"j{number:03}", second=-3600 + number * 10)
    browser.set_time("2026-01-10T00:00:03Z")

    overview = browser.get("/")
    first = browser.get("/failures")
    second = browser.get("/failures?skip=50")

    assert overview.text.count('id="failing-') == 10
    assert 'href="/failures">All failed jobs' in overview.text
    assert ("j051" in first.words, "j001 " in first.words) == (True, False)
    assert "j051 broke" in first.words
    assert "Jobs 1 to 50 Next page" in first.words
    assert "Previous page Jobs 51 to 52" in second.words
    assert ("j001" in second.words, "j000" in second.words) == (True, True)


def test_failed_jobs_are_filtered_by_name_and_collection(billing: Browser) -> None:
    failing(billing, "alpha")
    failing(billing, "beta")
    billing.set_time("2026-01-10T00:00:03Z")

    found = billing.get("/failures?q=ALP")
    collection = billing.get("/failures?of=me/home/billing")

    assert ("alpha" in found.words, "beta" in found.words) == (True, False)
    assert 'value="me/home/Billing" selected' in collection.text
    assert "beta" in collection.words
    assert "No failed jobs match these filters" in billing.get("/failures?q=none").words
    assert "No failed jobs match" in billing.get("/failures?of=me/home/other").words
    billing.set_time("2026-02-10T00:00:03Z")
    billing.sign_in()
    assert "No attempt failed in the last 24 hours." in billing.get("/failures").words


def test_the_page_says_that_there_are_more_failures(
    billing: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(billing, "bad")
    monkeypatch.setattr("foliot.portal.routes.failures.COUNTED_TO", 1)
    billing.set_time("2026-01-10T00:00:03Z")

    assert "Many attempts failed. The list covers the newest" in billing.get("/failures").words


def test_failed_jobs_outside_the_scope_are_not_listed(billing: Browser) -> None:
    failing(billing, "mine")
    billing.api("PUT", "Other", {})
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    billing.add_token("scoped", Role.READER, scope=scope)
    billing.sign_in("scoped")

    shown = billing.get("/failures?of=me/home/billing")

    assert "mine" not in shown.words


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


def every(browser: Browser, wish: str, total: int, **filters: str) -> Any:
    fields = {"every": "1", "total": str(total), "do": wish, "job": "shard-0"}
    return browser.post(COLLECTION, fields | filters)


def test_select_all_changes_jobs_that_are_not_loaded(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(102):
        browser.api(
            "PUT", f"Billing/jobs/shard-{number}", http_job(recurrence={"frequency": "day"})
        )
    browser.api("PUT", "Billing/jobs/other", http_job(recurrence={"frequency": "day"}))

    shown = every(browser, "disable", 102, q="shard", state="enabled")

    assert "102 jobs disabled." in shown.words
    assert "No jobs match these filters" in shown.words
    assert stored(browser, "other").state.value == "enabled"
    assert "No jobs match" not in browser.get(f"{COLLECTION}?q=shard&state=disabled").words


def test_select_all_changes_nothing_if_the_list_has_changed(billing: Browser) -> None:
    with_job(billing, "shard-0")
    with_job(billing, "shard-1")

    shown = every(billing, "delete", 1, q="shard")

    assert "No job was changed: the list has changed, 2 jobs match now." in shown.words
    assert names(billing) == ["shard-0", "shard-1"]


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
    change(billing, lambda to: to.add_history(an_entry(job.id, status=FAILED, message=message)))
    # Tags like this one are refused now, and may be there from before.
    change(billing, lambda to: _tag(to, {"a\u202eb": "\x07"}))

    pages = [
        billing.get(path).text for path in (JOB, f"{JOB}/history", "/failures", "/collections")
    ]

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
