"""Display names of collections, and the wording of numbers and times."""

import json

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionKey
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.token import Scope
from foliot.portal.collection_names import naming_of
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, JOB, OWNER, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import an_entry

EDIT = f"{JOB}/edit"
HOURLY = {"frequency": "hour"}


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        pytest.param([("me", "shop", "a"), ("me", "shop", "b")], ["a", "b"], id="other names"),
        pytest.param(
            [("me", "shop", "a"), ("me", "site", "A"), ("me", "shop", "a")],
            ["a (shop)", "A (site)", "a (shop)"],
            id="other groups",
        ),
        pytest.param(
            [("me", "shop", "a"), ("you", "SHOP", "a"), ("you", "site", "a")],
            ["a (me / shop)", "a (you / SHOP)", "a (site)"],
            id="other subscriptions",
        ),
    ],
)
def test_collections_with_the_same_name_get_distinct_names(
    keys: list[tuple[str, str, str]], names: list[str]
) -> None:
    found = [CollectionKey(*key) for key in keys]

    assert [naming_of(found)(key) for key in found] == names


def with_a_namesake(browser: Browser) -> None:
    """Add a collection of the same name in another group, with a job that fails and comes."""
    place = {"subscription": "me", "group": "office", "collection": "Billing"}
    form = {**place, "properties.sku.name": "Standard", "was": "{}"}
    assert browser.post("/collections", form).status == 200
    for group in ("home", "office"):
        _put_job(browser, group)

    def fail(to: Transaction) -> None:
        for found in to.search_collections(Scope()):
            for job in to.jobs(found.collection.id):
                entry = an_entry(job.id, second=-60, status=AttemptStatus.FAILED)
                to.add_history(replace(entry, outcome=RunOutcome.FAILED))

    browser.run(browser.store.write(fail))
    browser.set_time("2026-01-10T00:00:03Z")


def _put_job(browser: Browser, group: str) -> None:
    path = (
        f"/subscriptions/me/resourceGroups/{group}/providers/Microsoft.Scheduler"
        f"/jobCollections/Billing/jobs/of-{group}?api-version=2016-03-01"
    )
    body = json.dumps(http_job(recurrence=HOURLY)).encode()
    answer = browser.call("PUT", path, body, headers={"authorization": f"Bearer {OWNER}"})
    assert answer.status == 201, answer.text


def test_filters_and_rows_show_distinct_names_of_collections(billing: Browser) -> None:
    with_a_namesake(billing)

    runs, failures = billing.get("/runs"), billing.get("/failures")

    for shown in (failures, runs):
        assert ">Billing (home)</option>" in shown.text
        assert ">Billing (office)</option>" in shown.text
    assert "of-home Billing (home) " in runs.words
    assert "of-office Billing (office) " in runs.words


def test_a_collection_with_a_unique_name_is_shown_by_its_name(billing: Browser) -> None:
    with_job(billing, recurrence=HOURLY)
    billing.set_time("2026-01-10T00:00:03Z")

    assert ">Billing</option>" in billing.get("/runs").text
    assert "Nightly Billing · Every hour" in billing.get("/").words


def test_the_refusal_of_a_second_free_collection_is_singular(browser: Browser) -> None:
    form = read_form(browser.get("/collections/new").text, "/collections")
    free = filled(form, collection="one", properties__sku__name="Free")
    browser.send("/collections", free)

    refused = browser.send("/collections", filled(free, collection="two"))

    assert refused.status == 409
    assert "The plan Free allows 1 collection in a subscription" in refused.words


def test_times_and_durations_are_readable(billing: Browser) -> None:
    billing.set_time("2026-01-10T15:02:14.4818278Z")
    billing.sign_in()
    with_job(billing, recurrence={"frequency": "day"})
    form = read_form(billing.get(EDIT).text, EDIT)

    job = billing.get(JOB)
    ended = billing.send(
        EDIT, filled(form, properties__recurrence__endTime="2026-01-10T15:02:14.4Z")
    )
    free = billing.send(
        f"{COLLECTION}/edit",
        filled(
            read_form(billing.get(f"{COLLECTION}/edit").text, f"{COLLECTION}/edit"),
            **{"properties.quota.maxRecurrence.frequency": "week"},
        ),
    )

    assert "Every day at 15:02:14 UTC" in job.words
    assert "give 2026-01-10 15:02:15 or later" in ended.words
    assert "one run in 7 days, and two runs would be 1 day apart" in free.words


def test_times_in_postponed_messages_are_readable_and_responses_unchanged(
    billing: Browser,
) -> None:
    with_job(billing)
    job = stored(billing)
    at = "2026-01-10T05:00:00.1234567Z"

    def happen(to: Transaction) -> None:
        skipped = an_entry(job.id, status=AttemptStatus.POSTPONED, message=f"skipped at {at}")
        answered = an_entry(job.id, second=1, message=f"answered at {at}")
        to.add_history(replace(skipped, run_id=None, outcome=RunOutcome.SKIPPED))
        to.add_history(replace(answered, outcome=RunOutcome.SUCCEEDED))

    billing.run(billing.store.write(happen))
    shown = billing.get(f"{JOB}/runs")

    assert "skipped at 2026-01-10 05:00:00 UTC" in shown.words
    assert f"answered at {at}" in shown.words


def test_a_refused_button_names_the_field_by_its_label(billing: Browser) -> None:
    with_job(billing, state="disabled", recurrence={"frequency": "day", "endTime": "2026-01-11"})
    billing.set_time("2026-01-12T00:00:00Z")
    billing.sign_in()

    refused = billing.post(f"{JOB}/enable")

    assert 'End: "2026-01-11T00:00:00Z" is in the past' in refused.words


def test_the_title_of_an_error_page_begins_with_a_capital(billing: Browser) -> None:
    shown = billing.get(f"/collections?{'a=1&' * 1001}")

    assert shown.status == 400
    assert ">The address has more than 1000 parameters.</h1>" in shown.text


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
@pytest.mark.parametrize("path", ["/collections/%00/x/y", "/collections/%FF/x/y", "/tokens/a/b"])
def test_an_unknown_path_below_a_page_returns_an_error_page(
    billing: Browser, path: str, accept: str
) -> None:
    shown = billing.get(path, accept=accept)

    assert shown.status == 404
    assert "Not found" in shown.words
    assert 'href="/collections"' in shown.text


def test_an_unknown_path_below_a_page_asks_to_sign_in(stranger: Browser) -> None:
    shown = stranger.get("/collections/%00/x/y", follow=False, accept="*/*")

    assert shown.status == 303
    assert shown.header("location").startswith("/sign-in?then=")
