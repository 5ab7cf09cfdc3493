"""The outbox: the port's readings and changes, as named statements."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.model.alert import AlertId
from foliot.core.model.incident import IncidentId
from foliot.core.model.notification import (
    AlertMessage,
    AlertState,
    DueNotification,
    Notification,
    NotificationState,
)
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.alerts import alert_of
from foliot.store.sql.columns import NOTIFICATION
from foliot.store.sql.dialect import Parameters, Row

_write_message = msgspec.json.Encoder().encode
_read_message = msgspec.json.Decoder(AlertMessage).decode


class SqlNotificationReading(SqlAccess):
    """Satisfies `ports.store.notifications.NotificationReading`."""

    def notifications(self, incident_id: IncidentId) -> Sequence[Notification]:
        """Return the notifications of an incident, in the order of their numbers."""
        rows = self._run("notifications", {"incident_id": incident_id})
        return [_notification_of(row) for row in rows]

    def alert_states(self, collection_id: CollectionId) -> Mapping[AlertId, AlertState]:
        """Return how the alerts of a collection stand."""
        what = {"collection_id": collection_id}
        incidents = dict(self._run("alert_incident_counts", what).fetchall())
        waiting = dict(self._run("alert_waiting_counts", what).fetchall())
        sent = dict(self._run("alert_last_sent", what).fetchall())
        failed = {row[0]: row[1:] for row in self._run("alert_last_failed", what)}
        states: dict[AlertId, AlertState] = {}
        for each in incidents.keys() | waiting.keys() | sent.keys() | failed.keys():
            failed_at, error = failed.get(each, (None, None))
            sent_at = sent.get(each)
            is_over = failed_at is None or (sent_at is not None and sent_at > failed_at)
            states[each] = AlertState(
                open_incidents=incidents.get(each, 0),
                waiting=waiting.get(each, 0),
                last_sent_at=sent_at,
                last_failed_at=failed_at,
                last_error=None if is_over else error,
            )
        return states

    def earliest_notification_at(self) -> Instant | None:
        """Return when the next notification is due."""
        row = self._row("earliest_notification_at")
        return None if row is None else row[0]


class SqlNotificationChanges(SqlAccess):
    """Satisfies `ports.store.notifications.NotificationChanges`."""

    def add_notifications(self, notifications: Iterable[Notification]) -> None:
        """Store new notifications, in the transaction that changes their incident."""
        for each in notifications:
            self._change("add_notification", _row_of(each))

    def drop_untried(self, incident_id: IncidentId, now: Instant) -> int:
        """Drop the first messages of an incident that are due later and were never tried."""
        return self._change("drop_untried", {"incident_id": incident_id, "now": now})

    def claim_notifications(
        self, claim: str, now: Instant, until: Instant, limit: int
    ) -> Sequence[DueNotification]:
        """Claim due notifications until an instant, the earliest first, and count the attempt."""
        what = {"claim": claim, "now": now, "until": until, "limit": limit}
        if not self._change("claim_notifications", what):
            return []
        rows = self._run("claimed_notifications", {"claim": claim}).fetchall()
        return [_due_of(row, self._keyring) for row in rows]

    def settle_notification(self, settled: Notification, claim: str, at: Instant) -> bool:
        """Store how a try ended, unless another node has claimed the notification since."""
        what = {
            "id": settled.id,
            "claim": claim,
            "state": settled.state.value,
            "due_at": settled.due_at,
            "give_up_at": settled.give_up_at,
            "attempt": settled.attempt,
            "error": settled.error,
            "at": at,
        }
        return self._change("settle_notification", what) > 0


def _due_of(row: Row, keyring: Keyring) -> DueNotification:
    notification, alert = _notification_of(row[: len(NOTIFICATION)]), row[len(NOTIFICATION) :]
    if alert[0] is None:
        return DueNotification(notification, None)
    try:
        return DueNotification(notification, alert_of(alert, keyring))
    except FoliotError:
        return DueNotification(notification, None, is_readable=False)


def _notification_of(row: Row) -> Notification:
    id_, incident_id, alert_id, number, destination, message, due_at, give_up_at, *rest = row
    attempt, state, error = rest
    return Notification(
        id=id_,
        incident_id=incident_id,
        alert_id=alert_id,
        number=number,
        destination=destination,
        message=_read_message(message),
        due_at=due_at,
        give_up_at=give_up_at,
        attempt=attempt,
        state=NotificationState(state),
        error=error,
    )


def _row_of(notification: Notification) -> Parameters:
    return {
        "id": notification.id,
        "incident_id": notification.incident_id,
        "alert_id": notification.alert_id,
        "number": notification.number,
        "destination": notification.destination,
        "message": _write_message(notification.message).decode(),
        "due_at": notification.due_at,
        "give_up_at": notification.give_up_at,
        "attempt": notification.attempt,
        "state": notification.state.value,
        "error": notification.error,
    }
