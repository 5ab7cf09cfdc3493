"""The pages of alerts: list, form, test, enable, disable, delete."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.app.engine_access import EngineAccess
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.change import Change
from foliot.core.model.notification import NotificationState
from foliot.core.model.token import Role
from foliot.core.rules.alert_test_limits import TESTS_OF_AN_ALERT
from foliot.ports.store import Transaction
from tests.portal.browser import COLLECTION, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.support.alert_sender import RecordingSender
from tests.support.alerts import a_notification, an_incident
from tests.support.api_client import http_job
from tests.support.builders import NOW

ALERTS = f"{COLLECTION}/alerts"
NEW = f"{COLLECTION}/new-alert"
NIGHTLY = f"{ALERTS}/nightly"
EDIT = f"{NIGHTLY}/edit"
KEY = CollectionKey(*COLLECTION.split("/")[2:])
OWN = "2026-11-01"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  (a test's own)
SLACK = "https://hooks.slack.com/services/T0/B0/hush"
WEBHOOK = {"type": "webhook", "uri": "https://hooks.example.com/oncall", "secret": SECRET}
ALL: dict[str, Any] = {
    "state": "enabled",
    "description": "night jobs",
    "tags": {"team": "billing"},
    "when": {
        "failed": {"inARow": 2},
        "late": {"by": "PT5M"},
        "noSuccess": {"intervals": 3},
        "paused": True,
        "expiring": {"within": "P14D"},
    },
    "sendTo": [
        WEBHOOK,
        {"type": "slack", "uri": SLACK},
        {"type": "email", "to": ["a@b.example", "c@d.example"]},
    ],
    "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Prague"},
}


@pytest.fixture
def sender() -> RecordingSender:
    return RecordingSender(None, "hooks.slack.com answered <b>403</b>.")


@pytest.fixture
def portal(tmp_path: Path, sender: RecordingSender) -> Iterator[Browser]:
    """Return a browser that has signed in to a server that sends alerts."""
    with Browser(tmp_path, engine=EngineAccess(alert_sender=sender)) as opened:
        opened.sign_in()
        opened.api("PUT", "Billing", {"properties": {"sku": {"name": "Standard"}}})
        yield opened


def stored(portal: Browser, name: str = "nightly") -> dict[str, Any]:
    found = portal.api("GET", f"Billing/alerts/{name}", version=OWN)["properties"]
    found.pop("status")
    return found


def store(portal: Browser, name: str = "nightly", **properties: Any) -> None:
    body = {"properties": {**ALL, **properties}}
    portal.api("PUT", f"Billing/alerts/{name}", body, version=OWN)


def send(portal: Browser, address: str, **fields: Any) -> Shown:
    form = read_form(portal.get(address).text, address)
    return portal.send(address, filled(form, **fields))


def in_slot(index: int, **fields: str) -> dict[str, str]:
    return {f"properties__sendTo__{index}__{name}": value for name, value in fields.items()}


def test_a_collection_without_alerts_says_what_they_are_for(portal: Browser) -> None:
    shown = portal.get(ALERTS)

    assert "No alerts yet" in shown.words
    assert f'href="{NEW}"' in shown.text
    assert f'<a href="{ALERTS}" aria-current="page">Alerts</a>' in shown.text


def test_an_alert_is_created_with_the_form(portal: Browser) -> None:
    shown = send(
        portal,
        NEW,
        name="nightly",
        properties__description="night jobs",
        properties__when__failed__inARow="2",
        properties__when__late__by="5m",
        properties__when__noSuccess__intervals="3",
        properties__when__paused="true",
        properties__when__expiring__within="14 d",
        properties__quietHours__from="22:00",
        properties__quietHours__to="07:00",
        properties__quietHours__timeZone="Europe/Prague",
        **{"properties.tags:name": "team", "properties.tags:value": "billing"},
        **in_slot(0, type="webhook", uri="https://hooks.example.com/oncall", secret=SECRET),
        **in_slot(1, type="slack", slack=SLACK),
    )

    assert "Alert created." in shown.words
    assert "2 runs in a row failed a run is more than 5 min late" in shown.words
    assert "Webhook hooks.example.com/oncall Slack at hooks.slack.com" in shown.words
    assert stored(portal) == ALL | {
        "sendTo": [
            {"type": "webhook", "uri": "https://hooks.example.com/oncall", "signed": True},
            {"type": "slack", "host": "hooks.slack.com"},
        ]
    }


def test_the_form_shows_what_is_stored_and_saves_it_unchanged(portal: Browser) -> None:
    store(portal)
    before = portal.rows("SELECT * FROM alert")

    shown = portal.get(EDIT)
    saved = portal.send(EDIT, read_form(shown.text, EDIT))

    for word in (SECRET, "hush", SLACK):
        assert word not in shown.text
    assert 'value="5m"' in shown.text
    assert 'value="14d"' in shown.text
    assert "a@b.example\nc@d.example" in shown.text
    assert "Saved." in saved.words
    assert portal.rows("SELECT * FROM alert") == before


def test_a_destination_is_removed_and_another_added(portal: Browser) -> None:
    store(portal)

    send(
        portal,
        EDIT,
        **in_slot(0, type=""),
        **in_slot(3, type="email", to="x@y.example, z@y.example"),
    )

    assert stored(portal)["sendTo"] == [
        {"type": "slack", "host": "hooks.slack.com"},
        {"type": "email", "to": ["a@b.example", "c@d.example"]},
        {"type": "email", "to": ["x@y.example", "z@y.example"]},
    ]


def test_quiet_hours_are_removed_with_their_times(portal: Browser) -> None:
    store(portal)

    send(portal, EDIT, properties__quietHours__from="", properties__quietHours__to="")

    assert "quietHours" not in stored(portal)


def test_all_problems_are_shown_at_once_at_their_fields(portal: Browser) -> None:
    shown = send(
        portal,
        NEW,
        name="1st",
        properties__when__failed__inARow="0",
        properties__when__late__by="soon",
        properties__quietHours__from="25:00",
        properties__quietHours__to="07:00",
        **in_slot(0, type="webhook", uri="hooks"),
        **in_slot(1, type="slack", slack="hush"),
    )

    assert shown.status == 400
    assert "Not saved: 6 problems." in shown.words
    for field in (
        "name",
        "properties.when.failed.inARow",
        "properties.when.late.by",
        "properties.quietHours.from",
        "properties.sendTo.0.uri",
        "properties.sendTo.1.slack",
    ):
        assert f'id="{field}-problem"' in shown.text
    assert "hush" not in shown.text
    assert portal.api("GET", "Billing/alerts", version=OWN)["value"] == []


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "no condition": (
        {"properties__when__failed__inARow": ""},
        "properties.when.failed.inARow",
        "is empty; give at least one of",
    ),
    "nobody": (in_slot(0, type=""), "properties.sendTo.0.type", "Add at least one destination."),
    "the same twice": (
        in_slot(1, type="webhook", uri="https://a.example/"),
        "properties.sendTo.1.type",
        "is in sendTo[0] already",
    ),
    "a bad recipient": (
        in_slot(1, type="email", to="a@b.example\noncall"),
        "properties.sendTo.1.to",
        "give one e-mail address",
    ),
}


@pytest.mark.parametrize(("fields", "field", "words"), REFUSED.values(), ids=REFUSED)
def test_a_problem_is_shown_at_its_field(
    portal: Browser, fields: dict[str, Any], field: str, words: str
) -> None:
    good = in_slot(0, type="webhook", uri="https://a.example/")

    shown = send(portal, NEW, **({"name": "x"} | good | fields))

    assert shown.status == 400
    assert f'id="{field}-problem"' in shown.text
    assert words in shown.words


def test_a_name_that_is_taken_is_a_problem_of_the_name(portal: Browser) -> None:
    store(portal)

    shown = send(
        portal, NEW, name="Nightly", **in_slot(0, type="webhook", uri="https://a.example/")
    )

    assert shown.status == 409
    assert "Alert 'nightly' exists already." in shown.words
    assert 'id="name-problem"' in shown.text


def test_a_change_of_somebody_else_is_not_lost(portal: Browser) -> None:
    store(portal)
    form = read_form(portal.get(EDIT).text, EDIT)
    store(portal, description="theirs", when={"failed": {"inARow": 7}})

    shown = portal.send(EDIT, filled(form, properties__description="mine"))

    assert shown.status == 409
    assert "changed this alert while you were editing it" in shown.words
    assert stored(portal)["description"] == "theirs"
    again = portal.send(EDIT, read_form(shown.text, EDIT))
    assert "Saved." in again.words
    assert stored(portal)["description"] == "mine"
    assert stored(portal)["when"] == {"failed": {"inARow": 7}}


def test_alerts_are_listed_with_state_and_destinations(portal: Browser) -> None:
    store(portal)
    store(portal, "other", state="disabled", when={"paused": True}, sendTo=[WEBHOOK])

    shown = portal.get(ALERTS)

    assert "2 of 20 alerts" in shown.words
    assert "nightly night jobs enabled 2 runs in a row failed" in shown.words
    assert "E-mail to a@b.example, c@d.example 0 never" in shown.words
    assert "disabled a job was paused by its policy" in shown.words


def test_an_alert_is_disabled_enabled_and_deleted(portal: Browser) -> None:
    store(portal)

    disabled = portal.post(f"{NIGHTLY}/disable")
    enabled = portal.post(f"{NIGHTLY}/enable")
    deleted = portal.post(f"{NIGHTLY}/delete")

    assert "Alert disabled: it sends nothing. " in disabled.words
    assert "Alert enabled." in enabled.words
    assert "Alert nightly deleted." in deleted.words
    assert portal.get(NIGHTLY).status == 404


def test_a_test_shows_the_outcome_of_each_destination(
    portal: Browser, sender: RecordingSender
) -> None:
    store(portal)

    sent = portal.post(f"{NIGHTLY}/test", follow=False)
    shown = portal.get(NIGHTLY)

    assert (sent.status, sent.header("location")) == (303, NIGHTLY)
    assert "hooks.example.com/oncall: the test succeeded. The destination accepted" in shown.words
    assert "Slack at hooks.slack.com: the test failed. hooks.slack.com answered" in shown.words
    assert "answered <b>403</b>." in shown.words
    assert "<b>403</b>" not in shown.text
    assert "the test" not in portal.get(NIGHTLY).words
    assert len(sender.sent) == 3


def test_email_without_an_smtp_server_is_refused_and_the_form_says_so(portal: Browser) -> None:
    portal.use_cases.alerts.can_send_email = False

    shown = send(portal, NEW, name="x", **in_slot(0, type="email", to="a@b.example"))

    assert shown.status == 409
    assert "this server has no SMTP server" in shown.words
    assert "This server cannot send e-mail" in shown.words
    assert "a@b.example" in shown.text


def test_a_reader_sees_alerts_masked_and_without_buttons(portal: Browser) -> None:
    store(portal, sendTo=[{"type": "webhook", "uri": "https://u:hush@a.example/p?token=hush"}])
    portal.add_token("reader", Role.READER)
    portal.sign_in("reader")

    pages = [portal.get(ALERTS), portal.get(NIGHTLY)]

    assert all("hush" not in each.text for each in pages)
    assert all("Send a test" not in each.words and NEW not in each.text for each in pages)
    assert [portal.get(each).status for each in (NEW, EDIT)] == [403, 403]


def test_a_form_with_nonsense_in_it_is_refused(portal: Browser) -> None:
    store(portal)
    form = read_form(portal.get(EDIT).text, EDIT)

    for was in ("", "[]", "{}", '{"properties": {"sendTo": {"x": {}}}}', '{"properties": 5}'):
        shown = portal.send(EDIT, filled(form, was=was))

        assert shown.status in (400, 409)


def test_a_destination_that_is_dead_shows_its_error_beside_one_that_works(
    portal: Browser,
) -> None:
    store(portal)
    job = portal.api("PUT", "Billing/jobs/j", http_job())
    assert job["name"].endswith("j")

    def fail_one(to: Transaction) -> None:
        collection = to.collection(KEY)
        assert collection is not None
        alert = to.alert(collection.id, "nightly")
        located = to.located_job(KEY, "j")
        assert alert is not None
        assert located is not None
        assert located[1] is not None
        incident = to.open_incident(an_incident(alert, located[1]))
        assert incident is not None
        messages = [a_notification(incident, str(n), destination=n) for n in range(3)]
        to.add_notifications(messages)
        to.claim_notifications("012", "claim", NOW, Instant(NOW + 1))
        for each in messages:
            error = "no <b>route</b>" if each.id == "1" else None
            state = NotificationState.FAILED if error else NotificationState.SENT
            to.settle_notification(replace(each, state=state, error=error), "claim", NOW)

    portal.run(portal.store.write(fail_one))

    shown, listed = portal.get(NIGHTLY), portal.get(ALERTS)

    assert "Slack at hooks.slack.com did not take the last message" in shown.words
    assert "no <b>route</b>" in shown.words
    assert "<b>route</b>" not in shown.text
    assert shown.words.count("last message not delivered") == 1
    assert "Latest incidents" in shown.words
    assert "j failed open 2026-01-10 00:00:00 UTC" in shown.words
    assert "last message not delivered to 1 of 3" in listed.words
    assert "Last delivered" in listed.words


def test_an_incident_of_a_job_that_was_moved_away_does_not_tell_its_new_name(
    portal: Browser,
) -> None:
    store(portal)
    portal.api("PUT", "Billing/jobs/j", http_job())
    portal.api("PUT", "Other", {"properties": {"sku": {"name": "Standard"}}})
    other_key = CollectionKey(KEY.subscription, KEY.group, "Other")

    def fail_and_move(to: Transaction) -> None:
        collection, job = to.located_job(KEY, "j") or (None, None)
        other = to.collection(other_key)
        assert collection is not None
        assert job is not None
        assert other is not None
        alert = to.alert(collection.id, "nightly")
        assert alert is not None
        to.open_incident(an_incident(alert, job))
        moved = replace(job, collection_id=other.id, name="secret-name")
        to.move_job(moved, Change(NOW, "somebody"))

    portal.run(portal.store.write(fail_and_move))

    shown = portal.get(NIGHTLY)

    assert "a job that is no longer here failed open" in shown.words
    assert "secret-name" not in shown.text


def test_too_many_tests_are_refused_with_the_time_of_the_next_one(
    portal: Browser, sender: RecordingSender
) -> None:
    store(portal)
    for _ in range(TESTS_OF_AN_ALERT):
        portal.post(f"{NIGHTLY}/test")
    before = len(sender.sent)

    refused = portal.post(f"{NIGHTLY}/test")

    assert "allows 10 tests of the alert 'nightly' in 1 minute; test again at" in refused.words
    assert len(sender.sent) == before
