"""Entries of the audit log, as resources."""

from msgspec.structs import replace

from foliot.api.wire.audit import encode_entry
from foliot.core.ids import CollectionId
from foliot.core.model.alert import SlackDestination
from foliot.core.model.audit import (
    AlertSnapshot,
    AuditAction,
    AuditEntry,
    AuditKind,
    AuditSubject,
    Author,
)
from foliot.core.secret import Secret
from tests.support.alerts import an_alert
from tests.support.builders import NOW


def test_an_entry_that_cannot_be_written_is_listed_as_unreadable() -> None:
    broken = SlackDestination(uri=Secret("https://::1/***"))
    definition = replace(an_alert(CollectionId(1)).definition, destinations=(broken,))
    entry = AuditEntry(
        id=7,
        at=NOW,
        author=Author(name="ops"),
        action=AuditAction.CREATED,
        subject=AuditSubject(kind=AuditKind.ALERT, name="a"),
        after=AlertSnapshot(is_enabled=True, definition=definition),
    )

    found = encode_entry(entry, is_whole=True)

    properties = found["properties"]
    assert isinstance(properties, dict)
    assert properties["isUnreadable"] is True
    assert "after" not in properties
