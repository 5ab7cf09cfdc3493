"""Alerts with defaults, so that a test names only what matters to it."""

from typing import Any

from msgspec.structs import replace

from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.instant import DAY, Instant
from foliot.core.model.alert import (
    Alert,
    AlertConditions,
    AlertDefinition,
    AlertEvent,
    WebhookDestination,
)
from foliot.core.model.incident import Incident
from foliot.core.model.job import Job
from foliot.core.model.notification import AlertMessage, Notification, NotificationKind
from foliot.core.secret import Secret
from tests.support.builders import NOW

KEY = CollectionKey("s", "g", "c")
WEBHOOK = WebhookDestination(uri="https://alerts.example.com/in", secret=Secret("whsec_c2VjcmV0"))
ALERT_DEFINITION = AlertDefinition(
    conditions=AlertConditions(failed_in_a_row=1), destinations=(WEBHOOK,)
)


def an_alert(collection_id: CollectionId, name: str = "On call", **fields: Any) -> Alert:
    alert = Alert(
        collection_id=collection_id, name=name, definition=ALERT_DEFINITION, changed_at=NOW
    )
    return replace(alert, **fields)


def an_incident(alert: Alert, job: Job, **fields: Any) -> Incident:
    incident = Incident(
        alert_id=alert.id,
        job_id=job.id,
        event=AlertEvent.FAILED,
        opened_at=NOW,
        facts={"failedInARow": 1, "reason": "Timeout"},
    )
    return replace(incident, **fields)


def a_message(**fields: Any) -> AlertMessage:
    message = AlertMessage(
        kind=NotificationKind.RAISED,
        at=NOW,
        collection=KEY,
        alert="on-call",
        job="nightly",
        event=AlertEvent.FAILED,
        sentence="Job 'nightly' failed.",
        facts={"failedInARow": 1, "reason": "Timeout"},
    )
    return replace(message, **fields)


def a_notification(incident: Incident, id_: str = "msg_1", **fields: Any) -> Notification:
    notification = Notification(
        id=id_,
        incident_id=incident.id,
        alert_id=incident.alert_id,
        number=1,
        destination=0,
        message=a_message(),
        due_at=NOW,
        give_up_at=Instant(NOW + DAY),
    )
    return replace(notification, **fields)
