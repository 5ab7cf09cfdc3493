"""Changes that wait together share one commit, as on SQLite; others write at the same time.

Each change runs behind a savepoint of one transaction. A change that gets in the way of another
node's is run again with its whole batch, since changes are functions of what they read. A commit
that was not answered is looked up before anyone is told anything.
"""

from threading import Event, Thread

import psycopg

from foliot.core.errors import Unavailable
from foliot.ports.logs import get_logger
from foliot.ports.store import Transaction
from foliot.store.postgres.commit_status import was_committed
from foliot.store.postgres.connection import Session
from foliot.store.postgres.errors import may_be_tried_again, unavailable
from foliot.store.work_queue import Answer, Inbox, Request, attempt, hand_back

_BATCH_LIMIT = 64
_TRIES = 5
_SECONDS_BETWEEN_LOOKS = 0.1
# A savepoint that was released leaves room for the next, and the number is known before the commit.
_KEEP = b"RELEASE change; SELECT pg_current_xact_id_if_assigned()::text; SAVEPOINT change"

_log = get_logger("foliot.store")


class PostgresWriter:
    """The one thread of this node that writes."""

    def __init__(self, url: str, session: Session, transaction: Transaction) -> None:
        self.inbox = Inbox(_BATCH_LIMIT)
        self._url = url
        self._session = session
        self._transaction = transaction
        self._is_stopping = Event()
        self._thread = Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the changes that wait, and end."""
        self.inbox.close()
        self._is_stopping.set()
        self._thread.join()
        self._session.close()

    def _serve(self) -> None:
        while batch := self.inbox.take():
            hand_back(self._settle([each for each in batch if not each.future.cancelled()]))

    def _settle(self, batch: list[Request]) -> list[Answer]:
        if not batch:
            return []
        tries = _TRIES
        while True:
            tries -= 1
            try:
                answers, number = self._run(batch)
            except psycopg.Error as failure:
                self._session.undo()
                if tries and may_be_tried_again(failure):
                    continue
                return _refused(batch, unavailable(failure))
            return self._commit(batch, answers, number)

    def _run(self, batch: list[Request]) -> tuple[list[Answer], str | None]:
        """Run changes, and return how they ended and the number of their transaction."""
        self._session.begin()
        number: str | None = None
        answers: list[Answer] = []
        for request in batch:
            answer = attempt(request, self._transaction)
            if isinstance(answer.error, psycopg.Error) and (
                self._session.is_lost or may_be_tried_again(answer.error)
            ):
                raise answer.error
            if answer.error is None:
                number = self._keep()
            else:
                self._session.run(b"ROLLBACK TO change")
            answers.append(in_words(answer))
        return answers, number

    def _keep(self) -> str | None:
        cursor = self._session.run(_KEEP)
        cursor.nextset()
        return cursor.fetchone()[0]

    def _commit(
        self, batch: list[Request], answers: list[Answer], number: str | None
    ) -> list[Answer]:
        try:
            is_kept = self._session.run(b"COMMIT").statusmessage == "COMMIT"
        except psycopg.Error as failure:
            self._session.close()
            if number is None:
                return answers
            _log.warning("Commit not answered; looking it up", error=type(failure).__name__)
            is_kept = was_committed(self._url, number, self._pause)
        if is_kept:
            return answers
        if is_kept is None:
            return _refused(batch, Unavailable("The store is closed before it could tell."))
        return _refused(batch, Unavailable("The store cannot answer at the moment: it restarted."))

    def _pause(self) -> bool:
        """Wait a little, while those who come now are told at once; tell whether there is time."""
        waiting = self.inbox.take_waiting()
        hand_back(_refused(waiting, Unavailable("The store cannot answer at the moment.")))
        return not self._is_stopping.wait(_SECONDS_BETWEEN_LOOKS)


def in_words(answer: Answer) -> Answer:
    """Replace the database's own error by one that can be shown."""
    if isinstance(answer.error, psycopg.Error):
        return answer._replace(error=unavailable(answer.error))
    return answer


def _refused(batch: list[Request], error: Unavailable) -> list[Answer]:
    return [Answer(each.future, error=error) for each in batch]
