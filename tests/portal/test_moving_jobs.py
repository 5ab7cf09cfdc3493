"""Moving and copying a job to another collection."""

import re

import pytest

from foliot.core.model.token import Role, Scope
from foliot.ports.store import Reading
from tests.portal.browser import COLLECTION, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.support import bodies

JOB = f"{COLLECTION}/jobs/Nightly"
MOVE = f"{JOB}/move"
TARGET = "me/home/Archive"
ARCHIVED = "/collections/me/home/Archive/jobs/Nightly"
SECRET = "s3cr3t-and-not-shown"  # noqa: S105  (of a test)


@pytest.fixture
def two(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a job and a second collection."""
    billing.api("PUT", "Archive", {"properties": {"sku": {"name": "Standard"}}})
    billing.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    return billing


def job_in(browser: Browser, collection: str, name: str = "Nightly") -> object:
    def view(reading: Reading) -> object:
        for each in reading.search_collections(Scope()):
            if each.collection.key.name == collection:
                located = reading.located_job(each.collection.key, name)
                return None if located is None else located[1]
        return None

    return browser.run(browser.store.read(view))


def send(browser: Browser, **fields: str) -> Shown:
    return browser.send(MOVE, filled(read_form(browser.get(MOVE).text, MOVE), **fields))


def test_a_job_moves_with_its_secrets_and_its_id(two: Browser) -> None:
    before = job_in(two, "Billing")

    shown = send(two, into=TARGET)

    assert "Job moved." in shown.words
    after = job_in(two, "Archive")
    assert job_in(two, "Billing") is None
    assert after.id == before.id  # pyright: ignore[reportAttributeAccessIssue]
    assert after.definition == before.definition  # pyright: ignore[reportAttributeAccessIssue]
    assert [each["properties"]["sku"]["name"] for each in two.api("GET", "")["value"]]
    assert two.rows("SELECT name, job_count FROM collection ORDER BY name") == [
        ("Archive", 1),
        ("Billing", 0),
    ]


def test_a_copy_has_the_secrets_and_is_disabled(two: Browser) -> None:
    shown = send(two, into=TARGET, do="copy", name="Spare")

    assert "Job copied. The copy is disabled." in shown.words
    copy, original = job_in(two, "Archive", "Spare"), job_in(two, "Billing")
    assert copy.definition.action == original.definition.action  # pyright: ignore[reportAttributeAccessIssue]
    assert copy.state.value == "disabled"  # pyright: ignore[reportAttributeAccessIssue]
    assert SECRET not in shown.text


def test_both_collections_have_an_entry_of_a_move(two: Browser) -> None:
    send(two, into=TARGET)

    there = two.get("/collections/me/home/Archive/changes").words
    here = two.get(f"{COLLECTION}/changes").words

    assert "moved the job Nightly" in there
    assert "from me/home/Billing/Nightly" in there
    assert "to me/home/Archive/Nightly" in here


def job_links(browser: Browser, page: str) -> set[str]:
    """Return the links of a page to a job named Nightly, wherever they lead."""
    return set(re.findall(r'href="([^"]+/jobs/Nightly)"', browser.get(page).text))


@pytest.mark.parametrize("page", [f"{COLLECTION}/changes", "/audit"])
def test_earlier_changes_lead_to_where_a_moved_job_is_now(two: Browser, page: str) -> None:
    two.api("PUT", "Third", {"properties": {"sku": {"name": "Standard"}}})
    send(two, into=TARGET)
    assert job_links(two, page) == {ARCHIVED}

    again = f"{ARCHIVED}/move"
    two.send(again, filled(read_form(two.get(again).text, again), into="me/home/Third"))

    assert job_links(two, page) == {"/collections/me/home/Third/jobs/Nightly"}


@pytest.mark.parametrize("page", [f"{COLLECTION}/changes", "/audit"])
def test_changes_of_a_job_that_was_moved_and_deleted_have_no_link(two: Browser, page: str) -> None:
    send(two, into=TARGET)
    two.api("DELETE", "Archive/jobs/Nightly")

    assert job_links(two, page) == set()


def test_a_job_that_left_the_scope_of_a_visitor_has_no_link(two: Browser) -> None:
    send(two, into=TARGET)
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    two.add_token("scoped", Role.CONTRIBUTOR, scope=scope)
    two.sign_in("scoped")

    assert job_links(two, f"{COLLECTION}/changes") == set()


def test_a_later_job_of_the_same_name_is_not_taken_for_the_moved_one(two: Browser) -> None:
    send(two, into=TARGET)
    (first,) = two.rows("SELECT max(id) FROM audit")
    two.set_time("2026-01-10T01:00:00Z")
    two.sign_in()
    two.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=SECRET))
    two.api("DELETE", "Billing/jobs/Nightly")

    assert job_links(two, f"/audit/{first[0] + 1}") == set()
    assert job_links(two, f"/audit/{first[0]}") == {ARCHIVED}


def test_the_only_other_collection_is_chosen_already(two: Browser) -> None:
    alone = two.get(MOVE)
    two.api("PUT", "Third", {"properties": {"sku": {"name": "Standard"}}})

    assert f'value="{TARGET}" list="collections"' in alone.text
    assert 'value="" list="collections"' in two.get(MOVE).text


def test_a_name_alone_finds_its_collection(two: Browser) -> None:
    assert "Job moved." in send(two, into="archive").words


@pytest.mark.parametrize(
    ("into", "problem"),
    [
        ("", "Collection is missing; choose one."),
        ("nowhere", "No collection is named 'nowhere'"),
        ("arch", "No collection is named 'arch'; did you mean me/home/Archive?"),
        ("me/home/nowhere", "nowhere"),
        ("me/home/Billing", "has a job 'Nightly' already"),
    ],
)
def test_a_wrong_target_is_refused_with_the_reason(two: Browser, into: str, problem: str) -> None:
    shown = send(two, into=into)

    assert shown.status in (400, 409)
    assert problem in shown.words
    assert job_in(two, "Billing") is not None


def test_a_name_that_is_taken_is_refused(two: Browser) -> None:
    two.api("PUT", "Archive/jobs/nightly", bodies.request_job())

    shown = send(two, into=TARGET)

    assert shown.status == 409
    assert "The collection 'Archive' has a job 'nightly' already" in shown.words


def test_a_full_collection_takes_no_job(two: Browser) -> None:
    two.api("PATCH", "Archive", {"properties": {"quota": {"maxJobCount": 1}}})
    two.api("PUT", "Archive/jobs/one", bodies.request_job())

    for do in ("move", "copy"):
        shown = send(two, into=TARGET, do=do)
        assert shown.status == 409
        assert "cannot take one more: its quota maxJobCount is 1" in shown.words
    assert job_in(two, "Billing") is not None


def test_a_job_that_goes_over_the_plan_of_the_target_is_refused(two: Browser) -> None:
    two.api("DELETE", "Archive")
    two.api("PUT", "Archive", {"properties": {"sku": {"name": "Free"}}})

    shown = send(two, into=TARGET)

    assert shown.status == 409
    assert "the plan Free does not allow HTTP authentication" in shown.words


def test_a_calendar_that_the_target_does_not_have_is_refused(two: Browser) -> None:
    own = "2026-11-01"
    two.api("PUT", "Billing/calendars/days", {"properties": {"dates": ["2026-12-25"]}}, version=own)
    recurrence = {"frequency": "day", "exclude": {"calendars": ["days"]}}
    job = bodies.request_job()
    job["properties"]["recurrence"] = recurrence
    two.api("PUT", "Billing/jobs/Nightly", job, version=own)

    refused = send(two, into=TARGET)
    two.api("PUT", "Archive/calendars/days", {"properties": {"dates": ["2026-12-26"]}}, version=own)
    moved = send(two, into=TARGET)

    assert refused.status == 400
    assert "is not a calendar of the collection" in refused.words
    assert "Job moved." in moved.words
    assert two.rows("SELECT count(*) FROM calendar_use") == [(1,)]


def test_a_job_goes_on_when_it_leaves_a_disabled_collection(two: Browser) -> None:
    job = bodies.request_job()
    job["properties"]["recurrence"] = {"frequency": "hour"}
    two.api("PUT", "Billing/jobs/Nightly", job)
    two.post(f"{COLLECTION}/disable")
    two.set_time("2026-01-11T00:30:00Z")
    assert two.sign_in().status == 200

    assert "Job moved." in send(two, into=TARGET).words

    assert two.rows("SELECT is_halted FROM job WHERE name = 'Nightly'") == [(0,)]
    after = job_in(two, "Archive")
    assert after.next_at >= two.clock.now()  # pyright: ignore[reportAttributeAccessIssue]
    kinds = two.rows("SELECT kind FROM schedule_change ORDER BY id")
    assert [kind for (kind,) in kinds][-2:] == ["halted", "resumed"]


def test_a_job_halts_when_it_goes_to_a_disabled_collection(two: Browser) -> None:
    two.post("/collections/me/home/Archive/disable")

    assert "Job moved." in send(two, into=TARGET).words

    assert two.rows("SELECT is_halted FROM job WHERE name = 'Nightly'") == [(1,)]


def test_a_reader_and_a_caller_without_the_target_cannot_move(two: Browser) -> None:
    two.add_token("rita", Role.READER)
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    two.add_token("ann", Role.CONTRIBUTOR, scope=scope)
    two.sign_in("rita")
    assert "Move or copy" not in two.get(JOB).words
    assert two.get(MOVE).status == 403
    assert two.post(MOVE, {"into": TARGET}, csrf=two.get("/about").csrf).status == 403

    two.sign_in("ann")
    shown = send(two, into=TARGET)

    assert shown.status == 400
    assert "Archive" not in two.get(MOVE).text
    assert job_in(two, "Billing") is not None


def test_a_collection_with_a_very_long_name_is_refused(two: Browser) -> None:
    shown = send(two, into="x" * 100_000)

    assert shown.status == 400
    assert "Collection has more than 400 characters" in shown.words


def test_the_list_says_which_collections_are_disabled(two: Browser) -> None:
    two.api("PATCH", "Archive", {"properties": {"state": "Disabled"}})

    page = two.get(MOVE).text

    assert '<option value="me/home/Archive">disabled</option>' in page
    assert '<option value="me/home/Billing"></option>' in page


@pytest.mark.parametrize("state", ["Disabled", "Suspended"])
def test_a_move_into_a_collection_that_does_not_run_its_jobs_warns(
    two: Browser, state: str
) -> None:
    two.api("PATCH", "Archive", {"properties": {"state": state}})

    shown = send(two, into=TARGET)

    words = f"The collection is {state.lower()}: its jobs do not run until it is resumed."
    assert f'<p class="notice warn">Job moved. {words}</p>' in shown.text


def test_a_move_into_an_enabled_collection_does_not_warn(two: Browser) -> None:
    assert '<p class="notice good">Job moved.</p>' in send(two, into=TARGET).text


def test_the_button_names_the_choice_only_with_a_script(two: Browser) -> None:
    page = two.get(MOVE).text

    assert '<button class="button primary" data-says-choice>Move or copy</button>' in page
    assert 'data-says="Move job"' in page
    assert 'data-says="Copy job"' in page
