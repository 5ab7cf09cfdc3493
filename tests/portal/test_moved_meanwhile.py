"""A job that is moved while somebody edits it, and its old address: both lead to where it is."""

import json

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, Browser, Shown
from tests.portal.filling import Pairs, filled, read_form
from tests.portal.jobs import EDIT, names
from tests.support import bodies
from tests.support.api_client import http_job

MOVE = f"{JOB}/move"
TARGET = "me/home/Archive"
ARCHIVED = "/collections/me/home/Archive/jobs/Nightly"
URI = "properties__action__request__uri"
PASSWORD = "properties.action.request.authentication.password"  # noqa: S105  (the name of a field)
JSON = f"{JOB}/json"
LINK = f'href="{ARCHIVED}">Open Nightly in Archive</a>'
NO_LONGER_HERE = "Job 'Nightly' is no longer here: it was deleted or moved"


@pytest.fixture
def two(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a job and a second collection."""
    billing.api("PUT", "Archive", {"properties": {"sku": {"name": "Standard"}}})
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    return billing


def move(browser: Browser, path: str = MOVE, **fields: str) -> None:
    form = read_form(browser.get(path).text, path)
    assert "Job moved." in browser.send(path, filled(form, **({"into": TARGET} | fields))).words


def opened(browser: Browser, path: str = EDIT) -> Pairs:
    return read_form(browser.get(path).text, path)


def seen_by_who_may_not_see_the_target(two: Browser, path: str = EDIT) -> Shown:
    """Open a form within the scope of a collection, let an Owner move the job, and save it."""
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    two.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    two.sign_in("scoped")
    form = opened(two, path)
    two.sign_in()
    move(two)
    two.sign_in("scoped")
    new = f"{COLLECTION}/new"
    return two.send(path, filled(form, csrf=dict(opened(two, new))["csrf"]))


def test_the_edits_of_a_moved_job_are_saved_where_it_is(two: Browser) -> None:
    form = filled(opened(two), **{URI: "http://typed.test/"})
    move(two)

    shown = two.send(EDIT, form)
    there = read_form(shown.text, f"{ARCHIVED}/edit")
    saved = two.send(f"{ARCHIVED}/edit", there)

    assert shown.status == 409
    assert "Job 'Nightly' was moved to Archive while you were editing it." in shown.words
    assert LINK in shown.text
    assert "Create" not in shown.words
    assert "Saved." in saved.words
    properties = two.api("GET", "Archive/jobs/Nightly")["properties"]
    assert properties["action"]["request"]["uri"] == "http://typed.test/"
    assert names(two) == []


def test_a_job_that_was_moved_and_changed_is_a_conflict_where_it_is(two: Browser) -> None:
    form = filled(opened(two), **{URI: "http://typed.test/"})
    move(two)
    two.api("PUT", "Archive/jobs/Nightly", http_job(description="theirs"))

    there = read_form(two.send(EDIT, form).text, f"{ARCHIVED}/edit")
    shown = two.send(f"{ARCHIVED}/edit", there)

    assert shown.status == 409
    assert "Description (empty) theirs" in shown.words


def test_a_secret_that_was_typed_must_be_typed_again_where_the_job_is(two: Browser) -> None:
    two.api("PUT", "Billing/jobs/Nightly", bodies.basic(password="first"))  # noqa: S106
    form = filled(opened(two), **{PASSWORD: "second"})
    move(two)

    shown = two.send(EDIT, form)

    assert f'id="{PASSWORD}-problem">Password must be entered again' in shown.text


def test_the_edits_of_a_renamed_job_are_saved_under_its_name(two: Browser) -> None:
    form = filled(opened(two), **{URI: "http://typed.test/"})
    move(two, into="me/home/Billing", name="Daily")

    shown = two.send(EDIT, form)
    path = f"{COLLECTION}/jobs/Daily/edit"
    two.send(path, read_form(shown.text, path))

    assert "Job 'Nightly' was renamed to 'Daily' while you were editing it." in shown.words
    properties = two.api("GET", "Billing/jobs/Daily")["properties"]
    assert properties["action"]["request"]["uri"] == "http://typed.test/"
    assert names(two) == ["Daily"]


def test_a_job_that_was_moved_twice_is_found(two: Browser) -> None:
    form = opened(two)
    move(two)
    move(two, f"{ARCHIVED}/move", name="Later")

    shown = two.send(EDIT, form)

    assert "Job 'Nightly' was moved to Archive as 'Later' while you were editing it." in shown.words


def test_the_json_of_a_moved_job_is_saved_where_it_is(two: Browser) -> None:
    form = filled(opened(two, JSON), json=json.dumps(http_job("http://typed.test/")))
    move(two)

    shown = two.send(JSON, form)
    saved = two.send(f"{ARCHIVED}/json", read_form(shown.text, f"{ARCHIVED}/json"))

    assert shown.status == 409
    assert "Job 'Nightly' was moved to Archive while you were editing it." in shown.words
    assert "Saved." in saved.words
    properties = two.api("GET", "Archive/jobs/Nightly")["properties"]
    assert properties["action"]["request"]["uri"] == "http://typed.test/"


def test_a_place_that_one_may_not_see_is_not_told(two: Browser) -> None:
    shown = seen_by_who_may_not_see_the_target(two)

    assert shown.status == 409
    assert NO_LONGER_HERE in shown.words
    assert "Archive" not in shown.text
    assert "Create it again" not in shown.words
    assert dict(read_form(shown.text, f"{COLLECTION}/new"))["name"] == ""


def test_the_json_of_a_job_that_left_ones_sight_is_not_created_again_first(two: Browser) -> None:
    shown = seen_by_who_may_not_see_the_target(two, JSON)

    assert NO_LONGER_HERE in shown.words
    assert "Archive" not in shown.text
    assert '<button class="button plain">Create job</button>' in shown.text


def test_a_job_that_was_moved_and_then_deleted_is_no_longer_here(two: Browser) -> None:
    form = opened(two)
    move(two)
    two.api("DELETE", "Archive/jobs/Nightly")

    assert NO_LONGER_HERE in two.send(EDIT, form).words


def test_a_later_job_of_the_same_name_that_was_deleted_can_be_created_again(two: Browser) -> None:
    move(two)
    two.api("PUT", "Billing/jobs/Nightly", http_job())
    form = opened(two)
    two.api("DELETE", "Billing/jobs/Nightly")

    assert "was deleted while you were editing it" in two.send(EDIT, form).words


@pytest.mark.parametrize("page", ["", "/edit", "/runs", "/changes"])
def test_the_old_address_of_a_moved_job_says_where_it_is(two: Browser, page: str) -> None:
    move(two)

    shown = two.get(f"{JOB}{page}")

    assert "Job 'Nightly' was moved to Archive." in shown.words
    assert LINK in shown.text


def test_the_old_address_tells_only_who_may_see_the_new_one(two: Browser) -> None:
    move(two)
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    two.add_token("scoped", Role.READER, scope=scope)
    two.sign_in("scoped")

    shown = two.get(JOB)

    assert shown.status == 404
    assert "Job 'Nightly' cannot be found." in shown.words
    assert "Archive" not in shown.text


def test_a_reader_who_sees_both_collections_finds_a_moved_job(two: Browser) -> None:
    move(two)
    two.add_token("reader", Role.READER)
    two.sign_in("reader")

    shown = two.get(JOB)

    assert shown.status == 404
    assert LINK in shown.text


def test_a_part_of_a_page_of_a_moved_job_says_where_it_is(two: Browser) -> None:
    move(two)

    assert two.part(f"{JOB}/live").text == "Job 'Nightly' was moved to Archive."
