"""Requests on their way from event loops to threads, and their answers back."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, NamedTuple

from foliot.core.errors import Unavailable
from foliot.store.errors import unavailable

Work = Callable[[Any], Any]


class Request(NamedTuple):
    """Work for a thread, and the future through which someone waits for it."""

    work: Work
    future: asyncio.Future[Any]


class Answer(NamedTuple):
    """How a request ended: in a result, or in an error."""

    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Inbox:
    """Requests in order; threads take those that wait together, up to a limit, in one go."""

    def __init__(self, batch_limit: int) -> None:
        self._waiting: SimpleQueue[Request | None] = SimpleQueue()
        self._batch_limit = batch_limit
        self._lock = Lock()
        self._is_closed = False

    async def ask(self, work: Work) -> Any:
        """Wait for the answer to a request; one that is cancelled while it waits is not begun."""
        future = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._is_closed:
                raise Unavailable("The store is closed.")
            self._waiting.put(Request(work, future))
        return await future

    def take(self) -> list[Request]:
        """Return the requests that wait; block until there is one; none when closed."""
        batch: list[Request] = []
        request = self._waiting.get()
        while request is not None:
            batch.append(request)
            if len(batch) == self._batch_limit:
                return batch
            try:
                request = self._waiting.get_nowait()
            except Empty:
                return batch
        # The end is for every thread to find, also for this one when it comes back.
        self._waiting.put(None)
        return batch

    def take_waiting(self) -> list[Request]:
        """Return the requests that wait, if any, without blocking and however many there are."""
        batch: list[Request] = []
        with suppress(Empty):
            while (request := self._waiting.get_nowait()) is not None:
                batch.append(request)
            self._waiting.put(None)
        return batch

    def close(self) -> None:
        """Refuse further requests; those that wait are still taken."""
        with self._lock:
            self._is_closed = True
            self._waiting.put(None)


def attempt(request: Request, subject: object) -> Answer:
    """Do the work and catch whatever comes out: a thread goes on for the others."""
    try:
        return Answer(request.future, result=request.work(subject))
    except StopIteration as error:
        # A future does not take this one, as a coroutine does not.
        return Answer(request.future, error=RuntimeError(f"{error!r} was raised"))
    except BaseException as error:  # noqa: BLE001  (it belongs to whoever waits)
        return Answer(request.future, error=error)


def in_words(answer: Answer) -> Answer:
    """Replace the database's own error by one that can be shown."""
    if isinstance(answer.error, sqlite3.Error):
        return answer._replace(error=unavailable(answer.error))
    return answer


def hand_back(answers: Iterable[Answer]) -> None:
    """Wake each event loop once, with all the answers that are for it."""
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_loop[answer.future.get_loop()].append(answer)
    for loop, group in by_loop.items():
        # A loop that was closed has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_resolve, group)


def _resolve(answers: list[Answer]) -> None:
    for future, result, error in answers:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
