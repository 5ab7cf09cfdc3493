"""The databases that tests run on: SQLite, or PostgreSQL with FOLIOT_TEST_STORE=postgres."""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from foliot.ports.store import Store
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from tests.support import postgres


class Database(NamedTuple):
    """How to open a database as a store, as often as one likes, and all that is in it."""

    open: Callable[[Keyring], Store]
    rows: Callable[[], dict[str, list[Any]]]


@contextmanager
def on_sqlite(folder: Path) -> Generator[Database]:
    path = folder / "foliot.db"
    yield Database(lambda keyring: SqliteStore.open(path, keyring), lambda: _rows_of_sqlite(path))


@contextmanager
def on_postgres(_: Path) -> Generator[Database]:
    with postgres.new_database() as url:
        yield Database(
            lambda keyring: postgres.open_store(url, keyring), lambda: _rows_of_postgres(url)
        )
        postgres.check_due(url)


IMPLEMENTATIONS: dict[str, Callable[[Path], AbstractContextManager[Database]]] = {
    "sqlite": on_sqlite,
    "postgres": on_postgres,
}
CHOSEN = os.environ.get("FOLIOT_TEST_STORE", "sqlite")
database = IMPLEMENTATIONS[CHOSEN]


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
