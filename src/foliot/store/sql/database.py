"""What is expected of a database, so that the statements of `queries.sql` can run on it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from foliot.store.sql.rows import Parameters, Row


class Cursor(Protocol):
    """What a statement has found or changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    @property
    def lastrowid(self) -> int | None:
        """The id of the last new row, where the database tells it in this way."""
        ...

    def fetchone(self) -> Row | None:
        """Return the next row."""
        ...

    def fetchall(self) -> Sequence[Row]:
        """Return all rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]: ...


class Connection(Protocol):
    """Runs statements."""

    def execute(self, query: str, parameters: Parameters | Row = ..., /) -> Cursor:
        """Run a statement."""
        ...


class Database(Connection, Protocol):
    """A connection that knows how to make a transaction."""

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all that is done inside, or nothing."""
        ...
