"""The pages of collections: list, form, enable, disable, delete."""

import pytest

from tests.portal.browser import COLLECTION, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import with_job

NEW = "/collections"


EDIT = f"{COLLECTION}/edit"


def test_an_empty_server_says_what_to_do_next(browser: Browser) -> None:
    assert "Welcome to Foliot" in browser.get("/").words
    assert "No collections yet" in browser.get("/collections").words
    assert "There are no collections yet" in browser.get("/timeline").words


def test_an_empty_collection_says_what_to_do_next(billing: Browser) -> None:
    assert "No jobs yet" in billing.get(COLLECTION).words


def test_collections_are_listed_with_their_quota_and_tags(billing: Browser) -> None:
    with_job(billing)
    form = filled(
        read_form(billing.get(EDIT).text, EDIT),
        **{"tags:name": ["team", ""], "tags:value": ["<b>pay</b>", ""]},
        properties__quota__maxJobCount="2",
        location="westus",
    )
    assert "Saved." in billing.send(EDIT, form).words

    shown = billing.get("/collections")

    assert "Billing me / home Standard 1 of 2 enabled West US team: <b>pay</b>" in shown.words
    assert "<b>pay</b>" not in shown.text
    assert 'aria-label="1 of 2 jobs"' in shown.text


def test_collections_are_searched_by_name_and_paged(browser: Browser) -> None:
    for number in range(102):
        browser.api("PUT", f"c{number:03}", {"properties": {"sku": {"name": "P10Premium"}}})

    first = browser.get("/collections")
    found = browser.get("/collections?q=C10")
    none = browser.get("/collections?q=%25")
    second = browser.get("/collections?after=me/home/c099")

    assert "c099" in first.words
    assert "c100" not in first.words
    assert "after=me%2Fhome%2Fc099" in first.text
    assert [name for name in ("c010", "c100", "c101") if name in found.words] == ["c100", "c101"]
    assert "No collections match “%”" in none.words
    assert ("c100" in second.words, "c001" in second.words) == (True, False)
    assert "c001" in browser.get("/collections?after=nonsense").words


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        pytest.param({"collection": "1st"}, 400, '"1st" is not valid', id="name"),
        pytest.param(
            {"collection": ""}, 400, "Collection name is missing; give 1 to 100", id="no name"
        ),
        pytest.param({"group": "a/b"}, 400, '"a/b" is not valid', id="group"),
        pytest.param({"properties.sku.name": "Gold"}, 400, '"Gold" is not valid', id="plan"),
        pytest.param(
            {"properties.quota.maxJobCount": "51"}, 400, "51 is not valid", id="too high a quota"
        ),
        pytest.param(
            {"properties.quota.maxRecurrence.interval": "2"},
            400,
            "is missing; give one of minute, hour, day, week, month, year.",
            id="half of a quota",
        ),
        pytest.param({"collection": "billing"}, 409, "'Billing' exists already", id="taken"),
    ],
)
def test_an_invalid_collection_is_refused(
    billing: Browser, fields: dict[str, str], status: int, words: str
) -> None:
    page = billing.get("/collections/new")
    given = filled(read_form(page.text, NEW), **({"collection": "Other"} | fields))

    refused = billing.send(NEW, given)

    assert refused.status == status
    assert words in refused.words
    assert len(billing.api("GET", "")["value"]) == 1


def test_opening_and_saving_a_collection_changes_nothing(billing: Browser) -> None:
    body = {
        "location": "West US",
        "tags": {"a": "1", "b": ""},
        "properties": {
            "sku": {"name": "P20Premium"},
            "state": "Suspended",
            "quota": {
                "maxJobCount": 7,
                "maxJobOccurrence": 9,
                "maxRecurrence": {"frequency": "hour", "interval": 2},
            },
        },
    }
    billing.api("PUT", "Billing", body)
    before = billing.api("GET", "Billing")

    saved = billing.send(EDIT, read_form(billing.get(EDIT).text, EDIT))

    assert "Saved." in saved.words
    assert billing.api("GET", "Billing") == before


def test_a_quota_can_be_removed(billing: Browser) -> None:
    quota = {"maxRecurrence": {"frequency": "hour", "interval": 2}}
    billing.api("PUT", "Billing", {"properties": {"quota": quota}})
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, properties__quota__maxRecurrence__frequency=""))

    assert "quota" not in billing.api("GET", "Billing")["properties"]


def test_a_plan_that_the_jobs_do_not_fit_is_refused(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "minute"})
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, properties__sku__name="Free"))

    assert refused.status == 409
    assert "Jobs of the collection would go over its limits: 'Nightly'" in refused.words


def test_a_save_does_not_overwrite_another_users_change_of_a_collection(billing: Browser) -> None:
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PATCH", "Billing", {"tags": {"a": "b"}})

    assert billing.send(EDIT, form).status == 409


def test_a_collection_is_disabled_and_enabled(billing: Browser) -> None:
    off = billing.post(f"{COLLECTION}/disable")
    on = billing.post(f"{COLLECTION}/enable")

    assert "Collection paused: its jobs do not run until you resume it." in off.words
    assert (
        "The collection is paused (disabled): its jobs do not run until you resume it." in off.words
    )
    assert "Collection resumed: its jobs run again from the next planned time." in on.words


def test_a_collection_is_deleted_when_its_name_is_typed(billing: Browser) -> None:
    with_job(billing)
    asked = billing.get(f"{COLLECTION}/delete")
    wrong = billing.post(f"{COLLECTION}/delete", {"name": "other"})
    done = billing.post(f"{COLLECTION}/delete", {"name": "billing"})

    assert "This deletes the collection, its 1 job and their history." in asked.words
    assert wrong.status == 400
    assert "The name does not match: type Billing." in wrong.words
    assert 'value="other"' in wrong.text
    assert "Collection Billing deleted." in done.words
    assert billing.get(COLLECTION).status == 404
