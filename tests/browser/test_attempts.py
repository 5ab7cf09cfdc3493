"""Attempts and tests of jobs in a real browser: by keyboard, on a phone, without scripts."""

from typing import Any

import pytest

from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.targets import site
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

JOB = f"{COLLECTION}/jobs/report"


def with_job(server: Server, tab: Any, uri: str) -> None:
    tab.sign_in()
    make_collection(tab)
    put_job(server, "report", uri, recurrence={"frequency": "year"}, state="disabled")


def ran_once(server: Server, tab: Any) -> None:
    """Run the job, and wait until its attempt has ended."""
    assert server.call("POST", f"{API}/jobs/report/run{VERSION}", token=TOKEN).status < 300
    tab.go(JOB)
    tab.page.locator(".badge.completed").first.wait_for()


def fits(page: Any) -> bool:
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return bool(wide <= screen)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_attempt_is_reached_by_keyboard_and_is_accessible(
    server: Server, open_tab: Any, theme: str
) -> None:
    tab = open_tab(server, color_scheme=theme, viewport={"width": 390, "height": 844})
    with site('{"done": true}') as uri:
        with_job(server, tab, uri)
        ran_once(server, tab)

    tab.page.locator("tbody.attempt a").first.focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/attempts/*")
    tab.page.get_by_text("As curl").focus()
    tab.page.keyboard.press("Enter")

    words = tab.page.text_content("main")
    assert "200 OK" in words
    assert '"done": true' in words
    assert "The job has not been changed since this attempt." in words
    assert "Waiting for the first byte" in words
    assert tab.page.locator("pre", has_text="curl --include").is_visible()
    assert fits(tab.page)
    assert violations(tab.page) == []
    assert tab.console_errors == []
    assert tab.foreign_requests == []


def test_a_test_of_a_job_is_sent_by_keyboard_and_shown_in_place(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server, viewport={"width": 390, "height": 844})
    with site("all is well") as uri:
        with_job(server, tab, uri)
        tab.go(JOB)
        tab.page.get_by_role("button", name="Send a test").focus()
        tab.page.keyboard.press("Enter")
        tab.page.locator("#test-result").get_by_text("all is well").first.wait_for()

    assert tab.page.url.endswith(JOB)
    assert tab.page.evaluate("document.activeElement.textContent") == "200 OK"
    assert "No runs yet." in tab.page.text_content("#live")
    assert fits(tab.page)
    assert violations(tab.page) == []
    assert tab.console_errors == []


def test_a_form_is_tested_before_it_is_saved_and_keeps_its_values(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server)
    page = tab.page
    with site("hello from the target") as uri:
        tab.sign_in()
        make_collection(tab)
        tab.go(f"{COLLECTION}/new")
        action = page.locator("#action")
        action.get_by_label("Type", exact=True).filter(visible=True).select_option("Http")
        address = action.get_by_label("Address", exact=True).filter(visible=True)
        address.fill("nowhere")
        page.get_by_role("button", name="Send a test").click()
        page.locator("#test-result .problems a").click()
        assert page.evaluate("document.activeElement.id") == "properties.action.request.uri"

        address.fill(uri)
        page.get_by_role("button", name="Send a test").click()
        page.locator("#test-result").get_by_text("hello from the target").first.wait_for()

    assert address.input_value() == uri
    assert violations(page) == []
    page.get_by_label("Name", exact=True).fill("fresh")
    page.get_by_label("State").select_option("disabled")
    page.get_by_label("Name", exact=True).press("Enter")
    page.wait_for_url(f"**{COLLECTION}/jobs/fresh")
    assert tab.console_errors == []


def test_without_scripts_attempts_are_read_and_tests_are_sent(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server, java_script_enabled=False)
    page = tab.page
    with site("plain answer") as uri:
        with_job(server, tab, uri)
        tab.go(JOB)
        page.get_by_role("button", name="Send a test").click()
        assert "plain answer" in page.text_content("main")

        tab.go(f"{JOB}/edit")
        body = page.locator("#action textarea[name='properties.action.request.body']")
        body.fill("not saved yet")
        page.get_by_role("button", name="Send a test").click()
        assert "plain answer" in page.text_content("#test-result")
        assert body.input_value() == "not saved yet"

        page.get_by_role("button", name="Save").click()
        page.wait_for_url(f"**{JOB}")


def test_a_page_says_that_no_answer_came(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    with_job(server, tab, "http://127.0.0.1:9/")
    tab.go(JOB)
    tab.page.route("**/test", lambda route: route.fulfill(status=500, body="It broke."))

    tab.page.get_by_role("button", name="Send a test").click()

    tab.page.get_by_text("the server answered with status 500. It broke.").wait_for()
