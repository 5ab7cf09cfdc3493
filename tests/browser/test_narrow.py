"""A narrow screen with the longest names: nothing is cut off or covered."""

from typing import Any

import pytest

from tests.browser.demo import TOKEN
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server

NARROW = {"viewport": {"width": 390, "height": 844}}
LONG = "generated" + "0123456789" * 9 + "a"
JOB = f"{COLLECTION}/jobs/{LONG}"
BUS = {
    "type": "serviceBusQueue",
    "serviceBusQueueMessage": {
        "namespace": "n" * 50,
        "queueName": "q" * 100,
        "message": "m" * 200,
        "transportType": "amqp",
        "authentication": {"type": "sharedAccessKey", "sasKeyName": "k", "sasKey": "a2V5"},
        "brokeredMessageProperties": {
            "scheduledEnqueueTimeUtc": "2026-01-31T08:30:00Z",
            "replyToSessionId": "s" * 80,
            "viaPartitionKey": "p",
        },
        "customMessageProperties": {"a-name-of-a-property-that-is-long" * 2: "v" * 80},
    },
}


@pytest.fixture
def tab(server: Server, open_tab: Any) -> Any:
    """Return a page 390 pixels wide of a server that has a job with a long name."""
    found = open_tab(server, **NARROW)
    found.sign_in()
    make_collection(found)
    put_job(server, LONG, recurrence={"frequency": "year"}, state="disabled")
    return found


def overflow(page: Any) -> int:
    """Return how many pixels of a page lie beyond the right edge of the screen."""
    page.wait_for_load_state("networkidle")
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.mark.parametrize(
    "path",
    [
        *(
            f"{COLLECTION}{tab}"
            for tab in ("", "/alerts", "/alerts/on-call", "/new-alert", "/properties", "/access")
        ),
        *(f"{JOB}{tab}" for tab in ("", "/action", "/schedule", "/runs", "/json")),
        *(f"{JOB}/properties", "/jobs/new", "/jobs/new?into=new"),
        *(f"{JOB}/edit", f"{JOB}/duplicate", f"{JOB}x", "/timeline"),
    ],
    ids=lambda path: path.replace(LONG, "LONG"),
)
def test_a_page_of_a_job_with_a_long_name_fits_a_narrow_screen(tab: Any, path: str) -> None:
    tab.go(path)

    assert overflow(tab.page) <= 0


@pytest.mark.parametrize("path", ["action", "edit", "json"])
def test_a_page_with_a_service_bus_message_fits_a_narrow_screen(
    tab: Any, server: Server, path: str
) -> None:
    body = {"properties": {"action": BUS, "recurrence": {"frequency": "year"}}}
    answer = server.call("PUT", f"{API}/jobs/bus{VERSION}", token=TOKEN, body=body)
    assert answer.status == 201

    tab.go(f"{COLLECTION}/jobs/bus/{path}")
    if path == "edit":
        for each in tab.page.locator("#action details.more > summary").all():
            if each.is_visible():
                each.click()

    assert overflow(tab.page) <= 0


@pytest.mark.parametrize(
    ("path", "box", "mark"),
    [
        pytest.param(f"{JOB}/changes", ".tabs", "[aria-current]", id="the tab of the page"),
        pytest.param("/timeline", ".lanes", "svg .now", id="now on the timeline"),
    ],
)
def test_what_is_current_is_in_view(tab: Any, path: str, box: str, mark: str) -> None:
    tab.go(path)

    around = tab.page.locator(box).bounding_box()
    shown = tab.page.locator(f"{box} {mark}").first.bounding_box()

    assert around["x"] <= shown["x"]
    # The position of scrolled content is a whole pixel.
    assert shown["x"] + shown["width"] < around["x"] + around["width"] + 1


def test_a_long_name_does_not_cover_its_checkbox(tab: Any) -> None:
    tab.go(COLLECTION)
    box = tab.page.get_by_label(f"Select {LONG}").bounding_box()
    name = tab.page.locator("td .main-name").bounding_box()

    assert name["x"] + name["width"] <= box["x"]


@pytest.mark.parametrize(
    ("path", "button"),
    [(JOB, "Delete…"), ("/tokens", "Revoke…"), (f"{COLLECTION}/access", "Revoke…")],
)
def test_a_dialog_fits_a_narrow_screen(tab: Any, path: str, button: str) -> None:
    tab.go(path)
    tab.page.locator("[data-opens]").filter(has_text=button).click()
    dialog = tab.page.locator("dialog[open]")

    assert dialog.evaluate("each => each.scrollWidth - each.clientWidth") <= 0


def test_a_time_in_an_explanation_stands_beside_its_label(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server, **NARROW)
    tab.sign_in()

    tab.go("/collections/acme/shop/billing/jobs/payment-poll/explain")

    cell = tab.page.locator("td[data-label=Explanation]", has=tab.page.locator("time")).first
    explanation, time = cell.locator("div").bounding_box(), cell.locator("time").bounding_box()
    assert explanation["x"] > cell.bounding_box()["x"] + 100
    assert time["x"] >= explanation["x"]


def test_the_attempts_of_a_run_stand_with_it_on_a_phone(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, **NARROW)
    tab.sign_in()

    tab.go("/runs?outcome=failed&since=30d")

    runs = tab.page.locator("tbody.attempt")
    line_above = "each => getComputedStyle(each).borderTopWidth"
    assert runs.nth(1).evaluate(line_above) == "1px"
    assert runs.nth(1).locator("tr.told").evaluate(line_above) == "0px"
