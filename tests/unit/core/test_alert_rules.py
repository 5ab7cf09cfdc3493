"""The pure rules of alerts: quiet hours, retries, expiry, deadlines, words."""

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    ClientCertificate,
    HttpRequest,
    QueueMessage,
)
from foliot.core.model.alert import AlertEvent, QuietHours
from foliot.core.model.incident import AlertFacts, Incident, IncidentId
from foliot.core.model.notification import Delivery, Notification, NotificationState
from foliot.core.rules.alerts.deadlines import search_since, success_deadline
from foliot.core.rules.alerts.expiry import earliest_expiry
from foliot.core.rules.alerts.messages import Subject, raised_message, resolved_message
from foliot.core.rules.alerts.quiet_hours import due_outside
from foliot.core.rules.alerts.retries import pause_after, settled
from foliot.core.secret import Secret
from tests.support.alerts import KEY, a_notification, an_alert, an_incident
from tests.support.builders import DEFINITION, NOW, a_job, at, timetable

NIGHT = QuietHours(begin=22 * 60, end=6 * 60, time_zone="Europe/Prague")
NOON = QuietHours(begin=12 * 60, end=13 * 60, time_zone="UTC")


@pytest.mark.parametrize(
    ("quiet", "now", "due"),
    [
        pytest.param(None, "2026-01-10T03:00:00Z", "2026-01-10T03:00:00Z", id="none"),
        pytest.param(NOON, "2026-01-10T11:59:59Z", "2026-01-10T11:59:59Z", id="before"),
        pytest.param(NOON, "2026-01-10T12:00:00Z", "2026-01-10T13:00:00Z", id="begin"),
        pytest.param(NOON, "2026-01-10T13:00:00Z", "2026-01-10T13:00:00Z", id="end"),
        pytest.param(NIGHT, "2026-01-10T21:30:00Z", "2026-01-11T05:00:00Z", id="evening"),
        pytest.param(NIGHT, "2026-01-10T04:59:00Z", "2026-01-10T05:00:00Z", id="morning"),
        pytest.param(NIGHT, "2026-01-10T05:00:00Z", "2026-01-10T05:00:00Z", id="awake"),
        pytest.param(NIGHT, "2026-03-28T23:00:00Z", "2026-03-29T04:00:00Z", id="clock forward"),
        pytest.param(NIGHT, "2026-10-24T22:00:00Z", "2026-10-25T05:00:00Z", id="clock back"),
    ],
)
def test_a_message_is_due_outside_quiet_hours(quiet: QuietHours | None, now: str, due: str) -> None:
    assert due_outside(quiet, at(now)) == at(due)


def test_the_end_of_quiet_hours_that_the_clock_skips_is_the_first_instant_after() -> None:
    skipped = QuietHours(begin=60, end=2 * 60 + 30, time_zone="Europe/Prague")

    assert due_outside(skipped, at("2026-03-29T00:30:00Z")) == at("2026-03-29T01:00:00Z")


WAITING = a_notification(an_incident(an_alert(CollectionId(1)), a_job(CollectionId(1))))


def test_pauses_grow_to_four_hours_and_thirteen_tries_are_made_in_a_day() -> None:
    now, tries, waiting = NOW, 0, WAITING
    while waiting.state is NotificationState.WAITING:
        tries += 1
        waiting = settled(replace(waiting, attempt=tries), Delivery(error="no"), now)
        now = waiting.due_at

    assert [pause_after(number) // SECOND for number in range(1, 9)] == [
        *(10, 30, 90, 270, 810, 2430, 7290, 4 * 3600)
    ]
    assert tries == 13
    assert waiting.state is NotificationState.FAILED
    assert now - NOW < DAY


@pytest.mark.parametrize(
    ("delivery", "expected"),
    [
        pytest.param(Delivery(), replace(WAITING, state=NotificationState.SENT), id="sent"),
        pytest.param(
            Delivery(error="no", retry_after=MINUTE),
            replace(WAITING, attempt=1, due_at=Instant(NOW + MINUTE), error="no"),
            id="retry-after",
        ),
        pytest.param(
            Delivery(error="no", retry_after=DAY),
            replace(WAITING, attempt=1, due_at=Instant(NOW + 4 * HOUR), error="no"),
            id="retry-after is limited",
        ),
        pytest.param(
            Delivery(error="ours", is_ours=True),
            replace(WAITING, attempt=0, due_at=Instant(NOW + 10 * SECOND), error="ours"),
            id="our own fault is no try",
        ),
    ],
)
def test_what_follows_from_a_try(delivery: Delivery, expected: Notification) -> None:
    found = settled(replace(WAITING, attempt=1), delivery, NOW)

    assert replace(found, attempt=0) == replace(expected, attempt=0)
    assert found.attempt == (0 if delivery.is_ours else 1)


def http(uri: str = "https://example.com/", expires_at: Instant | None = None) -> Action:
    given = None if expires_at is None else ClientCertificate(expires_at=expires_at)
    part = HttpRequest(uri=uri, method="GET", authentication=given)
    return Action(kind=ActionKind.HTTPS, part=part)


