"""What the readings and the changes need of a database: all that differs from one to another.

SQLite lets one transaction write at a time, so that nothing has to be locked there. On PostgreSQL
other nodes write at the same time: rows that are read in order to be changed are locked first.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Literal, Protocol

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.run import Run
from foliot.store.sql.statements import Statement

Row = tuple[Any, ...]
Parameters = dict[str, Any]

OWNER_IS_GONE: Final = "What this belongs to no longer exists."


# What a transaction can lock until it ends, and by which key.
Lock = Literal[
    "resource_groups",  # of a subscription, by its folded name; not their collections
    "collections_of_group",  # folded subscription and group
    "jobs_of_group",  # folded subscription and group
    "collection",  # folded subscription, group and name
    "collection_by_id",
    "subscription",  # folded name
    "job",  # folded key of the collection, and folded name
    "jobs",  # all of a collection, by its id
    "tokens",  # all; without a key
]
DueStatement = Literal["due_jobs", "due_runs"]


class Cursor(Protocol):
    """What a statement has found or changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Row | None:
        """Return the next row."""
        ...

    def fetchall(self) -> Sequence[Row]:
        """Return all rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]: ...


class Dialect(Protocol):
    """Runs named statements on one connection, in the way of its database."""

    def run(self, statement: Statement, parameters: Parameters | Row = ..., /) -> Cursor:
        """Run a statement."""
        ...

    def run_many(
        self, statement: Statement, rows: Sequence[Row], /
    ) -> Iterator[tuple[Sequence[Row], Cursor]]:
        """Run a statement for many rows, as many at a time as the database takes."""
        ...

    def change_many(
        self,
        statement: Statement,
        rows: Sequence[Row],
        /,
        then: Callable[[int, int], None] | None = None,
    ) -> None:
        """Run a statement for many rows, at the latest before the transaction ends.

        `then` is told for each part how many rows it had, and how many were changed.
        """
        ...

    def insert(self, statement: Statement, parameters: Parameters | Row, /, *, taken: str) -> int:
        """Insert a row and return its id; Conflict, with this message, if its key is taken."""
        ...

    def insert_runs(self, runs: Sequence[Run], /) -> Sequence[int | None]:
        """Insert runs and return their ids, None for those whose occurrence is planned already."""
        ...

    def lock(self, rows: Lock, key: Row = ..., /) -> None:
        """Lock rows until the transaction ends; nothing in a view, or where nobody else writes."""
        ...

    def lock_jobs(self, job_ids: Sequence[JobId], /) -> None:
        """Lock jobs, and with them their runs, until the transaction ends; nothing in a view."""
        ...

    def due_rows(
        self, statement: DueStatement, now: Instant, limit: int, excluded: Sequence[CollectionId], /
    ) -> Sequence[Row]:
        """Return the rows of due jobs or due runs, the earliest first, locked."""
        ...

    def include_due_job(self, due_at: Instant, /) -> None:
        """Let the next claim find a job that has become due, also before the scan window."""
        ...

    @property
    def due_since(self) -> Instant:
        """The start of the scan window: everything due before was found by a claim."""
        ...

    def translated(self, taken: str, /) -> AbstractContextManager[None]:
        """Raise Conflict, in words, where a row breaks a rule of the schema."""
        ...

    def maintain_partitions(self, *, now: Instant, since: Instant) -> None:
        """Create coming history partitions and drop expired ones, where there are partitions."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all changes made inside, or none."""
        ...
