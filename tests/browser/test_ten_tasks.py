"""What people come for, from the overview on: each task by what the pages say, its clicks counted.

Keys that are typed and fields that are filled in do not count; a choice in a list is a click.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from foliot.core.instant import DAY, Instant, format_instant
from foliot.ports import clock
from tests.browser.demo import TOKEN
from tests.browser.targets import site
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

SLOW = 30_000
OWN_VERSION = "?api-version=2026-11-01"
BASIC = {"type": "basic", "username": "u", "password": "old"}


class Hand:
    """A user at a page: clicks, and how many there were."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, found: Locator) -> None:
        self.clicks += 1
        found.click()

    def choose(self, found: Locator, words: str) -> None:
        self.clicks += 1
        found.select_option(label=words)

    def open(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def press(self, name: str | re.Pattern[str]) -> None:
        self.click(self.page.get_by_role("button", name=name).filter(visible=True))

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).filter(visible=True).first.fill(text)


@pytest.fixture
def tab(server: Server, open_tab: Any) -> Any:
    """Return the overview of a server that runs jobs, with two collections."""
    opened = open_tab(server, timezone_id="Europe/Prague", viewport={"width": 1440, "height": 900})
    opened.sign_in()
    make_collection(opened)
    body = {"properties": {"sku": {"name": "Standard"}}}
    server.call("PUT", f"{API.removesuffix('work')}archive{VERSION}", token=TOKEN, body=body)
    opened.go("/")
    return opened


@pytest.fixture
def hand(tab: Any) -> Any:
    """Return a user at the overview; no page that she saw had an error."""
    yield Hand(tab.page)
    assert tab.console_errors == []
    assert tab.foreign_requests == []


def utc_now() -> datetime:
    return datetime.fromisoformat(format_instant(clock.now()))


def later() -> str:
    return format_instant(Instant(clock.now() + 30 * DAY))


def storage_queue(hand: Hand) -> None:
    hand.choose(hand.page.locator("#action").get_by_label("Type", exact=True), "Storage queue")
    hand.fill("Storage account", "acme")
    hand.fill("Queue", "work")
    hand.fill("Shared access signature", "sv=2020-01-01&sig=abc")
    hand.fill("Message", "hello")


def bus(words: str, entity: str) -> Callable[[Hand], None]:
    def fill(hand: Hand) -> None:
        hand.choose(hand.page.locator("#action").get_by_label("Type", exact=True), words)
        hand.fill("Namespace", "contoso")
        hand.fill(entity, "work")
        hand.fill("Message", "hello")
        shown = hand.page.get_by_label("Authentication").filter(visible=True)
        hand.choose(shown.first, "Shared access key")
        hand.fill("Key name", "Root")
        hand.fill("Key", "a2V5")

    return fill


def address(hand: Hand) -> None:
    hand.fill("Address", "https://api.example.com/")


def by_cron(hand: Hand) -> None:
    hand.click(hand.page.get_by_label("by cron"))
    hand.fill("Cron expression", "0 3 * * SUN")
    address(hand)


def once(hand: Hand) -> None:
    hand.click(hand.page.get_by_label("once"))
    hand.fill("Start", f"{utc_now().date() + timedelta(days=30)}T08:30")
    address(hand)


def over_http(hand: Hand) -> None:
    hand.choose(hand.page.locator("#action").get_by_label("Type", exact=True), "HTTP")
    hand.fill("Address", "http://127.0.0.1:9/")


@pytest.mark.parametrize(
    ("fill", "clicks"),
    [
        pytest.param(address, 3, id="HTTPS"),
        pytest.param(over_http, 4, id="HTTP"),
        pytest.param(storage_queue, 4, id="storage queue"),
        pytest.param(bus("Service bus queue", "Queue"), 5, id="service bus queue"),
        pytest.param(bus("Service bus topic", "Topic"), 5, id="service bus topic"),
        pytest.param(once, 4, id="once"),
        pytest.param(by_cron, 4, id="cron"),
    ],
)
def test_a_job_of_each_kind_is_created(
    hand: Hand, fill: Callable[[Hand], None], clicks: int
) -> None:
    hand.open("an empty form")
    hand.fill("Name", "mine")
    hand.choose(hand.page.locator("#into"), "work")
    fill(hand)
    hand.press("Create job")

    hand.page.get_by_text("Job created.").wait_for()
    expect(hand.page.get_by_role("heading", name="mine")).to_be_visible()
    assert hand.clicks == clicks


