"""Views on a connection of their own, beside the writer."""

import psycopg

from foliot.ports.store import Reading
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.postgres.errors import in_words, unavailable
from foliot.store.work_queue import WorkRequest, WorkResult, attempt, refused


class PostgresReader:
    """Answers views. Views that wait together share a snapshot, taken after all had asked."""

    def __init__(self, connection: PostgresConnection, reading: Reading) -> None:
        self._connection = connection
        self._reading = reading

    def answer(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run views on one snapshot, and on another one after a view that the database refused."""
        results: list[WorkResult] = []
        for request in batch:
            try:
                if not results:
                    self._connection.begin()
                result = attempt(request, self._reading)
            except psycopg.Error as failure:
                return refused(batch, unavailable(failure))
            results.append(in_words(result))
            if isinstance(result.error, psycopg.Error):
                # A transaction that has failed refuses every further statement.
                self._connection.undo()
                return [*results, *self.answer(batch[len(results) :])]
        self._connection.undo()
        return results
