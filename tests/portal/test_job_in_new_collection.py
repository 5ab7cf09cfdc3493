"""The form of a new job with a choice of its collection, which may be created with the job."""

import re
from html import unescape
from typing import Any

import pytest

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, OWNER, Browser, Shown
from tests.portal.filling import Pairs, filled, read_form
from tests.portal.jobs import problems_on, with_job

NEW = "/jobs/new"
GROUP = {"subscription": "me", "group": "home"}
OF_ONE = {**GROUP, "collection": "billing"}
_OPTION = re.compile(r'<option value="([^"]*)"( selected)?>([^<]*)</option>')


def options(shown: Shown) -> dict[str, str]:
    """Return the collections that the form offers."""
    part = shown.text.split('name="into"')[1].split("</select>")[0]
    return {unescape(value): unescape(words) for value, _, words in _OPTION.findall(part)}


def chosen(shown: Shown) -> str:
    return dict(read_form(shown.text, NEW))["into"]


def form_in(browser: Browser, path: str = NEW, **fields: Any) -> Pairs:
    """Return the form, filled in so that it is accepted."""
    given = {
        "name": "Nightly",
        "properties__action__request__uri": "https://127.0.0.1/",
        "collection": "Fresh",
    }
    return filled(read_form(browser.get(path).text, NEW), **(given | fields))


def collections(browser: Browser) -> list[tuple[str, str, str, str, int]]:
    return browser.rows(
        "SELECT subscription, resource_group, name, sku, job_count FROM collection WHERE id > 0"
    )


def test_on_an_empty_server_a_job_and_its_collection_are_created_together(
    browser: Browser,
) -> None:
    form = form_in(browser, location="westus", properties__sku__name="P10Premium")
    created = browser.send(NEW, form)

    assert "Collection and job created." in created.words
    assert collections(browser) == [("me", "home", "Fresh", "P10Premium", 1)]
    made = browser.api("GET", "Fresh")
    assert (made["location"], made["properties"]["state"]) == ("West US", "Enabled")
    assert browser.rows("SELECT changed_by FROM collection") == [(OWNER,)]


def test_the_state_of_the_job_is_not_that_of_its_collection(browser: Browser) -> None:
    browser.send(NEW, form_in(browser, properties__state="disabled"))

    assert browser.api("GET", "Fresh")["properties"]["state"] == "Enabled"
    assert browser.api("GET", "Fresh/jobs/Nightly")["properties"]["state"] == "disabled"


@pytest.mark.parametrize(
    ("path", "way"), [("/", 'action="/jobs/new"'), ("/collections", 'href="/jobs/new"')]
)
def test_an_empty_server_offers_a_new_job(browser: Browser, path: str, way: str) -> None:
    assert way in browser.get(path).text
    assert chosen(browser.get(NEW)) == "new"


@pytest.mark.parametrize("path", ["/", "/collections"])
def test_a_server_with_collections_offers_a_new_job(billing: Browser, path: str) -> None:
    assert 'href="/jobs/new"' in billing.get(path).text


def test_a_test_is_offered_when_a_collection_exists(browser: Browser) -> None:
    before = browser.get(NEW)
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "Standard"}}})

    assert "Send a test" not in before.words
    assert "A test can be sent when the collection exists." in before.words
    assert "Send a test" in browser.get(NEW).words


def test_the_menu_marks_jobs_for_a_new_job(billing: Browser) -> None:
    menu = billing.get(NEW).text.split("<nav")[1].split("</nav>")[0]

    assert menu.count("aria-current") == 1
    assert '<a href="/jobs" aria-current="page">' in menu


def test_a_collection_is_chosen(billing: Browser) -> None:
    billing.api("PUT", "Other", {})

    shown = billing.get(NEW)
    created = billing.send(NEW, form_in(billing, into="me/home/Other"))

    assert options(shown) == {
        "": "Choose a collection",
        "me/home/Billing": "Billing",
        "me/home/Other": "Other",
        "new": "New collection…",
    }
    assert chosen(shown) == ""
    assert "Job created." in created.words
    assert [row[2:] for row in collections(billing)] == [
        ("Billing", "Standard", 0),
        ("Other", "Standard", 1),
    ]


def test_the_only_collection_is_chosen_already(billing: Browser) -> None:
    assert chosen(billing.get(NEW)) == "me/home/Billing"