def morning_zone() -> str:
    """Return a time zone where it is ten o'clock in the morning, so that last night is over."""
    ahead = (10 - utc_now().hour) % 24
    return f"Etc/GMT{-ahead:+d}" if ahead <= 14 else f"Etc/GMT{24 - ahead:+d}"


def test_what_failed_last_night_and_why(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, timezone_id=morning_zone())
    tab.sign_in()
    hand = Hand(tab.page)

    hand.open("Failures")
    hand.click(tab.page.get_by_role("link", name="Last night"))
    group = tab.page.get_by_role("region", name="Failed for good").get_by_role("row").nth(1)
    expect(group).to_contain_text("HTTP 503 api.acme.example")
    hand.click(group.get_by_role("link", name="HTTP 503", exact=True))

    why = tab.page.locator("tbody.attempt summary").first
    expect(why).to_contain_text("The ledger is locked for closing.")
    assert hand.clicks == 3
    assert tab.console_errors == []


def test_what_failed_is_rerun(server: Server, hand: Hand) -> None:
    for name in ("first", "second"):
        put_job(server, name, recurrence={"frequency": "month"}, startTime=later())
        server.call("POST", f"{API}/jobs/{name}/run{VERSION}", token=TOKEN)
    hand.open("Failures")
    shown = hand.page.get_by_role("link", name="Rerun all 2…")
    expect(shown).to_be_visible(timeout=SLOW)

    hand.click(shown)
    hand.press("Rerun 2 runs")

    hand.page.get_by_text("2 runs started.").wait_for()
    assert hand.clicks == 3


def test_which_job_runs_at_three_on_sunday(server: Server, hand: Hand) -> None:
    put_job(server, "often", recurrence={"frequency": "minute"}, startTime=later())
    request = {"type": "http", "request": {"uri": "http://127.0.0.1:9/", "method": "GET"}}
    rule = {"cron": "0 3 * * SUN", "timeZone": "Europe/Prague"}
    body = {"properties": {"action": request, "recurrence": rule}}
    server.call("PUT", f"{API}/jobs/sundays{OWN_VERSION}", token=TOKEN, body=body)
    in_two_months = utc_now().date() + timedelta(days=60)
    sunday = in_two_months + timedelta(days=6 - in_two_months.weekday())

    hand.open("Timeline")
    hand.fill("Date", str(sunday))
    hand.fill("Time", "03:00")
    hand.press("Show")

    found = hand.page.get_by_role("region", name="Runs of the chosen time").get_by_role("row")
    expect(found.nth(1)).to_have_accessible_name(f"sundays work {sunday} 03:00:00 1")
    expect(found.nth(2)).to_contain_text("often")
    assert hand.clicks == 2


def test_why_a_job_did_not_run_on_saturday(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, timezone_id="Europe/Prague")
    tab.sign_in()
    hand = Hand(tab.page)
    today = utc_now().date()
    saturday = today - timedelta(days=(today.weekday() - 5) % 7 or 7)

    hand.open("Timeline")
    hand.open("Explain a time")
    hand.choose(tab.page.get_by_role("combobox", name="Collection"), "billing")
    hand.fill("Job", "dunning-letters")
    hand.fill("Date", str(saturday))
    hand.fill("Time", "09:00")
    hand.press("Explain")

    answer = tab.page.get_by_role("region", name="Answer")
    expect(answer.get_by_role("heading")).to_contain_text(f"Nothing was planned at {saturday}")
    expect(answer).to_contain_text("Tuesday and Friday")
    assert hand.clicks == 4
    assert tab.console_errors == []


def test_a_collection_is_paused(hand: Hand) -> None:
    hand.open("Collections")
    hand.open("work")
    hand.open("Pause…")
    hand.press("Pause collection")

    hand.page.get_by_text("Collection paused: its jobs").wait_for()
    assert hand.clicks == 4


