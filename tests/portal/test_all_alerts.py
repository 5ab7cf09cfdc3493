"""The list of all alerts across collections."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from foliot.core.model.token import Role
from tests.portal.browser import Browser

OWN = "2026-11-01"
STANDARD = {"properties": {"sku": {"name": "Standard"}}}
WARNINGS = {
    "properties": {
        "description": "whoever is on call",
        "when": {"failed": {"inARow": 2}},
        "sendTo": [{"type": "webhook", "uri": "https://hooks.example.com/in?sig=m4rk"}],
    }
}


@pytest.fixture
def alerts(billing: Browser) -> Browser:
    """Return a browser of an Owner, with an alert in each of two collections."""
    billing.api("PUT", "Payments", STANDARD)
    for path in ("Billing/alerts/nightly", "Payments/alerts/late"):
        billing.api("PUT", path, WARNINGS, version=OWN)
    return billing


def test_the_alerts_of_all_collections_are_listed_with_what_they_tell(alerts: Browser) -> None:
    shown = alerts.get("/alerts")

    assert re.findall(r'class="main-name" href="([^"]+)"', shown.text) == [
        "/collections/me/home/Payments/alerts/late",
        "/collections/me/home/Billing/alerts/nightly",
    ]
    assert "late whoever is on call Payments enabled 2 runs in a row failed" in shown.words
    assert "Webhook hooks.example.com 0 never" in shown.words
    assert "m4rk" not in shown.text
    assert '<a href="/alerts" aria-current="page">' in shown.text


def test_alerts_are_searched_by_name(alerts: Browser) -> None:
    assert "nightly" not in alerts.get("/alerts?q=LAT").words
    assert "No alerts match “none”" in alerts.get("/alerts?q=none").words


def test_a_refresh_answers_only_what_has_changed(alerts: Browser) -> None:
    live = re.search(r'hx-get="(/alerts\?seen=[^"]+)"', alerts.get("/alerts").text)
    assert live

    assert alerts.part(live[1]).status == 204
    alerts.post("/collections/me/home/Billing/alerts/nightly/disable")
    changed = alerts.part(live[1])

    assert changed.status == 200
    assert "nightly whoever is on call Billing disabled" in changed.words
    assert "<html" not in changed.text


def test_a_new_alert_begins_with_the_choice_of_its_collection(alerts: Browser) -> None:
    chosen = alerts.get("/alerts/new?of=me/home/Payments")
    missing = alerts.get("/alerts/new")
    wrong = alerts.get("/alerts/new?of=x")

    assert 'action="/collections/me/home/Payments/new-alert"' in chosen.text
    assert "Choose the collection whose jobs the alert watches." in missing.words
    assert "give subscription/group/collection" in wrong.words


def test_a_server_without_alerts_says_how_to_create_one(billing: Browser) -> None:
    shown = billing.get("/alerts")

    assert "No alerts yet" in shown.words
    assert '<input type="hidden" name="of" value="me/home/Billing">' in shown.text


def test_a_reader_of_one_collection_sees_its_alerts_and_no_button(alerts: Browser) -> None:
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    alerts.add_token("rita", Role.READER, scope=scope)
    alerts.sign_in("rita")

    shown = alerts.get("/alerts")

    assert "nightly" in shown.words
    assert "Payments" not in shown.words
    assert "New alert" not in shown.words


def test_an_alert_that_cannot_be_read_is_named_and_hides_no_other(
    alerts: Browser, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "foliot.db")) as connection, connection:
        connection.execute("UPDATE alert SET sealed = x'00' WHERE folded_name = 'late'")

    shown = alerts.get("/alerts")

    assert shown.status == 200
    assert "nightly whoever is on call Billing enabled" in shown.words
    assert "Cannot be read" in shown.words
    assert "late of Payments" in shown.words
