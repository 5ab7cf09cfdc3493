"""Items on their way to the store, where they arrive whatever happens."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from foliot.core.errors import FoliotError, origin_of

Item = TypeVar("Item")

_log = logging.getLogger("foliot.engine")


class Batching(Generic[Item]):
    """Stores items; those that come while the disk is busy make the next batch.

    `store` stores a batch, or raises; `pause` tells how many seconds to wait after so many failures
    in a row. The name is what the log calls the items.
    """

    def __init__(
        self,
        name: str,
        store: Callable[[Sequence[Item]], Awaitable[None]],
        pause: Callable[[int], float],
    ) -> None:
        self._name = name
        self._store = store
        self._pause = pause
        self._items: list[Item] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def under_way(self) -> Sequence[asyncio.Task[None]]:
        """What to wait for until all is stored."""
        return [] if self._task is None else [self._task]

    @property
    def waiting(self) -> Sequence[Item]:
        """What is not stored yet."""
        return list(self._items)

    def add(self, item: Item) -> None:
        """Have an item stored, soon."""
        self._items.append(item)
        if self._task is None:
            self._task = asyncio.create_task(self._store_all())

    async def _store_all(self) -> None:
        failures = 0
        try:
            while batch := list(self._items):
                if await self._is_stored(batch):
                    failures = 0
                    del self._items[: len(batch)]
                    continue
                # Nothing is forgotten: the items wait, and their leases are renewed.
                failures += 1
                await asyncio.sleep(self._pause(failures))
        finally:
            self._task = None

    async def _is_stored(self, batch: Sequence[Item]) -> bool:
        try:
            await self._store(batch)
        except FoliotError as error:
            _log.warning("The store does not answer, so %s wait: %s", self._name, error)
            return False
        except Exception as error:  # noqa: BLE001  (an item is kept, whatever happens)
            _log.error("Storing broke down, so %s wait, with %s", self._name, origin_of(error))
            return False
        return True
