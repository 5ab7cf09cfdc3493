"""The history of a job: its attempts."""

from collections.abc import Sequence

from foliot.app.jobs import SavedJob
from foliot.app.listing_page import Page
from foliot.app.lookup import find_job
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.ports.store import Reading, Store


class History:
    """What a caller can do with history: read it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list_history(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        page: Page[tuple[Instant, int]],
        status: AttemptStatus | None,
    ) -> tuple[SavedJob, Sequence[HistoryEntry]]:
        """Return a job and a page of its attempts, the newest first."""

        def view(reading: Reading) -> tuple[SavedJob, Sequence[HistoryEntry]]:
            found, job = find_job(reading, who, key, name)
            entries = reading.history(
                job.id, status=status, after=page.after, skip=page.skip, limit=page.limit
            )
            return SavedJob(found, job, is_new=False), entries

        return await self._store.browse(view)
