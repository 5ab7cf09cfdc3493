"""Every page, in both themes and on a narrow screen: accessible, without errors, self-contained."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.support.server import Server

COLLECTION = "/collections/acme/shop/billing"
JOB = f"{COLLECTION}/jobs/payment-poll"
PAGES = [
    *("/jobs", "/jobs?q=shard", "/find", "/find?q=pay", f"{COLLECTION}/disable", "/alerts"),
    *(
        "/",
        "/runs",
        "/runs/retry",
        "/failures",
        "/failures/rerun",
        "/collections",
        "/collections/new",
        COLLECTION,
        f"{COLLECTION}/edit",
    ),
    *(f"{COLLECTION}/alerts", f"{COLLECTION}/alerts/on-call", f"{COLLECTION}/new-alert"),
    f"{COLLECTION}/alerts/on-call/edit",
    *(f"{COLLECTION}/properties", f"{COLLECTION}/access", "/jobs/new", "/jobs/new?into=new"),
    *(f"{COLLECTION}/delete", f"{COLLECTION}/new", JOB, f"{JOB}/action", f"{JOB}/schedule"),
    *(f"{JOB}/runs", f"{JOB}/json", f"{JOB}/properties", f"{JOB}/edit", f"{JOB}/duplicate"),
    *(f"{JOB}/code", f"{JOB}/changes", f"{JOB}/move", f"{COLLECTION}/changes"),
    *("/timeline", "/timeline?zoom=day", "/timeline?of=acme/shop/billing", "/explain"),
    *(
        f"{JOB}/explain",
        f"{JOB}/explain?at=2026-01-01T12:34:00Z",
        "/tokens",
        "/audit",
        "/audit/1",
        "/settings",
        "/about",
    ),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", [*PAGES, "/sign-in"])
def test_a_page_is_accessible_and_loads_without_console_errors(
    demo_server: Server, demo_session: Any, open_tab: Any, path: str, theme: str
) -> None:
    tab = open_tab(demo_server, storage_state=demo_session, color_scheme=theme)

    answer = tab.go(path)
    tab.page.wait_for_load_state("networkidle")

    assert answer.status == 200
    assert violations(tab.page) == []
    assert tab.console_errors == []
    assert tab.foreign_requests == []


@pytest.mark.parametrize(
    "screen",
    [
        pytest.param({"viewport": {"width": 360, "height": 740}}, id="a phone"),
        pytest.param(
            {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2},
            id="1440 pixels at a zoom of 200 percent",
        ),
    ],
)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_narrow_screen(
    demo_server: Server, demo_session: Any, open_tab: Any, path: str, screen: dict[str, Any]
) -> None:
    tab = open_tab(demo_server, storage_state=demo_session, **screen)

    tab.go(path)
    tab.page.wait_for_load_state("networkidle")

    widths = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]


def test_the_whole_menu_is_seen_in_a_low_window(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, viewport={"width": 1280, "height": 600})
    tab.sign_in()

    expect(tab.page.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)


def test_a_page_that_does_not_exist_is_accessible(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()

    answer = tab.go("/no-such-page")

    assert answer.status == 404
    assert violations(tab.page) == []


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/runs", "/runs?outcome=failed", "/failures?since=7d", "/jobs", "/collections"),
        *("/collections/acme/ops/maintenance", "/timeline", "/alerts", "/audit", "/tokens"),
        *(f"{JOB}/runs", f"{COLLECTION}/changes", "/find?q=shard"),
    ],
)
def test_the_first_visit_of_a_list_takes_at_most_60_kilobytes_with_all_its_files(
    demo_server: Server, demo_session: Any, open_tab: Any, path: str
) -> None:
    tab = open_tab(demo_server, storage_state=demo_session)
    finished: dict[str, Any] = {}
    tab.page.on("requestfinished", lambda request: finished.update({request.url: request}))

    tab.go(path)
    tab.page.wait_for_load_state("networkidle")

    sizes = {url: each.sizes()["responseBodySize"] for url, each in finished.items()}
    assert tab.base + path in sizes
    assert sum(sizes.values()) <= 60_000, sizes


def test_the_menu_of_a_narrow_screen_opens_by_keyboard(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, viewport={"width": 360, "height": 740})
    tab.sign_in()
    link = tab.page.get_by_role("link", name="Timeline")
    assert not link.is_visible()

    tab.page.get_by_role("button", name="Menu").focus()
    tab.page.keyboard.press("Enter")
    link.focus()
    tab.page.keyboard.press("Enter")

    tab.page.wait_for_url("**/timeline")


def test_the_chosen_theme_survives_a_reload(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server, color_scheme="light")
    tab.sign_in()
    background = "getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(background)

    tab.page.get_by_role("button", name="Theme").click()
    dark = tab.page.evaluate(background)
    tab.go("/about")

    assert dark != light
    assert tab.page.evaluate(background) == dark


def test_times_are_in_the_viewers_zone_with_utc_as_tooltip(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server, timezone_id="Asia/Tokyo")
    tab.sign_in()
    tab.go(f"{JOB}/schedule")

    first = tab.page.locator(".next-runs .mine time").first
    told = tab.page.evaluate(
        "ms => new Date(Number(ms)).toLocaleTimeString('en-GB', {timeZone: 'Asia/Tokyo'})",
        first.get_attribute("data-ms"),
    )

    assert told in first.text_content()
    assert first.get_attribute("title").endswith(" UTC")
    tab.go("/timeline")
    assert "(Asia/Tokyo)" in tab.page.content()


def test_scrolling_loads_more_rows_of_a_long_list(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go("/collections/acme/ops/maintenance")
    boxes = tab.page.locator("input[name=job]")
    assert boxes.count() == 100

    boxes.nth(99).scroll_into_view_if_needed()
    expect(boxes).to_have_count(154)

    assert tab.console_errors == []


def test_typing_in_the_search_field_filters_the_list(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go("/collections/acme/ops/maintenance")

    tab.page.get_by_label("Search jobs").fill("shard-14")
    expect(tab.page.locator("input[name=job]")).to_have_count(10)

    assert tab.page.url.endswith("/maintenance?q=shard-14")


def test_the_copy_button_copies_the_message_of_an_attempt(
    demo_server: Server, open_tab: Any
) -> None:
    tab = open_tab(demo_server, permissions=["clipboard-read", "clipboard-write"])
    tab.sign_in()
    tab.go(JOB)

    tab.page.locator("tbody.attempt summary").first.click()
    tab.page.get_by_role("button", name="Copy").first.click()
    tab.page.get_by_role("button", name="Copied").wait_for()

    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Http Action - Response from host")
