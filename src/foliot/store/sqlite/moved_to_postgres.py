"""Marks an SQLite database that moves to PostgreSQL, so that no server starts on it by mistake.

Two servers with the same jobs would both run them. The mark is set before anything is copied: after
a move that was killed, the operator decides which database to use. The table exists only in a
database that was moved.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from foliot.store.errors import StoreError
from foliot.store.sqlite.connection import transaction

_REOPEN = "`foliot migrate --from sqlite:///PATH --reopen` lets servers use this one again."


class MovedMark(Struct, frozen=True):
    """Where a database was moved to, and whether the move is complete."""

    target: str
    is_complete: bool


def check_not_moved(connection: sqlite3.Connection) -> None:
    """Refuse a database that was moved, or is being moved."""
    mark = _find(connection)
    if mark is None:
        return
    if mark.is_complete:
        raise StoreError(f"The database was moved to {mark.target}: start with that. {_REOPEN}")
    raise StoreError(
        f"A move of the database to {mark.target} was not completed: move it again. {_REOPEN}"
    )


@contextmanager
def moving(connection: sqlite3.Connection, target: str) -> Generator[None]:
    """Mark a database as moving, then as moved; if the move fails, remove the mark."""
    before = _find(connection)
    if before is not None and before.is_complete:
        raise StoreError(f"The database was moved to {before.target} before. {_REOPEN}")
    _mark(connection, MovedMark(target, is_complete=False))
    try:
        yield
    except BaseException:
        # After one that was killed it is not known which of the two has been used since.
        if before is None:
            reopen(connection)
        raise
    _mark(connection, MovedMark(target, is_complete=True))


def reopen(connection: sqlite3.Connection) -> None:
    """Let servers use the database again."""
    connection.execute("DROP TABLE IF EXISTS moved")


def _find(connection: sqlite3.Connection) -> MovedMark | None:
    there = "SELECT count(*) FROM sqlite_master WHERE name = 'moved'"
    if connection.execute(there).fetchone() == (0,):
        return None
    row = connection.execute("SELECT target, is_complete FROM moved").fetchone()
    return None if row is None else MovedMark(row[0], bool(row[1]))


def _mark(connection: sqlite3.Connection, mark: MovedMark) -> None:
    with transaction(connection):
        connection.execute(
            "CREATE TABLE IF NOT EXISTS moved (target TEXT NOT NULL, is_complete INTEGER NOT NULL)"
        )
        connection.execute("DELETE FROM moved")
        connection.execute("INSERT INTO moved VALUES (?, ?)", (mark.target, mark.is_complete))
