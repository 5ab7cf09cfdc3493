"""The outbox: the port's readings and changes, as named statements."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.model.alert import Alert, AlertId
from foliot.core.model.incident import IncidentId
from foliot.core.model.notification import (
    AlertMessage,
    AlertState,
    DestinationState,
    DueNotification,
    Notification,
    NotificationState,
    WaitingNotification,
)
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.alerts import alert_of
from foliot.store.sql.columns import NOTIFICATION
from foliot.store.sql.dialect import Parameters, Row

# Of an alert: they tell how each of its ten destinations stands.
_NEWEST_TRIES = 1000

_write_message = msgspec.json.Encoder().encode
_read_message = msgspec.json.Decoder(AlertMessage).decode


class SqlNotificationReading(SqlAccess):
    """Satisfies `ports.store.notifications.NotificationReading`."""

    def notifications(self, incident_id: IncidentId) -> Sequence[Notification]:
        """Return the notifications of an incident, in the order of their numbers."""
        rows = self._run("notifications", {"incident_id": incident_id})
        return [_notification_of(row) for row in rows]

    def waiting_of_alert(self, alert_id: AlertId) -> Sequence[Notification]:
        """Return the notifications of an alert that wait, in the order of their ids."""
        rows = self._run("waiting_of_alert", {"alert_id": alert_id})
        # In the order in which they are claimed, or two nodes could each wait for the other.
        return sorted((_notification_of(row) for row in rows), key=lambda each: each.id)

    def alert_states(self, collection_id: CollectionId) -> Mapping[AlertId, AlertState]:
        """Return how the alerts of a collection stand."""
        what = {"collection_id": collection_id}
        newest = what | {"newest": _NEWEST_TRIES}
        incidents = dict(self._run("alert_incident_counts", what).fetchall())
        waiting = {row[:2]: row[2] for row in self._run("destination_queues", what)}
        errors = {row[:2]: row[2] for row in self._run("destination_errors", newest)}
        tried = {row[:2]: row[2:] for row in self._run("destination_states", newest)}
        states: dict[AlertId, dict[int, DestinationState]] = {each: {} for each in incidents}
        for alert_id, number in waiting.keys() | tried.keys():
            at = alert_id, number
            sent_at, failed_at = tried.get(at, (None, None))
            is_over = failed_at is None or (sent_at is not None and sent_at > failed_at)
            states.setdefault(alert_id, {})[number] = DestinationState(
                waiting=waiting.get(at, 0),
                last_sent_at=sent_at,
                last_failed_at=failed_at,
                last_error=None if is_over else errors.get(at),
            )
        return {
            each: AlertState(open_incidents=incidents.get(each, 0), destinations=found)
            for each, found in states.items()
        }

    def earliest_notification_at(self) -> Instant | None:
        """Return when the next notification is due."""
        row = self._row("earliest_notification_at")
        return None if row is None else row[0]

    def waiting_notifications(self, now: Instant, of_each: int) -> Sequence[WaitingNotification]:
        """Return due notifications that nobody has claimed, the earliest first."""
        rows = self._run("waiting_notifications", {"now": now, "of_each": of_each}).fetchall()
        return [_waiting_of(row, self._keyring) for row in rows]


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
        self, ids: Iterable[str], claim: str, now: Instant, until: Instant
    ) -> Sequence[DueNotification]:
        """Claim due notifications until an instant and count the attempt."""
        what = {"claim": claim, "now": now, "until": until}
        # In one order, or two nodes that claim the same ones could each wait for the other.
        for each in sorted(ids):
            self._change("claim_notification", what | {"id": each})
        rows = self._run("claimed_notifications", {"claim": claim}).fetchall()
        return [_due_of(row, self._keyring) for row in rows]

    def settle_notification(
        self, settled: Notification, claim: str, tried_at: Instant | None
    ) -> bool:
        """Store how a try ended, unless another node has claimed the notification since."""
        what = {
            "id": settled.id,
            "claim": claim,
            "state": settled.state.value,
            "due_at": settled.due_at,
            "give_up_at": settled.give_up_at,
            "attempt": settled.attempt,
            "error": settled.error,
            "tried_at": tried_at,
        }
        return self._change("settle_notification", what) > 0

    def move_notification(self, before: Notification, after: Notification) -> bool:
        """Store that a notification is due at another time, unless that has changed since."""
        what = {
            "id": before.id,
            "former_due_at": before.due_at,
            "due_at": after.due_at,
            "give_up_at": after.give_up_at,
        }
        return self._change("move_notification", what) > 0


def _waiting_of(row: Row, keyring: Keyring) -> WaitingNotification:
    id_, alert_id, destination = row[:3]
    return WaitingNotification(id_, alert_id, destination, _alert_of(row[3:], keyring)[0])


def _due_of(row: Row, keyring: Keyring) -> DueNotification:
    notification = _notification_of(row[: len(NOTIFICATION)])
    alert, is_readable = _alert_of(row[len(NOTIFICATION) :], keyring)
    return DueNotification(notification, alert, is_readable=is_readable)


def _alert_of(row: Row, keyring: Keyring) -> tuple[Alert | None, bool]:
    """Return the alert in a row, and whether this node can read it if there is one."""
    if row[0] is None:
        return None, True
    try:
        return alert_of(row, keyring), True
    except FoliotError:
        return None, False


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
