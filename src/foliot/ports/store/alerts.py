"""Alerts of collections by name."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import CollectionId
from foliot.core.model.alert import Alert, AlertId


class AlertReading(Protocol):
    """Finds alerts; who changes one has locked the collection before."""

    def alert(self, collection_id: CollectionId, name: str) -> Alert | None:
        """Return an alert."""
        ...

    def alerts(
        self,
        collection_id: CollectionId,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Alert]:
        """Return alerts by folded name."""
        ...

    def alert_names(self, collection_id: CollectionId) -> Sequence[str]:
        """Return the names of all alerts of a collection, sorted; no definition is opened."""
        ...


class AlertChanges(Protocol):
    """Changes alerts; they go with their collection."""

    def add_alert(self, alert: Alert) -> Alert:
        """Store a new alert and return it with its id; Conflict if its name is taken."""
        ...

    def save_alert(self, alert: Alert) -> None:
        """Store a changed alert, except its name."""
        ...

    def delete_alert(self, alert_id: AlertId) -> None:
        """Remove an alert; its incidents are left to `trim_incidents_without_alert`.

        There may be very many of them. From then on nothing of them is sent.
        """
        ...
