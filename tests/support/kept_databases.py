"""PostgreSQL databases that are emptied after a test and used again by the next.

To make and to drop one takes longer than most tests do. One whose test has failed, or has changed
its tables, is dropped.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg import sql

from tests.support import postgres

# Rows that were deleted stay in their tables, as nothing vacuums these.
_MOST_USES = 50
_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_version'
    ORDER BY oid DESC
"""
_SEQUENCES = """
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
"""
_SHAPE = """
    SELECT array_agg(oid ORDER BY oid), (SELECT max(version) FROM schema_version)
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
"""

_free: "list[KeptDatabase]" = []


class KeptDatabase:
    """A database, and a connection to it that empties it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.url = postgres.address(name)
        self.connection = psycopg.connect(self.url, autocommit=True)
        self.connection.execute("SET lock_timeout = '2s'")
        self._uses = 0
        self._shape = self._ask(_SHAPE)
        tables = [sql.Identifier(name) for (name,) in self._ask(_TABLES)]
        deletes = [sql.SQL("DELETE FROM {}").format(table) for table in tables]
        # A table refers to older ones only, so that the newest comes first.
        self._empty = sql.SQL("; ").join([*deletes, *map(_restart, self._ask(_SEQUENCES))])
        rows = [sql.SQL("SELECT FROM {}").format(table) for table in tables]
        self._is_used = sql.SQL("SELECT EXISTS ({})").format(sql.SQL(" UNION ALL ").join(rows))

    @classmethod
    def made(cls) -> Self:
        return cls(postgres.create_database())

    def can_be_used_again(self) -> bool:
        """Empty it, unless it is not worth it or someone still holds rows of it."""
        self._uses += 1
        if self._uses == _MOST_USES or self._ask(_SHAPE) != self._shape:
            return False
        try:
            self.connection.execute(self._empty)
        except psycopg.errors.LockNotAvailable:
            return False
        assert self._ask(self._is_used) == [(False,)]
        return True

    def drop(self) -> None:
        self.connection.close()
        postgres.drop_database(self.name)

    def _ask(self, query: str | sql.Composed) -> list[tuple[Any, ...]]:
        return self.connection.execute(query).fetchall()


@contextmanager
def database() -> Generator[KeptDatabase]:
    """Return a database with Foliot's tables and nothing in them."""
    kept = _free.pop() if _free else KeptDatabase.made()
    is_good = False
    try:
        yield kept
        is_good = kept.can_be_used_again()
    finally:
        if is_good:
            _free.append(kept)
        else:
            kept.drop()


def drop_all() -> None:
    """Drop what no test uses any more."""
    while _free:
        _free.pop().drop()


def _restart(row: tuple[str]) -> sql.Composed:
    return sql.SQL("SELECT setval({}, 1, false)").format(sql.Literal(f"public.{row[0]}"))
