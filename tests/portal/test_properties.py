"""The tabs Properties of collections and jobs."""

from pathlib import Path

import pytest

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, OWNER, Browser
from tests.portal.jobs import with_job

PROPERTIES = f"{COLLECTION}/properties"
RESOURCE = (
    "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections/Billing"
)


def change(browser: Browser, path: str) -> None:
    """Disable something an hour later, with another token."""
    browser.add_token("ann", Role.CONTRIBUTOR)
    browser.set_time("2026-01-10T01:00:00Z")
    browser.sign_in("ann")
    browser.post(f"{path}/disable", csrf=browser.get("/about").csrf)


def test_a_collection_shows_its_names_and_settings(billing: Browser) -> None:
    with_job(billing)
    billing.api("PATCH", "Billing", {"location": "westus", "tags": {"team": "<b>pay</b>"}})

    shown = billing.get(PROPERTIES)

    assert f'<code id="resource-id">{RESOURCE}</code>' in shown.text
    assert "Subscription me Copy Resource group home Copy Name Billing Copy" in shown.words
    assert "Location West US Plan Standard State Enabled Jobs 1 of 50" in shown.words
    assert "team: <b>pay</b>" in shown.words
    assert "<b>pay</b>" not in shown.text
    for target in ("resource-id", "subscription", "group", "name"):
        assert f'data-copy="#{target}"' in shown.text
        assert shown.text.count(f'id="{target}"') == 1


def test_a_collection_shows_who_created_and_changed_it(billing: Browser) -> None:
    created = billing.get(PROPERTIES)
    change(billing, COLLECTION)
    changed = billing.get(PROPERTIES)

    first, second = "2026-01-10 00:00:00 UTC", "2026-01-10 01:00:00 UTC"
    assert f"Created {first} ( now ) Last changed {first} ( now )" in created.words
    assert f"Last change by {OWNER}" in created.words
    assert f"Created {first} ( 1 h ago ) Last changed {second} ( now )" in changed.words
    assert "Last change by ann" in changed.words


def test_a_job_shows_its_names_and_who_changed_it(billing: Browser) -> None:
    with_job(billing)
    created = billing.get(f"{JOB}/properties")
    change(billing, JOB)
    changed = billing.get(f"{JOB}/properties")

    assert f'<code id="resource-id">{RESOURCE}/jobs/Nightly</code>' in created.text
    assert "Collection Billing Copy Name Nightly Copy" in created.words
    assert f"Last change by {OWNER}" in created.words
    assert "Last changed 2026-01-10 01:00:00 UTC ( now ) Last change by ann" in changed.words


def test_what_an_earlier_version_stored_has_no_record(billing: Browser) -> None:
    old = Collection(key=CollectionKey("me", "home", "Old"))
    billing.run(billing.store.write(lambda to: to.add_collection(old)))

    shown = billing.get("/collections/me/home/Old/properties")

    words = "not recorded: an earlier version of Foliot stored it"
    assert f"Created {words} Last changed {words} Last change by {words}" in shown.words
    assert "Location \N{EN DASH}" in shown.words
    assert "Tags \N{EN DASH}" in shown.words


def test_invisible_characters_in_names_are_shown(browser: Browser) -> None:
    key = CollectionKey("me", "old\ngroup\u202e<i>", "C")
    browser.run(browser.store.write(lambda to: to.add_collection(Collection(key=key))))

    shown = browser.get("/collections/me/old%0Agroup%E2%80%AE%3Ci%3E/C/properties")

    assert shown.status == 200
    assert "\u202e" not in shown.text
    assert "<i>" not in shown.text


def test_without_tokens_a_change_is_by_this_machine(tmp_path: Path) -> None:
    form = {"subscription": "me", "group": "home", "collection": "Billing", "was": "{}"}
    with Browser(tmp_path, is_open=True) as browser:
        browser.host = "localhost:8080"
        browser.post("/collections", form)
        shown = browser.get(PROPERTIES)

    assert "Last change by this machine" in shown.words


@pytest.mark.parametrize("path", ["/properties", "/access"])
@pytest.mark.parametrize("name", ["none", "BILLING"])
def test_the_tabs_of_a_collection_are_found_in_any_letter_case(
    billing: Browser, path: str, name: str
) -> None:
    shown = billing.get(f"/collections/ME/Home/{name}{path}")

    assert shown.status == (404 if name == "none" else 200)


def test_a_reader_sees_the_properties_and_cannot_edit(billing: Browser) -> None:
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get(PROPERTIES)

    assert shown.status == 200
    assert "Edit" not in shown.words
