"""SQLite's way to run the shared statements: one transaction writes at a time."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import Final

from msgspec import json

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.run import Run
from foliot.store.sql.dialect import Cursor, DueStatement, Lock, Parameters, Row
from foliot.store.sql.run_rows import row_of_new_run
from foliot.store.sql.statements import Statement, statements_of
from foliot.store.sqlite.connection import transaction
from foliot.store.sqlite.errors import translated
from foliot.store.sqlite.multi_row import batches, for_rows

_PLANNED_RUN: Final = "planned_run"
STATEMENTS: Final = statements_of("foliot.store.sqlite", extra=frozenset({_PLANNED_RUN}))


class SqliteDialect:
    """Satisfies `store.sql.dialect.Dialect`.

    Nothing is locked: a transaction that writes has the database to itself.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.due_since = Instant(0)
        self._connection = connection
        self._execute = connection.execute

    def run(self, statement: Statement, parameters: Parameters | Row = (), /) -> Cursor:
        """Run a statement."""
        return self._execute(STATEMENTS[statement], parameters)

    def run_many(
        self, statement: Statement, rows: Sequence[Row], /
    ) -> Iterator[tuple[Sequence[Row], sqlite3.Cursor]]:
        """Run a statement, which is written for one row of values, for many rows at a time."""
        query = STATEMENTS[statement]
        if len(rows) == 1:
            # Most statements of a server that is not busy.
            yield rows, self._execute(query, rows[0])
            return
        for batch in batches(rows):
            values = tuple(chain.from_iterable(batch))
            yield batch, self._execute(for_rows(query, len(batch)), values)

    def change_many(
        self,
        statement: Statement,
        rows: Sequence[Row],
        /,
        then: Callable[[int, int], None] | None = None,
    ) -> None:
        """Run a statement for many rows at a time."""
        for batch, cursor in self.run_many(statement, rows):
            if then is not None:
                then(len(batch), cursor.rowcount)

    def insert(self, statement: Statement, parameters: Parameters | Row, /, *, taken: str) -> int:
        """Insert a row and return its id; Conflict, with this message, if its key is taken."""
        with translated(taken):
            return self._execute(STATEMENTS[statement], parameters).lastrowid or 0

    def insert_runs(self, runs: Sequence[Run], /) -> Sequence[int | None]:
        """Insert runs and return their ids, None for those whose occurrence is planned already."""
        ids: list[int | None] = []
        rows = [row_of_new_run(run) for run in runs]
        for batch, cursor in self.run_many("plan_runs", rows):
            if cursor.rowcount < len(batch):
                return self._insert_one_by_one(runs)
            # Nobody else writes, so that the ids of one statement follow each other.
            last = cursor.lastrowid or 0
            ids += range(last - len(batch) + 1, last + 1)
        return ids

    def lock(self, rows: Lock, key: Row = (), /) -> None:
        """Do nothing."""

    def lock_jobs(self, job_ids: Sequence[JobId], /) -> None:
        """Do nothing."""

    def due_rows(
        self, statement: DueStatement, now: Instant, limit: int, excluded: Sequence[CollectionId], /
    ) -> Sequence[Row]:
        """Return the rows of due jobs or due runs, the earliest first."""
        listed = json.encode(list(excluded)).decode() if excluded else None
        return self.run(statement, {"now": now, "limit": limit, "excluded": listed}).fetchall()

    def include_due_job(self, due_at: Instant, /) -> None:
        """Do nothing: every claim looks at all due jobs."""

    def translated(self, taken: str, /) -> AbstractContextManager[None]:
        """Raise Conflict, in words, where a row breaks a rule of the schema."""
        return translated(taken)

    def maintain_partitions(self, *, now: Instant, since: Instant) -> None:
        """Do nothing: SQLite has no partitions."""

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all changes made inside, or none."""
        return transaction(self._connection)

    def _insert_one_by_one(self, runs: Sequence[Run]) -> Sequence[int | None]:
        for run in runs:
            self.run("plan_runs", row_of_new_run(run))
        return [self._id_of_planned(run) for run in runs]

    def _id_of_planned(self, run: Run) -> int | None:
        """Return the id of a run; None if another run of its occurrence was planned before."""
        key = (run.job_id, run.expected_at, run.tag)
        row = self._execute(STATEMENTS[_PLANNED_RUN], key).fetchone()
        return None if row is None else row[0]
