"""Views beside the writer: a few threads, each with a connection of its own."""

import sqlite3
from collections.abc import Sequence
from threading import Thread

from foliot.ports import Reading
from foliot.store.connection import undo
from foliot.store.errors import unavailable
from foliot.store.inbox import Answer, Inbox, Request, attempt, hand_back, in_words

# Small, because the first view of a batch waits for the last one.
_BATCH_LIMIT = 16


class ReaderPool:
    """The threads that read."""

    def __init__(self, readers: Sequence[tuple[sqlite3.Connection, Reading]]) -> None:
        self.inbox = Inbox(_BATCH_LIMIT)
        self._threads = [
            Thread(target=self._serve, args=reader, name="store-reader", daemon=True)
            for reader in readers
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish the views that wait, and end; the connections are left to their owner."""
        self.inbox.close()
        for thread in self._threads:
            thread.join()

    def _serve(self, connection: sqlite3.Connection, reading: Reading) -> None:
        while batch := self.inbox.take():
            hand_back(
                [_view(each, connection, reading) for each in batch if not each.future.cancelled()]
            )


def _view(request: Request, connection: sqlite3.Connection, reading: Reading) -> Answer:
    try:
        connection.execute("BEGIN")
        answer = attempt(request, reading)
        connection.execute("COMMIT")
    except sqlite3.Error as failure:
        undo(connection)
        return Answer(request.future, error=unavailable(failure))
    return in_words(answer)
