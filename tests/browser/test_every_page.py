"""Every page, in both themes and on a narrow screen: nothing is wrong, nothing goes elsewhere."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.server import Server

COLLECTION = "/collections/acme/shop/billing"
JOB = f"{COLLECTION}/jobs/payment-poll"
PAGES = [
    *("/", "/failures", "/collections", "/collections/new", COLLECTION, f"{COLLECTION}/edit"),
    *(f"{COLLECTION}/delete", f"{COLLECTION}/new", JOB, f"{JOB}/action", f"{JOB}/schedule"),
    *(f"{JOB}/history", f"{JOB}/json", f"{JOB}/edit", f"{JOB}/duplicate", "/calendar"),
    *("/tokens", "/settings", "/about"),
]
SERIOUS = ("serious", "critical")


def violations(page: Any) -> list[str]:
    """Return what hinders people, by the rules of axe."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", [*PAGES, "/sign-in"])
def test_a_page_is_in_order(demo_server: Server, visit: Any, path: str, theme: str) -> None:
    seen = visit(demo_server, color_scheme=theme)
    seen.sign_in()

    answer = seen.go(path)
    seen.page.wait_for_load_state("networkidle")

    assert answer.status == 200
    assert violations(seen.page) == []
    assert seen.complaints == []
    assert seen.elsewhere == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_narrow_screen(demo_server: Server, visit: Any, path: str) -> None:
    seen = visit(demo_server, viewport={"width": 360, "height": 740})
    seen.sign_in()

    seen.go(path)
    seen.page.wait_for_load_state("networkidle")

    widths = seen.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


def test_the_menu_of_a_narrow_screen_opens_by_keyboard(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server, viewport={"width": 360, "height": 740})
    seen.sign_in()
    link = seen.page.get_by_role("link", name="Calendar")
    assert not link.is_visible()

    seen.page.get_by_role("button", name="Menu").focus()
    seen.page.keyboard.press("Enter")
    link.focus()
    seen.page.keyboard.press("Enter")

    seen.page.wait_for_url("**/calendar")


def test_a_theme_is_chosen_and_kept(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server, color_scheme="light")
    seen.sign_in()
    background = "getComputedStyle(document.body).backgroundColor"
    light = seen.page.evaluate(background)

    seen.page.get_by_role("button", name="Theme").click()
    dark = seen.page.evaluate(background)
    seen.go("/about")

    assert dark != light
    assert seen.page.evaluate(background) == dark


def test_times_are_those_of_the_viewers_zone_with_utc_at_hand(
    demo_server: Server, visit: Any
) -> None:
    seen = visit(demo_server, timezone_id="Asia/Tokyo")
    seen.sign_in()
    seen.go(f"{JOB}/schedule")

    first = seen.page.locator(".next-runs time").first
    told = seen.page.evaluate(
        "ms => new Date(Number(ms)).toLocaleTimeString('en-GB', {timeZone: 'Asia/Tokyo'})",
        first.get_attribute("data-ms"),
    )

    assert told in first.text_content()
    assert first.get_attribute("title").endswith(" UTC")
    seen.go("/calendar")
    assert "(Asia/Tokyo)" in seen.page.content()


def test_a_long_list_goes_on_as_it_is_scrolled(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server)
    seen.sign_in()
    seen.go("/collections/acme/ops/maintenance")
    boxes = seen.page.locator("input[name=job]")
    assert boxes.count() == 100

    boxes.nth(99).scroll_into_view_if_needed()
    expect(boxes).to_have_count(154)

    assert seen.complaints == []


def test_a_list_is_searched_while_typing(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server)
    seen.sign_in()
    seen.go("/collections/acme/ops/maintenance")

    seen.page.get_by_label("Search by name").fill("shard-14")
    expect(seen.page.locator("input[name=job]")).to_have_count(10)

    assert seen.page.url.endswith("/maintenance")


def test_a_message_is_copied(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server, permissions=["clipboard-read", "clipboard-write"])
    seen.sign_in()
    seen.go(f"{JOB}/history")

    seen.page.locator("tbody.attempt summary").first.click()
    seen.page.get_by_role("button", name="Copy").first.click()
    seen.page.get_by_role("button", name="Copied").wait_for()

    copied = seen.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Http Action - Response from host")
