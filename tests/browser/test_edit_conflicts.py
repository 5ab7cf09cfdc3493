"""Two tabs change the same job: nothing that one of them saved or typed is lost."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

JOB = f"{COLLECTION}/jobs/nightly"
EDIT = f"{JOB}/edit"
DAILY = {"frequency": "day", "schedule": {"hours": [8, 16], "minutes": [0]}}


def opened(server: Server, open_tab: Any, **properties: Any) -> tuple[Any, Any]:
    """Return the form of a job, and another tab of the same person."""
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "nightly", **{"recurrence": DAILY, "state": "disabled", **properties})
    tab.go(EDIT)
    tab.page.wait_for_load_state("networkidle")
    return tab, tab.page.context.new_page()


def save(page: Any) -> None:
    page.get_by_role("button", name="Save").click()


def stored(tab: Any) -> Any:
    address = f"{tab.base}{API}/jobs/nightly{VERSION}"
    headers = {"authorization": f"Bearer {TOKEN}"}
    return tab.page.context.request.get(address, headers=headers).json()["properties"]


def test_times_of_day_survive_a_conflict(server: Server, open_tab: Any) -> None:
    tab, other = opened(server, open_tab)
    page = tab.page
    page.locator("#action").get_by_label("Body", exact=True).first.fill("mine")
    page.get_by_role("button", name="Add a time").click()
    page.locator("[name=time]").nth(2).fill("20:00")
    other.goto(f"{tab.base}{EDIT}")
    other.get_by_label("Description").fill("theirs")
    save(other)
    other.get_by_text("Saved.").wait_for()

    save(page)
    summary = page.locator("#problems")
    expect(summary).to_contain_text("Not saved yet")
    expect(summary.locator("tbody tr")).to_have_count(1)
    times = page.locator("[name=time]")
    assert [each.input_value() for each in times.all()] == ["08:00", "16:00", "20:00"]
    expect(page.locator("#preview")).to_contain_text("20:00")
    assert violations(page) == []
    save(page)
    page.get_by_text("Saved.").wait_for()

    job = stored(tab)
    assert job["recurrence"]["schedule"] == {"hours": [8, 16, 20], "minutes": [0]}
    assert job["description"] == "theirs"
    assert job["action"]["request"]["body"] == "mine"


def test_a_job_disabled_in_another_tab_stays_disabled(server: Server, open_tab: Any) -> None:
    tab, other = opened(server, open_tab, state="enabled", recurrence={"frequency": "year"})
    page = tab.page
    page.get_by_label("Description").fill("mine")
    other.goto(f"{tab.base}{JOB}")
    other.get_by_role("button", name="Disable").click()
    other.get_by_text("Job disabled.").wait_for()

    save(page)
    expect(page.locator("#problems").get_by_role("row", name="State")).to_contain_text("disabled")
    expect(page.get_by_label("State", exact=True)).to_have_value("disabled")
    save(page)
    page.get_by_text("Saved.").wait_for()

    job = stored(tab)
    assert (job["state"], job["description"]) == ("disabled", "mine")


def test_a_job_renamed_in_another_tab_is_saved_where_it_is(server: Server, open_tab: Any) -> None:
    tab, other = opened(server, open_tab)
    page = tab.page
    page.get_by_label("Description").fill("mine")
    other.goto(f"{tab.base}{JOB}/move")
    other.get_by_label("Collection", exact=True).fill("me/home/work")
    other.get_by_label("Name", exact=True).fill("renamed")
    other.locator("form[action$='/move'] button.primary").click()
    other.get_by_text("Job moved.").wait_for()

    save(page)
    expect(page.get_by_text("was renamed to 'renamed' while you were editing it")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("mine")
    assert violations(page) == []
    save(page)
    page.get_by_text("Saved.").wait_for()
    assert page.url.endswith("/jobs/renamed")
    stored_in_tab = page.evaluate("Object.keys(sessionStorage)")
    assert [each for each in stored_in_tab if each.startswith("foliot-draft")] == []

    tab.go(JOB)
    page.get_by_role("link", name="Open renamed in work").click()
    page.wait_for_url("**/jobs/renamed")
