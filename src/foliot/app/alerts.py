"""Alerts of a collection: list, show, save, enable or disable, delete."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from foliot.app.change_log import log_change
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, find_alert, find_collection
from foliot.core.access import Principal
from foliot.core.errors import AlertNotFound, AlertNotReadableHere, UnreadableAlert
from foliot.core.ids import CollectionKey, check_name
from foliot.core.model.alert import Alert, AlertDefinition, AlertId
from foliot.core.model.collection import Collection
from foliot.core.model.job_search import AlertName
from foliot.core.model.notification import AlertState
from foliot.core.rules.alert_destinations import number_destinations
from foliot.core.rules.alert_limits import check_alert_count, check_can_send
from foliot.core.rules.alerts.retries import moved_by_change
from foliot.core.rules.audit_entries import alert_entry, unreadable_alert_entry
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

# Returns the definition to be stored, and whether the alert is enabled.
ReviseAlert = Callable[[Alert | None], tuple[AlertDefinition, bool]]


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
            old = transaction.alert(collection.id, name)
            if old is None and must_exist:
                raise AlertNotFound(name)
            wanted, is_enabled = revise(old)
            before = None if old is None else old.definition
            definition = number_destinations(wanted, before)
            check_can_send(definition, before, can_send_email=self.can_send_email)
            new = Alert(
                collection_id=collection.id,
                name=check_name(("name",), name),
                definition=definition,
                is_enabled=is_enabled,
                changed_at=self._clock.now(),
                changed_by=who.name,
            )
            return self._put(transaction, collection, old, new, who)

        saved = await self._store.write(change)
        self._wake_engine()
        event = "Alert created" if saved.is_new else "Alert updated"
        log_change(event, saved.collection.key, alert=saved.alert.name)
        return saved

    def _put(
        self,
        transaction: Transaction,
        collection: Collection,
        old: Alert | None,
        new: Alert,
        who: Principal,
    ) -> FoundAlert:
        made = who.changing_at(new.changed_at)
        if old is None:
            check_alert_count(collection, len(transaction.alert_names(collection.id)))
            added = transaction.add_alert(new)
            transaction.add_audit_entries(alert_entry(made, collection.key, None, added))
            return structs.replace(_found(collection, added, {}), is_new=True)
        changed = structs.replace(new, id=old.id, name=old.name)
        if (changed.definition, changed.is_enabled) == (old.definition, old.is_enabled):
            changed = old
        else:
            transaction.save_alert(changed)
            _move_what_waits(transaction, old, changed)
            transaction.add_audit_entries(alert_entry(made, collection.key, old, changed))
        return _with_status(transaction, collection, changed)

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
            made = who.changing_at(self._clock.now())
            try:
                collection, alert = find_alert(transaction, who, key, name)
                alert_id, entry = alert.id, alert_entry(made, collection.key, alert, None)
            except (UnreadableAlert, AlertNotReadableHere) as closed:
                alert_id = AlertId(closed.alert_id)
                found = find_collection(transaction, who, key)
                entry = unreadable_alert_entry(made, found.key, name)
            transaction.delete_alert(alert_id)
            transaction.add_audit_entries(entry)

        await self._store.write(change)
        log_change("Alert deleted", key, alert=name)


def _move_what_waits(transaction: Transaction, old: Alert, new: Alert) -> None:
    """Let changed quiet hours apply to the messages that wait."""
    before, after = old.definition.quiet_hours, new.definition.quiet_hours
    if before == after:
        return
    waiting = transaction.waiting_of_alert(old.id)
    for moved in moved_by_change(waiting, before, after, new.changed_at):
        transaction.move_notification(moved.before, moved.after)


def _with_status(reading: Reading, collection: Collection, alert: Alert) -> FoundAlert:
    return _found(collection, alert, reading.alert_states(collection.id))


def _found(
    collection: Collection, alert: Alert, states: Mapping[AlertId, AlertState]
) -> FoundAlert:
    state = states.get(alert.id, AlertState())
    return FoundAlert(collection, alert, state.of(alert.definition))
