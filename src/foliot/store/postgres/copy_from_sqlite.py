"""Copies an SQLite database into an empty PostgreSQL database, with the same ids and seals.

Nobody writes to the source meanwhile; the target gets everything in one transaction, or nothing.
Afterwards both are read again and compared, row by row.
"""

import hashlib
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
from foliot.store.migrations import migrations
from foliot.store.postgres.connection import connect
from foliot.store.postgres.partitions import maintain_partitions
from foliot.store.postgres.store import PostgresStore
from foliot.store.postgres.store import explained as explained_here
from foliot.store.sql.dialect import Row
from foliot.store.sqlite.connection import explained, transaction, writing
from foliot.store.sqlite.export import SqliteExport
from foliot.store.sqlite.migrate import migrate
from foliot.store.sqlite.moved_to_postgres import moving, reopen

# In this order, since one refers to another; by these columns, so that both are read alike.
_TABLES: Final = {
    "resource_group": "id",
    "collection": "id",
    "job": "id",
    "definition": "job_id",
    "job_search": "job_id",
    "calendar": "id",
    "calendar_use": "calendar_id, job_id",
    "alert": "id",
    "incident": "id",
    "notification": "id",
    "run": "id",
    "schedule_change": "id",
    "history": "number",
    "failure_mute": "subscription, resource_group, collection, reason, host",
    "token": "id",
    "ended_session": "digest",
    "deployment": "id",
    "audit": "id",
    "seal_check": "id",
}
_WITH_SEQUENCE: Final = (
    *("resource_group", "collection", "calendar", "alert", "job", "run", "schedule_change"),
    *("token", "deployment", "incident", "audit"),
)
_BUSY_TIMEOUT: Final = timedelta(seconds=5)

# Is told what is being done, how many rows are done, and how many there are in all.
Progress = Callable[[str, int, int], None]
Item = TypeVar("Item")


class CopyTarget(Struct, frozen=True):
    """Where everything is copied to; `shown` has no password."""

    url: str
    shown: str


def copy_from_sqlite(
    source: Path, target: CopyTarget, now: Callable[[], Instant], progress: Progress
) -> int:
    """Copy everything and compare; return how many rows there were.

    No server starts on the source afterwards, nor after a copy that was killed.
    """
    with explained(source), writing(source, _BUSY_TIMEOUT) as old:
        migrate(old, migrations("foliot.store.sqlite"))
        with moving(old, target.shown), transaction(old):
            PostgresStore.prepare(target.url, now)
            with explained_here(), closing(connect(target.url)) as new:
                return _copy_all(SqliteExport(old), new, now(), progress)


def reopen_source(source: Path) -> None:
    """Let servers use a database again that was copied."""
    with explained(source), writing(source, _BUSY_TIMEOUT) as old:
        reopen(old)


def _copy_all(old: SqliteExport, new: psycopg.Connection, now: Instant, progress: Progress) -> int:
    with new.transaction():
        _refuse_unless_empty(new)
        maintain_partitions(new.execute, now=now, since=Instant(0), begin=old.earliest_history())
        total = sum(map(old.count, _TABLES))
        copied = _RowProgress("Copying", total, progress)
        compared = _RowProgress("Comparing", total, progress)
        for table in _TABLES:
            _copy(old, new, table, copied)
        for table in _WITH_SEQUENCE:
            _continue_sequence(old, new, table)
        new.execute(b"SELECT setval('history_number', %s, false)", (old.next_history_number(),))
        for table in _TABLES:
            _compare(old, new, table, compared)
    return total


class _RowProgress:
    """Counts rows as they pass, and reports how much is done."""

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


def _copy(old: SqliteExport, new: psycopg.Connection, table: str, progress: _RowProgress) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, old.columns(table)))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    with new.cursor().copy(statement) as copy:
        for row in progress.each(table, old.rows(table, order=_TABLES[table])):
            copy.write_row(row)


def _continue_sequence(old: SqliteExport, new: psycopg.Connection, table: str) -> None:
    """Give no id twice, also not that of a deleted row."""
    following = old.next_id(table)
    new.execute(b"SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)", (table, following))


def _compare(
    old: SqliteExport, new: psycopg.Connection, table: str, progress: _RowProgress
) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, old.columns(table)))
    order = sql.SQL(", ").join(map(sql.Identifier, _TABLES[table].split(", ")))
    query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(names, sql.Identifier(table), order)
    here, there = _Digest(), _Digest()
    with new.cursor(name="compared") as cursor:
        cursor.execute(query)
        pairs = zip_longest(old.rows(table, order=_TABLES[table]), cursor)
        for ours, theirs in progress.each(table, pairs):
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
