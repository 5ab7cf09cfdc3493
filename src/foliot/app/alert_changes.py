"""Save and delete alerts inside a transaction."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import structs

from foliot.app.collection_write import CollectionWrite
from foliot.core.errors import AlertNotReadableHere, UnreadableAlert
from foliot.core.ids import check_name
from foliot.core.model.alert import Alert, AlertDefinition, AlertId
from foliot.core.rules.alert_destinations import number_destinations
from foliot.core.rules.alert_limits import check_alert_count, check_can_send
from foliot.core.rules.alerts.retries import moved_by_change
from foliot.core.rules.audit_entries import alert_entry, unreadable_alert_entry
from foliot.ports.store import Transaction

# Returns the definition to be stored, and whether the alert is enabled.
ReviseAlert = Callable[[Alert | None], tuple[AlertDefinition, bool]]


class SavedAlert(NamedTuple):
    """A stored alert, and what it was before: None if it is new."""

    old: Alert | None
    alert: Alert


def put_alert(
    write: CollectionWrite, name: str, revise: ReviseAlert, *, can_send_email: bool
) -> SavedAlert:
    """Store a new alert, or a changed one."""
    transaction, collection, change = write
    old = transaction.alert(collection.id, name)
    wanted, is_enabled = revise(old)
    before = None if old is None else old.definition
    definition = number_destinations(wanted, before)
    check_can_send(definition, before, can_send_email=can_send_email)
    new = Alert(
        collection_id=collection.id,
        name=check_name(("name",), name),
        definition=definition,
        is_enabled=is_enabled,
        changed_at=change.at,
        changed_by=change.by,
    )
    if old is None:
        check_alert_count(collection, len(transaction.alert_names(collection.id)))
        added = transaction.add_alert(new)
        transaction.add_audit_entries(alert_entry(change, collection.key, None, added))
        return SavedAlert(None, added)
    if (definition, is_enabled) == (old.definition, old.is_enabled):
        return SavedAlert(old, old)
    changed = structs.replace(new, id=old.id, name=old.name)
    transaction.save_alert(changed)
    _move_what_waits(transaction, old, changed)
    transaction.add_audit_entries(alert_entry(change, collection.key, old, changed))
    return SavedAlert(old, changed)


def remove_alert(write: CollectionWrite, name: str) -> bool:
    """Delete an alert with its incidents, also one that cannot be read; tell if it was there."""
    transaction, collection, change = write
    try:
        found = transaction.alert(collection.id, name)
        if found is None:
            return False
        alert_id, entry = found.id, alert_entry(change, collection.key, found, None)
    except (UnreadableAlert, AlertNotReadableHere) as closed:
        alert_id = AlertId(closed.alert_id)
        entry = unreadable_alert_entry(change, collection.key, name)
    transaction.delete_alert(alert_id)
    transaction.add_audit_entries(entry)
    return True


def _move_what_waits(transaction: Transaction, old: Alert, new: Alert) -> None:
    """Let changed quiet hours apply to the messages that wait."""
    before, after = old.definition.quiet_hours, new.definition.quiet_hours
    if before == after:
        return
    waiting = transaction.waiting_of_alert(old.id)
    for moved in moved_by_change(waiting, before, after, new.changed_at):
        transaction.move_notification(moved.before, moved.after)
