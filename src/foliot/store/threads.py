"""Database threads: each takes requests from its queue in batches; a store has three of them."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from foliot.ports.store import Reading, Transaction
from foliot.store.work_queue import WorkQueue, WorkRequest, WorkResult, hand_back

Result = TypeVar("Result")
AnswerBatch = Callable[[list[WorkRequest]], list[WorkResult]]


class DatabaseThread:
    """A thread that answers the requests of a queue, as many at once as wait together."""

    def __init__(self, name: str, queue: WorkQueue, answer: AnswerBatch) -> None:
        self._queue = queue
        self._answer = answer
        self._thread = Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def ask(self, work: Callable[..., Result], *, can_wait: bool = False) -> Result:
        """Wait for the result of a request."""
        return await self._queue.ask(work, can_wait=can_wait)

    def stop(self) -> None:
        """Answer the requests that wait, and end; the connection is left to its owner."""
        self._queue.close()
        self._thread.join()

    def _serve(self) -> None:
        while batch := self._queue.take():
            wanted = [each for each in batch if not each.future.cancelled()]
            if wanted:
                hand_back(self._answer(wanted))


class ThreadedStore:
    """A store with one thread that writes, one that looks rows up, and one that browses many.

    Satisfies `ports.store.Store`. More threads would not read faster: they would contend for the
    interpreter.
    """

    def __init__(
        self,
        *,
        writer: DatabaseThread,
        reader: DatabaseThread,
        browser: DatabaseThread,
        release: Callable[[], None],
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._browser = browser
        self._release = release

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function that reads a few rows on a consistent view."""
        return await self._reader.ask(view)

    async def browse(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function that reads many rows on a consistent view; `read` does not wait for it."""
        return await self._browser.ask(view)

    async def write(
        self, change: Callable[[Transaction], Result], *, can_wait: bool = False
    ) -> Result:
        """Run a function in a transaction and return its result when it is durable.

        If it can wait a few milliseconds, it may share the transaction of the next change.
        """
        return await self._writer.ask(change, can_wait=can_wait)

    async def close(self) -> None:
        """Finish the requests that wait and release all connections."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        for thread in (self._reader, self._browser, self._writer):
            thread.stop()
        self._release()