def test_the_form_of_a_collection_leads_to_the_choice(billing: Browser) -> None:
    billing.api("PUT", "Other", {})
    fixed = billing.get(f"{COLLECTION}/new")
    link = unescape(fixed.text.split('href="/jobs/new')[1].split('"')[0])

    assert chosen(billing.get(NEW + link)) == "me/home/Billing"
    assert chosen(billing.get(f"{NEW}?into=ME/HOME/billing")) == "me/home/Billing"
    assert chosen(billing.get(f"{NEW}?into=me/home/none")) == ""


def test_a_chosen_collection_is_offered_beyond_the_first_200(billing: Browser) -> None:
    def add(to: Any) -> None:
        for number in range(205):
            to.add_collection(Collection(key=CollectionKey("me", "home", f"c{number:03}")))

    billing.run(billing.store.write(add))

    cut = billing.get(NEW)
    shown = billing.get(f"{NEW}?into=me/home/c204")

    assert "This list is not complete." in cut.words
    assert "me/home/c204" not in options(cut)
    assert chosen(shown) == "me/home/c204"


@pytest.mark.parametrize(
    ("fields", "fields_with_problems"),
    [
        pytest.param(
            {"collection": "1st", "name": "2nd", "properties__action__request__uri": "nowhere"},
            {"collection", "name", "properties.action.request.uri"},
            id="names and the address",
        ),
        pytest.param(
            {"subscription": "a b", "group": "", "location": "x" * 70, "name": ""},
            {"subscription", "group", "location", "name"},
            id="the place and the job's name",
        ),
        pytest.param(
            {"properties__sku__name": "Gold", "properties__recurrence__interval": "often"},
            {"properties.sku.name", "properties.recurrence.interval"},
            id="the plan and the schedule",
        ),
        pytest.param(
            {"collection": "billing", "name": "2nd"}, {"collection", "name"}, id="a taken name"
        ),
        pytest.param({"into": "", "name": "2nd"}, {"into", "name"}, id="no choice"),
        pytest.param({"into": "a/b/c", "name": "2nd"}, {"into", "name"}, id="an unknown one"),
        pytest.param({"into": "a/b", "name": "2nd"}, {"into", "name"}, id="half a choice"),
    ],
)
def test_problems_of_both_parts_are_shown_at_once_and_nothing_is_stored(
    billing: Browser, fields: dict[str, str], fields_with_problems: set[str]
) -> None:
    before = collections(billing)
    form = form_in(billing, **({"into": "new"} | fields))

    refused = billing.send(NEW, form)

    assert refused.status == 400
    assert set(problems_on(refused)) == fields_with_problems
    assert collections(billing) == before
    sent, shown = dict(form), dict(read_form(refused.text, NEW))
    for name in ("collection", "subscription", "group", "location", "name"):
        assert shown[name] == sent[name].strip()
    for field in fields_with_problems:
        assert f'id="{field}-problem"' in refused.text


def test_a_job_that_the_plan_refuses_leaves_no_collection(browser: Browser) -> None:
    form = form_in(
        browser, properties__sku__name="Free", properties__recurrence__frequency="minute"
    )

    refused = browser.send(NEW, form)
    again = browser.send(NEW, filled(form, properties__sku__name="Standard"))

    assert refused.status == 409
    assert "the plan Free allows one run in 1 hour" in refused.words
    assert "Collection and job created." in again.words
    assert len(collections(browser)) == 1


def test_a_second_free_collection_is_refused_with_its_job(browser: Browser) -> None:
    free = {"properties__sku__name": "Free"}
    browser.send(NEW, form_in(browser, **free))

    refused = browser.send(NEW, form_in(browser, into="new", collection="Second", **free))

    assert refused.status == 409
    assert "The plan Free allows 1 collection" in refused.words
    assert len(collections(browser)) == 1
    assert browser.rows("SELECT count(*) FROM job") == [(1,)]


def test_a_taken_name_of_a_job_is_refused_in_a_chosen_collection(billing: Browser) -> None:
    with_job(billing)

    refused = billing.send(NEW, form_in(billing))

    assert refused.status == 409
    assert "name" in problems_on(refused)
    assert chosen(refused) == "me/home/Billing"


