"""Alerts: the port's readings and changes, as named statements; definitions are sealed."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from foliot.core.errors import AlertNotReadableHere, UnreadableAlert
from foliot.core.ids import CollectionId
from foliot.core.model.alert import Alert, AlertDefinition, AlertId
from foliot.store.sealing.keyring import CannotOpen, KeyNotGiven, Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Parameters, Row

_write_definition = msgspec.msgpack.Encoder().encode
_read_definition = msgspec.msgpack.Decoder(AlertDefinition).decode


class SqlAlertReading(SqlAccess):
    """Satisfies `ports.store.alerts.AlertReading`."""

    def alert(self, collection_id: CollectionId, name: str) -> Alert | None:
        """Return an alert."""
        row = self._row("alert", {"collection_id": collection_id, "name": name.lower()})
        return None if row is None else alert_of(row, self._keyring)

    def alerts(
        self,
        collection_id: CollectionId,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Alert]:
        """Return alerts by folded name."""
        page = {
            "collection_id": collection_id,
            "after": (after or "").lower(),
            "skip": skip,
            "limit": limit,
        }
        return [alert_of(row, self._keyring) for row in self._run("alerts", page)]

    def alert_names(self, collection_id: CollectionId) -> Sequence[str]:
        """Return the names of all alerts of a collection, sorted; no definition is opened."""
        return [name for (name,) in self._run("alert_names", {"collection_id": collection_id})]


class SqlAlertChanges(SqlAccess):
    """Satisfies `ports.store.alerts.AlertChanges`."""

    def add_alert(self, alert: Alert) -> Alert:
        """Store a new alert and return it with its id."""
        taken = f"Alert '{alert.name}' exists already."
        number = self._dialect.insert("add_alert", _row_of(alert, self._keyring), taken=taken)
        return replace(alert, id=AlertId(number))

    def save_alert(self, alert: Alert) -> None:
        """Store a changed alert, except its name."""
        self._change("save_alert", _row_of(alert, self._keyring))

    def delete_alert(self, alert_id: AlertId) -> None:
        """Remove an alert; its incidents are left to `trim_incidents_without_alert`."""
        self._change("delete_alert", {"id": alert_id})


def alert_context(collection_id: CollectionId, folded_name: str) -> bytes:
    """Return what a definition is sealed with, so that it does not open as another alert's."""
    return b"alert %d %b" % (collection_id, folded_name.encode())


def alert_of(row: Row, keyring: Keyring) -> Alert:
    """Return the alert in a row, its definition opened."""
    id_, collection_id, name, is_enabled, changed_at, changed_by, _ = row
    return Alert(
        id=id_,
        collection_id=collection_id,
        name=name,
        definition=_opened(row, keyring),
        is_enabled=bool(is_enabled),
        changed_at=changed_at,
        changed_by=changed_by,
    )


def _opened(row: Row, keyring: Keyring) -> AlertDefinition:
    id_, collection_id, name, *_, sealed = row
    said = f"The definition of the alert '{name}'"
    try:
        return _read_definition(keyring.open(sealed, alert_context(collection_id, name.lower())))
    except KeyNotGiven:
        words = f"{said} was sealed with a key that this node was not given."
        raise AlertNotReadableHere(id_, words) from None
    except CannotOpen as refusal:
        raise UnreadableAlert(id_, f"{said} cannot be read: {refusal}.") from None
    except msgspec.MsgspecError:
        words = f"{said} is not one that this version of Foliot knows."
        raise AlertNotReadableHere(id_, words) from None


def _row_of(alert: Alert, keyring: Keyring) -> Parameters:
    context = alert_context(alert.collection_id, alert.name.lower())
    return {
        "id": alert.id,
        "collection_id": alert.collection_id,
        "name": alert.name,
        "folded_name": alert.name.lower(),
        "is_enabled": int(alert.is_enabled),
        "changed_at": alert.changed_at,
        "changed_by": alert.changed_by,
        "sealed": keyring.seal(_write_definition(alert.definition), context),
    }
