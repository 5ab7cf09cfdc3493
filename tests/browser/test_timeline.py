"""The timeline and the page that explains a time: mouse, keyboard, narrow, without scripts."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.support.server import Server

BILLING = "/timeline?of=acme/shop/billing"
CHOSEN = "Runs of the chosen time"


@pytest.fixture
def tab(demo_server: Server, open_tab: Any) -> Any:
    opened = open_tab(
        demo_server, timezone_id="Europe/Prague", viewport={"width": 1280, "height": 900}
    )
    opened.sign_in()
    return opened


def test_which_job_runs_at_three_on_sunday_is_answered_in_two_clicks(tab: Any) -> None:
    page = tab.page
    page.get_by_role("link", name="Timeline").click()
    page.get_by_role("link", name="Next week").click()
    first_lane = page.locator("svg.lane").nth(1)
    sunday = re.compile(r"Sun \d\d \w+ 03:00.06:00")

    first_lane.locator("a").filter(has_text=sunday).click()

    chosen = page.get_by_role("region", name=CHOSEN)
    expect(chosen.get_by_role("heading")).to_have_text(sunday)
    expect(chosen.get_by_role("link", name="payment-poll")).to_be_visible()
    assert "03:00:00" in chosen.locator("tbody time").first.text_content()
    assert tab.console_errors == []


def test_a_date_and_a_time_are_entered_by_keyboard(tab: Any) -> None:
    page = tab.page
    tab.go("/timeline?zoom=day")
    page.get_by_label("Date").fill("2031-01-05")
    page.get_by_label("Time", exact=True).fill("03:00")
    page.keyboard.press("Enter")

    chosen = page.get_by_role("region", name=CHOSEN)
    expect(chosen.get_by_role("heading")).to_contain_text("Sun 05 Jan 03:00")


def test_the_tables_are_reached_by_keyboard_and_lead_to_the_jobs_of_a_time(tab: Any) -> None:
    page = tab.page
    tab.go("/timeline")
    page.get_by_role("link", name="Next week").click()
    summary = page.get_by_text("The same as tables")
    summary.focus()
    page.keyboard.press("Enter")
    row = page.locator("details.as-table tbody tr").first
    expect(row).to_be_visible()

    row.get_by_role("link").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("region", name=CHOSEN)).to_be_visible()


def test_the_lane_of_a_collection_opens_the_lanes_of_its_jobs_and_an_empty_place_explains(
    tab: Any,
) -> None:
    page = tab.page
    tab.go("/timeline?zoom=day")
    page.get_by_role("link", name="billing", exact=True).click()
    lane = page.locator(".lane-row").filter(has_text="month-end-report")

    lane.locator("svg a.none").first.click()

    page.wait_for_url("**/jobs/month-end-report/explain?at=*")
    expect(page.get_by_text(re.compile("Nothing (was|is) planned at"))).to_be_visible()
    expect(page.get_by_text("The calendar at that time")).to_be_visible()
    assert violations(page) == []


def test_day_week_today_and_the_days_of_the_week_are_links(tab: Any) -> None:
    page = tab.page
    tab.go(f"{BILLING}&date=2031-01-05")
    expect(page.get_by_text("30 Dec to 05 Jan 2031")).to_be_visible()

    page.get_by_role("link", name="Thu 02 Jan").click()
    expect(page.get_by_text("Thursday 02 January 2031")).to_be_visible()
    page.get_by_role("link", name="Previous day").click()
    expect(page.get_by_text("Wednesday 01 January 2031")).to_be_visible()
    page.get_by_role("link", name="Week", exact=True).click()
    page.get_by_role("link", name="Today").click()

    expect(page.locator("line.now").first).to_be_attached()
    assert "of=acme%2Fshop%2Fbilling" in page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_jobs_of_a_cell_are_accessible_with_open_tables(
    demo_server: Server, open_tab: Any, theme: str
) -> None:
    tab = open_tab(demo_server, color_scheme=theme)
    tab.sign_in()
    tab.go(f"{BILLING}&zoom=day&date=2031-01-05&time=03:00")
    tab.page.get_by_text("The same as tables").click()

    assert violations(tab.page) == []
    assert tab.console_errors == []


def test_a_narrow_screen_scrolls_the_lanes_alone(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, viewport={"width": 390, "height": 844})
    tab.sign_in()
    tab.go(BILLING)
    lanes = tab.page.get_by_role("region", name="Lanes")

    widths = lanes.evaluate("each => [each.scrollWidth, each.clientWidth]")

    assert widths[0] > widths[1]
    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("zoom", ["day", "week"])
def test_the_names_of_lanes_stay_at_the_edge_of_a_narrow_screen(
    demo_server: Server, open_tab: Any, zoom: str
) -> None:
    tab = open_tab(demo_server, viewport={"width": 390, "height": 844})
    tab.sign_in()
    tab.go(f"/timeline?zoom={zoom}")
    lanes = tab.page.get_by_role("region", name="Lanes")
    name = lanes.locator(".lane-name", has_text="billing")
    lanes.evaluate("each => { each.scrollLeft = 0; }")
    at_first = name.bounding_box()

    lanes.evaluate("each => { each.scrollLeft = each.scrollWidth; }")

    assert lanes.evaluate("each => each.scrollLeft") > 200
    assert name.bounding_box() == at_first
    # Nothing is seen through the padding beside the name.
    assert at_first["x"] <= lanes.bounding_box()["x"] + 1


def test_a_refresh_keeps_position_focus_and_opened_tables(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server, viewport={"width": 390, "height": 844})
    page = tab.page
    page.clock.install()
    tab.sign_in()
    tab.go("/timeline?zoom=day")
    lanes = page.get_by_role("region", name="Lanes")
    page.get_by_text("The same as tables").click()
    lanes.focus()
    lanes.evaluate("each => { each.scrollLeft = 150; each.dataset.old = '1'; }")

    with page.expect_response("**/timeline?zoom=day"):
        page.clock.fast_forward(61_000)
    expect(page.locator("#lanes[data-old]")).to_have_count(0)

    assert lanes.evaluate("each => each.scrollLeft") == 150
    assert page.evaluate("document.activeElement.id") == "lanes"
    expect(page.locator("details.as-table tbody tr").first).to_be_visible()
    assert tab.console_errors == []


def test_the_page_fits_at_twice_the_size(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, viewport={"width": 640, "height": 450}, device_scale_factor=2)
    tab.sign_in()
    tab.go(BILLING)

    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_everything_works_without_scripts(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, java_script_enabled=False)
    tab.sign_in()
    page = tab.page
    tab.go("/timeline")
    page.get_by_role("link", name="Next week").click()
    page.get_by_text("The same as tables").click()
    page.locator("details.as-table tbody tr").first.get_by_role("link").click()
    expect(page.get_by_role("region", name=CHOSEN)).to_be_visible()

    page.get_by_role("link", name="Explain a time").click()
    page.get_by_label("Collection", exact=True).select_option("acme/shop/billing")
    page.get_by_label("Job", exact=True).fill("payment-poll")
    page.get_by_label("Date").fill("2031-01-05")
    page.get_by_label("Time", exact=True).fill("03:01")
    page.get_by_role("button", name="Explain").click()

    expect(page.get_by_text("The calendar has no run between")).to_be_visible()


_TOO_WIDE = """
() => [...document.querySelectorAll('svg.lane a')].flatMap(cell => {
  const box = cell.querySelector('.box').getBoundingClientRect();
  return [...cell.querySelectorAll('text')].filter(text => {
    const size = text.getBoundingClientRect();
    return size.width > box.width + 0.5;
  }).map(text => [text.textContent, text.getBoundingClientRect().width, box.width]);
})
"""
_COLLIDING = """
() => {
  const names = [...document.querySelectorAll('.day-names a')].map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect();
  });
  return names.slice(1).filter((each, place) => each.left < names[place].right + 4).length;
}
"""


@pytest.mark.parametrize("width", [390, 800, 1024, 1280, 1440, 1680, 1920, 2560])
def test_a_number_is_shown_only_where_it_fits_and_names_of_days_do_not_touch(
    demo_server: Server, open_tab: Any, width: int
) -> None:
    tab = open_tab(demo_server, viewport={"width": width, "height": 900})
    tab.sign_in()
    tab.go("/timeline?zoom=week")

    assert tab.page.evaluate(_TOO_WIDE) == []
    assert tab.page.evaluate(_COLLIDING) == 0
