"""Views on a connection of their own, beside the writer."""

import sqlite3
from collections.abc import Callable
from functools import partial

from foliot.ports.store import Reading
from foliot.store.sqlite.connection import undo
from foliot.store.sqlite.errors import in_words, unavailable
from foliot.store.work_queue import WorkRequest, WorkResult, attempt, refused


class SqliteReader:
    """Answers views. Views that wait together share a snapshot, taken after all had asked.

    To begin and end one costs more than most views do.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        reading: Reading,
        begin: Callable[[], object] | None = None,
    ) -> None:
        self._connection = connection
        self._reading = reading
        self._begin = begin or partial(connection.execute, "BEGIN")

    def answer(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run views on one snapshot."""
        try:
            self._begin()
            results = [in_words(attempt(request, self._reading)) for request in batch]
            self._connection.execute("COMMIT")
        except sqlite3.Error as failure:
            undo(self._connection)
            return refused(batch, unavailable(failure))
        return results
