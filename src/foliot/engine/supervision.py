"""Keeps background tasks running: whatever ends one is logged, and it begins again."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

from foliot.core.errors import FoliotError, origin_of
from foliot.ports.health import Health
from foliot.ports.logs import get_logger

_log = get_logger("foliot.tasks")


class Restarts(Struct, frozen=True, kw_only=True):
    """How soon a task begins again, and when its ends are a problem of the node."""

    longest_pause_seconds: float = 30.0
    # One that goes on for so long is well; one that ends so often without that is not.
    steady_seconds: float = 60.0
    ends_before_problem: int = 3

    def pause(self, ends: int) -> float:
        """Return the seconds to wait after so many ends in a row."""
        return min(2.0 ** min(ends, 10) / 10, self.longest_pause_seconds)


_RESTARTS = Restarts()


class _Watched:
    """How often a task has ended without going on steadily in between, as health hears it."""

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
    """Run a background task until it is over or this is cancelled, however often it ends."""
    watched = _Watched(part, health, restarts)
    while not is_over():
        steady = asyncio.get_running_loop().call_later(restarts.steady_seconds, watched.is_steady)
        try:
            why = await _why_it_ended(work)
        finally:
            steady.cancel()
        if not is_over():
            watched.has_ended(why)
            await asyncio.sleep(restarts.pause(watched.ends))


@asynccontextmanager
async def supervised(
    part: str, work: Callable[[], Awaitable[None]], health: Health
) -> AsyncGenerator[None]:
    """Keep a background task running for the length of a block."""
    task = asyncio.create_task(keep_running(part, work, health))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _why_it_ended(work: Callable[[], Awaitable[None]]) -> str:
    try:
        await work()
    except asyncio.CancelledError:
        # Told to end, or only in touch with something that was.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return "something it waited for was cancelled"
    except FoliotError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  (a task that ends in silence would be worse)
        return origin_of(error)
    return "it returned"
