"""The pages of the audit log: the list with its filters, one entry, and the links to them."""

import json

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, OWNER, Browser

JOB = f"{COLLECTION}/jobs/Nightly"
SCOPE = {"subscription": "me", "group": "home"}


def a_job(uri: str = "https://a.example/", body: str = "one") -> dict[str, object]:
    request = {
        "uri": uri,
        "method": "POST",
        "body": body,
        "headers": {"X-Api-Key": f"m4rk-{body}"},
        "authentication": {"type": "Basic", "username": "u", "password": f"m4rk-{body}"},
    }
    return {"properties": {"action": {"type": "Https", "request": request}}}


@pytest.fixture
def changed(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a job that was created and changed."""
    billing.api("PUT", "Billing/jobs/Nightly", a_job())
    billing.set_time("2026-01-12T00:00:00Z")
    assert billing.sign_in().status == 200
    billing.api("PUT", "Billing/jobs/Nightly", a_job("https://b.example/", "two <b>lines</b>"))
    return billing


def newest(browser: Browser) -> str:
    """Return the address of the newest entry."""
    (number,) = browser.rows("SELECT max(id) FROM audit")[0]
    return f"/audit/{number}"


def test_the_list_tells_who_changed_what(changed: Browser) -> None:
    shown = changed.get("/audit")

    assert shown.status == 200
    words = shown.words
    assert f"{OWNER} token 1, 127.0.0.1 updated Nightly job in Billing action.request.uri," in words
    assert "created Nightly job in Billing" in words
    assert "created Billing collection" in words
    assert words.index("updated Nightly") < words.index("created Nightly")


def test_an_entry_shows_each_field_before_and_after_without_secrets(changed: Browser) -> None:
    shown = changed.get(newest(changed))

    words = shown.words
    assert "properties.action.request.uri https://a.example/ https://b.example/" in words
    assert "properties.action.request.authentication.password *** *** (changed)" in words
    assert "properties.action.request.headers.X-Api-Key *** *** (changed)" in words
    assert "two &lt;b&gt;lines&lt;/b&gt;" in shown.text
    assert "m4rk-" not in shown.text
    assert "m4rk-" not in changed.get("/audit").text


@pytest.mark.parametrize(
    ("query", "seen", "unseen"),
    [
        ("since=24h", "updated Nightly", "created Nightly"),
        ("since=2026-01-11T00:00:00Z", "updated Nightly", "created Nightly"),
        ("action=created", "created Nightly", "updated Nightly"),
        ("of=me/home/billing&job=nightly", "updated Nightly", "created Billing"),
        ("who=nobody", "No changes match these filters", "updated Nightly"),
        ("of=me/home/other", "No changes match these filters", "updated Nightly"),
    ],
)
def test_filters_are_in_the_address(changed: Browser, query: str, seen: str, unseen: str) -> None:
    words = changed.get(f"/audit?{query}").words

    assert seen in words
    assert unseen not in words


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("since=soon", 'since: "soon" is not valid'),
        ("action=exploded", 'action: "exploded" is not valid; give one of created, updated'),
        ("of=nope", 'of: "nope" is not valid; give subscription/group/collection.'),
    ],
)
def test_a_bad_filter_is_named(changed: Browser, query: str, message: str) -> None:
    shown = changed.get(f"/audit?{query}&who=kept")

    assert shown.status == 400
    assert message in shown.words
    assert 'name="who" value="kept"' in shown.text
    assert "updated Nightly" not in shown.words


def test_a_rerun_is_called_so_in_the_list_and_in_the_filter(changed: Browser) -> None:
    shown = changed.get("/audit?action=rerun")

    assert shown.status == 200
    assert '<option value="redriven">rerun</option>' in shown.text


def test_older_entries_are_on_further_pages(changed: Browser) -> None:
    for number in range(60):
        changed.api("PATCH", "Billing", {"tags": {"n": str(number)}})

    first = changed.get("/audit?action=updated")
    link = first.text.partition('<footer><a href="')[2].partition('"')[0].replace("&amp;", "&")
    second = changed.get(link)

    assert first.text.count('<a href="/audit/') == 50
    assert second.text.count('<a href="/audit/') == 11
    assert "Newest" in second.words


def test_what_was_deleted_is_shown_whole_and_not_linked(changed: Browser) -> None:
    changed.api("DELETE", "Billing/jobs/Nightly")

    shown = changed.get(newest(changed))

    assert "Before the change" in shown.words
    assert "https://b.example/" in shown.words
    assert "Open job" not in shown.words


def test_an_owner_with_a_scope_sees_its_own_changes_alone(changed: Browser) -> None:
    hidden = newest(changed)
    changed.add_token("theirs", Role.OWNER, scope={**SCOPE, "collection": "other"})
    changed.sign_in("theirs")

    assert "No changes yet" in changed.get("/audit").words
    assert changed.get(hidden).status == 404


@pytest.mark.parametrize("name", ["x", "0", "999999", "9" * 30])
def test_an_entry_that_does_not_exist_is_not_found(changed: Browser, name: str) -> None:
    assert changed.get(f"/audit/{name}").status == 404


def test_a_change_in_the_portal_has_the_token_and_the_address_of_the_visitor(
    changed: Browser,
) -> None:
    changed.post(f"{JOB}/disable")

    words = changed.get(newest(changed)).words
    assert f"Who {OWNER} Role Owner Token ID 1 Address 127.0.0.1" in words
    assert "properties.state enabled disabled" in words


def test_a_program_gets_json_and_a_browser_a_page_from_the_same_address(changed: Browser) -> None:
    token = {"authorization": f"Bearer {OWNER}"}
    address = "/audit?api-version=2026-11-01"

    assert "value" in json.loads(changed.call("GET", address, headers=token).text)
    both = {**token, "accept": "text/html"}
    assert "value" in json.loads(changed.call("GET", address, headers=both).text)
    assert "<h1>Changes</h1>" in changed.get("/audit").text


def test_a_stranger_is_asked_to_sign_in_and_a_program_for_a_token(stranger: Browser) -> None:
    page = stranger.get("/audit", follow=False)
    answer = stranger.call(
        "GET", "/audit?api-version=2026-11-01", headers={"accept": "application/json"}
    )

    assert (page.status, page.header("location")) == (303, "/sign-in?then=%2Faudit")
    assert answer.status == 401


def test_a_client_cannot_choose_the_address_that_is_recorded(changed: Browser) -> None:
    base = "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections"
    headers = {
        "authorization": f"Bearer {OWNER}",
        "x-forwarded-for": "203.0.113.66",
        "accept": "application/json",
    }

    address = f"{base}/Billing/jobs/Nightly?api-version=2016-03-01"
    assert changed.call("DELETE", address, headers=headers).status == 200

    words = changed.get(newest(changed)).words
    assert "Address 127.0.0.1" in words
    assert "203.0.113.66" not in words


def test_a_paused_collection_is_found_by_the_words_of_its_button_and_of_the_api(
    billing: Browser,
) -> None:
    billing.post(f"{COLLECTION}/disable", {})
    billing.post(f"{COLLECTION}/enable", {})

    for word in ("paused", "disabled"):
        assert "paused (disabled) Billing" in billing.get(f"/audit?action={word}").words
    assert "resumed (enabled) Billing" in billing.get("/audit?action=resumed").words
    assert "paused the collection Billing" in billing.get(f"{COLLECTION}/changes").words
    assert "disabled, paused" in billing.get("/audit").words
