"""Changes that wait together share one flush.

A thread takes what waits, runs each change in a savepoint of one transaction, commits, and only
then tells anyone. While the disk flushes, the next batch gathers: no timer is needed, and a change
that comes alone does not wait.
"""

import sqlite3
from threading import Thread

from foliot.core.errors import Unavailable
from foliot.ports.store import Transaction
from foliot.store.errors import cannot_answer, unavailable
from foliot.store.sqlite.connection import undo
from foliot.store.sqlite.file_watch import FilesInPlace
from foliot.store.work_queue import Answer, Inbox, Request, attempt, hand_back, in_words

_BATCH_LIMIT = 256
_NO_FILES = FilesInPlace()


class GroupCommit:
    """The one thread that writes, as long as there is no problem that would lose what is written.

    Whether they went to a file that is still there is known only after the commit.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        transaction: Transaction,
        files: FilesInPlace = _NO_FILES,
    ) -> None:
        self.inbox = Inbox(_BATCH_LIMIT)
        self._files = files
        self._connection = connection
        self._transaction = transaction
        self._thread = Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the changes that wait, and end; the connection is left to its owner."""
        self.inbox.close()
        self._thread.join()

    def _serve(self) -> None:
        while batch := self.inbox.take():
            hand_back(self._settle([each for each in batch if not each.future.cancelled()]))

    def _settle(self, batch: list[Request]) -> list[Answer]:
        if not batch:
            return []
        execute = self._connection.execute
        problem = self._files.problem()
        if problem is not None:
            return _refused(batch, cannot_answer(problem))
        try:
            execute("BEGIN IMMEDIATE")
            answers = [self._try(request) for request in batch]
            execute("COMMIT")
        except sqlite3.Error as failure:
            undo(self._connection)
            return _refused(batch, unavailable(failure))
        # A change that is there was made: whoever made it must not be told otherwise.
        problem = self._files.loss()
        return answers if problem is None else _refused(batch, cannot_answer(problem))

    def _try(self, request: Request) -> Answer:
        execute = self._connection.execute
        execute("SAVEPOINT change")
        answer = attempt(request, self._transaction)
        # Some failures, a full disk among them, make SQLite undo the whole transaction. The batch
        # then fails as one: what followed would be kept without what came before.
        if isinstance(answer.error, sqlite3.Error) and not self._connection.in_transaction:
            raise answer.error
        if answer.error is not None:
            execute("ROLLBACK TO change")
        execute("RELEASE change")
        return in_words(answer)


def _refused(batch: list[Request], error: Unavailable) -> list[Answer]:
    return [Answer(each.future, error=error) for each in batch]
