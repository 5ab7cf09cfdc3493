"""Input survives a reload, Back, the end of the session and a server that is away."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server, running

JOB = f"{COLLECTION}/jobs/nightly"
PHONE = {"viewport": {"width": 390, "height": 800}}


class FormCase(NamedTuple):
    """A form, the field that the test types into, and what it types."""

    path: str
    label: str
    typed: str
    button: str

    def field(self, page: Any) -> Any:
        return page.locator("form[data-draft]").get_by_label(self.label, exact=True).first


FORMS = {
    "new job": FormCase(f"{COLLECTION}/new", "Name", "typed", "Create job"),
    "job in any collection": FormCase("/jobs/new", "Name", "typed", "Create job"),
    "edit": FormCase(f"{JOB}/edit", "Description", "typed", "Save"),
    "JSON": FormCase(f"{JOB}/json", "The job as JSON", '{"typed": 1}', "Save"),
    "new collection": FormCase("/collections/new", "Collection name", "typed", "Create collection"),
    "collection": FormCase(f"{COLLECTION}/edit", "Most jobs", "7", "Save"),
    "new alert": FormCase(f"{COLLECTION}/new-alert", "Name", "typed", "Create alert"),
    "token": FormCase("/tokens", "Name", "typed", "Create token"),
    "token of a collection": FormCase(f"{COLLECTION}/access", "Name", "typed", "Create token"),
}
every_form = pytest.mark.parametrize("case", FORMS.values(), ids=FORMS.keys())


def opened(server: Server, open_tab: Any, case: FormCase, **options: Any) -> Any:
    tab = open_tab(server, **options)
    tab.sign_in()
    make_collection(tab)
    put_job(server, "nightly", recurrence={"frequency": "year"}, state="disabled")
    tab.go(case.path)
    case.field(tab.page).fill(case.typed)
    return tab


@every_form
def test_a_draft_survives_reload_and_back(server: Server, open_tab: Any, case: FormCase) -> None:
    tab = opened(server, open_tab, case)
    page = tab.page

    page.reload()
    expect(case.field(page)).to_have_value(case.typed)
    expect(page.get_by_text("Restored your unsaved changes.")).to_be_visible()
    tab.go("/about")
    page.go_back()

    expect(case.field(page)).to_have_value(case.typed)
    assert tab.console_errors == []


@every_form
def test_after_signing_in_again_one_is_at_the_form_with_its_draft(
    server: Server, open_tab: Any, case: FormCase
) -> None:
    tab = opened(server, open_tab, case)
    page = tab.page
    page.context.clear_cookies()

    page.get_by_role("button", name=case.button).click()
    page.wait_for_url("**/sign-in*")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()

    page.wait_for_url(f"**{case.path}")
    expect(case.field(page)).to_have_value(case.typed)


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "narrow"])
def test_a_form_is_not_lost_while_the_server_is_away(
    tmp_path: Path, open_tab: Any, options: dict[str, Any]
) -> None:
    case = FORMS["edit"]
    with running(tmp_path, ADMIN_TOKEN=TOKEN) as first:
        tab = opened(first, open_tab, case, **options)
        page = tab.page
        first.stop()

        page.get_by_role("button", name="Save").press("Enter")

        expect(page.locator(".held")).to_contain_text("Not sent: the server is not responding.")
        expect(page.locator("[data-connection]")).to_contain_text("Your input is kept.")
        expect(case.field(page)).to_have_value(case.typed)
        assert violations(page) == []
    with running(tmp_path, "--port", str(first.port), ADMIN_TOKEN=TOKEN):
        expect(page.locator(".held")).to_contain_text("The server responds again.", timeout=20_000)
        expect(page.locator("[data-connection]")).to_have_text("")
        page.get_by_role("button", name="Save").press("Enter")
        page.get_by_text("Saved.").wait_for()
        assert case.typed in page.text_content("main")


def test_a_page_without_live_parts_says_that_the_server_is_away(
    tmp_path: Path, open_tab: Any
) -> None:
    case = FORMS["new collection"]
    with running(tmp_path, ADMIN_TOKEN=TOKEN) as first:
        tab = open_tab(first)
        tab.sign_in()
        tab.page.clock.install()
        tab.go(case.path)
        case.field(tab.page).fill(case.typed)
        first.stop()

        tab.page.clock.fast_forward("00:21")

        banner = tab.page.locator("[data-connection]")
        expect(banner).to_contain_text("Reconnecting…")
    with running(tmp_path, "--port", str(first.port), ADMIN_TOKEN=TOKEN):
        tab.page.clock.fast_forward("00:04")
        expect(banner).to_have_text("")
    expect(case.field(tab.page)).to_have_value(case.typed)


def test_a_button_is_not_sent_while_the_server_is_away(tmp_path: Path, open_tab: Any) -> None:
    with running(tmp_path, ADMIN_TOKEN=TOKEN) as first:
        tab = open_tab(first)
        tab.sign_in()
        make_collection(tab)
        put_job(first, "nightly", recurrence={"frequency": "year"}, state="disabled")
        tab.go(JOB)
        first.stop()
        expect(tab.page.locator("[data-connection]")).to_contain_text("Reconnecting…")

        tab.page.get_by_role("button", name="Enable").click()

        expect(tab.page.locator(".held")).to_contain_text("Not sent")
        assert tab.page.url.endswith(JOB)


def test_a_conflict_names_who_changed_what_and_when(server: Server, open_tab: Any) -> None:
    case = FORMS["edit"]
    tab = opened(server, open_tab, case)
    body = {"properties": {"description": "theirs", "tags": {"team": "pay"}}}
    server.call("PATCH", f"{API}/jobs/nightly{VERSION}", token=TOKEN, body=body)

    tab.page.get_by_role("button", name="Save").click()

    summary = tab.page.locator("#problems")
    expect(summary).to_contain_text("changed this job while you were editing it")
    expect(summary).to_contain_text("Last change:")
    expect(summary.get_by_role("row", name="Tags")).to_contain_text("team: pay")
    expect(summary.get_by_role("row", name="Description")).to_contain_text("theirs")
    assert violations(tab.page) == []
    summary.get_by_label("Take theirs: Description").check()
    tab.page.get_by_role("button", name="Save").click()
    tab.page.get_by_text("Saved.").wait_for()
    assert "theirs" in tab.page.text_content("main")
