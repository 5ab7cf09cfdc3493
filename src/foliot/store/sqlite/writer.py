"""Group commit: changes that wait together share one flush.

The thread takes the changes that wait, runs them in one transaction, commits, and only then
answers. While the disk flushes, the next batch gathers. A change that comes alone does not wait,
unless it can (`WorkQueue`).

A change that fails has seldom written anything. If one has, the batch runs again, each change
behind a savepoint: to keep what a savepoint needs, a copy of every page that is touched, would take
a seventh of the time of all others.
"""

import sqlite3

from foliot.ports import clock
from foliot.ports.store import Transaction
from foliot.store.errors import cannot_answer
from foliot.store.sqlite.connection import undo
from foliot.store.sqlite.errors import in_words, unavailable
from foliot.store.sqlite.file_watch import FilesInPlace
from foliot.store.sqlite.owner import OwnNode
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
        own: OwnNode | None = None,
    ) -> None:
        self._files = files
        self._own = own
        self._connection = connection
        self._transaction = transaction

    def answer(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run changes in one transaction and commit it."""
        problem = self._files.problem()
        if problem is not None:
            return refused(batch, cannot_answer(problem))
        try:
            results = self._run(batch) or self._run_behind_savepoints(batch)
            self._commit()
            if self._own is not None:
                self._own.seen_at = clock.now()
        except sqlite3.Error as failure:
            undo(self._connection)
            return refused(batch, unavailable(failure))
        # A change that is in the file was made: its caller must not be told otherwise.
        problem = self._files.loss()
        return results if problem is None else refused(batch, cannot_answer(problem))

    def _commit(self) -> None:
        """Commit: a method of its own, so that profiles show what it takes."""
        self._connection.execute("COMMIT")

    def _run(self, batch: list[WorkRequest]) -> list[WorkResult] | None:
        """Run changes, or return None without a transaction if one of them has to be undone."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        results: list[WorkResult] = []
        for request in batch:
            before = connection.total_changes
            result = self._attempt(request)
            if result.error is not None and connection.total_changes > before:
                connection.execute("ROLLBACK")
                return None
            results.append(in_words(result))
        return results

    def _run_behind_savepoints(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run changes, and undo those that fail."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        results: list[WorkResult] = []
        for request in batch:
            execute("SAVEPOINT change")
            result = self._attempt(request)
            if result.error is not None:
                execute("ROLLBACK TO change")
            execute("RELEASE change")
            results.append(in_words(result))
        return results

    def _attempt(self, request: WorkRequest) -> WorkResult:
        result = attempt(request, self._transaction)
        # Some failures, a full disk among them, make SQLite undo the whole transaction. The batch
        # then fails as one: what followed would be kept without what came before.
        if not self._connection.in_transaction:
            lost = result.error if isinstance(result.error, sqlite3.Error) else None
            raise lost or sqlite3.OperationalError("the transaction was lost")
        return result
