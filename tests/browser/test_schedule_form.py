"""The schedule in the job form, as a user fills it in: by mouse, by keyboard, without scripts."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from foliot.core.instant import DAY, Instant, Wall, reading_of
from foliot.core.recurrence.zone import offset_changes
from foliot.ports import clock
from tests.browser.accessibility import violations
from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection
from tests.support.server import Server

NEW = f"{COLLECTION}/new"
NARROW = {"viewport": {"width": 390, "height": 844}}
PRAGUE = {"timezone_id": "Europe/Prague"}


def address(page: Any) -> Any:
    return page.locator("#action").get_by_label("Address").filter(visible=True)


def zones_in(page: Any) -> Any:
    return page.get_by_role("listbox", name="Matching zones").get_by_role("option")


def open_form(server: Server, open_tab: Any, **options: Any) -> Any:
    tab = open_tab(server, **options)
    tab.sign_in()
    make_collection(tab)
    tab.go(NEW)
    return tab


def saved(server: Server) -> dict[str, Any]:
    connection = server.connect()
    headers = {"Authorization": f"Bearer {TOKEN}"}
    connection.request("GET", f"{API}/jobs/nightly{VERSION}", headers=headers)
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found["properties"]


def next_clock_change(zone: str) -> datetime:
    """Return the day of the next clock change in a zone, counted from the day after tomorrow."""
    now = clock.now()
    found = offset_changes(ZoneInfo(zone), Instant(now + 2 * DAY), Instant(now + 366 * DAY))
    return reading_of(Wall(found[0]))


def test_a_job_is_created_by_keyboard_alone(server: Server, open_tab: Any) -> None:
    tab = open_form(server, open_tab, **PRAGUE)
    page = tab.page
    press = page.keyboard.press

    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("nightly")
    page.get_by_label("once", exact=True).focus()
    page.get_by_label("on a schedule").focus()
    press("Tab")
    expect(page.get_by_label("Repeat every")).to_be_focused()
    page.keyboard.type("2")
    press("Tab")
    page.keyboard.type("w")
    press("Tab")
    page.keyboard.type("0715")
    page.get_by_label("Friday").focus()
    press("Space")
    page.get_by_label("Time zone").focus()
    page.keyboard.type("lisb")
    expect(zones_in(page)).to_have_text(["Europe/Lisbon"])
    press("ArrowDown")
    press("Enter")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Lisbon")
    expect(page.locator(".sentence")).to_contain_text("on Friday at 07:15 Europe/Lisbon time")
    address(page).focus()
    page.keyboard.type("https://127.0.0.1:9/")
    press("Enter")

    page.get_by_text("Job created.").wait_for()
    job = saved(server)
    assert job["recurrence"]["timeZone"] == "Europe/Lisbon"
    assert job["recurrence"]["schedule"] == {
        "minutes": [15],
        "hours": [7],
        "weekDays": ["friday"],
    }
    assert job["status"]["executionCount"] == 0
    assert tab.console_errors == []


def test_words_that_search_for_a_zone_are_no_problem_until_the_field_is_left(
    server: Server, open_tab: Any
) -> None:
    page = open_form(server, open_tab, **PRAGUE).page
    zone = page.get_by_label("Time zone")
    page.evaluate(
        """() => {
            window.inputs = 0;
            document.querySelector("#schedule").addEventListener("input", () => window.inputs++);
        }"""
    )

    zone.fill("york")
    expect(zones_in(page)).to_have_text(["America/New York"])
    while_searching = page.evaluate("inputs")
    field, offered = zone.bounding_box(), zones_in(page).bounding_box()
    page.keyboard.press("Tab")

    assert while_searching == 0
    assert 0 <= offered["y"] - field["y"] - field["height"] < 5
    expect(page.locator("#preview")).to_contain_text('"york" is not an IANA time zone')
    assert page.evaluate("inputs") == 1


def test_the_zones_begin_with_that_of_the_viewer_and_are_searched_by_city(
    server: Server, open_tab: Any
) -> None:
    tab = open_form(server, open_tab, timezone_id="Asia/Tokyo")
    page = tab.page
    zone = page.get_by_label("Time zone")

    expect(zone).to_have_value("Asia/Tokyo")
    zone.click()
    offered = zones_in(page).all_text_contents()
    zone.fill("new york")
    expect(zones_in(page)).to_have_text(["America/New York"])
    assert violations(page) == []
    zones_in(page).click()

    assert offered[:2] == ["Asia/Tokyoyour time zone", "UTCcoordinated universal time"]
    assert len(offered) > 400
    expect(zone).to_have_value("America/New_York")
    expect(page.locator(".sentence")).to_contain_text("at 09:00 America/New_York time")
    expect(page.locator("#preview .mine").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_problems_appear_at_once_on_their_fields_while_typing(
    server: Server, open_tab: Any
) -> None:
    tab = open_form(server, open_tab)
    page = tab.page
    page.get_by_role("button", name="Add a time").click()
    page.locator("[name=time]").nth(1).fill("17:30")
    page.get_by_label("Time zone").fill("Europe/Pragu")
    page.keyboard.press("Escape")
    page.locator("#policies summary").click()
    page.get_by_label("Jitter", exact=True).fill("2h")

    expect(page.locator("#preview li.problem")).to_have_count(3)
    for field in ("time", "properties.recurrence.timeZone", "properties.policy.jitter"):
        expect(page.locator(f'[id="{field}-live"]')).to_be_visible()
    expect(page.get_by_label("Time zone")).to_have_attribute("aria-invalid", "true")
    assert violations(page) == []
    page.locator("[name=time]").nth(1).fill("17:00")
    page.get_by_label("Time zone").fill("Europe/Prague")
    page.get_by_label("Jitter", exact=True).fill("5m")

    expect(page.locator(".sentence")).to_contain_text("09:00 and 17:00 Europe/Prague time")
    expect(page.locator(".problem.live")).to_have_count(0)
    expect(page.get_by_label("Time zone")).not_to_have_attribute("aria-invalid", "true")
    page.get_by_label("by cron").check()
    page.get_by_label("Cron expression").fill("61 * * * *")
    expect(page.locator('[id="properties.recurrence.cron-live"]')).to_contain_text("minute")
    page.get_by_label("Cron expression").fill("0 9 * * MON-FRI")
    expect(page.locator("[data-sentence]")).to_contain_text("At 09:00")


def test_the_preview_marks_the_day_of_a_clock_change(server: Server, open_tab: Any) -> None:
    change = next_clock_change("Europe/Prague")
    tab = open_form(server, open_tab, **PRAGUE)
    page = tab.page

    page.locator("[name=time]").first.fill("02:30")
    page.get_by_label("at a date and time").check()
    page.get_by_label("Start", exact=True).fill(f"{change - timedelta(days=1):%Y-%m-%dT00:00}")

    marked = page.locator("#preview li", has_text="clock change")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text(f"{change:%Y-%m-%d}")
    expect(page.locator("#preview .legend")).to_contain_text(f"clock change {change:%Y-%m-%d}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_whole_form_fits_a_narrow_screen_and_is_accessible(
    server: Server, open_tab: Any, scheme: str
) -> None:
    tab = open_form(server, open_tab, **NARROW, **PRAGUE, color_scheme=scheme)
    page = tab.page
    page.get_by_label("Repeat", exact=True).select_option("month")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.get_by_label("Choose hours and minutes instead of times").check()
    page.locator(".sentence").wait_for()

    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert violations(page) == []
    assert tab.console_errors == []


# The control that has the focus, if the middle of it is under the bar with the button that saves.
COVERED = """() => {
  const focused = document.activeElement, bar = document.querySelector("form > .save");
  if (!bar.parentElement.contains(focused) || bar.contains(focused)) return "";
  const box = focused.getBoundingClientRect();
  const isCovered = (box.top + box.bottom) / 2 > bar.getBoundingClientRect().top;
  return isCovered ? focused.name || focused.textContent : "";
}"""
IN_BAR = "document.querySelector('form > .save').contains(document.activeElement)"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["wide", "narrow"])
def test_the_tab_key_reaches_no_control_under_the_bar_that_saves(
    server: Server, open_tab: Any, size: tuple[int, int]
) -> None:
    page = open_form(server, open_tab, viewport={"width": size[0], "height": size[1]}).page
    expect(page.locator(".sentence")).to_be_visible()
    page.get_by_label("Name", exact=True).focus()
    covered: list[str] = []

    while not page.evaluate(IN_BAR):
        page.keyboard.press("Tab")
        covered.append(page.evaluate(COVERED))

    assert len(covered) > 10
    assert [each for each in covered if each] == []


def test_once_asks_for_a_time_and_runs_nothing_now(server: Server, open_tab: Any) -> None:
    tab = open_form(server, open_tab, **PRAGUE)
    page = tab.page
    page.get_by_label("Name", exact=True).fill("nightly")
    address(page).fill("https://127.0.0.1:9/")

    page.get_by_label("once", exact=True).check()
    page.get_by_role("button", name="Create job").click()
    page.locator("#problems").get_by_role("link", name="Start is missing").click()
    expect(page.get_by_label("Start", exact=True)).to_be_focused()
    year = datetime.now(UTC).year + 1  # noqa: TID251  (a year to come)
    page.get_by_label("Start", exact=True).fill(f"{year}-01-15T08:30")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()
    job = saved(server)
    assert job["startTime"] == f"{year}-01-15T07:30:00Z"
    assert "recurrence" not in job


def test_a_daily_job_is_created_without_scripts(server: Server, open_tab: Any) -> None:
    tab = open_form(server, open_tab, java_script_enabled=False)
    page = tab.page
    page.get_by_label("Name", exact=True).fill("nightly")
    page.get_by_label("Time", exact=True).fill("06:45")
    page.get_by_label("Another time").fill("18:45")
    page.get_by_label("Time zone").fill("Europe/Prague")
    address(page).fill("https://127.0.0.1:9/")
    page.get_by_role("button", name="Create job").click()

    page.get_by_text("Job created.").wait_for()
    job = saved(server)
    assert job["recurrence"]["schedule"] == {"minutes": [45], "hours": [6, 18]}
    assert job["recurrence"]["timeZone"] == "Europe/Prague"
    assert job["status"]["executionCount"] == 0
    assert job["status"]["nextExecutionTime"] == job["startTime"]