def test_a_scope_fills_in_and_limits_the_new_collection(billing: Browser) -> None:
    billing.add_token("group", Role.CONTRIBUTOR, scope={"subscription": "acme", "group": "ops"})
    billing.sign_in("group")
    form = form_in(billing)

    outside = billing.send(NEW, filled(form, subscription="me", group="Home"))
    created = billing.send(NEW, form)

    assert (dict(form)["subscription"], dict(form)["group"]) == ("acme", "ops")
    assert options(outside) == {"new": "New collection…"}
    assert outside.status == 400
    assert problems_on(outside) == {
        "subscription": "Subscription is outside the scope of your token; give acme.",
        "group": "Resource group is outside the scope of your token; give ops.",
    }
    assert "Collection and job created." in created.words
    assert ("acme", "ops", "Fresh", "Standard", 1) in collections(billing)


def test_a_collection_outside_the_scope_cannot_be_chosen(billing: Browser) -> None:
    billing.add_token("elsewhere", Role.CONTRIBUTOR, scope={"subscription": "you"})
    billing.sign_in("elsewhere")

    refused = billing.send(NEW, form_in(billing, into="me/home/Billing"))

    assert refused.status == 400
    assert "into" in problems_on(refused)
    assert collections(billing)[0][4] == 0


def test_a_token_of_one_collection_creates_no_other(billing: Browser) -> None:
    billing.add_token("one", Role.CONTRIBUTOR, scope=OF_ONE)
    billing.sign_in("one")

    shown = billing.get(NEW)
    refused = billing.send(NEW, form_in(billing, into="new"))

    assert "new" not in options(shown)
    assert refused.status == 400
    assert problems_on(refused)["collection"].endswith("give billing.")
    assert len(collections(billing)) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_reader_creates_nothing(billing: Browser, method: str) -> None:
    form = form_in(billing, into="new")
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")
    csrf = billing.get("/about").csrf

    shown = billing.get(NEW) if method == "GET" else billing.send(NEW, filled(form, csrf=csrf))

    assert shown.status == 403
    assert len(collections(billing)) == 1
    for path in ("/", "/collections"):
        assert NEW not in billing.get(path).text


def test_the_preview_works_without_a_collection(browser: Browser) -> None:
    query = "properties.recurrence.frequency=day&properties.recurrence.interval=2"

    shown = browser.part(f"/jobs/preview?{query}")
    of_a_job = browser.part(f"/jobs/preview?{query}&of=Nightly")

    assert "Every 2 days" in shown.text
    assert (of_a_job.status, of_a_job.text) == (200, shown.text)


def test_posted_names_of_a_copy_change_nothing(browser: Browser) -> None:
    form = filled(form_in(browser, name="1st"), copy_of="x", take="y", kept="z")

    refused = browser.send(NEW, form)

    assert refused.status == 400
    assert set(problems_on(refused)) == {"name"}


def test_a_hostile_choice_is_shown_as_text(billing: Browser) -> None:
    refused = billing.send(NEW, form_in(billing, into='"><script>alert(1)</script>/b/c'))
    asked = billing.get(f"{NEW}?into=%22%3E%3Cscript%3Ealert(1)%3C/script%3E/b")

    assert refused.status == 400
    assert asked.status == 200
    for shown in (refused, asked):
        assert "<script>alert" not in shown.text


def test_a_collection_in_a_group_with_odd_characters_can_be_chosen(billing: Browser) -> None:
    for group in ("old\ngroup\u202e", "new"):
        key = CollectionKey("me", group, "Billing")
        billing.run(billing.store.write(lambda to, key=key: to.add_collection(Collection(key=key))))
    into = "me/old\ngroup\u202e/Billing"

    shown = billing.get(NEW)
    created = billing.send(NEW, form_in(billing, into=into))

    assert options(shown)[into] == "Billing (old\ngroup\\u202e)"
    assert "Job created." in created.words


def test_secrets_are_not_repeated_in_a_refused_form(browser: Browser) -> None:
    authentication = "properties__action__request__authentication__"
    form = form_in(
        browser,
        collection="1st",
        **{
            f"{authentication}type": "Basic",
            f"{authentication}username": "ann",
            f"{authentication}password": "s3cr3t-typed",
        },
    )

    refused = browser.send(NEW, form)

    assert set(problems_on(refused)) == {
        "collection",
        "properties.action.request.authentication.password",
    }
    assert "s3cr3t-typed" not in refused.text
