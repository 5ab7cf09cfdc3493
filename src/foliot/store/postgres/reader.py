"""Views beside the writer: a thread with a connection of its own."""

from threading import Thread

import psycopg

from foliot.ports.store import Reading
from foliot.store.postgres.connection import Session
from foliot.store.postgres.errors import unavailable
from foliot.store.postgres.writer import in_words
from foliot.store.work_queue import Answer, Inbox, Request, attempt, hand_back


class PostgresReader:
    """A thread that reads. Views that wait together share a snapshot, taken after all had asked."""

    def __init__(self, session: Session, reading: Reading, *, batch_limit: int) -> None:
        self.inbox = Inbox(batch_limit)
        self._session = session
        self._reading = reading
        self._thread = Thread(target=self._serve, name="store-reader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish the views that wait, and end."""
        self.inbox.close()
        self._thread.join()
        self._session.close()

    def _serve(self) -> None:
        while batch := self.inbox.take():
            hand_back(self._view([each for each in batch if not each.future.cancelled()]))

    def _view(self, batch: list[Request]) -> list[Answer]:
        answers: list[Answer] = []
        for request in batch:
            try:
                if not answers:
                    self._session.begin()
                answer = attempt(request, self._reading)
            except psycopg.Error as failure:
                return [Answer(each.future, error=unavailable(failure)) for each in batch]
            answers.append(in_words(answer))
            if isinstance(answer.error, psycopg.Error):
                # Nothing can be seen in a transaction that has failed.
                self._session.undo()
                return [*answers, *self._view(batch[len(answers) :])]
        self._session.undo()
        return answers
