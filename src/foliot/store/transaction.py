"""The port's readings and changes, as named queries on a connection."""

import sqlite3
from collections.abc import Sequence

from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model import AttemptStatus, Collection, HistoryEntry, Job, JobState, Sku, Token
from foliot.store.queries import QUERIES
from foliot.store.rows import (
    Parameters,
    Row,
    collection_of,
    history_entry_of,
    job_of,
    row_of_collection,
    row_of_history_entry,
    row_of_job,
    row_of_token,
    token_of,
)
from foliot.store.seal import Keyring

_BEFORE_THE_FIRST = ("", "")
_AFTER_THE_NEWEST = (LAST_TICK + 1, 0)


class SqlReading:
    """What can be seen through a connection; satisfies `ports.Reading`."""

    def __init__(self, connection: sqlite3.Connection, keyring: Keyring) -> None:
        self._keyring = keyring
        self._execute = connection.execute

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

    def job(self, collection_id: CollectionId, name: str) -> Job | None:
        """Return a job with its definition."""
        row = self._row(QUERIES.job, {"collection_id": collection_id, "name": name.lower()})
        return None if row is None else job_of(row, self._keyring)

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

    def tokens(self) -> Sequence[Token]:
        """Return all tokens."""
        return [token_of(row) for row in self._execute(QUERIES.tokens)]

    def token(self, digest: bytes) -> Token | None:
        """Return the token whose secret has this hash."""
        row = self._row(QUERIES.token, {"digest": digest})
        return None if row is None else token_of(row)

    def _row(self, query: str, parameters: Parameters) -> Row | None:
        return self._execute(query, parameters).fetchone()

    def _number(self, query: str, parameters: Parameters) -> int:
        row = self._row(query, parameters)
        return 0 if row is None else row[0]


class SqlTransaction(SqlReading):
    """What can be done through a connection; satisfies `ports.Transaction`."""

    def add_collection(self, collection: Collection) -> Collection:
        """Store a new collection and return it with its id."""
        taken = f"The job collection '{collection.key.name}' exists already."
        number = self._add(QUERIES.add_collection, row_of_collection(collection), taken=taken)
        return replace(collection, id=CollectionId(number))

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection."""
        if not self._change(QUERIES.save_collection, row_of_collection(collection)):
            raise Conflict(f"The job collection '{collection.key.name}' no longer exists.")

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection with its jobs, their runs and their history."""
        self._change(QUERIES.delete_collection, {"id": collection_id})

    def add_job(self, job: Job) -> Job:
        """Store a new job and return it with its id."""
        taken = f"Job '{job.name}' exists already."
        number = self._add(QUERIES.add_job, row_of_job(job, self._keyring), taken=taken)
        self._change(QUERIES.count_added_job, {"collection_id": job.collection_id})
        return replace(job, id=JobId(number))

    def save_job(self, job: Job) -> None:
        """Store a changed job."""
        if not self._change(QUERIES.save_job, row_of_job(job, self._keyring)):
            raise Conflict(f"Job '{job.name}' no longer exists.")

    def delete_job(self, job_id: JobId) -> None:
        """Remove a job with its runs and its history."""
        self._change(QUERIES.count_deleted_job, {"id": job_id})
        self._change(QUERIES.delete_job, {"id": job_id})

    def add_run_now(self, job: Job, at: Instant, tag: str) -> None:
        """Store a run that is due at once, beside the calendar."""
        run = {
            "job_id": job.id,
            "generation": job.generation,
            "occurrence": job.occurrence,
            "expected_at": at,
            "phase": "main",
            "attempt": 1,
            "due_at": at,
            "tag": tag,
            "is_manual": True,
        }
        self._add(QUERIES.add_run, run, taken="This run exists already.")

    def add_history(self, entry: HistoryEntry) -> HistoryEntry:
        """Store an attempt and return it with its number."""
        row = row_of_history_entry(entry)
        number = self._add(QUERIES.add_history, row, taken="This attempt is recorded already.")
        return replace(entry, number=number)

    def add_token(self, token: Token) -> Token:
        """Store a new token and return it with its id."""
        taken = "A token with this secret exists already."
        return replace(token, id=self._add(QUERIES.add_token, row_of_token(token), taken=taken))

    def delete_token(self, token_id: int) -> bool:
        """Remove a token; tell whether there was one."""
        return self._change(QUERIES.delete_token, {"id": token_id}) > 0

    def touch_token(self, token_id: int, at: Instant) -> None:
        """Remember when a token was last used."""
        self._change(QUERIES.touch_token, {"id": token_id, "at": at})

    def _add(self, query: str, parameters: Parameters, *, taken: str) -> int:
        try:
            return self._number(query, parameters)
        except sqlite3.IntegrityError as refusal:
            match refusal.sqlite_errorcode:
                case sqlite3.SQLITE_CONSTRAINT_UNIQUE:
                    raise Conflict(taken) from None
                case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                    raise Conflict("What this belongs to no longer exists.") from None
                case _:
                    raise

    def _change(self, query: str, parameters: Parameters) -> int:
        return self._execute(query, parameters).rowcount
