"""Forms in a real browser: no input is lost, and every problem is in view."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

NEW = f"{COLLECTION}/new"
JOB = f"{COLLECTION}/jobs/nightly"
EDIT = f"{JOB}/edit"
# A window of 1280 by 800 at 200 %.
ZOOMED = {"viewport": {"width": 640, "height": 400}}
YEARLY = {"frequency": "year"}


def field(page: Any, label: str) -> Any:
    return page.locator("#action").get_by_label(label, exact=True).filter(visible=True)


def address(page: Any) -> Any:
    return field(page, "Address")


def open_edit(server: Server, open_tab: Any, **options: Any) -> Any:
    tab = open_tab(server, **options)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "nightly", recurrence=YEARLY, state="disabled")
    tab.go(EDIT)
    return tab


def put_signed_job(server: Server) -> None:
    signing = {"type": "Basic", "username": "ann", "password": "s3cret"}
    request = {"uri": "https://127.0.0.1:9/", "method": "GET", "authentication": signing}
    body = {"properties": {"action": {"type": "Https", "request": request}, "state": "disabled"}}
    server.call("PUT", f"{API}/jobs/nightly{VERSION}", token=TOKEN, body=body)


def drafts(page: Any) -> list[str]:
    return page.evaluate(
        "Object.keys(sessionStorage).filter(key => key.startsWith('foliot-draft '))"
    )


def end_the_session(page: Any) -> None:
    page.context.clear_cookies()


def sign_in_again(page: Any) -> None:
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()


def test_unsaved_input_survives_reload_back_and_navigation(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    page = tab.page
    address(page).fill("http://typed/")
    page.locator("#action").get_by_role("button", name="Add").filter(visible=True).click()
    field(page, "Header").fill("X-One")

    page.reload()
    expect(page.get_by_text("Restored your unsaved changes.")).to_be_visible()
    expect(address(page)).to_have_value("http://typed/")
    expect(field(page, "Header")).to_have_value("X-One")

    page.get_by_role("link", name="Timeline").click()
    page.wait_for_url("**/timeline")
    page.go_back()
    expect(address(page)).to_have_value("http://typed/")

    page.get_by_role("button", name="Discard them").click()
    expect(address(page)).to_have_value("http://127.0.0.1:9/")
    address(page).fill("http://again/")
    page.get_by_role("link", name="Cancel").click()
    tab.go(EDIT)
    expect(address(page)).to_have_value("http://127.0.0.1:9/")
    assert page.locator(".restored").count() == 0
    assert tab.console_errors == []


def test_unsaved_input_survives_the_end_of_the_session(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    page = tab.page
    address(page).fill("http://typed/")
    field(page, "Authentication").select_option("Basic")
    field(page, "User name").fill("ann")
    field(page, "Password").fill("s3cret")
    end_the_session(page)

    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/sign-in*")
    assert "s3cret" not in page.evaluate("JSON.stringify(sessionStorage)")
    sign_in_again(page)
    page.wait_for_url(f"**{EDIT}")

    expect(page.locator(".restored")).to_contain_text("Type passwords and keys again.")
    expect(address(page)).to_have_value("http://typed/")
    field(page, "Password").fill("s3cret")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert drafts(page) == []


def test_signing_in_again_returns_to_the_form(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    page = tab.page
    page.wait_for_load_state("networkidle")
    end_the_session(page)

    page.get_by_label("Repeat", exact=True).select_option("month")
    ended = page.locator("[data-ended]")
    expect(ended).to_contain_text("Your session has ended. What you typed is kept in this tab.")
    assert page.url.endswith(EDIT)
    ended.get_by_role("link", name="Sign in again").click()
    page.wait_for_url("**/sign-in*")
    told = "Sign in again with the same token: what you typed is kept in this tab."
    expect(page.get_by_text(told)).to_be_visible()
    sign_in_again(page)
    page.wait_for_url(f"**{EDIT}")

    expect(page.get_by_label("Repeat", exact=True)).to_have_value("month")


def test_signing_out_deletes_unsaved_input(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    address(tab.page).fill("http://typed/")

    tab.page.get_by_role("button", name="Sign out").click()
    tab.page.wait_for_url("**/sign-in")

    assert drafts(tab.page) == []


def test_a_job_deleted_in_another_tab_can_be_created_again(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    page = tab.page
    address(page).fill("http://127.0.0.1:9/typed")
    server.call("DELETE", f"{API}/jobs/nightly{VERSION}", token=TOKEN)

    page.get_by_role("button", name="Save").click()
    expect(page.locator("#problems")).to_contain_text("was deleted while you were editing it")
    expect(address(page)).to_have_value("http://127.0.0.1:9/typed")
    assert violations(page) == []
    page.get_by_role("button", name="Create job").click()

    page.wait_for_url(f"**{JOB}")
    page.get_by_text("Job created.").wait_for()
    assert "http://127.0.0.1:9/typed" in page.text_content("main")
    assert drafts(page) == []


def test_two_tabs_can_both_save_changes_to_one_job(server: Server, open_tab: Any) -> None:
    tab = open_edit(server, open_tab)
    first, second = tab.page, tab.page.context.new_page()
    second.goto(tab.base + EDIT)
    address(first).fill("http://first/")
    first.get_by_role("button", name="Save").click()
    first.get_by_text("Saved.").wait_for()

    address(second).fill("http://second/")
    second.get_by_role("button", name="Save").click()
    expect(second.locator("#problems")).to_be_focused()
    expect(second.locator("#problems")).to_contain_text("changed this job while you")
    assert violations(second) == []
    second.reload()
    expect(address(second)).to_have_value("http://second/")

    second.get_by_label("Take theirs: Address").check()
    second.get_by_role("button", name="Save").click()
    second.get_by_text("Saved.").wait_for()
    assert "http://first/" in second.text_content("main")


@pytest.mark.parametrize("options", [{}, ZOOMED], ids=["a wide window", "at 200 %"])
def test_the_summary_links_each_problem_to_its_field(
    server: Server, open_tab: Any, options: dict[str, Any]
) -> None:
    tab = open_tab(server, **options)
    tab.sign_in()
    make_collection(tab)
    tab.go(NEW)
    page = tab.page
    page.get_by_label("Name", exact=True).fill("1st")
    address(page).fill("nowhere")
    page.get_by_label("Repeat every").fill("often")
    page.get_by_role("button", name="Create job").click()

    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems")).to_be_in_viewport()
    expect(page.locator("#problems li")).to_have_count(3)
    assert violations(page) == []
    for label in ("Name:", "Address:", "Repeat every:"):
        page.locator("#problems").get_by_role("link", name=label).click()
        focused = page.locator(":focus")
        assert focused.get_attribute("aria-invalid") == "true"
        assert is_uncovered(focused)
    assert [each for each in tab.console_errors if "400" not in each] == []


@pytest.mark.parametrize(
    ("path", "label", "typed"),
    [("/tokens", "Name", " "), ("/collections/new", "Collection name", "1 / 2")],
)
def test_the_problems_of_collection_and_token_forms_are_in_view(
    server: Server, open_tab: Any, path: str, label: str, typed: str
) -> None:
    tab = open_tab(server, **ZOOMED)
    tab.sign_in()
    tab.go(path)
    page = tab.page
    page.get_by_label(label, exact=True).fill(typed)
    page.locator("form[data-draft] .button.primary").click()

    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems")).to_be_in_viewport()
    page.locator("#problems a").first.click()
    assert is_uncovered(page.locator(":focus"))
    assert violations(page) == []


def is_uncovered(shown: Any) -> bool:
    """Tell whether a field is visible, not covered by another element."""
    return shown.evaluate(
        """field => {
            const box = field.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return field === top;
        }"""
    )


def test_reloading_the_page_of_a_new_token_creates_no_second_token(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server)
    tab.sign_in()
    tab.go("/tokens")
    page = tab.page
    page.get_by_label("Name", exact=True).fill("ci")
    page.get_by_label("Scope").fill("/")
    page.get_by_role("button", name="Create token").click()
    page.locator("#made").wait_for()

    page.reload()
    page.go_back()
    page.go_forward()

    expect(page.locator("td .main-name", has_text="ci")).to_have_count(1)
    assert page.locator("#made").count() == 0
    assert page.get_by_label("Name", exact=True).input_value() == ""


def test_a_secret_that_was_typed_is_asked_for_until_the_form_is_saved(
    server: Server, open_tab: Any
) -> None:
    tab = open_edit(server, open_tab)
    put_signed_job(server)
    tab.go(EDIT)
    page, restored = tab.page, tab.page.locator(".restored")
    field(page, "Password").fill("s3cret")

    page.reload()
    expect(restored).to_contain_text("Type passwords and keys again.")
    page.reload()
    expect(restored).to_contain_text("Type passwords and keys again.")
    address(page).fill("nowhere")
    field(page, "Password").fill("s3cret")
    page.get_by_role("button", name="Save").click()
    page.locator("#problems").get_by_role("link", name="Password must be entered again").click()
    expect(field(page, "Password")).to_be_focused()
    tab.go(EDIT)

    expect(restored).to_contain_text("Type passwords and keys again.")


def test_a_storage_token_that_is_no_good_is_told_while_it_is_typed(
    server: Server, open_tab: Any
) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.go(NEW)
    page = tab.page
    field(page, "Type").select_option("StorageQueue")
    token = field(page, "Shared access signature")
    warning = page.locator("#action [data-warning]").filter(visible=True)

    token.fill("hello")
    expect(warning).to_have_text(re.compile("has no signature"))
    token.fill("?se=2020-01-01T00%3A00%3A00Z&sig=abc")
    expect(warning).to_have_text(re.compile("has expired: it was good until 2020-01-01"))
    token.fill("?se=2099-01-01T00%3A00%3A00Z&sig=abc")
    expect(warning).to_have_count(0)


def test_the_form_of_a_copy_lists_the_secrets_to_enter(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    put_signed_job(server)
    tab.go(f"{JOB}/duplicate")
    page = tab.page

    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Password must be entered again").click()
    page.keyboard.type("s3cret")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()


def test_forms_work_without_scripts(server: Server, open_tab: Any) -> None:
    tab = open_tab(server, java_script_enabled=False)
    tab.sign_in()
    make_collection(tab)
    tab.go(NEW)
    page = tab.page
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("State").select_option("disabled")
    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Address is missing.").click()
    address(page).fill("https://127.0.0.1:9/")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()