def find_job(hand: Hand, name: str) -> None:
    hand.open("Jobs")
    hand.fill("Search jobs", name)
    expect(hand.page.locator("#list tbody tr")).to_have_count(1)
    hand.open(name)


def test_who_changed_a_job(server: Server, hand: Hand) -> None:
    for state in ("enabled", "disabled"):
        put_job(server, f"is-{state}", recurrence={"frequency": "year"}, startTime=later())
    body = {"properties": {"description": "Pays suppliers"}}
    server.call("PATCH", f"{API}/jobs/is-enabled{VERSION}", token=TOKEN, body=body)

    find_job(hand, "is-enabled")
    hand.click(hand.page.get_by_role("navigation", name="Job").get_by_text("Changes"))

    change = hand.page.get_by_role("region", name="FOLIOT_ADMIN_TOKEN updated the job")
    expect(change).to_contain_text("Pays suppliers")
    assert hand.clicks == 3


def test_a_password_is_rotated(server: Server, hand: Hand) -> None:
    request = {"uri": "http://127.0.0.1:9/", "method": "GET", "authentication": BASIC}
    action = {"type": "http", "request": request}
    body = {"properties": {"action": action, "startTime": later()}}
    server.call("PUT", f"{API}/jobs/signed{VERSION}", token=TOKEN, body=body)

    find_job(hand, "signed")
    hand.open("Edit")
    hand.fill("Password", "new")
    hand.press("Save")

    hand.page.get_by_text("Saved.").wait_for()
    assert hand.clicks == 4
    hand.page.get_by_role("navigation", name="Job").get_by_text("Changes").click()
    expect(hand.page.get_by_role("row", name="Password (secret) changed").first).to_be_visible()


def test_a_job_is_moved(server: Server, hand: Hand) -> None:
    put_job(server, "nomad", recurrence={"frequency": "year"}, startTime=later())

    find_job(hand, "nomad")
    hand.open("Move or copy…")
    hand.fill("Collection", "archive")
    hand.press("Move job")

    hand.page.get_by_text("Job moved.").wait_for()
    assert "/archive/jobs/nomad" in hand.page.url
    assert hand.clicks == 4


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 844}}])
def test_an_alert_is_set_up_and_tested(
    server: Server, open_tab: Any, tab: Any, options: dict[str, Any]
) -> None:
    if options:
        tab = open_tab(server, **options)
        tab.sign_in()
    hand = Hand(tab.page)
    if options:
        hand.press("Menu")

    hand.open("Alerts")
    hand.choose(tab.page.get_by_label("Collection of the new alert"), "work")
    hand.press("New alert")
    with site() as target:
        hand.fill("Name", "on-call")
        hand.choose(tab.page.get_by_label("Destination 1"), "webhook")
        hand.fill("Address", f"{target}/in")
        hand.press("Create alert")
        hand.press("Send a test")
        tab.page.get_by_text("the test succeeded").wait_for()

    assert hand.clicks == 6 + len(options)
    tab.go("/alerts")
    expect(tab.page.get_by_role("link", name="on-call")).to_be_visible()
    expect(tab.page.get_by_role("link", name="work")).to_be_visible()
    assert tab.console_errors == []


def test_the_zone_of_quiet_hours_is_searched_by_city(hand: Hand) -> None:
    hand.page.goto(hand.page.url + COLLECTION.removeprefix("/") + "/new-alert")
    zone = hand.page.get_by_role("combobox", name="Time zone")
    expect(zone).to_have_value("Europe/Prague")

    zone.fill("lisb")
    hand.click(hand.page.get_by_role("option", name="Europe/Lisbon"))

    expect(zone).to_have_value("Europe/Lisbon")
    hand.fill("From", "22:00")
    hand.fill("To", "07:00")
    hand.fill("Name", "quiet")
    hand.choose(hand.page.get_by_label("Destination 1"), "webhook")
    hand.fill("Address", "http://127.0.0.1:9/in")
    hand.press("Create alert")
    hand.page.get_by_text("22:00 to 07:00, Europe/Lisbon").wait_for()
