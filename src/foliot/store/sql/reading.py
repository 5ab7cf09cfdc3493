"""The port's readings, as named queries on a connection."""

from collections.abc import Mapping, Sequence

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.node import Node
from foliot.core.model.token import Token
from foliot.ports.store import Inspection, JobMark
from foliot.store.sql.dashboard import SqlWatching
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.rows import (
    JOB_STATES,
    collection_of,
    history_entry_of,
    job_of,
    located_job_of,
    node_of,
    token_of,
)

_BEFORE_THE_FIRST = ("", "")
_AFTER_THE_NEWEST = (LAST_TICK + 1, 0)


class SqlReading(SqlWatching):
    """What can be seen through a connection; satisfies `ports.Reading`."""

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection."""
        subscription, group, name = key.folded
        row = self._row(
            QUERIES.collection, {"subscription": subscription, "group": group, "name": name}
        )
        return None if row is None else collection_of(row)

    def collections(
        self,
        subscription: str,
        group: str | None = None,
        *,
        after: tuple[str, str] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Collection]:
        """Return collections by folded group and name."""
        after_group, after_name = after or _BEFORE_THE_FIRST
        page = {
            "subscription": subscription.lower(),
            "group": None if group is None else group.lower(),
            "after_group": after_group.lower(),
            "after_name": after_name.lower(),
            "skip": skip,
            "limit": limit,
        }
        query = QUERIES.collections if group is None else QUERIES.collections_in_group
        return [collection_of(row) for row in self._execute(query, page)]

    def count_collections(self, subscription: str, sku: Sku) -> int:
        """Return how many collections of a subscription have a plan."""
        what = {"subscription": subscription.lower(), "sku": sku.value}
        return self._number(QUERIES.count_collections, what)

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and, if it is there, its job of this name with its definition."""
        row = self._row(QUERIES.located_job, (name.lower(), *key.folded))
        return None if row is None else located_job_of(row, self._keyring)

    def jobs(
        self,
        collection_id: CollectionId,
        *,
        state: JobState | None = None,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs by folded name."""
        page = {
            "collection_id": collection_id,
            "state": None if state is None else state.value,
            "after": (after or "").lower(),
            "skip": skip,
            "limit": limit,
        }
        query = QUERIES.jobs if state is None else QUERIES.jobs_in_state
        return [job_of(row, self._keyring) for row in self._execute(query, page)]

    def job_marks(self, collection_id: CollectionId) -> Mapping[JobId, JobMark]:
        """Return the marks of all jobs of a collection, by folded name; no definition is opened."""
        rows = self._execute(QUERIES.job_marks, {"collection_id": collection_id})
        return {
            job_id: JobMark(name, JOB_STATES[state], open_runs, seal, tuple(standing))
            for job_id, name, state, open_runs, seal, *standing in rows
        }

    def count_jobs(self, collection_id: CollectionId) -> int:
        """Return how many jobs a collection has."""
        return self._number(QUERIES.count_jobs, {"collection_id": collection_id})

    def history(
        self,
        job_id: JobId,
        *,
        status: AttemptStatus | None = None,
        after: tuple[Instant, int] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[HistoryEntry]:
        """Return history entries by start and number, the newest first."""
        before_start, before_number = after or _AFTER_THE_NEWEST
        page = {
            "job_id": job_id,
            "status": None if status is None else status.value,
            "before_start": before_start,
            "before_number": before_number,
            "skip": skip,
            "limit": limit,
        }
        query = QUERIES.history if status is None else QUERIES.history_with_status
        return [history_entry_of(row) for row in self._execute(query, page)]

    def earliest_due_at(self) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before."""
        row = self._row(QUERIES.earliest_due_at, ())
        return None if row is None else row[0]

    def count_due(self, now: Instant, limit: int) -> int:
        """Return how many jobs and runs are due and held by nobody, counted up to a limit."""
        return self._number(QUERIES.count_due, {"now": now, "limit": limit})

    def inspect_histories(
        self, after: JobId, *, since: Instant, kept: int, limit: int
    ) -> Inspection:
        """Look at so many jobs by id: who has history before a moment, or more than is kept."""
        what = {"after": after, "since": since, "kept": kept, "limit": limit}
        rows = self._execute(QUERIES.inspect_histories, what).fetchall()
        crowded = [job_id for job_id, is_crowded in rows if is_crowded]
        return Inspection(crowded, rows[-1][0] if len(rows) == limit else None)

    def jobs_ended_before(self, at: Instant, limit: int) -> Sequence[JobId]:
        """Return jobs that came to a final state before a moment, the earliest first."""
        rows = self._execute(QUERIES.jobs_ended_before, {"at": at, "limit": limit})
        return [job_id for (job_id,) in rows]

    def tokens(self) -> Sequence[Token]:
        """Return all tokens."""
        return [token_of(row) for row in self._execute(QUERIES.tokens)]

    def token(self, digest: bytes) -> Token | None:
        """Return the token whose secret has this hash."""
        row = self._row(QUERIES.token, {"digest": digest})
        return None if row is None else token_of(row)

    def has_session_ended(self, digest: bytes) -> bool:
        """Tell whether somebody signed out of the session that has this hash."""
        return self._row(QUERIES.ended_session, {"digest": digest}) is not None

    def nodes(self) -> Sequence[Node]:
        """Return the nodes that were heard of."""
        return [node_of(row) for row in self._execute(QUERIES.nodes)]
