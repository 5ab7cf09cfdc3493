"""Alerts of a collection: list, show, save, enable or disable, delete."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from foliot.app.alert_changes import ReviseAlert, put_alert, remove_alert
from foliot.app.change_log import log_change
from foliot.app.collection_write import CollectionWrite
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, find_alert, find_collection
from foliot.core.access import Principal
from foliot.core.errors import AlertNotFound, AlertNotReadableHere, UnreadableAlert
from foliot.core.ids import CollectionKey
from foliot.core.model.alert import Alert, AlertDefinition, AlertId
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.incident import Incident
from foliot.core.model.job_search import AlertName
from foliot.core.model.notification import AlertState
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction


class FoundAlert(Struct, frozen=True):
    """A stored alert with its collection and status; `is_new` if this request created it."""

    collection: Collection
    alert: Alert
    status: AlertState
    is_new: bool = False


class AlertsOfAll(NamedTuple):
    """Alerts of several collections, and those that this server has no key for."""

    found: Sequence[FoundAlert]
    unreadable: Sequence[AlertName]


class IncidentOfJob(NamedTuple):
    """An incident, and the name of its job; None if it was deleted, or moved, meanwhile."""

    incident: Incident
    job: str | None


class Alerts:
    """What a caller can do with alerts."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        wake_engine: Callable[[], None],
        *,
        can_send_email: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine
        self.can_send_email = can_send_email

    async def list_alerts(
        self, who: Principal, key: CollectionKey, page: Page[str]
    ) -> tuple[Collection, Sequence[FoundAlert]]:
        """Return a page of a collection's alerts in order of name."""

        def view(reading: Reading) -> tuple[Collection, Sequence[FoundAlert]]:
            collection = find_collection(reading, who, key)
            found = reading.alerts(
                collection.id, after=page.after, skip=page.skip, limit=page.limit
            )
            states = reading.alert_states(collection.id)
            return collection, [_found(collection, each, states) for each in found]

        return await self._store.browse(view)

    async def find_alerts(self, who: Principal, text: str, *, limit: int) -> AlertsOfAll:
        """Return the alerts of all collections whose name contains a text, in order of name."""

        def view(reading: Reading) -> AlertsOfAll:
            names = reading.search_alerts(who.scope, text, limit=limit)
            keys = dict.fromkeys(each.key for each in names)
            collections = {key: find_collection(reading, who, key) for key in keys}
            states = {each.id: reading.alert_states(each.id) for each in collections.values()}
            found: list[FoundAlert] = []
            closed: list[AlertName] = []
            for each in names:
                within = collections[each.key]
                try:
                    alert = reading.alert(within.id, each.name)
                except (UnreadableAlert, AlertNotReadableHere):
                    closed.append(each)
                    continue
                if alert is not None:
                    found.append(_found(within, alert, states[within.id]))
            return AlertsOfAll(found, closed)

        return await self._store.browse(view)

    async def get_alert(self, who: Principal, key: CollectionKey, name: str) -> FoundAlert:
        """Return an alert."""

        def view(reading: Reading) -> FoundAlert:
            return _with_status(reading, *find_alert(reading, who, key, name))

        return await self._store.read(view)

    async def recent_incidents(
        self, who: Principal, key: CollectionKey, name: str, *, limit: int
    ) -> Sequence[IncidentOfJob]:
        """Return incidents of an alert with the names of their jobs, the newest first."""

        def view(reading: Reading) -> Sequence[IncidentOfJob]:
            _, alert = find_alert(reading, who, key, name)
            found = reading.recent_incidents(alert.id, limit=limit)
            jobs = reading.job_names([each.job_id for each in found])
            # A job that was moved away is in a collection that the caller may not see.
            names = {id_: job.name for id_, job in jobs.items() if job.key.folded == key.folded}
            return [IncidentOfJob(each, names.get(each.job_id)) for each in found]

        return await self._store.read(view)

    async def save_alert(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        revise: ReviseAlert,
        *,
        must_exist: bool = False,
    ) -> FoundAlert:
        """Create or change an alert; store nothing unless all checks pass."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> FoundAlert:
            collection = find_collection(transaction, who, key)
            if must_exist:
                find_alert(transaction, who, key, name)
            write = CollectionWrite(transaction, collection, self._made_by(who))
            old, saved = put_alert(write, name, revise, can_send_email=self.can_send_email)
            found = _with_status(transaction, collection, saved)
            return structs.replace(found, is_new=old is None)

        saved = await self._store.write(change)
        self._wake_engine()
        event = "Alert created" if saved.is_new else "Alert updated"
        log_change(event, saved.collection.key, alert=saved.alert.name)
        return saved

    def _made_by(self, who: Principal) -> Change:
        return who.changing_at(self._clock.now())

    async def set_alert_state(
        self, who: Principal, key: CollectionKey, name: str, *, is_enabled: bool
    ) -> None:
        """Enable or disable an alert."""

        def revise(old: Alert | None) -> tuple[AlertDefinition, bool]:
            assert old is not None  # noqa: S101  (it must exist)
            return old.definition, is_enabled

        await self.save_alert(who, key, name, revise, must_exist=True)

    async def delete_alert(self, who: Principal, key: CollectionKey, name: str) -> None:
        """Remove an alert with its incidents."""
        check_may_change(who, key)

        def change(transaction: Transaction) -> None:
            collection = find_collection(transaction, who, key)
            write = CollectionWrite(transaction, collection, self._made_by(who))
            if not remove_alert(write, name):
                raise AlertNotFound(name)

        await self._store.write(change)
        log_change("Alert deleted", key, alert=name)


def _with_status(reading: Reading, collection: Collection, alert: Alert) -> FoundAlert:
    return _found(collection, alert, reading.alert_states(collection.id))


def _found(
    collection: Collection, alert: Alert, states: Mapping[AlertId, AlertState]
) -> FoundAlert:
    state = states.get(alert.id, AlertState())
    return FoundAlert(collection, alert, state.of(alert.definition))
