"""The audit log: entries of changes, by time."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from foliot.core.instant import Instant
from foliot.core.model.audit import AuditEntry, AuditFilter
from foliot.core.model.token import Scope


class AuditPosition(NamedTuple):
    """The place of an entry in the log: when, and its id among those of the same time."""

    at: Instant
    id: int


class AuditReading(Protocol):
    """Finds entries; one that cannot be opened is returned as not readable."""

    def audit_entries(
        self,
        scope: Scope,
        wanted: AuditFilter,
        *,
        after: AuditPosition | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """Return entries about what lies in a scope, the newest first."""
        ...

    def audit_entry(self, scope: Scope, entry_id: int) -> AuditEntry | None:
        """Return an entry about something that lies in a scope."""
        ...

    def newest_surplus_audit(self, kept: int) -> AuditPosition | None:
        """Return the newest entry that goes if `kept` stay, or None if there are no more."""
        ...


class AuditChanges(Protocol):
    """Adds entries; only the janitor removes them."""

    def add_audit_entries(self, *entries: AuditEntry) -> None:
        """Store entries of changes that are made in this transaction."""
        ...

    def trim_audit(self, last: AuditPosition, limit: int) -> int:
        """Remove the oldest entries, up to a position, at most `limit`; return how many."""
        ...
