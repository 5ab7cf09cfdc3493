"""The audit log: the port's readings and changes, as named statements.

The snapshots of an entry are sealed together with its other columns: a row whose columns somebody
has changed in the database does not open.
"""

from collections.abc import Sequence

import msgspec

from foliot.core.instant import Instant
from foliot.core.model.audit import (
    NO_DETAILS,
    AuditAction,
    AuditDetails,
    AuditEntry,
    AuditFilter,
    AuditKind,
    AuditSubject,
    Author,
    Snapshot,
)
from foliot.core.model.token import Role, Scope
from foliot.ports.store.audit import AuditPosition
from foliot.store.sealing.keyring import CannotOpen, Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.columns import AUDIT
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.statements import Statement

_LAST = AuditPosition(Instant(2**62), 2**62)


class _Content(msgspec.Struct, frozen=True, array_like=True):
    """The part of an entry that is sealed."""

    before: Snapshot | None = None
    after: Snapshot | None = None
    details: AuditDetails = NO_DETAILS
    is_cut: bool = False


# JSON holds every number that a client can send; msgpack does not.
_write_content = msgspec.json.Encoder().encode
_read_content = msgspec.json.Decoder(_Content).decode


class SqlAuditReading(SqlAccess):
    """Satisfies `ports.store.audit.AuditReading`."""

    def audit_entries(
        self,
        scope: Scope,
        wanted: AuditFilter,
        *,
        after: AuditPosition | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """Return entries about what lies in a scope, the newest first."""
        # Entries have numbers from 1 on: none of that instant comes before number 0.
        until = _LAST if wanted.until is None else AuditPosition(wanted.until, 0)
        before = min(after or _LAST, until)
        wanted = _within(scope, wanted)
        what: Parameters = {
            **_scope_parameters(scope),
            "since": wanted.since or 0,
            "action": wanted.action and wanted.action.value,
            "kind": wanted.kind and wanted.kind.value,
            "has_tokens": int(wanted.has_tokens),
            "folded_who": _folded(wanted.who),
            "folded_subscription": _folded(wanted.subscription),
            "folded_group": _folded(wanted.group),
            "folded_collection": _folded(wanted.collection),
            "folded_name": _folded(wanted.name),
            "before_at": before.at,
            "before_id": before.id,
            "limit": limit,
        }
        return [_entry_of(row, self._keyring) for row in self._run(_statement(wanted), what)]

    def audit_entry(self, scope: Scope, entry_id: int) -> AuditEntry | None:
        """Return an entry about something that lies in a scope."""
        row = self._row("audit_entry", {**_scope_parameters(scope), "id": entry_id})
        return None if row is None else _entry_of(row, self._keyring)

    def newest_surplus_audit(self, kept: int) -> AuditPosition | None:
        """Return the newest entry that goes if `kept` stay, or None if there are no more."""
        row = self._row("newest_surplus_audit", {"kept": kept})
        return None if row is None else AuditPosition(*row)


class SqlAuditChanges(SqlAccess):
    """Satisfies `ports.store.audit.AuditChanges`."""

    def add_audit_entries(self, *entries: AuditEntry) -> None:
        """Store entries of changes that are made in this transaction."""
        for entry in entries:
            row = _row_of(entry)
            content = _Content(entry.before, entry.after, entry.details, entry.is_cut)
            context = audit_context(tuple(row.values()))
            row["sealed"] = self._keyring.seal(_write_content(content), context)
            subject = entry.subject
            row["folded_who"] = entry.author.name.lower()
            row["folded_subscription"] = _folded(subject.subscription)
            row["folded_group"] = _folded(subject.group)
            row["folded_collection"] = _folded(subject.collection)
            row["folded_name"] = _folded(subject.name)
            self._change("add_audit_entry", row)

    def trim_audit(self, last: AuditPosition, limit: int) -> int:
        """Remove the oldest entries, up to a position, at most `limit`; return how many."""
        return self._change("trim_audit", {"at": last.at, "id": last.id, "limit": limit})


def audit_context(columns: Row) -> bytes:
    """Return what a content is sealed with: all other columns of its row, without the id."""
    return b"audit " + msgspec.json.encode(columns)


def _within(scope: Scope, wanted: AuditFilter) -> AuditFilter:
    """Filter by a scope where no filter is narrower, since filters decide which index is used."""
    return msgspec.structs.replace(
        wanted,
        subscription=wanted.subscription or scope.subscription,
        group=wanted.group or scope.group,
        collection=wanted.collection or scope.collection,
    )


def _statement(wanted: AuditFilter) -> Statement:
    """Choose the statement whose index fits the filter that usually leaves the fewest."""
    if wanted.collection is not None and wanted.name is not None:
        return "audit_entries_of_subject"
    narrowest_first: tuple[tuple[object, Statement], ...] = (
        (wanted.name, "audit_entries_of_name"),
        (wanted.collection, "audit_entries_of_collection"),
        (wanted.who, "audit_entries_of_author"),
        (wanted.group, "audit_entries_of_group"),
        (wanted.action, "audit_entries_of_action"),
        (wanted.kind, "audit_entries_of_kind"),
        (wanted.subscription, "audit_entries_of_subscription"),
    )
    for given, statement in narrowest_first:
        if given is not None:
            return statement
    return "audit_entries"


def _scope_parameters(scope: Scope) -> Parameters:
    return {f"scope_{name}": part for name, part in scope_parameters(scope).items()}


def _folded(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _row_of(entry: AuditEntry) -> Parameters:
    author, subject = entry.author, entry.subject
    return {
        "at": entry.at,
        "who": author.name,
        "token_id": author.token_id,
        "role": author.role and author.role.value,
        "address": author.address,
        "request_id": author.request_id,
        "action": entry.action.value,
        "kind": subject.kind.value,
        "subscription": subject.subscription,
        "resource_group": subject.group,
        "collection": subject.collection,
        "name": subject.name,
    }


def _entry_of(row: Row, keyring: Keyring) -> AuditEntry:
    id_, *columns, sealed = row
    named = dict(zip(AUDIT[1:-1], columns, strict=True))
    role = named["role"]
    content = _opened(sealed, tuple(columns), keyring)
    found = content or _Content()
    return AuditEntry(
        id=id_,
        at=named["at"],
        author=Author(
            name=named["who"],
            token_id=named["token_id"],
            role=None if role is None else Role(role),
            address=named["address"],
            request_id=named["request_id"],
        ),
        action=AuditAction(named["action"]),
        subject=AuditSubject(
            kind=AuditKind(named["kind"]),
            subscription=named["subscription"],
            group=named["resource_group"],
            collection=named["collection"],
            name=named["name"],
        ),
        before=found.before,
        after=found.after,
        details=found.details,
        is_cut=found.is_cut,
        is_readable=content is not None,
    )


def _opened(sealed: bytes, columns: Row, keyring: Keyring) -> _Content | None:
    try:
        return _read_content(keyring.open(sealed, audit_context(columns)))
    except (CannotOpen, msgspec.MsgspecError):
        return None
