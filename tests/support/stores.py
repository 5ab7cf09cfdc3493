"""The databases that tests run on: SQLite, or PostgreSQL with FOLIOT_TEST_STORE=postgres."""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import psycopg

from foliot.ports.store import Store
from foliot.store.migrations import migrations
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.connection import writing
from foliot.store.sqlite.migrate import migrate
from foliot.store.sqlite.store import SqliteStore
from tests.support import kept_databases, postgres


class Database(NamedTuple):
    """How to open a database as a store, as often as one likes, and all that is in it."""

    open: Callable[[Keyring], Store]
    rows: Callable[[], dict[str, list[Any]]]


@contextmanager
def on_sqlite(folder: Path) -> Generator[Database]:
    path = sqlite_file(folder)
    yield Database(lambda keyring: SqliteStore.open(path, keyring), lambda: _rows_of_sqlite(path))


@contextmanager
def on_postgres(_: Path) -> Generator[Database]:
    with kept_databases.database() as kept:
        yield Database(
            lambda keyring: postgres.open_store(kept.url, keyring),
            lambda: _rows_of_postgres(kept.url),
        )
        postgres.check_due_rows(kept.connection)


IMPLEMENTATIONS: dict[str, Callable[[Path], AbstractContextManager[Database]]] = {
    "sqlite": on_sqlite,
    "postgres": on_postgres,
}
CHOSEN = os.environ.get("FOLIOT_TEST_STORE", "sqlite")
database = IMPLEMENTATIONS[CHOSEN]


def sqlite_file(folder: Path) -> Path:
    """Return the database of a folder: one with Foliot's tables, if there was none yet."""
    path = folder / "foliot.db"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(_new_sqlite_file())
    return path


@cache
def _new_sqlite_file() -> bytes:
    """Return a file with all tables; to make them takes longer than most tests do."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "foliot.db"
        with writing(path, timedelta(seconds=5)) as connection:
            migrate(connection, migrations("foliot.store.sqlite"))
        return path.read_bytes()


def _rows_of_sqlite(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608
            for (name,) in tables.fetchall()
        }


def _rows_of_postgres(url: str) -> dict[str, list[Any]]:
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608
            for (name,) in tables.fetchall()
        }
