"""The history of a job: its attempts, and one of them with those of its run."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.app.jobs import SavedJob
from foliot.app.listing_page import Page
from foliot.app.lookup import find_job
from foliot.core.access import Principal
from foliot.core.errors import AttemptNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobRecord
from foliot.core.model.run import Run
from foliot.ports.store import Reading, Store


class AttemptDetails(Struct, frozen=True, kw_only=True):
    """An entry of history, the attempts of its run in order, and its job as it is now."""

    collection: Collection
    job: Job
    record: JobRecord
    runs: Sequence[Run]
    entry: HistoryEntry
    attempts: Sequence[HistoryEntry]


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

    async def get_attempt(
        self, who: Principal, key: CollectionKey, name: str, number: int
    ) -> AttemptDetails:
        """Return an attempt of a job by its number."""

        def view(reading: Reading) -> AttemptDetails:
            collection, job = find_job(reading, who, key, name)
            entry = reading.attempt(job.id, number)
            if entry is None:
                raise AttemptNotFound(number)
            return AttemptDetails(
                collection=collection,
                job=job,
                record=reading.job_record(job.id),
                runs=reading.runs(job.id),
                entry=entry,
                attempts=reading.attempts_beside(entry),
            )

        return await self._store.browse(view)
