"""Reads whole tables of a database, for a copy of it."""

import sqlite3
from collections.abc import Iterator

from foliot.core.instant import Instant
from foliot.store.sql.dialect import Row


class SqliteExport:
    """The tables of a database to which nobody writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return self._number(f"SELECT count(*) FROM {table}")  # noqa: S608  (our names)

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        query = "SELECT name FROM pragma_table_info(?)"
        return [name for (name,) in self._connection.execute(query, (table,))]

    def rows(self, table: str, *, order: str) -> Iterator[Row]:
        """Return all rows of a table, sorted by a column."""
        names = ", ".join(self.columns(table))
        yield from self._connection.execute(f"SELECT {names} FROM {table} ORDER BY {order}")  # noqa: S608  (our names)

    def next_id(self, table: str) -> int:
        """Return the id that the next row would get: that of a deleted row is not given again."""
        query = "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = ?"
        return self._number(query, table)

    def next_history_number(self) -> int:
        """Return a number that no history entry has."""
        return self._number("SELECT coalesce(max(number), 0) + 1 FROM history")

    def earliest_history(self) -> Instant | None:
        """Return when the first attempt in the history started."""
        return self._connection.execute("SELECT min(started_at) FROM history").fetchone()[0]

    def _number(self, query: str, *parameters: str) -> int:
        return self._connection.execute(query, parameters).fetchone()[0]
