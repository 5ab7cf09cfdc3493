"""Stores items in batches, and keeps them until they are stored or rejected."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from foliot.core.errors import FoliotError, Unavailable, origin_of
from foliot.ports.logs import get_logger

Item = TypeVar("Item")

# An item that fails this often in a row, though the store answers, cannot be stored.
_TRIES = 3

_log = get_logger("foliot.engine")


class WriteQueue(Generic[Item]):
    """Stores items; those that are added during a write make the next batch.

    `store` stores a batch, or raises; `pause` returns the seconds to wait after so many failures in
    a row; `reject` takes an item that cannot be stored; without it such an item is tried for ever.
    The name is what the log calls the items.
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
    def tasks(self) -> Sequence[asyncio.Task[None]]:
        """The task to wait for until all items are stored, if there are any."""
        return [] if self._task is None else [self._task]

    @property
    def waiting(self) -> Sequence[Item]:
        """The items that are not stored yet."""
        return list(self._items)

    def add(self, item: Item) -> None:
        """Add an item, to be stored soon."""
        self._items.append(item)
        if self._task is None:
            self._task = asyncio.create_task(self._store_all())

    async def _store_all(self) -> None:
        failures = 0
        try:
            while batch := list(self._items):
                left = await self._left_of(batch, is_last_try=failures + 1 >= _TRIES)
                # Others may have been added behind the batch meanwhile.
                self._items[: len(batch)] = left
                failures = failures + 1 if left else 0
                if left:
                    # The items wait here, and the heartbeat goes on renewing their leases.
                    await asyncio.sleep(self.pause(failures))
        finally:
            self._task = None

    async def _left_of(self, batch: Sequence[Item], *, is_last_try: bool) -> list[Item]:
        """Store a batch, and return the items to try again.

        A batch that fails is halved until the bad item is alone: the others must not wait for it.
        """
        try:
            await self._store(batch)
        except Unavailable as error:
            _log.warning("Items wait: the store does not answer", kind=self._name, error=str(error))
            return list(batch)
        except Exception as error:  # noqa: BLE001  (an item is kept, whatever happens)
            if len(batch) == 1:
                return self._left_of_failed(batch[0], error, is_last_try=is_last_try)
        else:
            return []
        half = len(batch) // 2
        left = await self._left_of(batch[:half], is_last_try=is_last_try)
        return left + await self._left_of(batch[half:], is_last_try=is_last_try)

    def _left_of_failed(self, item: Item, error: Exception, *, is_last_try: bool) -> list[Item]:
        why = str(error) if isinstance(error, FoliotError) else origin_of(error)
        _log.error("Storing an item broke down", kind=self._name, error=why)
        if self._reject is None or not is_last_try:
            return [item]
        self._reject(item)
        return []
