"""Marks an SQLite database that moves to PostgreSQL, so that no server starts on it by mistake.

Two servers with the same jobs would both run them. The mark is set before anything is copied: a
move that is killed leaves a database that nobody starts on without a decision. The table is there
only in a database that was moved.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from msgspec import Struct

from foliot.store.errors import StoreError
from foliot.store.sqlite.connection import transaction

_REOPEN = "`foliot migrate --from sqlite:///PATH --reopen` lets servers use this one again."


class Move(Struct, frozen=True):
    """Where a database moves to, and whether all of it has arrived."""

    target: str
    is_complete: bool


def check_not_moved(connection: sqlite3.Connection) -> None:
    """Refuse a database that was moved, or is being moved."""
    move = _find(connection)
    if move is None:
        return
    if move.is_complete:
        raise StoreError(f"The database was moved to {move.target}: start with that. {_REOPEN}")
    raise StoreError(
        f"A move of the database to {move.target} was not completed: move it again. {_REOPEN}"
    )


@contextmanager
def moving(connection: sqlite3.Connection, target: str) -> Generator[None]:
    """Mark a database while it moves, and for good when it has; one that could not is as before."""
    before = _find(connection)
    if before is not None and before.is_complete:
        raise StoreError(f"The database was moved to {before.target} before. {_REOPEN}")
    _mark(connection, Move(target, is_complete=False))
    try:
        yield
    except BaseException:
        # After one that was killed it is not known which of the two has been used since.
        if before is None:
            reopen(connection)
        raise
    _mark(connection, Move(target, is_complete=True))


def reopen(connection: sqlite3.Connection) -> None:
    """Let servers use the database again."""
    connection.execute("DROP TABLE IF EXISTS moved")


def _find(connection: sqlite3.Connection) -> Move | None:
    there = "SELECT count(*) FROM sqlite_master WHERE name = 'moved'"
    if connection.execute(there).fetchone() == (0,):
        return None
    row = connection.execute("SELECT target, is_complete FROM moved").fetchone()
    return None if row is None else Move(row[0], bool(row[1]))


def _mark(connection: sqlite3.Connection, move: Move) -> None:
    with transaction(connection):
        connection.execute(
            "CREATE TABLE IF NOT EXISTS moved (target TEXT NOT NULL, is_complete INTEGER NOT NULL)"
        )
        connection.execute("DELETE FROM moved")
        connection.execute("INSERT INTO moved VALUES (?, ?)", (move.target, move.is_complete))
