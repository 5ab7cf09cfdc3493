"""Views beside the writer: a thread with a connection of its own."""

import sqlite3
from threading import Thread

from foliot.ports.store import Reading
from foliot.store.errors import unavailable
from foliot.store.sqlite.connection import undo
from foliot.store.work_queue import Answer, Inbox, Request, attempt, hand_back, in_words


class Reader:
    """A thread that reads. Views that wait together share a snapshot, taken after all had asked.

    To begin and end one costs more than most views do.
    """

    def __init__(
        self, connection: sqlite3.Connection, reading: Reading, *, batch_limit: int
    ) -> None:
        self.inbox = Inbox(batch_limit)
        self._connection = connection
        self._reading = reading
        self._thread = Thread(target=self._serve, name="store-reader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the views that wait, and end; the connection is left to its owner."""
        self.inbox.close()
        self._thread.join()

    def _serve(self) -> None:
        while batch := self.inbox.take():
            hand_back(self._view([each for each in batch if not each.future.cancelled()]))

    def _view(self, batch: list[Request]) -> list[Answer]:
        if not batch:
            return []
        try:
            self._connection.execute("BEGIN")
            answers = [in_words(attempt(request, self._reading)) for request in batch]
            self._connection.execute("COMMIT")
        except sqlite3.Error as failure:
            undo(self._connection)
            return [Answer(each.future, error=unavailable(failure)) for each in batch]
        return answers
