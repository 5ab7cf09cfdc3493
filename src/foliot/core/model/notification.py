"""Notifications: the messages of alerts, each to one destination, from the outbox to their end."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.alert import (
    Alert,
    AlertDefinition,
    AlertDestination,
    AlertEvent,
    AlertId,
)
from foliot.core.model.incident import AlertFacts, IncidentId

# The ids of all messages begin so, also those of tests.
MESSAGE_ID_PREFIX = "msg_"


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
    """A message to the destination of an alert that has a number.

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
        number = self.notification.destination
        return None if self.alert is None else self.alert.definition.destination(number)


class WaitingNotification(Struct, frozen=True):
    """A notification that is due and that nobody sends, with its alert if that can be read."""

    id: str
    alert_id: AlertId
    destination: int
    alert: Alert | None


class Delivery(Struct, frozen=True, kw_only=True):
    """How a try to send a message ended; `error` holds no secret.

    `retry_after` are the ticks for which the destination asks to wait. With `is_ours` nothing was
    sent, for a reason on this node's side.
    """

    error: str | None = None
    retry_after: int | None = None
    is_ours: bool = False


class DestinationState(Struct, frozen=True, kw_only=True):
    """How a destination stands: messages that wait for it, and the last ones that were tried.

    `last_error` is that of the last try that failed, None if a later one succeeded.
    """

    waiting: int = 0
    last_sent_at: Instant | None = None
    last_failed_at: Instant | None = None
    last_error: str | None = None


class AlertState(Struct, frozen=True, kw_only=True):
    """How an alert stands: its open incidents, and its destinations by their numbers."""

    open_incidents: int = 0
    destinations: dict[int, DestinationState] = {}

    def of(self, definition: AlertDefinition) -> "AlertState":
        """Return the state of the destinations that an alert has, in their order."""
        known = {
            number: self.destinations.get(number, DestinationState())
            for number in definition.numbers
        }
        return AlertState(open_incidents=self.open_incidents, destinations=known)

    @property
    def of_each_destination(self) -> list[DestinationState]:
        """How the destinations stand, in their order."""
        return list(self.destinations.values())

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return sum(each.waiting for each in self.destinations.values())

    @property
    def last_sent_at(self) -> Instant | None:
        """When a destination last took a message."""
        sent = (each.last_sent_at for each in self.destinations.values())
        return max((at for at in sent if at is not None), default=None)

    @property
    def last_failed_at(self) -> Instant | None:
        """When a destination last did not take a message."""
        failed = (each.last_failed_at for each in self.destinations.values())
        return max((at for at in failed if at is not None), default=None)

    @property
    def last_error(self) -> str | None:
        """The newest error of a destination that has taken no message since."""
        failing = [
            (each.last_failed_at, each.last_error)
            for each in self.destinations.values()
            if each.last_failed_at is not None and each.last_error is not None
        ]
        return max(failing)[1] if failing else None
