"""Find: the dialog on every page by keyboard alone, the page without JavaScript."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.work_collection import COLLECTION, make_collection, put_job
from tests.support.server import Server

DEMO = "/collections/acme/shop/billing"
JOB = f"{DEMO}/jobs/payment-poll"
CHOSEN = "#find-list [aria-selected=true]"


def typed(tab: Any, text: str) -> None:
    """Open the dialog and type."""
    tab.page.keyboard.press("Control+k")
    expect(tab.page.get_by_role("combobox", name="Find")).to_be_focused()
    tab.page.keyboard.type(text)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_job_is_found_and_opened_by_keyboard(
    demo_server: Server, open_tab: Any, width: int
) -> None:
    tab = open_tab(demo_server, viewport={"width": width, "height": 740})
    tab.sign_in()

    typed(tab, "payment-p")
    option = tab.page.get_by_role("option", name="payment-poll")
    expect(option).to_have_attribute("aria-selected", "true")
    field = tab.page.get_by_role("combobox", name="Find")
    assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
    assert violations(tab.page) == []
    widths = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    tab.page.keyboard.press("Enter")

    tab.page.wait_for_url(f"**{JOB}")
    assert widths[0] <= widths[1]
    assert tab.console_errors == []
    assert tab.foreign_requests == []


def test_enter_before_the_results_have_come_opens_the_first_of_them(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()

    typed(tab, "payment-poll")
    tab.page.keyboard.press("Enter")

    tab.page.wait_for_url(f"**{JOB}")


def test_escape_closes_the_dialog_and_focus_returns(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go(DEMO)
    link = tab.page.get_by_role("link", name="payment-poll")
    link.focus()

    tab.page.keyboard.press("Meta+k")
    expect(tab.page.get_by_role("combobox", name="Find")).to_be_focused()
    tab.page.keyboard.press("Escape")

    expect(tab.page.get_by_role("combobox", name="Find")).to_be_hidden()
    expect(link).to_be_focused()


def test_arrow_keys_choose_and_go_around(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go(JOB)
    typed(tab, "")
    options = tab.page.locator("#find-list [role=option]")
    chosen = tab.page.locator(CHOSEN)
    expect(chosen).to_have_text("Edit payment-poll")

    tab.page.keyboard.press("ArrowUp")
    expect(chosen).to_have_text(options.last.text_content())
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("ArrowDown")
    expect(chosen).to_have_text("Run payment-poll now")


def test_the_job_of_the_page_is_run(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "now", recurrence={"frequency": "day"}, state="disabled")
    tab.go(f"{COLLECTION}/jobs/now")

    typed(tab, "run now")
    expect(tab.page.locator(CHOSEN)).to_have_text("Run now now")
    tab.page.keyboard.press("Enter")

    expect(tab.page.locator(".notice.good")).to_be_visible()
    assert tab.console_errors == []


def test_a_collection_is_paused_and_resumed_by_keyboard(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.go("/")

    typed(tab, "pause work")
    expect(tab.page.locator(CHOSEN)).to_contain_text("Pause collection work")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url(f"**{COLLECTION}/disable")
    tab.page.get_by_role("button", name="Pause collection").press("Enter")
    expect(tab.page.get_by_text("Collection paused: its jobs")).to_be_visible()
    tab.page.get_by_role("link", name="Resume…").press("Enter")
    dialog = tab.page.get_by_role("dialog", name="Resume work?")
    expect(dialog.get_by_text("Cancel")).to_be_focused()
    assert violations(tab.page) == []
    dialog.get_by_role("button", name="Resume collection").press("Enter")

    expect(tab.page.get_by_text("Collection resumed")).to_be_visible()


def test_the_theme_is_changed(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, color_scheme="light")
    tab.sign_in()

    typed(tab, "theme")
    expect(tab.page.locator(CHOSEN)).to_have_text("Change theme")
    tab.page.keyboard.press("Enter")

    expect(tab.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(tab.page.get_by_role("combobox", name="Find")).to_be_hidden()


@pytest.mark.parametrize(
    ("path", "label"), [(DEMO, "Search jobs"), ("/jobs", "Search jobs"), ("/about", "Find jobs")]
)
def test_a_slash_moves_to_the_search_field(
    demo_server: Server, open_tab: Any, path: str, label: str
) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go(path)

    tab.page.keyboard.press("/")
    field = tab.page.get_by_label(label)
    expect(field).to_be_focused()
    tab.page.keyboard.press("/")

    expect(field).to_have_value("/")


def test_a_server_that_does_not_respond_is_told(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.page.route("**/find?*", lambda route: route.abort())

    typed(tab, "payment")

    expect(tab.page.get_by_text("The server is not responding. Try again.")).to_be_visible()


def test_find_works_without_javascript(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, java_script_enabled=False)
    tab.sign_in()

    tab.page.get_by_role("link", name="Find…").click()
    tab.page.get_by_label("Find", exact=True).last.fill("payment")
    tab.page.get_by_role("button", name="Find").click()
    tab.page.get_by_role("link", name="payment-poll").click()

    tab.page.wait_for_url(f"**{JOB}")
