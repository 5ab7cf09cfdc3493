"""The audit log, for Owners: who changed what within their scope."""

from collections.abc import Sequence

from foliot.app.listing_page import Page
from foliot.core.access import Principal, require
from foliot.core.errors import AuditEntryNotFound
from foliot.core.model.audit import AuditEntry, AuditFilter
from foliot.core.model.token import Role
from foliot.ports.store import AuditPosition, Reading, Store

AuditPage = Page[AuditPosition]


class AuditLog:
    """What Owners can read of the audit log. Use cases write it, each in its own transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_entries(
        self, who: Principal, wanted: AuditFilter, page: AuditPage
    ) -> Sequence[AuditEntry]:
        """Return entries about what lies in the caller's scope, the newest first."""
        require(who, Role.OWNER)

        def view(reading: Reading) -> Sequence[AuditEntry]:
            return reading.audit_entries(who.scope, wanted, after=page.after, limit=page.limit)

        return await self._store.browse(view)

    async def get_entry(self, who: Principal, entry_id: int) -> AuditEntry:
        """Return an entry about something in the caller's scope."""
        require(who, Role.OWNER)
        found = await self._store.read(lambda reading: reading.audit_entry(who.scope, entry_id))
        if found is None:
            raise AuditEntryNotFound(entry_id)
        return found
