"""Group commit: changes that wait together share one flush.

The thread takes the changes that wait, runs each in a savepoint of one transaction, commits, and
only then answers. While the disk flushes, the next batch gathers: no timer is needed, and a change
that comes alone does not wait.
"""

import sqlite3

from foliot.ports.store import Transaction
from foliot.store.errors import cannot_answer
from foliot.store.sqlite.connection import undo
from foliot.store.sqlite.errors import in_words, unavailable
from foliot.store.sqlite.file_watch import FilesInPlace
from foliot.store.work_queue import WorkRequest, WorkResult, attempt, refused

_NO_FILES = FilesInPlace()


class SqliteWriter:
    """Answers changes, unless a file was removed so that they would be lost.

    Whether they were written to a file that is still there is known only after the commit.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        transaction: Transaction,
        files: FilesInPlace = _NO_FILES,
    ) -> None:
        self._files = files
        self._connection = connection
        self._transaction = transaction

    def answer(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run changes in one transaction and commit it."""
        execute = self._connection.execute
        problem = self._files.problem()
        if problem is not None:
            return refused(batch, cannot_answer(problem))
        try:
            execute("BEGIN IMMEDIATE")
            results = [self._try(request) for request in batch]
            self._commit()
        except sqlite3.Error as failure:
            undo(self._connection)
            return refused(batch, unavailable(failure))
        # A change that is in the file was made: its caller must not be told otherwise.
        problem = self._files.loss()
        return results if problem is None else refused(batch, cannot_answer(problem))

    def _commit(self) -> None:
        """Commit: a method of its own, so that profiles show what it takes."""
        self._connection.execute("COMMIT")

    def _try(self, request: WorkRequest) -> WorkResult:
        execute = self._connection.execute
        execute("SAVEPOINT change")
        result = attempt(request, self._transaction)
        # Some failures, a full disk among them, make SQLite undo the whole transaction. The batch
        # then fails as one: what followed would be kept without what came before.
        if isinstance(result.error, sqlite3.Error) and not self._connection.in_transaction:
            raise result.error
        if result.error is not None:
            execute("ROLLBACK TO change")
        execute("RELEASE change")
        return in_words(result)
