"""Reads a store as its listing thread does, and takes the time of its statements.

The time of a statement is from sending it until its last row is there. What Python does before and
after, and the beginning and the end of a transaction, do not count.
"""

import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from foliot.ports import clock
from foliot.ports.store import Reading
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.connection import BEGIN_BROWSING, PostgresConnection
from foliot.store.postgres.dialect import PostgresDialect
from foliot.store.postgres.due_window import DueWindow, DueWindows
from foliot.store.sql.dialect import Cursor, Parameters, Row
from foliot.store.sql.statements import Statement
from foliot.store.sql.transaction import SqlReading
from foliot.store.sqlite.connection import reading
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.multi_row import batches
from loading import KEYRING

Seen = TypeVar("Seen")


class FoundRows:
    """What a statement has found, all of it fetched."""

    rowcount = -1

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = iter(rows)

    def fetchone(self) -> Row | None:
        return next(self._rows, None)

    def fetchall(self) -> Sequence[Row]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows


class StatementTimes:
    """How many statements ran, and how long they took together."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.seconds, self.statements = 0.0, 0

    def take(self, execute: Callable[[], Cursor]) -> FoundRows:
        begin = time.perf_counter()
        rows = execute().fetchall()
        self.seconds += time.perf_counter() - begin
        self.statements += 1
        return FoundRows(rows)


class TimedSqliteDialect(SqliteDialect):
    """Runs statements on SQLite and takes their time."""

    times: StatementTimes

    def run(self, statement: Statement, parameters: Parameters | Row = (), /) -> Cursor:
        return self.times.take(lambda: SqliteDialect.run(self, statement, parameters))

    def run_many(
        self, statement: Statement, rows: Sequence[Row], /
    ) -> Iterator[tuple[Sequence[Row], Any]]:
        for batch in batches(rows):
            run = partial(next, super().run_many(statement, batch))
            yield batch, self.times.take(lambda run=run: run()[1])


class TimedPostgresDialect(PostgresDialect):
    """Runs statements on PostgreSQL and takes their time."""

    times: StatementTimes

    def run(self, statement: Statement, parameters: Parameters | Row = (), /) -> Cursor:
        return self.times.take(lambda: PostgresDialect.run(self, statement, parameters))


class TimedStore:
    """As much of a store as a listing needs; answers in the thread that asks."""

    def __init__(
        self,
        view_of: Reading,
        in_transaction: Callable[[], AbstractContextManager[None]],
        times: StatementTimes,
    ) -> None:
        self._reading = view_of
        self._in_transaction = in_transaction
        self.times = times

    async def browse(self, view: Callable[[Reading], Seen]) -> Seen:
        """Return what a view sees; `times` then are those of its statements."""
        self.times.clear()
        with self._in_transaction():
            return view(self._reading)


@contextmanager
def timed_sqlite(path: Path) -> Generator[TimedStore]:
    with reading(path, timedelta(seconds=5)) as connection:
        dialect = TimedSqliteDialect(connection)
        dialect.times = StatementTimes()
        view = SqlReading(dialect, KEYRING)
        yield TimedStore(view, lambda: _snapshot(connection), dialect.times)


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")


@contextmanager
def timed_postgres(url: str) -> Generator[TimedStore]:
    connection = PostgresConnection(url, BEGIN_BROWSING, clock.now, ClockOffset())
    dialect = TimedPostgresDialect(connection, DueWindows(DueWindow(), DueWindow()), is_view=True)
    dialect.times = StatementTimes()
    try:
        yield TimedStore(SqlReading(dialect, KEYRING), connection.transaction, dialect.times)
    finally:
        connection.close()
