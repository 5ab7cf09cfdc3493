"""The outbox: notifications of alerts that wait, are sent, or were given up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.model.alert import AlertId
from foliot.core.model.incident import IncidentId
from foliot.core.model.notification import (
    AlertState,
    DueNotification,
    Notification,
    WaitingNotification,
)


class NotificationReading(Protocol):
    """Finds notifications."""

    def notifications(self, incident_id: IncidentId) -> Sequence[Notification]:
        """Return the notifications of an incident, in the order of their numbers."""
        ...

    def waiting_of_alert(self, alert_id: AlertId) -> Sequence[Notification]:
        """Return the notifications of an alert that wait, in the order of their ids."""
        ...

    def alert_states(self, collection_id: CollectionId) -> Mapping[AlertId, AlertState]:
        """Return how the alerts of a collection stand."""
        ...

    def earliest_notification_at(self) -> Instant | None:
        """Return when the next notification is due."""
        ...

    def waiting_notifications(self, now: Instant, of_each: int) -> Sequence[WaitingNotification]:
        """Return due notifications that nobody has claimed, the earliest first.

        Of each alert and destination these are the first few, however many wait elsewhere. One
        waits while an earlier one of its incident to the same destination is not done.
        """
        ...


class NotificationChanges(Protocol):
    """Changes notifications; each is claimed by one node at a time."""

    def add_notifications(self, notifications: Iterable[Notification]) -> None:
        """Store new notifications, in the transaction that changes their incident."""
        ...

    def drop_untried(self, incident_id: IncidentId, now: Instant) -> int:
        """Drop the first messages of an incident that are due later and were never tried."""
        ...

    def claim_notifications(
        self, ids: Iterable[str], claim: str, now: Instant, until: Instant
    ) -> Sequence[DueNotification]:
        """Claim due notifications until an instant and count the attempt.

        Those that another node was quicker to claim are left out.
        """
        ...

    def settle_notification(
        self, settled: Notification, claim: str, tried_at: Instant | None
    ) -> bool:
        """Store how a try ended, unless another node has claimed the notification since.

        With None it was put back and not tried.
        """
        ...

    def move_notification(self, before: Notification, after: Notification) -> bool:
        """Store that a notification is due at another time, unless that has changed since."""
        ...
