"""Brings a database to the schema of this version, one numbered step after the other.

Each step is one transaction and is recorded in it: a start that was interrupted continues where it
stopped.
"""

import sqlite3
from collections.abc import Iterator

from foliot.store.migrations import Migration, check_version
from foliot.store.sqlite.connection import transaction

_SCHEMA_VERSION = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)"


def migrate(connection: sqlite3.Connection, steps: list[Migration]) -> None:
    """Apply the steps a database has not seen; refuse one that has seen more than these."""
    present = _version(connection)
    check_version(present, steps)
    for step in steps:
        if step.version > present:
            _apply(connection, step)


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    with transaction(connection):
        connection.execute(_SCHEMA_VERSION)
        # Another process may have started at the same time and been the first.
        if _version(connection) >= step.version:
            return
        for statement in _statements(step.script):
            connection.execute(statement)
        connection.execute("INSERT INTO schema_version VALUES (?)", (step.version,))


def _version(connection: sqlite3.Connection) -> int:
    tables = "SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'"
    if connection.execute(tables).fetchone() == (0,):
        return 0
    (version,) = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return version or 0


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
