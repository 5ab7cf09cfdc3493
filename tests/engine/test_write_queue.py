"""The write queue: an item that cannot be stored delays no other."""

import asyncio
from collections.abc import Sequence

import pytest

from foliot.core.errors import Conflict, Unavailable
from foliot.engine.write_queue import WriteQueue


class Shelf:
    """Stores numbers, except those that break it, and nothing while it is away."""

    def __init__(self, *broken: int, error: Exception | None = None, refusals: int = 0) -> None:
        self.stored: list[int] = []
        self.rejected: list[int] = []
        self.calls = 0
        self._broken = broken
        self._error = error or ValueError("hush")
        self._refusals = refusals

    async def store(self, batch: Sequence[int]) -> None:
        self.calls += 1
        if self.calls <= self._refusals:
            raise Unavailable("The store is away.")
        if set(batch) & set(self._broken):
            raise self._error
        self.stored += batch

    def run(self, items: Sequence[int]) -> None:
        async def steps() -> None:
            queue = WriteQueue("numbers", self.store, lambda _: 0.0, self.rejected.append)
            for each in items:
                queue.add(each)
            async with asyncio.timeout(30):
                await asyncio.gather(*queue.tasks)
            assert queue.waiting == []

        asyncio.run(steps())


@pytest.mark.parametrize("error", [ValueError("hush"), Conflict("hush")], ids=repr)
def test_an_item_that_cannot_be_stored_is_rejected_and_all_others_are_stored(
    error: Exception,
) -> None:
    shelf = Shelf(17, error=error)

    shelf.run(range(100))

    assert sorted(shelf.stored) == [each for each in range(100) if each != 17]
    assert shelf.rejected == [17]


def test_all_other_items_are_stored_before_a_failed_one_is_tried_again() -> None:
    shelf = Shelf(3, 9)

    shelf.run(range(10))

    # Once for the batch, and for its halves down to two items; then twice for each of these.
    assert shelf.rejected == [3, 9]
    assert len(shelf.stored) == 8
    assert shelf.calls < 30


def test_while_the_store_is_away_nothing_is_rejected() -> None:
    shelf = Shelf(refusals=9)

    shelf.run(range(5))

    assert (shelf.stored, shelf.rejected, shelf.calls) == ([0, 1, 2, 3, 4], [], 10)
