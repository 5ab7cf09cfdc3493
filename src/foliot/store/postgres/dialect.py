"""PostgreSQL's way to run the shared statements: other nodes write at the same time.

Rows that are read in order to be changed are locked first. A collection's lock guards its quota, a
job's lock its next time, its counters and its runs. Rows that come together are given as one array
for each column.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import psycopg

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.run import Run
from foliot.store.postgres.arrays import array, columns
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.postgres.due_rows import DueScan
from foliot.store.postgres.due_window import DueWindows
from foliot.store.postgres.partitions import maintain_partitions
from foliot.store.postgres.statements import (
    LOCK_DUE_JOBS,
    LOCK_DUE_RUNS,
    LOCK_JOBS_BY_ID,
    LOCKS,
    STATEMENTS,
)
from foliot.store.sql.dialect import OWNER_IS_GONE, Cursor, DueStatement, Lock, Parameters, Row
from foliot.store.sql.run_rows import row_of_new_run
from foliot.store.sql.statements import Statement


class PostgresDialect:
    """Satisfies `store.sql.dialect.Dialect`; a view, unlike a transaction, locks nothing."""

    def __init__(
        self, connection: PostgresConnection, windows: DueWindows, *, is_view: bool = False
    ) -> None:
        self.connection = connection
        self._windows = windows
        self._is_view = is_view
        self._scans = {
            "due_jobs": DueScan(
                connection,
                windows.jobs,
                lock=LOCKS[LOCK_DUE_JOBS],
                read=STATEMENTS["due_jobs"],
            ),
            "due_runs": DueScan(
                connection,
                windows.runs,
                lock=LOCKS[LOCK_DUE_RUNS],
                read=STATEMENTS["due_runs"],
            ),
        }

    def run(self, statement: Statement, parameters: Parameters | Row = (), /) -> Cursor:
        """Run a statement."""
        return self.connection.run(STATEMENTS[statement], parameters)

    def run_many(
        self, statement: Statement, rows: Sequence[Row], /
    ) -> Iterator[tuple[Sequence[Row], Cursor]]:
        """Run a statement for all rows at once."""
        if rows:
            yield rows, self.run(statement, columns(rows))

    def change_many(
        self,
        statement: Statement,
        rows: Sequence[Row],
        /,
        then: Callable[[int, int], None] | None = None,
    ) -> None:
        """Run a statement for all rows at once, later if the next one can be sent with it."""
        if not rows:
            return
        self.connection.run_later(
            STATEMENTS[statement],
            columns(rows),
            None if then is None else partial(then, len(rows)),
        )

    def insert(self, statement: Statement, parameters: Parameters | Row, /, *, taken: str) -> int:
        """Insert a row and return its id; Conflict, with this message, if its key is taken."""
        with _owner_required():
            row = self.run(statement, parameters).fetchone()
        if row is None:
            raise Conflict(taken)
        return row[0]

    def insert_runs(self, runs: Sequence[Run], /) -> Sequence[int | None]:
        """Insert runs and return their ids, None for those whose occurrence is planned already."""
        ids: dict[tuple[int, int], int] = {}
        rows = [row_of_new_run(run) for run in runs]
        for _, cursor in self.run_many("plan_runs", rows):
            ids = {(job_id, expected_at): number for job_id, expected_at, number in cursor}
        return [ids.get((run.job_id, run.expected_at)) for run in runs]

    def lock(self, rows: Lock, key: Row | None = None, /) -> None:
        """Lock rows until the transaction ends."""
        if not self._is_view:
            self.connection.run(LOCKS[rows], key)

    def lock_jobs(self, job_ids: Sequence[JobId], /) -> None:
        """Lock jobs, and with them their runs, until the transaction ends."""
        if job_ids and not self._is_view:
            self.connection.run_later(LOCKS[LOCK_JOBS_BY_ID], (array(job_ids),))

    def due_rows(
        self, statement: DueStatement, now: Instant, limit: int, excluded: Sequence[CollectionId], /
    ) -> Sequence[Row]:
        """Return the rows of due jobs or due runs, the earliest first, locked."""
        jobs, runs = self._scans["due_jobs"], self._scans["due_runs"]
        if statement == "due_jobs":
            return jobs.rows(now, limit, excluded)
        if not excluded:
            jobs.look_ahead(now, limit)
        rows = runs.rows(now, limit, excluded)
        if rows:
            # What is done with them may change which jobs are due.
            jobs.forget()
        return rows

    def include_due_job(self, due_at: Instant, /) -> None:
        """Let the next claim find a job that has become due, however long ago."""
        self._windows.jobs.include(due_at)

    @property
    def due_since(self) -> Instant:
        """The start of the scan window: everything due before was found by a claim."""
        return self._windows.start

    def translated(self, _: str, /) -> AbstractContextManager[None]:
        """Raise Conflict where the owner of a row was deleted; a taken key is no error here."""
        return _owner_required()

    def maintain_partitions(self, *, now: Instant, since: Instant) -> None:
        """Create coming history partitions and drop expired ones."""
        maintain_partitions(self.connection.run, now=now, since=since)

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all changes made inside, or none."""
        return self.connection.transaction()


@contextmanager
def _owner_required() -> Generator[None]:
    try:
        yield
    except psycopg.errors.ForeignKeyViolation:
        raise Conflict(OWNER_IS_GONE) from None
