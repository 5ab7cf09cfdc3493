"""Runs and failures in a real browser: filters, keyboard, refresh, Back, without scripts."""

from typing import Any

import pytest
from playwright.sync_api import expect

from foliot.core.instant import DAY, Instant, format_instant
from foliot.ports import clock
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

# A page refreshes every five seconds, and an attempt at a target that refuses takes a moment.
SLOW = 30_000
NARROW = {"viewport": {"width": 390, "height": 844}}


def run_now(server: Server, name: str) -> None:
    answer = server.call("POST", f"{API}/jobs/{name}/run{VERSION}", token=TOKEN)
    assert answer.status == 200


def failing_job(server: Server, tab: Any, name: str) -> None:
    """Create a job whose target refuses connections, run it, and wait for the end of the run."""
    begin = format_instant(Instant(clock.now() + 30 * DAY))
    put_job(server, name, recurrence={"frequency": "month"}, startTime=begin)
    run_now(server, name)
    tab.go(f"{COLLECTION}/jobs/{name}/runs")
    expect(tab.page.locator(".badge.failed").first).to_be_visible(timeout=SLOW)


def press(tab: Any, found: Any) -> None:
    """Press Enter on an element that has the focus."""
    found.focus()
    tab.page.keyboard.press("Enter")


def test_the_failures_of_a_week_are_found_by_keyboard(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    page = tab.page

    press(tab, page.get_by_role("link", name="Failures", exact=True))
    press(tab, page.get_by_role("link", name="Last 7 days"))
    page.wait_for_url("**/failures?since=7d")
    for_good = page.get_by_role("region", name="Failed for good")
    press(tab, for_good.get_by_role("link", name="HTTP 503").first)
    page.wait_for_url("**/runs?since=7d&outcome=failed&reason=HttpStatus&host=api.acme.example")
    press(tab, page.locator("tbody.attempt summary").first)

    expect(page.get_by_text("The ledger is locked for closing.").first).to_be_visible()
    assert set(page.locator("tbody.attempt .badge").all_text_contents()) == {"failed"}
    page.go_back()
    page.wait_for_url("**/failures?since=7d")
    assert tab.console_errors == []


def test_filters_are_saved_under_a_name_and_deleted(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    page = tab.page
    tab.go("/runs?outcome=failed&since=7d")
    saved = page.get_by_role("list", name="Saved filters")

    page.get_by_label("Save these filters as").fill("my <b>week</b>")
    page.keyboard.press("Enter")
    tab.go("/runs")
    saved.get_by_role("link", name="my <b>week</b>").click()
    page.wait_for_url("**/runs?outcome=failed&since=7d")
    page.get_by_role("button", name="Delete the saved filter my <b>week</b>").click()

    expect(saved).to_be_hidden()
    page.reload()
    expect(page.get_by_role("link", name="my <b>week</b>")).to_have_count(0)
    assert tab.console_errors == []


def test_back_returns_to_the_page_of_the_list_with_its_filters(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    page = tab.page
    tab.go("/runs?outcome=succeeded")
    page.get_by_role("link", name="Older").click()
    page.wait_for_url("**/runs?outcome=succeeded&after=*")
    second = page.url

    page.locator("tbody.attempt .main-name").first.click()
    page.wait_for_url("**/jobs/*")
    page.go_back()

    assert page.url == second
    page.get_by_role("link", name="Newest").click()
    page.wait_for_url("**/runs?outcome=succeeded")


def test_a_refresh_keeps_what_is_opened_and_focused(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    failing_job(server, tab, "first")
    page = tab.page
    tab.go("/runs")
    summary = page.locator("tbody.attempt summary")
    press(tab, summary)
    opened = summary.get_attribute("id")

    run_now(server, "first")
    expect(page.locator("tbody.attempt")).to_have_count(2, timeout=SLOW)

    assert page.evaluate("document.activeElement.id") == opened
    assert page.locator(f"details:has(#{opened})").get_attribute("open") is not None
    assert page.locator("details[open]").count() == 1


def test_a_failed_run_is_rerun_from_the_list(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    failing_job(server, tab, "first")
    page = tab.page
    tab.go("/runs?outcome=failed")

    page.get_by_role("button", name="Rerun first").click()

    expect(page.get_by_text("Run started.")).to_be_visible()
    assert page.url.endswith("/runs?outcome=failed")
    expect(page.get_by_role("cell", name="rerun", exact=True)).to_be_visible(timeout=SLOW)


@pytest.mark.parametrize(
    ("path", "options"),
    [
        pytest.param("/runs", {}, id="all runs"),
        pytest.param(f"{COLLECTION}/jobs/first/runs", NARROW, id="a job, narrow"),
        pytest.param("/runs", {"java_script_enabled": False}, id="all runs, without scripts"),
    ],
)
def test_all_failed_runs_of_a_list_are_rerun(
    server: Server, open_tab: Any, path: str, options: dict[str, Any]
) -> None:
    watching = open_tab(server)
    watching.sign_in()
    make_collection(watching)
    failing_job(server, watching, "first")
    tab = open_tab(server, **options)
    tab.sign_in()
    page = tab.page
    tab.go(path)
    expect(page.get_by_role("link", name="Rerun all that match…")).to_have_count(0)
    tab.go(f"{path}?outcome=failed")

    page.get_by_role("link", name="Rerun all that match…").press("Enter")
    page.get_by_role("heading", name="Rerun 1 failed run of 1 job?").wait_for()
    page.get_by_role("button", name="Rerun 1 run").press("Enter")

    expect(page.get_by_text("1 run started.")).to_be_visible()
    assert page.url.endswith(f"{path}?outcome=failed")
    assert tab.console_errors == []


def test_the_page_of_an_open_run_shows_its_end_by_itself(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    failing_job(server, tab, "first")
    page = tab.page
    job = f"{API}/jobs/first"
    disabled = {"properties": {"state": "Disabled"}}
    server.call("PATCH", f"{job}{VERSION}", token=TOKEN, body=disabled)
    tab.go(f"{COLLECTION}/jobs/first/runs")
    page.get_by_role("button", name="Rerun first").click()
    page.get_by_text("It begins when the job is enabled.").wait_for()
    page.locator("tbody.attempt", has=page.locator(".badge.waiting")).locator("td a").first.click()
    run = page.get_by_role("region", name="Run", exact=True)
    expect(run.locator(".badge").first).to_have_text("waiting")

    enabled = {"properties": {"state": "Enabled"}}
    server.call("PATCH", f"{job}{VERSION}", token=TOKEN, body=enabled)

    expect(run.locator(".badge").first).to_have_text("failed", timeout=SLOW)
    expect(page.get_by_role("region", name="Attempts")).to_be_visible()
    assert tab.console_errors == []


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="with scripts"),
        pytest.param({"java_script_enabled": False}, id="without scripts"),
        pytest.param(NARROW, id="on a narrow screen"),
    ],
)
def test_a_group_is_rerun_muted_and_unmuted(
    server: Server, open_tab: Any, options: dict[str, Any]
) -> None:
    with_scripts = open_tab(server)
    with_scripts.sign_in()
    make_collection(with_scripts)
    for name in ("first", "second"):
        failing_job(server, with_scripts, name)
    tab = open_tab(server, **options)
    tab.sign_in()
    page = tab.page
    tab.go("/failures")
    expect(page.get_by_text("2 jobs · 2 runs")).to_be_visible()

    page.get_by_role("link", name="Rerun all 2…").click()
    expect(page.get_by_role("heading", name="Rerun 2 failed runs of 2 jobs?")).to_be_visible()
    page.get_by_role("button", name="Rerun 2 runs").click()
    expect(page.get_by_text("2 runs started.")).to_be_visible()
    page.get_by_role("button", name="Mute for all, 1 day").click()
    expect(page.get_by_text("is muted for a day")).to_be_visible()
    page.locator("#muted summary").click()
    page.get_by_role("button", name="Unmute").click()

    expect(page.get_by_text("is no longer muted")).to_be_visible()
    assert page.locator("#muted").count() == 0
    assert tab.console_errors == []


def test_filters_work_without_scripts(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, java_script_enabled=False)
    tab.sign_in()
    page = tab.page
    tab.go("/runs")

    page.get_by_label("Outcome").select_option("recovered")
    page.get_by_label("Collection").select_option(label="billing")
    page.get_by_role("button", name="Filter").click()

    assert "outcome=recovered" in page.url
    assert set(page.locator("table.runs > tbody > tr:first-child .badge").all_text_contents()) == {
        "recovered"
    }
    page.locator("tbody.attempt summary").first.click()
    expect(page.locator("ol.attempts").first).to_be_visible()


@pytest.mark.parametrize("path", ["/runs?outcome=failed", "/failures?since=7d"])
def test_pages_fit_a_phone_and_a_zoom_of_200_percent(
    demo_server: Server, open_tab: Any, path: str
) -> None:
    for options in (NARROW, {"viewport": {"width": 640, "height": 400}}):
        tab = open_tab(demo_server, **options)
        tab.sign_in()
        tab.go(path)
        for summary in tab.page.locator("tbody.attempt summary").all()[:3]:
            summary.click()

        assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_names_and_hosts_of_a_list_are_not_broken_where_there_is_room(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server, viewport={"width": 1280, "height": 900})
    tab.sign_in()

    for path in ("/runs", "/runs?outcome=open", "/runs?outcome=failed&since=30d"):
        tab.go(path)
        texts = tab.page.locator("table.runs td:is([data-label=Job], [data-label=Reason]) .under")
        heights = texts.evaluate_all("all => all.map(each => each.getClientRects()[0].height)")
        list_ = tab.page.locator(".scroll:has(table.runs)")

        assert heights
        assert max(heights) < 30
        assert list_.evaluate("each => each.scrollWidth - each.clientWidth") == 0


def test_messages_of_runs_wrap_on_a_narrow_screen(server: Server, open_tab: Any) -> None:
    tab = open_tab(server, **NARROW)
    tab.sign_in()
    make_collection(tab)
    failing_job(server, tab, "narrow-list")

    for page in (f"{COLLECTION}/jobs/narrow-list/runs", f"{COLLECTION}/jobs/narrow-list", "/runs"):
        tab.go(page)
        list_ = tab.page.locator(".scroll:has(tbody.attempt)")
        assert list_.evaluate("each => each.scrollWidth - each.clientWidth") == 0
