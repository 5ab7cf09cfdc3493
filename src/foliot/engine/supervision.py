"""Keeps background tasks running: logs why one has ended, and starts it again."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

from foliot.core.errors import FoliotError, origin_of
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

_log = get_logger("foliot.tasks")


class Restarts(Struct, frozen=True, kw_only=True):
    """How soon a task is restarted, and when its ends become a problem of the node."""

    longest_pause_seconds: float = 30.0
    # A task that runs this long is healthy; one that ends this often before that is not.
    steady_seconds: float = 60.0
    ends_before_problem: int = 3

    def pause(self, ends: int) -> float:
        """Return the seconds before the next start, after so many ends in a row."""
        return min(2.0 ** min(ends, 10) / 10, self.longest_pause_seconds)


_RESTARTS = Restarts()


class _Ends:
    """Counts the ends of a task in a row, and reports them to health."""

    def __init__(self, part: str, health: Health, restarts: Restarts) -> None:
        self._part = part
        self._health = health
        self._restarts = restarts
        self.ends = 0

    def is_steady(self) -> None:
        self.ends = 0
        self._health.report(self._part, None)

    def has_ended(self, why: str) -> None:
        self.ends += 1
        _log.error("Background task ended and starts again", task=self._part, error=why)
        if self.ends >= self._restarts.ends_before_problem:
            self._health.report(self._part, "keeps ending; the log says why")


async def keep_running(
    part: str,
    work: Callable[[], Awaitable[None]],
    health: Health,
    *,
    is_over: Callable[[], bool] = lambda: False,
    restarts: Restarts = _RESTARTS,
) -> None:
    """Run a background task, again and again, until `is_over` or until cancelled."""
    counted = _Ends(part, health, restarts)
    while not is_over():
        steady = asyncio.get_running_loop().call_later(restarts.steady_seconds, counted.is_steady)
        try:
            why = await _reason_of_end(work)
        finally:
            steady.cancel()
        if not is_over():
            counted.has_ended(why)
            await asyncio.sleep(restarts.pause(counted.ends))


@asynccontextmanager
async def supervised(
    part: str, work: Callable[[], Awaitable[None]], health: Health
) -> AsyncGenerator[None]:
    """Keep a background task running during a `with` block."""
    task = asyncio.create_task(keep_running(part, work, health))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _reason_of_end(work: Callable[[], Awaitable[None]]) -> str:
    try:
        await work()
    except asyncio.CancelledError:
        # Cancelled itself, or only waiting for something that was.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return "something it waited for was cancelled"
    except FoliotError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  (a task that ends in silence would be worse)
        return origin_of(error)
    return "it returned"
