"""Notifications: the messages of alerts, each to one destination, from the outbox to their end."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.alert import Alert, AlertDestination, AlertEvent, AlertId
from foliot.core.model.incident import AlertFacts, IncidentId


class NotificationKind(StrEnum):
    """What a message is about."""

    RAISED = "raised"
    RESOLVED = "resolved"
    SUMMARY = "summary"
    TEST = "test"


class AlertMessage(Struct, frozen=True, kw_only=True):
    """What a destination is told; a test has no job and no event, a summary no event."""

    kind: NotificationKind
    at: Instant
    collection: CollectionKey
    alert: str
    sentence: str
    job: str | None = None
    event: AlertEvent | None = None
    facts: AlertFacts = {}


class NotificationState(StrEnum):
    """Where a notification stands; the last three are final.

    A dropped one is not sent: its alert or job is gone, or another message says the same.
    """

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


class Notification(Struct, frozen=True, kw_only=True):
    """A message to the destination of an alert at a position, from 0.

    `number` orders the messages of an incident. `attempt` is how often it was tried.
    """

    id: str
    incident_id: IncidentId
    alert_id: AlertId
    number: int
    destination: int
    message: AlertMessage
    due_at: Instant
    give_up_at: Instant
    attempt: int = 0
    state: NotificationState = NotificationState.WAITING
    error: str | None = None


class DueNotification(Struct, frozen=True):
    """A notification that this node has claimed, with its alert as it is now.

    Without an alert it is dropped, unless this node alone cannot read the alert.
    """

    notification: Notification
    alert: Alert | None
    is_readable: bool = True

    @property
    def destination(self) -> AlertDestination | None:
        """Where the message goes, None if the alert no longer has that destination."""
        position = self.notification.destination
        known = () if self.alert is None else self.alert.definition.destinations
        return known[position] if position < len(known) else None


class Delivery(Struct, frozen=True, kw_only=True):
    """How a try to send a message ended; `error` holds no secret.

    `retry_after` are the ticks for which the destination asks to wait. With `is_ours` nothing was
    sent, for a reason on this node's side.
    """

    error: str | None = None
    retry_after: int | None = None
    is_ours: bool = False


class AlertState(Struct, frozen=True, kw_only=True):
    """How an alert stands: its open incidents, messages that wait, and its last deliveries.

    `last_error` is that of the last try that failed, None if a later one succeeded.
    """

    open_incidents: int = 0
    waiting: int = 0
    last_sent_at: Instant | None = None
    last_failed_at: Instant | None = None
    last_error: str | None = None
