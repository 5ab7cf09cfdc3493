"""Copies a database while it is in use, and checks a copy."""

import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from foliot.store.errors import StoreError
from foliot.store.migrations import check_version, migrations
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.rotation import fits
from foliot.store.sealing.sealed_rows import (
    SEALED_TABLES,
    OpenedValues,
    SealedTable,
    SealedValue,
    open_all,
    sealed_value,
)
from foliot.store.sqlite.connection import explained, inspecting, reading
from foliot.store.sqlite.disk import is_read_only

_PAGES_AT_ONCE: Final = 2000
_BUSY_TIMEOUT: Final = timedelta(seconds=30)
HEADER: Final = b"SQLite format 3\0"

# Is told how many pages are done, and how many there are in all.
PageProgress = Callable[[int, int], None]
# Is told how many values are done, and how many there are in all, or 0 if nobody knows.
ValueProgress = Callable[[int, int], None]


class BackupFacts(Struct, frozen=True):
    """What a backup holds; `sealed` tells the key that fits."""

    schema_version: int
    collections: int
    jobs: int
    runs: int
    sealed: bytes | None

    def fits(self, keyring: Keyring) -> bool:
        """Tell whether definitions in it open with one of these keys."""
        return self.sealed is None or fits(keyring, self.sealed)


def copy_database(source: Path, draft: Path, progress: PageProgress) -> None:
    """Copy the state of one instant into an empty file; writers do not wait for it."""

    def told(_: int, remaining: int, total: int) -> None:
        progress(total - remaining, total)

    # Where nobody can write, SQLite cannot make the index of a log, and needs none.
    open_ = inspecting if is_read_only(source) else reading
    with explained(source), open_(source, _BUSY_TIMEOUT) as old:
        # The transaction keeps the copy at one instant: without it, each write of the server would
        # make the copy begin anew.
        old.execute("BEGIN")
        old.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with closing(sqlite3.connect(draft, isolation_level=None)) as new:
            old.backup(new, pages=_PAGES_AT_ONCE, progress=told, sleep=0)
            # One file, without a log beside it.
            new.execute("PRAGMA journal_mode = DELETE")


def forget_origin(draft: Path, *, forgets_key: bool) -> None:
    """Remove the nodes of the old server from a copy, and the key if another is to be adopted."""
    with explained(draft), closing(sqlite3.connect(draft)) as connection, connection:
        connection.execute("DELETE FROM node")
        if forgets_key:
            connection.execute("DELETE FROM seal_check")


def check_backup(path: Path) -> BackupFacts:
    """Read a whole copy: raise StoreError if it is damaged, or of a later version of Foliot."""
    with explained(path), _unchanging(path) as connection:
        problems = [text for (text,) in connection.execute("PRAGMA integrity_check(5)")]
        if problems != ["ok"]:
            raise StoreError(f"{path} is damaged: {problems[0]}.")
        if not _number(connection, "SELECT count(*) FROM sqlite_master WHERE name = 'seal_check'"):
            raise StoreError(f"{path} is no database of Foliot.")
        version = _number(connection, "SELECT max(version) FROM schema_version")
        check_version(version, migrations("foliot.store.sqlite"))
        row = connection.execute("SELECT sealed FROM seal_check").fetchone()
        return BackupFacts(
            version,
            # Deleted jobs are in a collection of their own, until the janitor removes them.
            _number(connection, "SELECT count(*) FROM collection WHERE id <> 0"),
            _number(connection, "SELECT count(*) FROM job WHERE collection_id <> 0"),
            _number(connection, "SELECT count(*) FROM run"),
            None if row is None else row[0],
        )


def open_values_of_backup(
    path: Path, version: int, keyring: Keyring, progress: ValueProgress
) -> OpenedValues:
    """Open every sealed value of a copy, whose schema version says which tables it has."""
    tables = [table for table in SEALED_TABLES if version >= table.since]
    with explained(path), _unchanging(path) as connection:
        total = sum(_number(connection, f"SELECT count(*) FROM {each.name}") for each in tables)  # noqa: S608  (our names)
        values = (value for table in tables for value in _values_of(connection, table))
        return open_all(values, keyring, lambda done: progress(done, total))


def _values_of(connection: sqlite3.Connection, table: SealedTable) -> Iterator[SealedValue]:
    is_of_job = table.name == "definition"
    source = "definition JOIN job ON job.id = definition.job_id" if is_of_job else table.name
    query = f"SELECT {', '.join(table.columns)}, sealed FROM {source}"  # noqa: S608  (our names)
    for *columns, sealed in connection.execute(query):
        yield sealed_value(table, tuple(columns), sealed)


@contextmanager
def _unchanging(path: Path) -> Generator[sqlite3.Connection]:
    """Open a file that nobody writes to; no log is made beside it."""
    if path.with_name(f"{path.name}-wal").exists():
        raise StoreError(
            f"{path} has a log beside it: it is the database of a server, and no backup."
        )
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        yield connection


def _number(connection: sqlite3.Connection, query: str) -> int:
    return connection.execute(query).fetchone()[0] or 0
