"""Cancels attempts that take too long: one timer looks at all of them every second.

`asyncio.timeout` makes a timer for each, which is a twentieth of all the work of sending a request.
"""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS: Final = 1.0


class TimeLimit:
    """Waits for attempts, each in a task of its own, for a limited time."""

    def __init__(self, seconds_between_looks: float = _SECONDS_BETWEEN_LOOKS) -> None:
        self._seconds = seconds_between_looks
        self._ends: dict[asyncio.Task[object], float] = {}
        self._canceled: set[asyncio.Task[object]] = set()
        self._is_watching = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def wait_for(self, attempt: Awaitable[Result], seconds: float) -> Result:
        """Return the result of an attempt; after so many seconds cancel it, for a TimeoutError."""
        # Kept: to ask for the running loop is a system call before Python 3.12.
        loop = self._loop = self._loop or asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101  (this is a coroutine)
        self._ends[task] = loop.time() + seconds
        if not self._is_watching:
            self._is_watching = True
            loop.call_later(self._seconds, self._look)
        try:
            return await attempt
        except asyncio.CancelledError:
            # Somebody else may have cancelled it as well, and expects its end.
            if task in self._canceled and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            self._canceled.discard(task)
            del self._ends[task]

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for task, end in self._ends.items():
            if end <= now and task not in self._canceled:
                self._canceled.add(task)
                task.cancel()
        self._is_watching = bool(self._ends)
        if self._is_watching:
            loop.call_later(self._seconds, self._look)
