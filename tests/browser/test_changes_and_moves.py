"""Changes, moves, code and first steps in a browser: by keyboard, narrow, without scripts."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

JOB = f"{COLLECTION}/jobs/nightly"
PHONE = {"viewport": {"width": 390, "height": 800}}
NO_SCRIPTS = {"java_script_enabled": False}
YEARLY = {"frequency": "year"}


def opened(server: Server, open_tab: Any, **options: Any) -> Any:
    """Sign in, create a job and change its address."""
    tab = open_tab(server, **options)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "nightly", "http://127.0.0.1:9/one", recurrence=YEARLY, state="disabled")
    action = {"type": "Http", "request": {"uri": "http://127.0.0.1:9/two", "method": "POST"}}
    body = {"properties": {"action": action}}
    server.call("PATCH", f"{API}/jobs/nightly{VERSION}", token=TOKEN, body=body)
    return tab


def fits(page: Any) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_version_is_restored_by_keyboard_on_a_narrow_screen(
    server: Server, open_tab: Any
) -> None:
    tab = opened(server, open_tab, **PHONE)
    page = tab.page
    tab.go(f"{JOB}/changes")
    assert violations(page) == []
    assert fits(page)

    page.get_by_role("link", name="Restore the version before…").press("Enter")
    page.wait_for_url("**/changes/*")
    expect(page.get_by_role("row", name="Address")).to_contain_text("http://127.0.0.1:9/one")
    assert violations(page) == []
    assert fits(page)
    page.get_by_role("button", name="Restore").press("Enter")

    page.get_by_text("Version restored.").wait_for()
    assert "http://127.0.0.1:9/one" in page.text_content("main")
    assert tab.console_errors == []


@pytest.mark.parametrize("options", [PHONE, NO_SCRIPTS], ids=["narrow", "without scripts"])
def test_plan_and_tags_of_a_collection_are_restored(
    server: Server, open_tab: Any, options: dict[str, Any]
) -> None:
    tab = opened(server, open_tab, **options)
    page = tab.page
    body = {"tags": {"team": "ops"}, "properties": {"sku": {"name": "P10Premium"}}}
    server.call("PUT", f"{API}{VERSION}", token=TOKEN, body=body)
    tab.go(COLLECTION)

    page.get_by_role("link", name="Changes", exact=True).last.press("Enter")
    page.get_by_role("link", name="Restore the version before…").first.press("Enter")
    page.wait_for_url("**/work/changes/*")
    expect(page.get_by_role("row", name="Plan")).to_contain_text("Standard")
    assert fits(page)
    if options is PHONE:
        assert violations(page) == []
    page.get_by_role("button", name="Restore").press("Enter")

    page.get_by_text("Version restored.").wait_for()
    expect(page.locator(".head .badge.plain")).to_have_text("Standard")
    assert tab.console_errors == []


@pytest.mark.parametrize("options", [PHONE, NO_SCRIPTS], ids=["narrow", "without scripts"])
def test_a_job_is_moved_to_another_collection(
    server: Server, open_tab: Any, options: dict[str, Any]
) -> None:
    tab = opened(server, open_tab, **options)
    page = tab.page
    other = API.removesuffix("work") + "archive"
    body = {"properties": {"sku": {"name": "Standard"}}}
    server.call("PUT", f"{other}{VERSION}", token=TOKEN, body=body)
    tab.go(f"{JOB}/move")

    page.get_by_label("Collection", exact=True).fill("archive")
    label = "Move or copy" if options is NO_SCRIPTS else "Move job"
    page.get_by_role("button", name=label).press("Enter")

    page.get_by_text("Job moved.").wait_for()
    assert page.url.endswith("/collections/me/home/archive/jobs/nightly")
    assert tab.console_errors == []


def test_the_form_of_a_move_names_its_choice_and_warns_of_a_disabled_collection(
    server: Server, open_tab: Any
) -> None:
    tab = opened(server, open_tab, **PHONE)
    page = tab.page
    other = API.removesuffix("work") + "archive"
    body = {"properties": {"sku": {"name": "Standard"}, "state": "Disabled"}}
    server.call("PUT", f"{other}{VERSION}", token=TOKEN, body=body)
    tab.go(f"{JOB}/move")
    warning = page.get_by_text("This collection is disabled: its jobs do not run")
    into = page.get_by_label("Collection", exact=True)
    expect(into).to_have_value("me/home/archive")
    expect(warning).to_be_visible()
    into.fill("")
    expect(warning).to_be_hidden()

    page.get_by_label("Copy").check()
    expect(page.get_by_role("button", name="Copy job")).to_be_visible()
    page.get_by_label("Move").check()
    into.fill("archive")
    expect(warning).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Move job").press("Enter")

    page.get_by_text("Job moved. The collection is disabled").wait_for()
    assert tab.console_errors == []


def test_the_pages_of_a_job_as_code_and_of_a_move_are_accessible(
    server: Server, open_tab: Any
) -> None:
    tab = opened(server, open_tab, **PHONE, color_scheme="dark")
    for path in (f"{JOB}/code", f"{JOB}/move", f"{COLLECTION}/changes"):
        tab.go(path)
        assert violations(tab.page) == []
        assert fits(tab.page)


def test_a_new_installation_leads_to_a_job_and_its_run(server: Server, open_tab: Any) -> None:
    tab = open_tab(server, **PHONE)
    tab.sign_in()
    page = tab.page
    steps = page.locator("#first-steps")
    expect(steps).to_contain_text("Create the first job.")
    assert violations(page) == []
    assert fits(page)

    steps.get_by_label("Address to call").fill("http://127.0.0.1:9/")
    steps.get_by_role("button", name="Continue").press("Enter")
    page.get_by_role("button", name="Create job").press("Enter")
    page.get_by_text("Collection and job created.").wait_for()
    page.get_by_role("button", name="Run now").press("Enter")
    page.get_by_text("Run started.").wait_for()
    tab.go("/")
    expect(steps.get_by_role("listitem").nth(1)).to_contain_text("done", timeout=30_000)
    steps.get_by_role("link", name="Create an alert").press("Enter")
    page.wait_for_url("**/new-alert")
    tab.go("/")
    steps.get_by_role("button", name="Hide").press("Enter")
    expect(steps).to_have_count(0)
    assert tab.console_errors == []
