"""Lists that refresh row by row, keep their filters in the address, and come back as they were."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.work_collection import COLLECTION, make_collection, put_job
from tests.support.server import Server

BULK = "/collections/acme/ops/maintenance"
REFRESH = "00:11"


def opened(server: Server, open_tab: Any, *names: str) -> Any:
    """Return a tab with the list of a collection with these jobs, whose time the test moves."""
    tab = open_tab(server)
    tab.page.clock.install()
    tab.sign_in()
    make_collection(tab)
    for name in names:
        put_job(server, name, recurrence={"frequency": "day"}, state="disabled")
    tab.go(COLLECTION)
    return tab


def delete_job(tab: Any, name: str) -> None:
    tab.page.evaluate(
        """async (address) => {
            const csrf = document.querySelector('input[name=csrf]').value;
            await fetch(address, {method: 'POST', body: new URLSearchParams({csrf})});
        }""",
        f"{COLLECTION}/jobs/{name}/delete",
    )


def test_a_list_refreshes_while_rows_are_selected(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab, "b", "d")
    rows = tab.page.locator("td .main-name")
    box = tab.page.get_by_label("Select d", exact=True)
    box.check()

    for name in ("a", "c", "e"):
        put_job(server, name, recurrence={"frequency": "day"}, state="disabled")
    tab.page.clock.fast_forward(REFRESH)
    expect(rows).to_have_text(["a", "b", "c", "d", "e"])
    delete_job(tab, "b")
    tab.page.clock.fast_forward(REFRESH)
    expect(rows).to_have_text(["a", "c", "d", "e"])

    expect(box).to_be_checked()
    expect(box).to_be_focused()
    assert "1 selected" in tab.page.locator(".bulk").text_content()
    assert tab.console_errors == []


def test_a_new_job_is_not_selected_by_itself(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab, "a", "b")
    tab.page.get_by_label("Select all", exact=True).check()

    put_job(server, "c", recurrence={"frequency": "day"}, state="disabled")
    tab.page.clock.fast_forward(REFRESH)

    expect(tab.page.locator("td .main-name")).to_have_count(3)
    assert "2 selected" in tab.page.locator(".bulk").text_content()
    expect(tab.page.get_by_label("Select all", exact=True)).not_to_be_checked()


def test_a_list_that_becomes_empty_and_full_again_refreshes(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab, "a")
    tab.page.get_by_label("Search jobs").fill("a")
    tab.page.wait_for_url("**?q=a")

    delete_job(tab, "a")
    tab.page.clock.fast_forward(REFRESH)
    expect(tab.page.get_by_text("No jobs match these filters")).to_be_visible()
    put_job(server, "a", recurrence={"frequency": "day"}, state="disabled")
    tab.page.clock.fast_forward(REFRESH)

    expect(tab.page.locator("td .main-name")).to_have_text(["a"])


FORGET_TWO_ROWS = """() => {
    [...document.querySelectorAll('tbody tr')].slice(0, 2).forEach((row) => row.remove());
    const list = document.querySelector('#list');
    list.setAttribute('hx-get', list.getAttribute('hx-get').replace(/seen=.*/, 'seen=other'));
}"""


def test_a_list_keeps_its_position_when_rows_come_above(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, viewport={"width": 1000, "height": 500})
    tab.page.clock.install()
    tab.sign_in()
    tab.go(BULK)
    rows = tab.page.locator("td .main-name")
    first, row = rows.first.text_content(), tab.page.locator("tr", has_text="shard-050")
    # As if two jobs were missing until the refresh brings them.
    tab.page.evaluate(FORGET_TWO_ROWS)
    row.scroll_into_view_if_needed()
    before = row.bounding_box()["y"]

    tab.page.clock.fast_forward(REFRESH)

    expect(rows.first).to_have_text(first)
    assert abs(row.bounding_box()["y"] - before) < 2


def test_filters_are_kept_in_the_address_and_through_back(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go(BULK)

    tab.page.get_by_label("Search jobs").fill("shard-14")
    tab.page.get_by_label("State").select_option("enabled")
    tab.page.wait_for_url("**?q=shard-14&state=enabled")
    rows = tab.page.locator("td .main-name")
    expect(rows).to_have_count(10)
    rows.first.click()
    tab.page.wait_for_url("**/jobs/shard-140")
    tab.page.go_back()

    tab.page.wait_for_url("**?q=shard-14&state=enabled")
    expect(rows).to_have_count(10)
    expect(tab.page.get_by_label("Search jobs")).to_have_value("shard-14")
    assert tab.console_errors == []


def test_back_shows_as_many_rows_at_the_same_position(demo_server: Server, open_tab: Any) -> None:
    for path in (BULK, "/jobs"):
        tab = open_tab(demo_server, viewport={"width": 1000, "height": 600})
        tab.sign_in()
        tab.go(path)
        tab.page.locator("tr.detail").scroll_into_view_if_needed()
        link = tab.page.get_by_role("link", name="shard-130")
        link.scroll_into_view_if_needed()
        top = tab.page.evaluate("scrollY")
        link.click()
        tab.page.wait_for_url("**/jobs/shard-130")

        tab.page.go_back()

        expect(link).to_be_in_viewport()
        assert abs(tab.page.evaluate("scrollY") - top) < 2
        assert tab.console_errors == []


def test_collections_are_searched_as_one_types(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go("/collections")

    tab.page.get_by_label("Search by name").press_sequentially("bill")
    tab.page.wait_for_url("**/collections?q=bill")
    names = tab.page.locator("td .main-name")
    expect(names).to_have_text(["billing"])
    names.first.click()
    tab.page.go_back()

    tab.page.wait_for_url("**/collections?q=bill")
    expect(names).to_have_text(["billing"])


def test_lists_are_searched_without_javascript(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, java_script_enabled=False)
    tab.sign_in()
    for path in (BULK, "/jobs"):
        tab.go(path)
        tab.page.get_by_label("Search jobs").fill("name:shard-14")
        tab.page.get_by_role("button", name="Filter").click()

        assert tab.page.locator("td .main-name").count() == 10
