"""Requests from event loops to database threads, and their results back."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Any, NamedTuple

from foliot.core.errors import Unavailable

Work = Callable[[Any], Any]


class WorkRequest(NamedTuple):
    """Work for a thread, and the future through which a caller waits for it.

    Work that can wait is done a little later, together with the next request, if one comes soon.
    """

    work: Work
    future: asyncio.Future[Any]
    can_wait: bool = False


class WorkResult(NamedTuple):
    """How a request ended: with a value, or with an error."""

    future: asyncio.Future[Any]
    value: Any = None
    error: BaseException | None = None


class WorkQueue:
    """Requests in order; a thread takes those that wait together, up to a limit, at once.

    It waits `gather_seconds` for others to come to a single request that can wait.
    """

    def __init__(self, batch_limit: int, gather_seconds: float = 0.0) -> None:
        self._waiting: SimpleQueue[WorkRequest | None] = SimpleQueue()
        self._batch_limit = batch_limit
        self._gather_seconds = gather_seconds
        self._lock = Lock()
        self._closed = Event()

    async def ask(self, work: Work, *, can_wait: bool = False) -> Any:
        """Wait for the result of a request; one that is cancelled while it waits never starts."""
        future = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._closed.is_set():
                raise Unavailable("The store is closed.")
            self._waiting.put(WorkRequest(work, future, can_wait))
        return await future

    def take(self) -> list[WorkRequest]:
        """Return the requests that wait; block until there is one; none when closed."""
        batch: list[WorkRequest] = []
        request = self._waiting.get()
        while request is not None:
            batch.append(request)
            if len(batch) == self._batch_limit:
                return batch
            seconds = self._gather_seconds if batch == [request] and request.can_wait else 0.0
            try:
                request = self._waiting.get(block=seconds > 0, timeout=seconds)
            except Empty:
                return batch
        # The end marker stays in the queue: the thread must find it again when it comes back.
        self._waiting.put(None)
        return batch

    def take_waiting(self) -> list[WorkRequest]:
        """Return the requests that wait, if any, without blocking and without a limit."""
        batch: list[WorkRequest] = []
        with suppress(Empty):
            while (request := self._waiting.get_nowait()) is not None:
                batch.append(request)
            self._waiting.put(None)
        return batch

    def close(self) -> None:
        """Refuse further requests; those that wait are still taken."""
        with self._lock:
            self._closed.set()
            self._waiting.put(None)

    def is_closed_within(self, seconds: float) -> bool:
        """Wait for the queue to be closed, no longer than this; tell whether it is."""
        return self._closed.wait(seconds)


def attempt(request: WorkRequest, subject: object) -> WorkResult:
    """Do the work and catch every error: the thread continues for the other requests."""
    try:
        return WorkResult(request.future, value=request.work(subject))
    except StopIteration as error:
        # A future refuses this one, as a coroutine does.
        return WorkResult(request.future, error=RuntimeError(f"{error!r} was raised"))
    except BaseException as error:  # noqa: BLE001  (the caller gets it)
        return WorkResult(request.future, error=error)


def refused(batch: Sequence[WorkRequest], error: Unavailable) -> list[WorkResult]:
    """End all requests of a batch with the same error."""
    return [WorkResult(each.future, error=error) for each in batch]


def hand_back(results: Iterable[WorkResult]) -> None:
    """Wake each event loop once, with all results for it."""
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[WorkResult]] = defaultdict(list)
    for result in results:
        by_loop[result.future.get_loop()].append(result)
    for loop, group in by_loop.items():
        # In a loop that was closed nobody waits any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_resolve, group)


def _resolve(results: list[WorkResult]) -> None:
    for future, value, error in results:
        if future.done():
            continue
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
