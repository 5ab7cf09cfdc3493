"""A store whose process may end at any change, and rounds of an engine that may end with it."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from foliot.ports.store import Reading, Store, Transaction
from tests.support.engine_world import World

Result = TypeVar("Result")


class Crash(BaseException):
    """The process ends here."""


class CrashingStore:
    """A store whose process may end right before or right after a change is on disk."""

    def __init__(self, store: Store, dice: Random) -> None:
        self._store = store
        self._dice = dice
        self.has_crashed = False

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        return await self._store.read(view)

    async def browse(self, view: Callable[[Reading], Result]) -> Result:
        return await self._store.browse(view)

    async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
        self._maybe_crash()
        result = await self._store.write(change, **how)
        self._maybe_crash()
        return result

    async def close(self) -> None:
        """The store outlives its processes."""

    def _maybe_crash(self) -> None:
        if self.has_crashed or self._dice.random() < 0.07:
            self.has_crashed = True
            raise Crash


async def round_until_crash(world: World) -> None:
    """Let the engine do what is due now, to its end or to that of its process."""
    try:
        while await world.engine.tick():
            await world.engine.drain()
        await world.engine.drain()
    except Crash:
        pass
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
