"""Refused requests: the page shows the reason and a link back."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.model.token import Role
from foliot.portal.forms.collection import COLLECTION_FORM
from foliot.portal.forms.fields import Field, FormSchema, Kind
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import problems_of
from tests.portal.browser import COLLECTION, JOB, ORIGIN, Browser
from tests.portal.filling import filled, read_form
from tests.portal.jobs import with_job
from tests.support.api_client import http_job

EDIT = f"{COLLECTION}/edit"
SUBSCRIPTION = {"subscription": "me", "group": "home"}
OF_ONE = {**SUBSCRIPTION, "collection": "billing"}


def test_the_job_page_says_why_a_run_was_refused(
    billing: Browser,
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job(state="disabled"))
    billing.api("PATCH", "Billing", {"properties": {"state": "Disabled"}})

    from_the_job = billing.post(f"{JOB}/run", referer=f"{ORIGIN}{JOB}/runs?outcome=failed")
    without_a_word = billing.post(f"{JOB}/run", follow=False)

    assert from_the_job.status == 200
    assert "The collection 'Billing' is Disabled; enable it to run a job." in from_the_job.words
    assert 'aria-current="page">Runs' in from_the_job.text
    assert without_a_word.header("location") == JOB


@pytest.mark.parametrize(
    ("path", "referer", "back"),
    [
        pytest.param(JOB, f"{ORIGIN}{COLLECTION}?q=n", COLLECTION, id="a job that is not there"),
        pytest.param(f"{JOB}/edit", "", COLLECTION, id="a form of a job that is not there"),
        pytest.param("/collections/a/b/c", "", "/collections", id="a collection"),
        pytest.param("/nowhere", "https://elsewhere.test/x", "/", id="an address of no page"),
        pytest.param(f"{JOB}/run", f"{ORIGIN}/calendar?of=a", "/calendar?of=a", id="a form alone"),
        pytest.param(f"{JOB}/run", f"{ORIGIN}{JOB}/run", JOB, id="the page itself"),
        pytest.param(f"{JOB}/run", "https://elsewhere.test/x", JOB, id="from another site"),
        pytest.param(f"{JOB}/run", "http://[", JOB, id="from no address"),
        pytest.param(f"{JOB}/run", f"{ORIGIN}//evil.test/", JOB, id="an address of another site"),
    ],
)
def test_an_error_page_links_back(billing: Browser, path: str, referer: str, back: str) -> None:
    shown = billing.get(path, **({"referer": referer} if referer else {}))

    assert shown.status in (404, 405)
    assert f'href="{back}">Go back</a>' in shown.text.replace("&amp;", "&")


def test_the_title_of_an_error_page_is_the_reason(billing: Browser) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    shown = billing.post(f"{COLLECTION}", {"job": "Nightly", "do": "explode"})

    assert shown.status == 400
    title = shown.text.split("<h1")[1].split("</h1>")[0]
    assert "give one of enable, disable, run, delete" in title


@pytest.mark.parametrize("path", [EDIT, "/collections/new", f"{JOB}/edit", f"{JOB}/duplicate"])
def test_a_reader_cannot_open_a_form(billing: Browser, path: str) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", http_job())
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get(path)

    assert shown.status == 403
    assert "You don't have permission" in shown.words
    assert "The role Reader does not allow this; it needs the role Contributor." in shown.words


def test_a_token_of_one_collection_cannot_create_another(billing: Browser) -> None:
    billing.add_token("one", Role.CONTRIBUTOR, scope=OF_ONE)
    billing.sign_in("one")

    asked = billing.get("/collections/new")

    assert "New collection" not in billing.get("/collections").words
    assert asked.status == 403
    assert "This token is limited to the collection 'billing'." in asked.words


def test_a_token_of_one_collection_can_create_that_collection(browser: Browser) -> None:
    browser.add_token("one", Role.CONTRIBUTOR, scope=OF_ONE)
    browser.sign_in("one")

    offered, form = browser.get("/collections"), browser.get("/collections/new")

    assert "New collection" in offered.words
    assert 'value="billing"' in form.text


def test_the_collection_form_lists_all_its_problems(browser: Browser) -> None:
    fields = {
        "collection": "1st",
        "group": "",
        "tags:name": ["a", "a"],
        "tags:value": ["1", "2"],
        "properties__quota__maxJobCount": "many",
        "properties__quota__maxJobOccurrence": "0",
    }
    form = read_form(browser.get("/collections/new").text, "/collections")

    refused = browser.send("/collections", filled(form, **fields))

    assert refused.status == 400
    assert "Not saved: 5 problems." in refused.words
    assert 'Collection name: "1st" is not valid' in refused.words
    for field in ("group", "tags", "properties.quota.maxJobCount"):
        assert f'href="#{field}"' in refused.text
        assert f'id="{field}-problem"' in refused.text


def test_conflicting_edits_of_a_collection_can_be_merged(billing: Browser) -> None:
    count = "properties.quota.maxJobCount"
    form = filled(read_form(billing.get(EDIT).text, EDIT), **{count: "7"})
    billing.api(
        "PATCH", "Billing", {"tags": {"a": "b"}, "properties": {"quota": {"maxJobCount": 9}}}
    )

    shown = billing.send(EDIT, form)
    saved = billing.send(EDIT, read_form(shown.text, EDIT))

    assert shown.status == 409
    assert "now have the new values: Field Before Now Tags (empty) a: b" in shown.words
    assert "Most jobs 7 9" in shown.words
    assert "Saved." in saved.words
    stored = billing.api("GET", "Billing")
    assert (stored["tags"], stored["properties"]["quota"]) == ({"a": "b"}, {"maxJobCount": 7})


def test_a_corrected_form_still_detects_another_users_change(
    billing: Browser,
) -> None:
    count = "properties.quota.maxJobCount"
    form = filled(read_form(billing.get(EDIT).text, EDIT), **{count: "many"})
    billing.api("PATCH", "Billing", {"tags": {"a": "b"}})

    refused = billing.send(EDIT, form)
    again = billing.send(EDIT, filled(read_form(refused.text, EDIT), **{count: "7"}))

    assert refused.status == 400
    assert again.status == 409


def test_reloading_the_token_page_creates_no_second_token(browser: Browser) -> None:
    given = {"name": "ci", "role": "Reader", "scope": "/", "expires": ""}

    sent = browser.post("/tokens", given, follow=False)
    cookie = next(each for each in sent.cookies if "made-token" in each)
    first, again = browser.get("/tokens"), browser.get("/tokens")

    text = first.text.split('id="made">')[1].split("<")[0]
    assert (sent.status, sent.header("location")) == (303, "/tokens")
    assert text.startswith("foliot_")
    assert text not in sent.text + str(sent.headers)
    for attribute in ("HttpOnly", "Max-Age=60", "Path=/tokens", "SameSite=strict"):
        assert attribute in cookie
    assert text not in again.text
    assert again.words.count(" ci ") == 1


@pytest.mark.parametrize("wait", ["late", "another session", "nonsense"])
def test_a_new_token_is_shown_to_its_creator_within_a_minute(browser: Browser, wait: str) -> None:
    given = {"name": "ci", "role": "Reader", "scope": "/", "expires": ""}
    browser.post("/tokens", given, follow=False)
    if wait == "late":
        browser.set_time("2026-01-10T00:01:01Z")
    elif wait == "another session":
        browser.sign_in()
    else:
        browser.cookies["foliot-made-token"] = "nonsense"

    shown = browser.get("/tokens")

    assert shown.status == 200
    assert 'id="made"' not in shown.text
    assert "foliot-made-token" not in browser.cookies


def test_the_token_form_lists_all_its_problems(browser: Browser) -> None:
    shown = browser.post("/tokens", {"name": "", "role": "x", "scope": "x", "expires": "x"})

    assert shown.status == 400
    assert "Name is missing; give 1 to 100 printable characters." in shown.words
    assert "Token not created: 4 problems." in shown.words
    for field in ("name", "role", "scope", "expires"):
        assert f'href="#{field}"' in shown.text


def test_a_token_cannot_exceed_the_scope_of_its_creator(browser: Browser) -> None:
    browser.add_token("local", Role.OWNER, scope={"subscription": "me"})
    browser.sign_in("local")
    given = {"name": "ci", "role": "Reader", "expires": ""}

    refused = browser.post("/tokens", given | {"scope": "/"})
    made = browser.post("/tokens", given | {"scope": ""})

    assert refused.status == 403
    assert 'id="scope-problem"' in refused.text
    assert "A token can be made only within the scope" in refused.words
    assert "Token ci created." in made.words
    assert "ci ID 3, created 2026-01-10 00:00:00 UTC Reader /subscriptions/me " in made.words


def _refuses(*path: str) -> Any:
    def check(_: Form) -> None:
        raise Invalid(path, "no.")

    return check


def test_the_search_for_problems_ends_without_a_replacement_value() -> None:
    assert problems_of(Form(), COLLECTION_FORM, _refuses("nowhere")) == {"": "No."}
    assert problems_of(Form(), COLLECTION_FORM, _refuses("location")) == {"location": "No."}


def test_the_search_for_problems_ends_at_twenty() -> None:
    schema = FormSchema(tuple(Field(f"{number}.to", Kind.TEXT) for number in range(30)))

    def check(form: Form) -> None:
        for field in schema.fields:
            if not form.get(field.name):
                raise Invalid(tuple(field.name.split(".")), "No.")

    assert len(problems_of(Form(), schema, check)) == 20


def test_invalid_names_and_tags_of_a_collection_are_listed_together(browser: Browser) -> None:
    fields = {
        "collection": "1st",
        "subscription": "a b",
        "group": "g.",
        "location": "x" * 70,
    }
    form = read_form(browser.get("/collections/new").text, "/collections")

    refused = browser.send("/collections", filled(form, **fields))

    assert refused.status == 400
    assert "Not saved: 4 problems." in refused.words
    for field in fields:
        assert f'href="#{field}"' in refused.text


@pytest.mark.parametrize("is_signed_in", [True, False], ids=["signed in", "signed out"])
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", "GET"),
        ("/collections", "GET, POST"),
        ("/sign-out", "POST"),
        ("/sign-in", "GET, HEAD, POST"),
    ],
)
def test_a_method_that_no_page_knows_is_refused_with_those_it_knows(
    billing: Browser, path: str, allowed: str, *, is_signed_in: bool
) -> None:
    if not is_signed_in:
        billing.cookies.clear()

    for method in ("FOO", "TRACE", "PUT"):
        shown = billing.call(method, path)

        assert (shown.status, shown.header("allow")) == (405, allowed)


def test_a_page_without_a_form_says_which_methods_it_knows(billing: Browser) -> None:
    shown = billing.post("/about")

    assert (shown.status, shown.header("allow")) == (405, "GET")
    assert "This address does not accept POST, but GET." in shown.words


def test_an_address_with_a_bad_number_is_told_as_it_was_asked(billing: Browser) -> None:
    with_job(billing)

    assert 'no run "abc"' in billing.get(f"{COLLECTION}/jobs/Nightly/runs/abc").words
    assert 'no entry "99999999999999999999"' in billing.get("/audit/99999999999999999999").words
    assert 'no entry "x"' in billing.get(f"{COLLECTION}/jobs/Nightly/changes/x").words