SIGNED = "sv=2022&se=2026-02-01T00%3A00%3A00Z&sig=abc"
QUEUE = QueueMessage(
    storage_account="a", queue_name="q", sas_token=Secret(f"?{SIGNED}"), message="m"
)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        pytest.param(http(), None, id="none"),
        pytest.param(http(expires_at=NOW), ("client certificate", NOW), id="certificate"),
        pytest.param(
            http(f"https://example.com/?{SIGNED}"), ("SAS token", at("2026-02-01")), id="address"
        ),
        pytest.param(http("https://example.com/?se=2026-02-01"), None, id="se without sig"),
        pytest.param(http("https://example.com/?se=soon&sig=x"), None, id="not a time"),
        pytest.param(
            Action(kind=ActionKind.STORAGE_QUEUE, part=QUEUE),
            ("SAS token", at("2026-02-01")),
            id="queue",
        ),
        pytest.param(
            replace(http(f"https://example.com/?{SIGNED}"), error_action=http(expires_at=NOW)),
            ("client certificate", NOW),
            id="error action first",
        ),
    ],
)
def test_the_credential_that_expires_first_is_found(
    action: Action, expected: tuple[str, Instant] | None
) -> None:
    job = a_job(CollectionId(1), definition=replace(DEFINITION, action=action))

    found = earliest_expiry(job)

    assert (None if found is None else (found.what, found.at)) == expected


def test_a_success_is_expected_by_the_nth_planned_time_with_a_tolerance() -> None:
    hourly = timetable({"frequency": "hour"}, start="2026-01-10T00:00:00Z")
    began = at("2026-01-10T01:00:01Z")

    assert success_deadline(hourly, 1, began) == (at("2026-01-10T02:05:59.9Z"), 1)
    deadline = success_deadline(hourly, 3, began, took=20 * MINUTE)
    assert deadline is not None
    assert deadline.times == 3
    assert at("2026-01-10T04:25:00Z") < deadline.at < at("2026-01-10T04:27:00Z")


def test_at_the_end_of_a_calendar_a_success_is_expected_by_its_last_time() -> None:
    ending = timetable(
        {"frequency": "hour", "endTime": "2026-01-10T03:30:00Z"}, start="2026-01-10T00:00:00Z"
    )
    began, last = at("2026-01-10T01:00:00Z"), at("2026-01-10T03:00:00Z")

    # While others may follow there is no deadline yet.
    assert success_deadline(ending, 3, began) is None
    assert success_deadline(ending, 3, began, last=last) == (at("2026-01-10T03:06:00Z"), 2)
    assert success_deadline(ending, 1, began, last=last) == (at("2026-01-10T02:06:00Z"), 1)
    assert success_deadline(ending, 3, last, last=last) is None


def test_at_the_end_of_a_calendar_a_success_is_searched_by_its_last_times() -> None:
    ending = timetable(
        {"frequency": "hour", "endTime": "2026-01-10T09:30:00Z"}, start="2026-01-10T00:00:00Z"
    )

    assert search_since(ending, 2, at("2026-01-10T10:00:00Z")) == at("2026-01-09T22:00:00Z")
    assert search_since(ending, 2, at("2026-01-10T00:00:00Z")) == at("2026-01-09T18:00:00Z")


WORDS: dict[AlertEvent, tuple[AlertFacts, str]] = {
    AlertEvent.FAILED: (
        {"failedInARow": 1, "planned": "T", "reason": "HttpStatus", "statusCode": 503},
        "failed: its run for T was given up (HttpStatus 503)",
    ),
    AlertEvent.LATE: (
        {"planned": "T", "limit": "PT5M"},
        "is late: the occurrence planned for T has not begun (limit PT5M)",
    ),
    AlertEvent.NO_SUCCESS: (
        {"intervals": 3, "lastSuccess": "T"},
        "had no success for 3 of its planned times; the last one ended at T",
    ),
    AlertEvent.PAUSED: ({"because": "3 runs"}, "was paused by its policy: 3 runs"),
    AlertEvent.EXPIRING: (
        {"what": "SAS token", "expires": "T"},
        "has a SAS token that expires at T",
    ),
}


@pytest.mark.parametrize("event", WORDS)
def test_each_event_has_its_sentence(event: AlertEvent) -> None:
    facts, words = WORDS[event]
    subject = Subject(an_alert(CollectionId(1)), KEY, "nightly")
    incident = Incident(
        id=IncidentId(1),
        alert_id=subject.alert.id,
        job_id=JobId(1),
        event=event,
        opened_at=NOW,
        facts=facts,
    )

    raised = raised_message(subject, incident)
    resolved = resolved_message(subject, incident, Instant(NOW + MINUTE), is_untold=False)
    both = resolved_message(subject, incident, Instant(NOW + MINUTE), is_untold=True)

    assert raised.sentence == f"Job 'nightly' of the collection 'c' {words}."
    assert "The incident began at 2026-01-10T00:00:00Z." in resolved.sentence
    assert both.sentence.startswith(raised.sentence.removesuffix("."))
    assert "Meanwhile it " in both.sentence
    assert resolved.facts == facts | {
        "opened": "2026-01-10T00:00:00Z",
        "resolved": "2026-01-10T00:01:00Z",
    }
