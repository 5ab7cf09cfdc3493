"""Connections to a database file, and transactions on them."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from foliot.store.errors import StoreError
from foliot.store.sqlite.disk import reason_here

# Strict tables came with this version.
_OLDEST_SQLITE = (3, 37, 0)
_STATEMENTS = 256
_SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -32000",
    # Four times the default: pages that change often are copied to the database less often.
    "PRAGMA wal_autocheckpoint = 4000",
    # A log that grew during a long read is truncated to 64 MiB.
    "PRAGMA journal_size_limit = 67108864",
)


@contextmanager
def explained(path: Path) -> Generator[None]:
    """Say in words why a database does not open."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        oldest = ".".join(map(str, _OLDEST_SQLITE))
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; {oldest} is needed.")
    try:
        yield
    except sqlite3.Error as failure:
        raise StoreError(f"{path} cannot be opened: {reason_here(failure, path)}.") from None
    except OSError as failure:
        raise StoreError(f"{path} cannot be opened: {failure.strerror}.") from None


@contextmanager
def writing(path: Path, busy_timeout: timedelta) -> Generator[sqlite3.Connection]:
    """Connect to a database in order to write; a new one can be read by its owner only."""
    # SQLite gives its log the mode of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with _connected(path, busy_timeout) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        yield connection


@contextmanager
def reading(path: Path, busy_timeout: timedelta) -> Generator[sqlite3.Connection]:
    """Connect to a database in order to read."""
    with _connected(path, busy_timeout) as connection:
        connection.execute("PRAGMA query_only = ON")
        yield connection


@contextmanager
def inspecting(path: Path, busy_timeout: timedelta) -> Generator[sqlite3.Connection]:
    """Connect to a database in order to look at it: no file of it is changed, made or removed.

    A connection that may write would copy the log into the database and remove the log, once it is
    the last one to close.
    """
    # Without a log nobody has it open, and SQLite would make a log and an index of it.
    has_log = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
    seconds = busy_timeout.total_seconds()
    with closing(
        sqlite3.connect(address, uri=True, timeout=seconds, isolation_level=None)
    ) as connection:
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Keep all changes made inside, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        undo(connection)


def undo(connection: sqlite3.Connection) -> None:
    """Roll back the transaction that is open, if one is."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def _connected(path: Path, busy_timeout: timedelta) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(
        path,
        timeout=busy_timeout.total_seconds(),
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
    with closing(connection):
        for setting in _SETTINGS:
            connection.execute(setting)
        yield connection
