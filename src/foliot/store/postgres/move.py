"""Moves all that SQLite holds into an empty PostgreSQL, as it is: ids and seals are kept.

Nobody writes to the old one meanwhile; the new one gets everything in one transaction, or nothing.
Afterwards both are read again and compared, row by row.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from foliot.core.instant import Instant
from foliot.store.connection import explained, transaction, writing
from foliot.store.errors import StoreError
from foliot.store.migrate import migrate, migrations
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.partitions import tend_partitions
from foliot.store.postgres.session import connect
from foliot.store.postgres.store import explained as explained_here
from foliot.store.rows import Row

# In this order, since one refers to another; by these columns, so that both are read alike.
_TABLES: Final = {
    "collection": "id",
    "job": "id",
    "definition": "job_id",
    "run": "id",
    "history": "number",
    "token": "id",
    "seal_check": "id",
}
_NUMBERED: Final = ("collection", "job", "run", "token")
_PATIENCE: Final = timedelta(seconds=5)

# Hears of a table, how many rows of it are done, and how many there are.
Progress = Callable[[str, int, int], None]


def move(source: Path, target: str, now: Callable[[], Instant], progress: Progress) -> int:
    """Copy everything and compare; return how many rows there were."""
    with explained(source), writing(source, _PATIENCE) as old:
        migrate(old, migrations())
        with transaction(old):
            PostgresStore.prepare(target, now)
            with explained_here(), closing(connect(target)) as new:
                return _copy_all(old, new, now(), progress)


def _copy_all(
    old: sqlite3.Connection, new: psycopg.Connection, now: Instant, progress: Progress
) -> int:
    with new.transaction():
        _refuse_unless_empty(new)
        (earliest,) = old.execute("SELECT min(started_at) FROM history").fetchone()
        tend_partitions(
            new.execute, now=now, since=Instant(0), begin=None if earliest is None else earliest
        )
        total = sum(_copy(old, new, table, progress) for table in _TABLES)
        for table in _NUMBERED:
            _go_on_numbering(old, new, table)
        (last,) = old.execute("SELECT coalesce(max(number), 0) + 1 FROM history").fetchone()
        new.execute(b"SELECT setval('history_number', %s, false)", (last,))
        for table in _TABLES:
            _compare(old, new, table)
    return total


def _refuse_unless_empty(new: psycopg.Connection) -> None:
    for table in _TABLES:
        query = sql.SQL("SELECT EXISTS (SELECT 1 FROM {})").format(sql.Identifier(table))
        if new.execute(query).fetchone() == (True,):
            raise StoreError(
                f"The target is not empty: its table '{table}' has rows. Give another."
            )


def _copy(old: sqlite3.Connection, new: psycopg.Connection, table: str, progress: Progress) -> int:
    columns = _columns(old, table)
    (count,) = old.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608  (our names)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    done = 0
    with new.cursor().copy(statement) as copy:
        for row in _rows_of_old(old, table, columns):
            copy.write_row(row)
            done += 1
            progress(table, done, count)
    return done


def _go_on_numbering(old: sqlite3.Connection, new: psycopg.Connection, table: str) -> None:
    """Give no id twice, also not that of a row which is gone."""
    query = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = ?"
    (following,) = old.execute(query, (table,)).fetchone()
    new.execute(b"SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)", (table, following))


def _compare(old: sqlite3.Connection, new: psycopg.Connection, table: str) -> None:
    columns = _columns(old, table)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    order = sql.Identifier(_TABLES[table])
    query = sql.SQL("SELECT {} FROM {} ORDER BY {}").format(names, sql.Identifier(table), order)
    with new.cursor(name="compared") as cursor:
        cursor.execute(query)
        here, there = _digest(_rows_of_old(old, table, columns)), _digest(cursor)
    if here != there:
        raise StoreError(
            f"The table '{table}' did not arrive as it was: {here[0]} rows with checksum {here[1]}"
            f" became {there[0]} with {there[1]}. Nothing was kept."
        )


def _columns(old: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in old.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _rows_of_old(old: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[Row]:
    names = ", ".join(columns)
    yield from old.execute(f"SELECT {names} FROM {table} ORDER BY {_TABLES[table]}")  # noqa: S608  (our names)


def _digest(rows: Iterable[Row]) -> tuple[int, str]:
    count, digest = 0, hashlib.sha256()
    for row in rows:
        count += 1
        digest.update(repr(row).encode())
    return count, digest.hexdigest()[:16]
