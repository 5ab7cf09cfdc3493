"""Statements that are sent together in one message, and what each of them has found."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from foliot.store.sql.dialect import Row

# The last statement of each message: a commit without an answer is looked up by this number.
NUMBER: Final = b"SELECT pg_current_xact_id_if_assigned()::text"


class StatementResult:
    """What a statement has found or changed."""

    def __init__(self, cursor: Any) -> None:
        self.rowcount: int = cursor.rowcount
        self._rows: Iterator[Row] = iter(() if cursor.rownumber is None else cursor.fetchall())

    def fetchone(self) -> Row | None:
        """Return the next row."""
        return next(self._rows, None)

    def fetchall(self) -> list[Row]:
        """Return all rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows


class Later:
    """A statement that is sent with the next one; `found` is there when both were sent.

    `check` is told how many rows the statement has changed, and may run further statements.
    """

    def __init__(self, text: bytes, check: Callable[[int], None] | None = None) -> None:
        self.text = text
        self.check = check
        self.found: Any = None


def message_of(statements: Sequence[Later]) -> bytes:
    """Return statements as one message, with the question for the number of the transaction."""
    return b"; ".join([*(each.text for each in statements), NUMBER])


def read_answer(cursor: Any, statements: Sequence[Later]) -> str | None:
    """Pass on what each statement has found, and return the number of the transaction."""
    for each in statements:
        each.found = StatementResult(cursor)
        cursor.nextset()
    (number,) = cursor.fetchone()
    return number
