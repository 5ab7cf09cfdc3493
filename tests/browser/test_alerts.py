"""Alerts in a real browser, on a server that sends them."""

from typing import Any

import pytest

from tests.browser.accessibility import violations
from tests.browser.targets import site
from tests.browser.work_collection import COLLECTION, make_collection
from tests.support.server import Server


@pytest.mark.parametrize("has_scripts", [True, False], ids=["script", "no script"])
def test_an_alert_is_created_tested_changed_and_deleted(
    server: Server, open_tab: Any, *, has_scripts: bool
) -> None:
    tab = open_tab(server, java_script_enabled=has_scripts)
    tab.sign_in()
    make_collection(tab)
    page = tab.page

    with site() as target:
        tab.go(f"{COLLECTION}/alerts")
        page.get_by_role("link", name="New alert").click()
        page.get_by_label("Name", exact=True).first.fill("on-call")
        page.get_by_label("Late by more than").fill("5m")
        page.get_by_label("Destination 1").select_option("webhook")
        page.get_by_label("Address", exact=True).filter(visible=True).fill(f"{target}/alerts")
        page.get_by_label("Destination 2").select_option("slack")
        page.get_by_label("Slack address").filter(visible=True).fill("http://127.0.0.1:9/hush")
        page.get_by_role("button", name="Create alert").click()
        page.wait_for_url(f"**{COLLECTION}/alerts/on-call")
        page.get_by_role("button", name="Send a test").click()
        page.get_by_text("the test succeeded").wait_for()
        assert page.url.endswith("/alerts/on-call")
        outcomes = page.locator(".notices .notice").all_inner_texts()

    if has_scripts:
        assert violations(page) == []
    assert "accepted" in outcomes[0]
    assert "succeeded" in outcomes[0]
    assert "Slack at 127.0.0.1:9" in outcomes[1]
    assert "failed" in outcomes[1]
    assert "hush" not in page.content()

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Destination 2").select_option("")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**{COLLECTION}/alerts/on-call")
    assert "Slack" not in page.text_content("main")

    if has_scripts:
        page.get_by_role("button", name="Delete…").click()
    else:
        page.get_by_text("Delete…").filter(visible=True).click()
    page.get_by_role("button", name="Delete alert").filter(visible=True).click()
    page.wait_for_url(f"**{COLLECTION}/alerts")
    assert "No alerts yet" in page.text_content("main")
    assert tab.console_errors == []
