"""A new job and its new collection in one form, in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.work_collection import COLLECTION, make_collection
from tests.support.server import Server

NARROW = {"viewport": {"width": 390, "height": 844}}


def address(page: Any) -> Any:
    return page.locator("#action").get_by_label("Address").filter(visible=True)


def drafts(page: Any) -> list[str]:
    return page.evaluate(
        "Object.keys(sessionStorage).filter(key => key.startsWith('foliot-draft '))"
    )


def open_form(server: Server, open_tab: Any, **options: Any) -> Any:
    """Open the form from the overview of an empty server."""
    tab = open_tab(server, **options)
    tab.sign_in()
    tab.page.get_by_role("link", name="an empty form").click()
    tab.page.wait_for_url("**/jobs/new")
    return tab


@pytest.mark.parametrize("options", [{}, NARROW], ids=["a wide window", "a narrow screen"])
def test_a_job_and_its_collection_are_created_from_the_overview(
    server: Server, open_tab: Any, options: dict[str, Any]
) -> None:
    tab = open_form(server, open_tab, **options)
    page = tab.page
    expect(page.get_by_label("Subscription")).to_have_value("me")
    expect(page.get_by_label("Resource group")).to_have_value("home")
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("Collection name").fill("1st")
    address(page).fill("nowhere")
    page.get_by_role("button", name="Create job").click()

    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems li")).to_have_count(2)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.locator("#problems").get_by_role("link", name="Collection name").click()
    expect(page.get_by_label("Collection name")).to_be_focused()
    page.get_by_label("Collection name").fill("first")
    address(page).fill("http://127.0.0.1:9/")
    page.get_by_label("Type", exact=True).first.select_option("Http")
    page.get_by_role("button", name="Create job").click()

    page.wait_for_url("**/collections/me/home/first/jobs/nightly")
    page.get_by_text("Collection and job created.").wait_for()
    assert [each for each in tab.console_errors if "400" not in each] == []
    assert drafts(page) == []


def test_the_fields_of_a_new_collection_appear_with_the_choice(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.page.get_by_role("link", name="New job").first.click()
    tab.page.get_by_role("link", name="Choose or create another collection").click()
    page = tab.page
    choice = page.get_by_label("Collection", exact=True)

    expect(choice).to_have_value("me/home/work")
    expect(page.get_by_label("Collection name")).to_be_hidden()
    choice.focus()
    page.keyboard.press("End")
    expect(page.get_by_label("Collection name")).to_be_visible()
    assert violations(page) == []


def test_an_unsaved_new_collection_survives_a_reload(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.go("/jobs/new")
    page = tab.page
    page.get_by_label("Collection", exact=True).select_option("new")
    page.get_by_label("Collection name").fill("typed")
    page.get_by_label("Plan").select_option("Free")

    page.reload()

    expect(page.get_by_text("Restored your unsaved changes.")).to_be_visible()
    expect(page.get_by_label("Collection name")).to_have_value("typed")
    expect(page.get_by_label("Plan")).to_have_value("Free")
    page.get_by_role("link", name="Cancel").click()
    page.wait_for_url("**/collections")
    tab.go("/jobs/new")
    expect(page.get_by_label("Collection", exact=True)).to_have_value("me/home/work")


def test_the_preview_follows_the_schedule(server: Server, open_tab: Any) -> None:
    tab = open_form(server, open_tab)

    tab.page.get_by_label("Repeat every").fill("3")

    expect(tab.page.locator("#preview")).to_contain_text("Every 3 days")
    assert tab.console_errors == []


def test_a_job_and_its_collection_are_created_without_scripts(
    server: Server, open_tab: Any
) -> None:
    tab = open_form(server, open_tab, java_script_enabled=False)
    page = tab.page
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("Collection name").fill("first")
    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Address is missing.").click()
    address(page).fill("https://127.0.0.1:9/")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Collection and job created.").wait_for()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_owner_creates_and_revokes_a_token_of_a_collection(
    server: Server, open_tab: Any, *, has_scripts: bool
) -> None:
    tab = open_tab(server, java_script_enabled=has_scripts)
    tab.sign_in()
    make_collection(tab)
    page = tab.page
    page.get_by_role("link", name="Access", exact=True).click()
    page.wait_for_url(f"**{COLLECTION}/access")
    page.get_by_label("Name", exact=True).fill("ci")
    page.get_by_label("Role", exact=True).select_option("Contributor")
    page.get_by_role("button", name="Create token").click()

    made = page.locator("#made").text_content()
    assert made.startswith("foliot_")
    if has_scripts:
        assert violations(page) == []
    page.reload()
    assert page.locator("#made").count() == 0
    row = page.locator("tr", has_text="ci").filter(has_text="this collection")
    row.get_by_text("Revoke…").filter(visible=True).click()
    row.get_by_role("button", name="Revoke token").filter(visible=True).click()

    page.get_by_text("Token ci revoked.").wait_for()
    assert page.url.endswith(f"{COLLECTION}/access")


def test_the_names_of_a_collection_are_copied(server: Server, open_tab: Any) -> None:
    tab = open_tab(server, permissions=["clipboard-read", "clipboard-write"])
    tab.sign_in()
    make_collection(tab)
    tab.page.get_by_role("link", name="Properties", exact=True).click()

    tab.page.get_by_role("button", name="Copy: Resource ID").click()
    expect(tab.page.get_by_text("Copied")).to_be_visible()

    assert tab.page.evaluate("navigator.clipboard.readText()") == (
        "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections/work"
    )
