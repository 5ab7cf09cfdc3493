"""What the audit log keeps of a change: its size, and what it hides."""

from typing import Any

import pytest
from msgspec import json, structs

from foliot.core.ids import CollectionId
from foliot.core.model.action import Action, ActionKind, HttpRequest, QueueMessage
from foliot.core.model.alert import EmailDestination, WebhookDestination
from foliot.core.model.audit import AlertSnapshot, CalendarSnapshot, GroupSnapshot
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import CalendarDays, DateRange
from foliot.core.rules.audit_snapshots import (
    MAX_SNAPSHOT_BYTES,
    alert_snapshot,
    bounded,
    hidden_definition,
    job_snapshot,
)
from tests.support.alerts import an_alert
from tests.support.builders import DEFINITION, a_job

LONG = "x" * MAX_SNAPSHOT_BYTES


def a_job_of(part: Any, kind: ActionKind = ActionKind.HTTP) -> Job:
    error = Action(kind=kind, part=part)
    action = Action(kind=kind, part=part, error_action=error)
    return a_job(CollectionId(1), definition=Definition(action=action))


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(a_job_of(HttpRequest(uri="http://a/", method="PUT", body=LONG)), id="body"),
        pytest.param(a_job_of(HttpRequest(uri="http://a/" + LONG, method="GET")), id="address"),
        pytest.param(
            a_job_of(HttpRequest(uri="http://a/", method="GET", headers={"a": LONG})), id="header"
        ),
        pytest.param(
            a_job_of(
                QueueMessage(storage_account="a", queue_name="q", message=LONG),
                ActionKind.STORAGE_QUEUE,
            ),
            id="message",
        ),
    ],
)
def test_long_texts_of_a_large_job_are_cut(job: Job) -> None:
    found, is_cut = bounded(job_snapshot(job))

    assert is_cut
    assert found is not None
    assert len(json.encode(found)) < MAX_SNAPSHOT_BYTES // 4


def test_a_job_of_usual_size_is_kept_whole() -> None:
    snapshot = job_snapshot(a_job_of(HttpRequest(uri="http://a/", method="PUT", body="x" * 7000)))

    assert bounded(snapshot) == (snapshot, False)


def test_two_long_texts_that_begin_alike_stay_different() -> None:
    one, other = (
        bounded(job_snapshot(a_job_of(HttpRequest(uri="http://a/", method="PUT", body=body))))
        for body in (f"{LONG}1", f"{LONG}2")
    )

    assert one != other


def test_a_large_calendar_keeps_its_first_days() -> None:
    found, is_cut = bounded(CalendarSnapshot(("2026-12-24/2026-12-26",) * 2000))

    assert (is_cut, isinstance(found, CalendarSnapshot) and len(found.dates)) == (True, 1000)


def test_a_large_alert_keeps_its_first_recipients_and_its_addresses_cut() -> None:
    def kept(last: str) -> AlertSnapshot:
        many = tuple(f"{number:03}{'a' * 240}@b.example" for number in range(19))
        emails = [EmailDestination(to=(*many, f"{last}{index}@b.example")) for index in range(8)]
        webhook = WebhookDestination(uri=f"https://h.example/{'x' * 2000}")
        alert = an_alert(CollectionId(1))
        definition = structs.replace(alert.definition, destinations=(*emails, webhook))
        found, is_cut = bounded(alert_snapshot(structs.replace(alert, definition=definition)))
        assert is_cut
        assert isinstance(found, AlertSnapshot)
        return found

    one, other = kept("one"), kept("other")

    (*emails, webhook) = one.definition.destinations
    assert all(isinstance(each, EmailDestination) and len(each.to) == 5 for each in emails)
    assert isinstance(webhook, WebhookDestination)
    assert "(2018 characters" in webhook.uri
    assert len(json.encode(one)) < MAX_SNAPSHOT_BYTES // 2
    assert one != other


def test_what_cannot_be_cut_is_not_kept() -> None:
    assert bounded(GroupSnapshot(None, {"a": LONG})) == (None, True)


def test_the_days_of_calendars_are_no_part_of_a_job() -> None:
    days = CalendarDays.of([DateRange(739_000, 739_000)])

    hidden = hidden_definition(structs.replace(DEFINITION, calendar_days=days))

    assert hidden == DEFINITION
