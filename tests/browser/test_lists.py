"""Lists and automatic refreshes in a real browser, also while the server does not respond."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from foliot.core.instant import HOUR, Instant, format_instant
from foliot.ports import clock
from tests.browser.demo import TOKEN
from tests.browser.targets import site
from tests.browser.work_collection import COLLECTION, make_collection, put_job
from tests.support.server import Server, running

MANY = "/collections/acme/ops/maintenance"


def dialog_is_closed(page: Any, name: str) -> bool:
    return not page.locator(f"dialog#{name}").evaluate("each => each.open")


def test_enter_on_a_checkbox_runs_nothing(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "a", recurrence={"frequency": "day"}, state="disabled")
    tab.go(COLLECTION)
    page = tab.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))

    for label in ("Select a", "Select all"):
        page.get_by_label(label, exact=True).check()
        page.get_by_label(label, exact=True).press("Enter")
    tab.go(f"{COLLECTION}/jobs/a")

    assert "POST" not in sent
    assert "No runs yet." in page.text_content("#live")


@pytest.mark.parametrize(
    ("path", "dialog"),
    [
        pytest.param(f"{COLLECTION}/jobs/a", "delete-job", id="a job"),
        pytest.param(COLLECTION, "delete-many", id="many jobs"),
    ],
)
def test_enter_right_after_delete_was_opened_deletes_nothing(
    server: Server, open_tab: Any, path: str, dialog: str
) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "a", recurrence={"frequency": "day"}, state="disabled")
    tab.go(path)
    page = tab.page
    if dialog == "delete-many":
        page.get_by_label("Select a", exact=True).check()

    page.locator(f"[data-opens={dialog}]").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Enter")

    assert dialog_is_closed(page, dialog)
    tab.go(COLLECTION)
    assert page.locator("td .main-name").all_text_contents() == ["a"]


def test_running_several_jobs_is_confirmed(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    for name in ("a", "b"):
        put_job(server, name, recurrence={"frequency": "day"}, state="disabled")
    tab.go(COLLECTION)
    page, bulk = tab.page, tab.page.locator(".bulk")

    page.get_by_label("Select all", exact=True).check()
    bulk.get_by_role("button", name="Run 2 jobs…").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Enter")
    assert dialog_is_closed(page, "run-many")
    assert "started" not in page.text_content("main")

    bulk.get_by_role("button", name="Run 2 jobs…").click()
    page.locator("dialog#run-many").get_by_role("button", name="Run 2 jobs").click()
    page.get_by_text("2 runs started.").wait_for()

    page.get_by_label("Select a", exact=True).check()
    bulk.get_by_role("button", name="Run 1 job", exact=True).click()
    page.get_by_text("1 run started.").wait_for()
    assert tab.console_errors == []


def test_select_all_includes_rows_that_are_not_loaded(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go(MANY)
    page = tab.page
    bulk = page.locator(".bulk")

    page.get_by_label("Select all", exact=True).check()
    assert "100 selected" in bulk.text_content()
    bulk.get_by_label("Select all 154 jobs that match").check()
    assert "154 selected" in bulk.text_content()
    assert bulk.get_by_role("button", name="Run 154 jobs").is_visible()

    page.get_by_label("Select shard-000", exact=True).uncheck()
    assert "99 selected" in bulk.text_content()
    assert not bulk.get_by_label("Select all 154").is_visible()
    assert not page.get_by_label("Select all", exact=True).is_checked()
    assert tab.console_errors == []


def test_a_next_run_that_has_passed_is_shown_as_due(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.page.clock.install()
    tab.sign_in()
    make_collection(tab)
    start = format_instant(Instant(clock.now() + HOUR))
    put_job(server, "later", startTime=start, recurrence={"frequency": "day"})
    tab.go(COLLECTION)
    cell = tab.page.locator("tr", has_text="later").locator("[data-label='Next run']")
    assert cell.text_content().startswith("in ")

    tab.page.clock.fast_forward("02:00:00")

    expect(cell).to_have_text("due now")


WATCH_TIMES = """() => {
    window.foreign = [];
    const look = () => {
        const shown = [...document.querySelectorAll('#live time.at')].map((at) => at.textContent);
        window.foreign.push(...shown.filter((text) => text.includes('UTC')));
        requestAnimationFrame(look);
    };
    look();
}"""


def test_an_open_attempt_stays_open_when_a_new_attempt_arrives(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server, timezone_id="Asia/Kolkata", viewport={"width": 900, "height": 400})
    tab.sign_in()
    make_collection(tab)
    page = tab.page
    with site("all is well") as uri:
        put_job(server, "now", uri, recurrence={"frequency": "day"}, state="disabled")
        for count in (1, 2):
            tab.go(f"{COLLECTION}/jobs/now")
            page.get_by_role("button", name="Run now").click()
            expect(page.locator("tbody.attempt")).to_have_count(count)
        opened = page.locator("tbody.attempt details").first
        name = opened.get_attribute("id")
        opened.locator("summary").click()
        page.evaluate("scrollTo(0, 300)")
        top = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", name)
        page.evaluate(WATCH_TIMES)

        page.evaluate(
            """async () => {
                const form = document.querySelector('form[action$="/run"]');
                const body = new URLSearchParams(new FormData(form));
                await fetch(form.action, {method: 'POST', body});
            }"""
        )
        expect(page.locator("tbody.attempt")).to_have_count(3)

    assert page.locator(f"#{name}").evaluate("each => each.open")
    assert page.evaluate("document.activeElement.id") == f"{name}-summary"
    after = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", name)
    assert abs(after - top) < 2
    assert page.evaluate("window.foreign") == []
    assert tab.console_errors == []


def test_a_banner_shows_that_the_server_does_not_respond(tmp_path: Path, open_tab: Any) -> None:
    with running(tmp_path, ADMIN_TOKEN=TOKEN) as first:
        port, tab = first.port, open_tab(first)
        tab.sign_in()
        make_collection(tab)
        tab.go("/")
        banner = tab.page.locator("[data-connection]")
        assert banner.text_content() == ""

        first.stop()
        expect(banner).to_contain_text("Reconnecting…")

    with running(tmp_path, "--port", str(port), ADMIN_TOKEN=TOKEN):
        expect(banner).to_have_text("", timeout=20_000)


def test_the_badge_of_the_own_token_stands_beside_its_name(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    tab.go("/tokens")
    cell = tab.page.locator("td", has_text="your token")
    name, badge = (cell.locator(each).bounding_box() for each in (".main-name", ".badge"))

    assert badge["x"] - (name["x"] + name["width"]) < 10
