"""Forms in a real browser: nothing that was typed is lost, and every problem is found."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.demo import TOKEN
from tests.browser.test_every_page import violations
from tests.browser.test_work import API, COLLECTION, VERSION, make_collection, put_job
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


def open_edit(server: Server, visit: Any, **options: Any) -> Any:
    seen = visit(server, **options)
    seen.sign_in()
    make_collection(seen)
    put_job(server, "nightly", recurrence=YEARLY, state="disabled")
    seen.go(EDIT)
    return seen


def drafts(page: Any) -> list[str]:
    return page.evaluate(
        "Object.keys(sessionStorage).filter(key => key.startsWith('foliot-draft '))"
    )


def end_the_session(page: Any) -> None:
    page.context.clear_cookies()


def sign_in_again(page: Any) -> None:
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()


def test_reload_back_and_a_menu_click_keep_what_was_typed(server: Server, visit: Any) -> None:
    seen = open_edit(server, visit)
    page = seen.page
    address(page).fill("http://typed/")
    page.locator("#action").get_by_role("button", name="Add").filter(visible=True).click()
    field(page, "Header").fill("X-One")

    page.reload()
    expect(page.get_by_text("Restored your unsaved changes.")).to_be_visible()
    expect(address(page)).to_have_value("http://typed/")
    expect(field(page, "Header")).to_have_value("X-One")

    page.get_by_role("link", name="Calendar").click()
    page.wait_for_url("**/calendar")
    page.go_back()
    expect(address(page)).to_have_value("http://typed/")

    page.get_by_role("button", name="Discard them").click()
    expect(address(page)).to_have_value("http://127.0.0.1:9/")
    address(page).fill("http://again/")
    page.get_by_role("link", name="Cancel").click()
    seen.go(EDIT)
    expect(address(page)).to_have_value("http://127.0.0.1:9/")
    assert page.locator(".restored").count() == 0
    assert seen.complaints == []


def test_an_edit_survives_the_end_of_the_session(server: Server, visit: Any) -> None:
    seen = open_edit(server, visit)
    page = seen.page
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

    expect(page.locator(".restored")).to_contain_text("Passwords and keys must be typed again.")
    expect(address(page)).to_have_value("http://typed/")
    field(page, "Password").fill("s3cret")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    assert drafts(page) == []


def test_a_session_that_ends_while_someone_types_comes_back_to_the_form(
    server: Server, visit: Any
) -> None:
    seen = open_edit(server, visit)
    page = seen.page
    page.wait_for_load_state("networkidle")
    end_the_session(page)

    page.get_by_label("Repeat", exact=True).select_option("month")
    page.wait_for_url("**/sign-in*")
    sign_in_again(page)
    page.wait_for_url(f"**{EDIT}")

    expect(page.get_by_label("Repeat", exact=True)).to_have_value("month")


def test_signing_out_forgets_what_was_typed(server: Server, visit: Any) -> None:
    seen = open_edit(server, visit)
    address(seen.page).fill("http://typed/")

    seen.page.get_by_role("button", name="Sign out").click()
    seen.page.wait_for_url("**/sign-in")

    assert drafts(seen.page) == []


def test_a_job_that_was_deleted_in_another_tab_is_created_anew(server: Server, visit: Any) -> None:
    seen = open_edit(server, visit)
    page = seen.page
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


def test_two_tabs_that_change_the_same_job_can_both_be_saved(server: Server, visit: Any) -> None:
    seen = open_edit(server, visit)
    first, second = seen.page, seen.page.context.new_page()
    second.goto(seen.base + EDIT)
    address(first).fill("http://first/")
    first.get_by_role("button", name="Save").click()
    first.get_by_text("Saved.").wait_for()

    address(second).fill("http://second/")
    second.get_by_role("button", name="Save").click()
    expect(second.locator("#problems")).to_be_focused()
    expect(second.locator("#problems")).to_contain_text("someone else changed this job")
    assert violations(second) == []
    second.reload()
    expect(address(second)).to_have_value("http://second/")

    second.get_by_label("Take theirs: Address").check()
    second.get_by_role("button", name="Save").click()
    second.get_by_text("Saved.").wait_for()
    assert "http://first/" in second.text_content("main")


@pytest.mark.parametrize("options", [{}, ZOOMED], ids=["a wide window", "at 200 %"])
def test_all_problems_are_listed_and_lead_to_their_fields(
    server: Server, visit: Any, options: dict[str, Any]
) -> None:
    seen = visit(server, **options)
    seen.sign_in()
    make_collection(seen)
    seen.go(NEW)
    page = seen.page
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
    assert [each for each in seen.complaints if "400" not in each] == []


@pytest.mark.parametrize("path", ["/tokens", "/collections/new"])
def test_problems_of_other_forms_are_on_screen(server: Server, visit: Any, path: str) -> None:
    seen = visit(server, **ZOOMED)
    seen.sign_in()
    seen.go(path)
    page = seen.page
    page.get_by_label("Name", exact=True).fill("1 / 2" if path != "/tokens" else " ")
    page.locator("form[data-draft] .button.primary").click()

    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems")).to_be_in_viewport()
    page.locator("#problems a").first.click()
    assert is_uncovered(page.locator(":focus"))
    assert violations(page) == []


def is_uncovered(shown: Any) -> bool:
    """Tell whether a field is what one sees at the place where it stands."""
    return shown.evaluate(
        """field => {
            const box = field.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return field === top;
        }"""
    )


def test_a_token_is_made_once_though_its_page_is_reloaded(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    seen.go("/tokens")
    page = seen.page
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


def test_a_copy_names_the_secrets_it_needs(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    signing = {"type": "Basic", "username": "ann", "password": "s3cret"}
    request = {"uri": "https://127.0.0.1:9/", "method": "GET", "authentication": signing}
    body = {"properties": {"action": {"type": "Https", "request": request}, "state": "disabled"}}
    server.call("PUT", f"{API}/jobs/nightly{VERSION}", token=TOKEN, body=body)
    seen.go(f"{JOB}/duplicate")
    page = seen.page

    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Password must be given again").click()
    page.keyboard.type("s3cret")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()


def test_forms_work_without_scripts(server: Server, visit: Any) -> None:
    seen = visit(server, java_script_enabled=False)
    seen.sign_in()
    make_collection(seen)
    seen.go(NEW)
    page = seen.page
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("State").select_option("disabled")
    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Address is missing.").click()
    address(page).fill("https://127.0.0.1:9/")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()
