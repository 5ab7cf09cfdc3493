"""Former versions of a collection: a page shows what would change, then saves it."""

import re
from typing import Any

import pytest

from foliot.core.model.collection import CollectionState, Sku
from foliot.core.model.token import Role, Scope
from tests.portal.browser import COLLECTION, OWNER, Browser, Shown
from tests.portal.filling import read_form
from tests.support import bodies

CHANGES = f"{COLLECTION}/changes"
FORMER = {
    "tags": {"team": "pay"},
    "properties": {"sku": {"name": "Standard"}, "quota": {"maxJobCount": 2}},
}
PRESENT = {"tags": {"team": "ops"}, "properties": {"sku": {"name": "P10Premium"}}}


def restore_links(browser: Browser) -> list[str]:
    return re.findall(rf'href="({CHANGES}/\d+)"', browser.get(CHANGES).text)


def restore(browser: Browser, address: str) -> Shown:
    return browser.send(address, read_form(browser.get(address).text, address))


def stored(browser: Browser) -> Any:
    found = browser.run(browser.store.read(lambda reading: reading.search_collections(Scope())))
    return found[0].collection


@pytest.fixture
def changed(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a collection that got another plan, quota and tag."""
    billing.api("PUT", "Billing", FORMER)
    billing.api("PUT", "Billing", PRESENT)
    return billing


def test_a_former_version_is_shown_and_restored(changed: Browser) -> None:
    link = restore_links(changed)[0]

    preview = changed.get(link)
    done = restore(changed, link)

    assert f"{OWNER} updated the collection then." in preview.words
    assert "Plan P10Premium Standard" in preview.words
    assert "Tags: team ops pay" in preview.words
    assert "Most jobs not set 2" in preview.words
    assert "Version restored." in done.words
    found = stored(changed)
    assert (found.sku, found.tags) == (Sku.STANDARD, {"team": "pay"})
    assert found.quota.max_job_count == 2


def test_the_state_stays_and_a_change_of_the_state_alone_has_no_version(changed: Browser) -> None:
    link, count = restore_links(changed)[0], len(restore_links(changed))
    changed.post(f"{COLLECTION}/disable")

    assert len(restore_links(changed)) == count
    assert "the state, which stays Disabled" in changed.get(link).words
    restore(changed, link)

    assert stored(changed).state is CollectionState.DISABLED


def test_a_version_that_the_jobs_no_longer_fit_is_refused_with_the_reason(changed: Browser) -> None:
    for name in ("one", "two", "three"):
        changed.api("PUT", f"Billing/jobs/{name}", bodies.request_job())

    refused = restore(changed, restore_links(changed)[0])

    assert refused.status == 409
    assert "3 jobs" in refused.words
    assert stored(changed).sku is Sku.P10_PREMIUM


def test_a_restoration_does_not_overwrite_a_newer_change(changed: Browser) -> None:
    link = restore_links(changed)[0]
    pairs = read_form(changed.get(link).text, link)
    changed.api("PATCH", "Billing", {"tags": {"team": "new"}})

    refused = changed.send(link, pairs)

    assert refused.status == 409
    assert "The collection was changed meanwhile." in refused.words
    assert stored(changed).tags == {"team": "new"}
    assert "Version restored." in changed.send(link, read_form(refused.text, link)).words


def test_a_version_that_the_collection_has_now_needs_no_restoration(changed: Browser) -> None:
    link = restore_links(changed)[0]
    restore(changed, link)

    assert "There is nothing to restore." in changed.get(link).words


def test_readers_and_others_see_no_version(changed: Browser) -> None:
    link = restore_links(changed)[0]
    changed.add_token("rita", Role.READER)
    changed.sign_in("rita")

    assert changed.get(link).status == 403
    assert changed.post(link, csrf=changed.get("/about").csrf).status == 403
    scope = {"subscription": "me", "group": "home", "collection": "other"}
    changed.add_token("theirs", Role.OWNER, scope=scope)
    changed.sign_in("theirs")
    assert changed.get(link).status == 404


@pytest.mark.parametrize("entry", ["0", "x", "1"], ids=["unknown", "no number", "created"])
def test_what_is_no_version_of_the_collection_is_not_found(changed: Browser, entry: str) -> None:
    assert changed.get(f"{CHANGES}/{entry}").status == 404


def test_a_change_of_a_job_is_not_found_at_its_collection(changed: Browser) -> None:
    for body in ("one", "two"):
        changed.api("PUT", "Billing/jobs/Nightly", bodies.request_job(body=body))
    job = re.search(rf'href="{COLLECTION}/jobs/Nightly/changes/(\d+)"', changed.get(CHANGES).text)
    assert job

    assert changed.get(f"{CHANGES}/{job[1]}").status == 404
