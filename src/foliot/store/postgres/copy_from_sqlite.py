"""Moves all that SQLite holds into an empty PostgreSQL, as it is: ids and seals are kept.

Nobody writes to the old one meanwhile; the new one gets everything in one transaction, or nothing.
Afterwards both are read again and compared, row by row.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Final, TypeVar

import psycopg
from msgspec import Struct
from psycopg import sql

from foliot.core.instant import Instant
from foliot.store.errors import StoreError
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.connection import connect
from foliot.store.postgres.partitions import tend_partitions
from foliot.store.postgres.store import explained as explained_here
from foliot.store.sql.rows import Row
from foliot.store.sqlite.connection import explained, transaction, writing
from foliot.store.sqlite.migrate import migrate, migrations
from foliot.store.sqlite.moved_mark import moving, reopen

# In this order, since one refers to another; by these columns, so that both are read alike.
_TABLES: Final = {
    "collection": "id",
    "job": "id",
    "definition": "job_id",
    "run": "id",
    "history": "number",
    "token": "id",
    "ended_session": "digest",
    "seal_check": "id",
}
_NUMBERED: Final = ("collection", "job", "run", "token")
_PATIENCE: Final = timedelta(seconds=5)

# Hears what is being done, how many rows are done, and how many there are in all.
Progress = Callable[[str, int, int], None]
Item = TypeVar("Item")


class Target(Struct, frozen=True):
    """Where everything goes; `shown` has no password."""

    url: str
    shown: str


def move(source: Path, target: Target, now: Callable[[], Instant], progress: Progress) -> int:
    """Copy everything and compare; return how many rows there were.

    No server starts on the source afterwards, nor after a move that was killed.
    """
    with explained(source), writing(source, _PATIENCE) as old:
        migrate(old, migrations())
        with moving(old, target.shown), transaction(old):
            PostgresStore.prepare(target.url, now)
            with explained_here(), closing(connect(target.url)) as new:
                return _copy_all(old, new, now(), progress)


def reopen_source(source: Path) -> None:
    """Let servers use a database that was moved again."""
    with explained(source), writing(source, _PATIENCE) as old:
        reopen(old)


def _copy_all(
    old: sqlite3.Connection, new: psycopg.Connection, now: Instant, progress: Progress
) -> int:
    with new.transaction():
        _refuse_unless_empty(new)
        (earliest,) = old.execute("SELECT min(started_at) FROM history").fetchone()
        tend_partitions(
            new.execute, now=now, since=Instant(0), begin=None if earliest is None else earliest
        )
        total = sum(_count(old, table) for table in _TABLES)
        copied, compared = _Tally("Copying", total, progress), _Tally("Comparing", total, progress)
        for table in _TABLES:
            _copy(old, new, table, copied)
        for table in _NUMBERED:
            _go_on_numbering(old, new, table)
        (last,) = old.execute("SELECT coalesce(max(number), 0) + 1 FROM history").fetchone()
        new.execute(b"SELECT setval('history_number', %s, false)", (last,))
        for table in _TABLES:
            _compare(old, new, table, compared)
    return total


class _Tally:
    """Counts rows as they go by, and tells how far the work is."""

    def __init__(self, what: str, total: int, progress: Progress) -> None:
        self._what = what
        self._total = total
        self._progress = progress
        self._done = 0

    def each(self, table: str, items: Iterable[Item]) -> Iterator[Item]:
        what = f"{self._what} {table}"
        for item in items:
            yield item
            self._done += 1
            self._progress(what, self._done, self._total)


def _refuse_unless_empty(new: psycopg.Connection) -> None:
    for table in _TABLES:
        query = sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(table))
        if new.execute(query).fetchone() == (True,):
            raise StoreError(
                f"The target is not empty: its table '{table}' has rows. Give another."
            )


def _count(old: sqlite3.Connection, table: str) -> int:
    return old.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  (our names)


def _copy(old: sqlite3.Connection, new: psycopg.Connection, table: str, tally: _Tally) -> None:
    columns = _columns(old, table)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    with new.cursor().copy(statement) as copy:
        for row in tally.each(table, _rows_of_old(old, table, columns)):
            copy.write_row(row)


def _go_on_numbering(old: sqlite3.Connection, new: psycopg.Connection, table: str) -> None:
    """Give no id twice, also not that of a row which is gone."""
    query = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = ?"
    (following,) = old.execute(query, (table,)).fetchone()
    new.execute(b"SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)", (table, following))


def _compare(old: sqlite3.Connection, new: psycopg.Connection, table: str, tally: _Tally) -> None:
    columns = _columns(old, table)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    order = sql.Identifier(_TABLES[table])
    query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(names, sql.Identifier(table), order)
    here, there = _Digest(), _Digest()
    with new.cursor(name="compared") as cursor:
        cursor.execute(query)
        pairs = zip_longest(_rows_of_old(old, table, columns), cursor)
        for ours, theirs in tally.each(table, pairs):
            here.add(ours)
            there.add(theirs)
    if here.value != there.value:
        raise StoreError(
            f"The table '{table}' did not arrive as it was: {here.value} became {there.value}."
            " Nothing was kept."
        )


class _Digest:
    """How many rows there were, and their checksum; None is no row."""

    def __init__(self) -> None:
        self._count = 0
        self._hash = hashlib.sha256()

    def add(self, row: Row | None) -> None:
        if row is not None:
            self._count += 1
            self._hash.update(repr(row).encode())

    @property
    def value(self) -> str:
        return f"{self._count} rows with checksum {self._hash.hexdigest()[:16]}"


def _columns(old: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in old.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _rows_of_old(old: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[Row]:
    names = ", ".join(columns)
    yield from old.execute(f"SELECT {names} FROM {table} ORDER BY {_TABLES[table]}")  # noqa: S608  (our names)
