"""Group commit: changes that wait together share one commit, while other nodes write as well.

Each of several changes runs behind a savepoint of one transaction. A change that conflicts with
another node's is run again with its whole batch, since changes are functions of what they read. The
status of a commit that was not answered is looked up before any caller is answered.
"""

from typing import Any

import psycopg

from foliot.core.errors import Unavailable
from foliot.ports.logs import get_logger
from foliot.ports.store import Transaction
from foliot.store.postgres.commit_status import was_committed
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.postgres.errors import in_words, may_be_tried_again, unavailable
from foliot.store.work_queue import (
    WorkQueue,
    WorkRequest,
    WorkResult,
    attempt,
    hand_back,
    refused,
)

_TRIES = 5
_SECONDS_BETWEEN_LOOKUPS = 0.1

_log = get_logger("foliot.store")


class PostgresWriter:
    """Answers the changes of this node."""

    def __init__(
        self, url: str, connection: PostgresConnection, transaction: Transaction, queue: WorkQueue
    ) -> None:
        self._url = url
        self._connection = connection
        self._transaction = transaction
        self._queue = queue

    def answer(self, batch: list[WorkRequest]) -> list[WorkResult]:
        """Run changes in one transaction and commit it."""
        tries = _TRIES
        while True:
            tries -= 1
            try:
                results, number = self._run(batch)
            except psycopg.Error as failure:
                self._connection.undo()
                if tries and may_be_tried_again(failure):
                    continue
                return refused(batch, unavailable(failure))
            if len(batch) == 1 and results[0].error is not None:
                self._connection.undo()
                return results
            return self._commit(batch, results, number)

    def _run(self, batch: list[WorkRequest]) -> tuple[list[WorkResult], str | None]:
        """Run changes, and return their results and the number of their transaction.

        One that is alone needs no savepoint: with it the whole transaction is undone.
        """
        self._connection.begin()
        if len(batch) == 1:
            result = self._changed(batch[0])
            return [result], None if result.error else self._connection.number()
        results: list[WorkResult] = []
        for request in batch:
            self._connection.say_later(
                *([b"RELEASE change"] if results else []), b"SAVEPOINT change"
            )
            result = self._changed(request)
            if result.error is not None:
                self._connection.undo_to(b"change")
            results.append(result)
        return results, self._connection.number()

    def _changed(self, request: WorkRequest) -> WorkResult:
        """Run a change; raise an error that concerns all changes of the batch."""

        def work(transaction: Transaction) -> Any:
            value = request.work(transaction)
            # What waits belongs to this change, and the number must be known before the commit.
            self._connection.number()
            return value

        result = attempt(WorkRequest(work, request.future), self._transaction)
        if isinstance(result.error, psycopg.Error) and (
            self._connection.is_lost or may_be_tried_again(result.error)
        ):
            raise result.error
        return in_words(result)

    def _commit(
        self, batch: list[WorkRequest], results: list[WorkResult], number: str | None
    ) -> list[WorkResult]:
        try:
            is_kept = self._connection.run(b"COMMIT").statusmessage == "COMMIT"
        except psycopg.Error as failure:
            self._connection.close()
            if number is None:
                return results
            _log.warning("Commit not answered; looking it up", error=type(failure).__name__)
            is_kept = was_committed(self._url, number, self._pause)
        if is_kept:
            return results
        if is_kept is None:
            return refused(batch, Unavailable("The store is closed before it could tell."))
        return refused(batch, Unavailable("The store cannot answer at the moment: it restarted."))

    def _pause(self) -> bool:
        """Wait a little, while new requests are refused at once; tell whether to go on."""
        waiting = self._queue.take_waiting()
        hand_back(refused(waiting, Unavailable("The store cannot answer at the moment.")))
        return not self._queue.is_closed_within(_SECONDS_BETWEEN_LOOKUPS)
