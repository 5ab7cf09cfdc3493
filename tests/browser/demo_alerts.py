"""Alerts of the demo data: one with an open incident, one that could not send, one disabled."""

from foliot.api.wire.alert import decode_alert, replace_alert
from foliot.core.instant import HOUR, MINUTE, Instant
from foliot.core.json_text import Json
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.model.collection import Collection
from foliot.core.model.incident import Incident
from foliot.core.model.notification import (
    AlertMessage,
    Notification,
    NotificationKind,
    NotificationState,
)
from foliot.ports.store import Transaction

_ALERTS: dict[str, dict[str, Json]] = {
    "on-call": {
        "description": "Pages whoever is on call",
        "when": {"failed": {"inARow": 2}, "late": {"by": "PT5M"}, "paused": True},
        "sendTo": [
            {
                "type": "webhook",
                "uri": "https://events.example.com/v2/enqueue",
                "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            },
            {"type": "slack", "uri": "https://hooks.slack.com/services/T000/B000/demo"},
        ],
        "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Prague"},
    },
    "backups": {
        "when": {"noSuccess": {"intervals": 3}, "expiring": {"within": "P14D"}},
        "tags": {"team": "payments"},
        "sendTo": [{"type": "email", "to": ["ops@example.com", "payments-team@example.com"]}],
    },
    "old-pager": {
        "state": "disabled",
        "when": {"failed": {"inARow": 1}},
        "sendTo": [{"type": "webhook", "uri": "https://pager.example.com/in"}],
    },
}


def add_alerts(to: Transaction, collection: Collection, job_name: str, now: Instant) -> None:
    """Add alerts to a collection, with an incident of one of its jobs."""
    for name, properties in _ALERTS.items():
        given = decode_alert({"properties": properties}, collection.key, name)
        definition, is_enabled = replace_alert(None, given)
        alert = to.add_alert(
            Alert(
                collection_id=collection.id,
                name=name,
                definition=definition,
                is_enabled=is_enabled,
                changed_at=Instant(now - 30 * HOUR),
                changed_by="ci-deploy",
            )
        )
        if name == "on-call":
            _add_incident(to, collection, alert, job_name, now)


def _add_incident(
    to: Transaction, collection: Collection, alert: Alert, job_name: str, now: Instant
) -> None:
    located = to.located_job(collection.key, job_name)
    job = None if located is None else located[1]
    assert job is not None
    opened = Incident(
        alert_id=alert.id,
        job_id=job.id,
        event=AlertEvent.FAILED,
        opened_at=Instant(now - 40 * MINUTE),
        facts={"inARow": 2},
    )
    incident = to.open_incident(opened)
    assert incident is not None
    message = AlertMessage(
        kind=NotificationKind.RAISED,
        at=opened.opened_at,
        collection=collection.key,
        alert=alert.name,
        sentence="Two runs in a row failed.",
        job=job_name,
        event=AlertEvent.FAILED,
    )
    at = opened.opened_at
    wanted = Notification(
        id="demo-0",
        incident_id=incident.id,
        alert_id=alert.id,
        number=1,
        destination=0,
        message=message,
        due_at=at,
        give_up_at=Instant(at + 24 * HOUR),
    )
    to.add_notifications([wanted])
    (claimed, *_) = to.claim_notifications([wanted.id], "demo", at, Instant(at + MINUTE))
    sent = claimed.notification
    to.settle_notification(_sent(sent), "demo", Instant(at + MINUTE // 60))


def _sent(notification: Notification) -> Notification:
    fields = {name: getattr(notification, name) for name in notification.__struct_fields__}
    return Notification(**(fields | {"state": NotificationState.SENT}))
