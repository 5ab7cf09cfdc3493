"""Items on their way to the store, where they arrive whatever happens."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from foliot.core.errors import FoliotError, Unavailable, origin_of
from foliot.ports.logs import get_logger

Item = TypeVar("Item")

# An item that fails so often in a row, though the store answers, cannot be stored.
_TRIES = 3

_log = get_logger("foliot.engine")


class Batching(Generic[Item]):
    """Stores items; those that come while the disk is busy make the next batch.

    `store` stores a batch, or raises; `pause` tells how many seconds to wait after so many failures
    in a row; `reject` takes an item that cannot be stored, which is tried for ever without it. The
    name is what the log calls the items.
    """

    def __init__(
        self,
        name: str,
        store: Callable[[Sequence[Item]], Awaitable[None]],
        pause: Callable[[int], float],
        reject: Callable[[Item], None] | None = None,
    ) -> None:
        self._name = name
        self._store = store
        self.pause = pause
        self._reject = reject
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
                left = await self._left_of(batch, is_last_try=failures + 1 >= _TRIES)
                # Others may have been added behind them.
                self._items[: len(batch)] = left
                failures = failures + 1 if left else 0
                if left:
                    # Nothing is forgotten: the items wait, and their leases are renewed.
                    await asyncio.sleep(self.pause(failures))
        finally:
            self._task = None

    async def _left_of(self, batch: Sequence[Item], *, is_last_try: bool) -> list[Item]:
        """Store a batch, and return the items that are to be tried again.

        A batch that breaks down is halved, so that an item that cannot be stored holds up no other.
        """
        try:
            await self._store(batch)
        except Unavailable as error:
            _log.warning("Items wait: the store does not answer", kind=self._name, error=str(error))
            return list(batch)
        except Exception as error:  # noqa: BLE001  (an item is kept, whatever happens)
            if len(batch) == 1:
                return self._judged(batch[0], error, is_last_try=is_last_try)
        else:
            return []
        half = len(batch) // 2
        left = await self._left_of(batch[:half], is_last_try=is_last_try)
        return left + await self._left_of(batch[half:], is_last_try=is_last_try)

    def _judged(self, item: Item, error: Exception, *, is_last_try: bool) -> list[Item]:
        why = str(error) if isinstance(error, FoliotError) else origin_of(error)
        _log.error("Storing an item broke down", kind=self._name, error=why)
        if self._reject is None or not is_last_try:
            return [item]
        self._reject(item)
        return []
