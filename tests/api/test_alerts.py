"""Alerts of a collection: who is told what about its jobs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from foliot.app.engine_access import EngineAccess
from foliot.core.instant import SECOND, Instant
from foliot.core.model.token import Role
from foliot.core.rules.alert_test_limits import TESTS_OF_A_COLLECTION, TESTS_OF_AN_ALERT
from tests.support.alert_sender import RecordingSender
from tests.support.api_client import COLLECTION, SUBSCRIPTION, Client, Reply, a_collection

OWN = "api-version=2026-11-01"
ALERTS = f"{COLLECTION}/alerts"
NIGHTLY = f"{ALERTS}/nightly"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  (a test's own)
SLACK = "https://hooks.slack.com/services/T0/B0/hush"
WEBHOOK = {"type": "webhook", "uri": "https://hooks.example.com/oncall"}
EMAIL = {"type": "email", "to": ["a@b.example"]}


def an_alert(*destinations: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return {
        "properties": {
            "when": {"failed": {"inARow": 2}},
            "sendTo": list(destinations or [WEBHOOK | {"secret": SECRET}]),
            **properties,
        }
    }


def put(client: Client, *destinations: dict[str, Any], path: str = NIGHTLY, **more: Any) -> Reply:
    return client.put(path, an_alert(*destinations, **more), query=OWN)


def test_an_alert_is_created_replaced_shown_listed_and_deleted(billing: Client) -> None:
    shown = {
        "id": NIGHTLY,
        "type": "Microsoft.Scheduler/jobCollections/alerts",
        "name": "Billing/nightly",
        "properties": {
            "state": "enabled",
            "description": "at night",
            "when": {"failed": {"inARow": 2}},
            "sendTo": [WEBHOOK | {"signed": True}],
            "status": {
                "openIncidents": 0,
                "waitingMessages": 0,
                "destinations": [{"waitingMessages": 0}],
            },
        },
    }

    created, replaced = put(billing), put(billing, description="at night")

    assert (created.status, replaced.status) == (201, 200)
    assert replaced.json == shown
    assert billing.get(NIGHTLY, query=OWN).json == shown
    assert billing.get(ALERTS, query=OWN).json == {"value": [shown], "nextLink": None}
    assert billing.delete(NIGHTLY, query=OWN).status == 200
    assert billing.get(ALERTS, query=OWN).json["value"] == []
    for method, body in (("GET", None), ("DELETE", None), ("PATCH", {}), ("POST", None)):
        path = f"{NIGHTLY}/test" if method == "POST" else NIGHTLY
        billing.with_engine(EngineAccess(alert_sender=RecordingSender()))
        gone = billing.call(method, path, body, query=OWN)
        assert (gone.status, gone.code) == (404, "NotFound")
        assert gone.message == "Alert 'nightly' cannot be found."


def test_the_alert_of_the_reference_is_accepted(billing: Client) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text("utf-8")
    (text,) = re.findall(r"^## Alerts$.*?^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    body = json.loads(text)

    reply = billing.put(f"{ALERTS}/on-call", body, query=OWN)

    assert reply.status == 201
    shown = reply.json["properties"]
    assert {**shown, "sendTo": None, "status": None} == {
        **body["properties"],
        "sendTo": None,
        "status": None,
    }


def test_names_match_in_any_letter_case_and_stay_as_they_were_created(billing: Client) -> None:
    put(billing)

    again = put(billing, path=NIGHTLY.upper(), description="other")

    assert (again.status, again.json["id"]) == (200, NIGHTLY)
    assert billing.get(NIGHTLY.swapcase(), query=OWN).json == again.json


def test_alerts_are_listed_by_name_in_pages(billing: Client) -> None:
    for name in ("b", "C", "a"):
        put(billing, path=f"{ALERTS}/{name}")

    def names(query: str) -> list[str]:
        found = billing.get(ALERTS, query=f"{OWN}{query}").json["value"]
        return [each["name"] for each in found]

    assert names("") == ["Billing/a", "Billing/b", "Billing/C"]
    assert names("&$top=1&$skip=1") == ["Billing/b"]
    assert names("&$skiptoken=a") == ["Billing/b", "Billing/C"]


def test_the_same_alert_again_changes_nothing(billing: Client) -> None:
    put(billing)
    before = billing.state()
    billing.clock.set("2026-01-11T00:00:00Z")

    assert put(billing, WEBHOOK).status == 200
    assert billing.patch(NIGHTLY, {}, query=OWN).status == 200
    assert billing.state() == before


def test_an_alert_is_changed_in_parts(billing: Client) -> None:
    put(billing, tags={"team": "billing"})

    reply = billing.patch(
        NIGHTLY,
        {"properties": {"state": "disabled", "when": {"late": {"by": "PT5M"}}}},
        query=OWN,
    )

    assert reply.status == 200
    assert reply.json["properties"]["state"] == "disabled"
    assert reply.json["properties"]["tags"] == {"team": "billing"}
    assert reply.json["properties"]["when"] == {"failed": {"inARow": 2}, "late": {"by": "PT5M"}}


def test_a_bad_alert_is_refused_and_changes_nothing(billing: Client) -> None:
    put(billing)
    before = billing.state()

    bad = put(billing, {"type": "pager"})
    elsewhere = put(billing, {"type": "webhook", "uri": "https://evil.example.com/"})
    patched = billing.patch(NIGHTLY, {"properties": {"when": None}}, query=OWN)

    assert (bad.status, bad.code) == (400, "BadRequest")
    assert elsewhere.message == (
        "properties.sendTo[0].secret: is left out, but scheme, host or port has changed: "
        "send the secret again, or null for none."
    )
    assert patched.message == "properties.when: is missing; give an object {...}."
    assert billing.state() == before


def test_secrets_are_in_no_answer_and_not_in_the_open_on_disk(billing: Client) -> None:
    saved = put(billing, WEBHOOK | {"secret": SECRET}, {"type": "slack", "uri": SLACK})

    answers = [saved, billing.get(NIGHTLY, query=OWN), billing.get(ALERTS, query=OWN)]

    assert all(
        word not in each.content.decode() for each in answers for word in (SECRET, "hush", SLACK)
    )
    assert saved.json["properties"]["sendTo"][1] == {"type": "slack", "host": "hooks.slack.com"}
    assert "hush" not in str(billing.state())
    assert SECRET not in str(billing.state())


def test_readers_see_alerts_with_masked_addresses_and_change_nothing(billing: Client) -> None:
    put(billing, {"type": "webhook", "uri": "https://u:p@hooks.example.com/?token=hush"})
    billing.principal(Role.READER)

    shown = billing.get(NIGHTLY, query=OWN)

    assert shown.json["properties"]["sendTo"][0]["uri"] == (
        "https://***@hooks.example.com/?token=***"
    )
    refused = [
        put(billing),
        billing.patch(NIGHTLY, {}, query=OWN),
        billing.delete(NIGHTLY, query=OWN),
        billing.post(f"{NIGHTLY}/test", query=OWN),
    ]
    assert [each.status for each in refused] == [403] * 4


def test_outside_the_scope_of_a_token_there_are_no_alerts(billing: Client) -> None:
    put(billing)
    billing.principal(Role.OWNER, subscription=THIS, group="prod", collection="other")

    replies = [
        billing.get(ALERTS, query=OWN),
        billing.get(NIGHTLY, query=OWN),
        put(billing),
        billing.delete(NIGHTLY, query=OWN),
        billing.post(f"{NIGHTLY}/test", query=OWN),
    ]

    assert [each.status for each in replies] == [404] * 5


@pytest.mark.parametrize("version", ["2016-03-01", "2016-01-01", "2014-08-01-preview"])
def test_older_versions_have_no_alerts(billing: Client, version: str) -> None:
    for path in (ALERTS, NIGHTLY):
        reply = billing.get(path, query=f"api-version={version}")

        assert (reply.status, reply.code) == (400, "MissingOrIncorrectVersionHeader")


@pytest.mark.parametrize("name", ["1st", "a.b", "a%20b", "x" * 101])
def test_an_alert_has_a_name_like_that_of_a_job(billing: Client, name: str) -> None:
    reply = put(billing, path=f"{ALERTS}/{name}")

    assert reply.status == 400
    assert reply.message.startswith("name: ")
    assert billing.get(ALERTS, query=OWN).json["value"] == []


def test_a_collection_has_20_alerts_at_most(billing: Client) -> None:
    for number in range(20):
        assert put(billing, path=f"{ALERTS}/a{number}").status == 201

    reply = put(billing)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert "has 20 alerts already" in reply.message
    assert put(billing, path=f"{ALERTS}/a0", description="other").status == 200


def test_alerts_go_with_their_collection(billing: Client) -> None:
    put(billing)

    assert billing.delete(COLLECTION).status == 200
    assert billing.put(COLLECTION, a_collection()).status == 201
    assert billing.get(ALERTS, query=OWN).json["value"] == []


def test_an_alert_needs_its_collection(client: Client) -> None:
    reply = put(client)

    assert (reply.status, reply.code) == (404, "ResourceNotFound")


def with_sender(
    client: Client, *errors: str | None, can_send_email: bool = True
) -> RecordingSender:
    sender = RecordingSender(*errors)
    client.with_engine(EngineAccess(alert_sender=sender, can_send_email=can_send_email))
    return sender


def test_email_needs_an_smtp_server_unless_the_alert_has_such_a_destination(
    billing: Client,
) -> None:
    with_sender(billing, can_send_email=False)

    refused = put(billing, WEBHOOK, EMAIL)

    assert (refused.status, refused.code) == (409, "ConflictError")
    assert refused.message == (
        "properties.sendTo[1] is e-mail, and this server has no SMTP server to send it through; "
        "set FOLIOT_SMTP_HOST first, or choose a webhook."
    )
    with_sender(billing, can_send_email=True)
    assert put(billing, WEBHOOK, EMAIL).status == 201
    with_sender(billing, can_send_email=False)
    assert put(billing, EMAIL, description="the setting is gone").status == 200


def test_a_test_tells_the_outcome_of_each_destination_and_stores_nothing(billing: Client) -> None:
    sender = with_sender(billing, None, "hooks.slack.com answered 403.")
    put(billing, WEBHOOK, {"type": "slack", "uri": SLACK}, EMAIL, state="disabled")
    before = billing.state()

    reply = billing.post(f"{NIGHTLY}/test", query=OWN)

    assert reply.status == 200
    assert reply.json == {
        "value": [
            {
                "destination": 0,
                "sendTo": WEBHOOK,
                "outcome": "succeeded",
                "message": "The destination accepted the message.",
            },
            {
                "destination": 1,
                "sendTo": {"type": "slack", "host": "hooks.slack.com"},
                "outcome": "failed",
                "message": "hooks.slack.com answered 403.",
            },
            {
                "destination": 2,
                "sendTo": EMAIL,
                "outcome": "succeeded",
                "message": "The destination accepted the message.",
            },
        ]
    }
    assert len(sender.sent) == 3
    assert all(each.startswith("msg_") for each in sender.ids)
    assert len(set(sender.ids)) == 3
    assert billing.state() == before


def test_one_destination_is_tested_alone(billing: Client) -> None:
    sender = with_sender(billing)
    put(billing, WEBHOOK, EMAIL)

    reply = billing.post(f"{NIGHTLY}/test", {"destination": 1}, query=OWN)

    assert [each["destination"] for each in reply.json["value"]] == [1]
    assert [type(to).__name__ for to, _ in sender.sent] == ["EmailDestination"]


BAD_TESTS: dict[str, tuple[Any, str]] = {
    "a number that there is not": (
        {"destination": 2},
        "destination: 2 is not one of the alert's destinations; give a number from 0 to 1.",
    ),
    "no number": ({"destination": "x"}, 'destination: "x" is not valid; give a whole number.'),
    "a number too large": (
        {"destination": 10},
        "destination: 10 is not valid; give a whole number from 0 to 9.",
    ),
    "another property": (
        {"to": 1},
        "to: is not known here; the known properties are destination.",
    ),
    "no object": ([], "[] is not valid; give an object {...}."),
}


@pytest.mark.parametrize(("body", "message"), BAD_TESTS.values(), ids=BAD_TESTS)
def test_a_bad_test_sends_nothing(billing: Client, body: Any, message: str) -> None:
    sender = with_sender(billing)
    put(billing, WEBHOOK, EMAIL)

    reply = billing.post(f"{NIGHTLY}/test", body, query=OWN)

    assert (reply.status, reply.message) == (400, message)
    assert sender.sent == []


def test_a_node_without_an_engine_cannot_test(billing: Client) -> None:
    put(billing)

    reply = billing.post(f"{NIGHTLY}/test", query=OWN)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert "ask a node that runs jobs" in reply.message


def test_an_alert_is_tested_ten_times_a_minute_at_most(billing: Client) -> None:
    sender = with_sender(billing)
    put(billing, WEBHOOK)
    put(billing, WEBHOOK, path=f"{ALERTS}/other")
    for _ in range(TESTS_OF_AN_ALERT):
        assert billing.post(f"{NIGHTLY}/test", query=OWN).status == 200
    billing.clock.at = Instant(billing.clock.at + 20 * SECOND + 1)

    refused = billing.post(f"{NIGHTLY}/test", query=OWN)

    assert (refused.status, refused.code) == (429, "TooManyRequests")
    assert refused.headers["retry-after"] == "40"
    assert refused.message.startswith(
        "The plan Standard allows 10 tests of the alert 'nightly' in 1 minute; test again at "
    )
    assert len(sender.sent) == TESTS_OF_AN_ALERT
    assert billing.post(f"{ALERTS}/other/test", query=OWN).status == 200
    billing.clock.at = Instant(billing.clock.at + 40 * SECOND)
    assert billing.post(f"{NIGHTLY}/test", query=OWN).status == 200


def test_the_alerts_of_a_collection_are_tested_fifty_times_a_minute_at_most(
    billing: Client,
) -> None:
    with_sender(billing)
    for number in range(6):
        put(billing, WEBHOOK, path=f"{ALERTS}/a{number}")

    statuses = [
        billing.post(f"{ALERTS}/a{number % 6}/test", query=OWN).status
        for number in range(TESTS_OF_A_COLLECTION + 1)
    ]

    assert statuses == [200] * TESTS_OF_A_COLLECTION + [429]


def test_a_test_that_is_refused_does_not_count(billing: Client) -> None:
    with_sender(billing)
    put(billing, WEBHOOK)

    for _ in range(2 * TESTS_OF_AN_ALERT):
        assert billing.post(f"{NIGHTLY}/test", {"destination": 5}, query=OWN).status == 400

    assert billing.post(f"{NIGHTLY}/test", query=OWN).status == 200
