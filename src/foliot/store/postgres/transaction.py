"""What differs from SQLite in a transaction, because others write at the same time.

What is read in order to be changed is locked first. A collection's lock guards its quota, a job's
lock its place in the calendar, its counters and its runs.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

import psycopg
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun, Run
from foliot.core.model.token import Token
from foliot.ports.store import JobMark
from foliot.store.postgres.arrays import array, columns
from foliot.store.postgres.connection import Session
from foliot.store.postgres.due_window import Floor, Floors, Span
from foliot.store.postgres.partitions import tend_partitions
from foliot.store.postgres.reading import PostgresReading
from foliot.store.postgres.statements import LOCKS
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.database import Cursor
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.rows import Parameters, Row, row_of_history_entry
from foliot.store.sql.run_rows import row_of_new_run
from foliot.store.sql.transaction import SqlTransaction

_OWNER_IS_GONE = "What this belongs to no longer exists."


class PostgresTransaction(PostgresReading, SqlTransaction):
    """What can be done through a session; satisfies `ports.Transaction`."""

    def __init__(self, session: Session, keyring: Keyring, floors: Floors) -> None:
        super().__init__(session, keyring, floors)
        self._run = session.run
        self._now = session.now

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection, locked."""
        self._run(LOCKS.collection, key.folded)
        return super().collection(key)

    def count_collections(self, subscription: str, sku: Sku) -> int:
        """Return how many collections of a subscription have a plan, and let nobody add one."""
        self._run(LOCKS.subscription, (subscription.lower(),))
        return super().count_collections(subscription, sku)

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and its job of this name, both locked."""
        self._run(LOCKS.collection, key.folded)
        self._run(LOCKS.job, (*key.folded, name.lower()))
        return super().located_job(key, name)

    def jobs(
        self,
        collection_id: CollectionId,
        *,
        state: JobState | None = None,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs by folded name, locked."""
        self._run(LOCKS.jobs, (collection_id,))
        return super().jobs(collection_id, state=state, after=after, skip=skip, limit=limit)

    def job_marks(self, collection_id: CollectionId) -> Mapping[JobId, JobMark]:
        """Return the marks of all jobs of a collection, locked."""
        self._run(LOCKS.jobs, (collection_id,))
        return super().job_marks(collection_id)

    def count_jobs(self, collection_id: CollectionId) -> int:
        """Return how many jobs a collection has, and let nobody add one."""
        self._run(LOCKS.collection_by_id, (collection_id,))
        return super().count_jobs(collection_id)

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection, and take its jobs with their history out of sight."""
        self._run(LOCKS.collection_by_id, (collection_id,))
        self._run(LOCKS.jobs, (collection_id,))
        super().delete_collection(collection_id)

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection."""
        self._run(LOCKS.collection_by_id, (collection.id,))
        super().save_collection(collection)

    def _halt_jobs(self, collection_id: CollectionId, *, is_halted: bool) -> None:
        self._run(LOCKS.jobs, (collection_id,))
        super()._halt_jobs(collection_id, is_halted=is_halted)

    def tokens(self) -> Sequence[Token]:
        """Return all tokens, and let nobody change them."""
        self._run(LOCKS.tokens)
        return super().tokens()

    def claimed_runs(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held under the claims they have, locked."""
        self._lock([due.run for due in claimed])
        return super().claimed_runs(claimed)

    def standings(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held, and where their jobs stand, locked."""
        self._lock([due.run for due in claimed])
        return super().standings(claimed)

    def add_history(self, *entries: HistoryEntry) -> None:
        """Store attempts, and give them numbers in this order."""
        rows = [row_of_history_entry(entry) for entry in entries]
        for _, cursor in self._all(QUERIES.add_history, rows):
            if cursor.rowcount < len(rows):
                raise Conflict(_OWNER_IS_GONE)

    def tend_history(self, *, now: Instant, since: Instant) -> None:
        """Make partitions for the weeks to come, and drop those that lie before a moment."""
        tend_partitions(self._run, now=now, since=since)

    def _due_rows(
        self, query: str, now: Instant, limit: int, crowding: Sequence[CollectionId]
    ) -> Sequence[Row]:
        if query is QUERIES.due_jobs:
            lock, kept = LOCKS.due_jobs, self._floors.jobs
        else:
            lock, kept = LOCKS.due_runs, self._floors.runs
        found = [] if crowding else self._locked_behind(lock, kept, now, limit)
        if len(found) < limit:
            found += self._locked_of_late(lock, kept, now, limit - len(found), crowding)
        if not found:
            return []
        ids = array([id_ for id_, _ in found])
        return self._execute(query, {"ids": ids, "now": now}).fetchall()

    def _locked_behind(self, lock: bytes, kept: Floor, now: Instant, limit: int) -> list[Row]:
        span = kept.behind(now)
        if span is None:
            return []
        begin = self._now()
        found = self._locked(lock, span, limit)
        kept.looked_behind(span, self._now() - begin, is_all=len(found) < limit)
        return found

    def _locked_of_late(
        self, lock: bytes, kept: Floor, now: Instant, limit: int, crowding: Sequence[CollectionId]
    ) -> list[Row]:
        span = kept.recent(now)
        found = self._locked(lock, span, limit, crowding)
        if crowding:
            seen_until = None
        elif len(found) < limit:
            seen_until = span.end
        else:
            _, seen_until = found[0]
        kept.looked(span, seen_until=seen_until)
        return found

    def _locked(
        self, lock: bytes, span: Span, limit: int, crowding: Sequence[CollectionId] = ()
    ) -> list[Row]:
        what = {"floor": span.begin, "now": span.end, "limit": limit}
        return self._run(
            lock, what | {"crowding": array(crowding) if crowding else None}
        ).fetchall()

    def _lock(self, runs: Sequence[Run]) -> None:
        if runs:
            self._run(LOCKS.jobs_by_id, (array([run.job_id for run in runs]),))

    def _planned(self, runs: Sequence[Run]) -> list[Run]:
        numbers: dict[tuple[int, int], int] = {}
        for _, cursor in self._all(QUERIES.plan_runs, [row_of_new_run(run) for run in runs]):
            numbers = {(job_id, expected_at): number for job_id, expected_at, number in cursor}
        found = ((run, numbers.get((run.job_id, run.expected_at))) for run in runs)
        return [replace(run, id=number) for run, number in found if number is not None]

    def _add(self, query: str, parameters: Parameters | Row, *, taken: str) -> int:
        with self._refusing(taken):
            row = self._row(query, parameters)
        if row is None:
            raise Conflict(taken)
        return row[0]

    def _all(self, query: str, rows: Sequence[Row]) -> Iterator[tuple[Sequence[Row], Cursor]]:
        if rows:
            yield rows, self._execute(query, columns(rows))

    @contextmanager
    def _refusing(self, taken: str) -> Generator[None]:  # noqa: ARG002  (told without an error)
        try:
            yield
        except psycopg.errors.ForeignKeyViolation:
            raise Conflict(_OWNER_IS_GONE) from None
