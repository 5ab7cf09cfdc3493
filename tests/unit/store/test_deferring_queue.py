"""Changes that can wait let the others go first, and are not kept for ever."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from foliot.store.postgres.deferring_queue import DeferringQueue
from foliot.store.work_queue import WorkRequest

LONG = 60.0


def steps_with(queue: DeferringQueue, step: Callable[[], object], *wanted: tuple[str, bool]) -> Any:
    """Ask for work by its name, some of which can wait; return what a step in a thread finds."""

    async def steps() -> object:
        for name, can_wait in wanted:
            asked = queue.ask(_work(name), can_wait=can_wait)
            task = asyncio.create_task(asked)
            await asyncio.sleep(0)
            task.cancel()
        return await asyncio.to_thread(step)

    return asyncio.run(steps())


def _work(name: str) -> Callable[[Any], str]:
    def work(_: Any) -> str:
        return name

    return work


def names(batch: list[WorkRequest]) -> list[str]:
    return [each.work(None) for each in batch]


def test_a_change_that_can_wait_lets_a_later_one_go_first() -> None:
    queue = DeferringQueue(8, LONG)

    first = steps_with(queue, queue.take, ("outcome", True), ("claim", False))
    queue.close()

    assert names(first) == ["claim"]
    assert names(queue.take()) == ["outcome"]
    assert queue.take() == []


def test_changes_that_can_wait_are_taken_together_when_their_time_has_come() -> None:
    queue = DeferringQueue(8, 0.001)

    assert names(steps_with(queue, queue.take, ("one", True), ("two", True))) == ["one", "two"]


def test_a_change_that_can_wait_lets_one_batch_go_first_and_no_other() -> None:
    queue = DeferringQueue(2, LONG)

    def batches() -> list[list[str]]:
        return [names(queue.take()) for _ in range(3)]

    wanted = [("outcome", True), *((name, False) for name in "abcd")]
    found = steps_with(queue, batches, *wanted)

    assert found == [["a", "b"], ["outcome", "c"], ["d"]]


@pytest.mark.parametrize("gather_seconds", [0.0, LONG])
def test_all_requests_that_wait_can_be_taken_at_once(gather_seconds: float) -> None:
    queue = DeferringQueue(1, gather_seconds)

    def steps() -> list[str]:
        return names(queue.take()) + names(queue.take_waiting())

    found = steps_with(queue, steps, ("outcome", True), ("claim", False), ("next", False))

    assert sorted(found) == ["claim", "next", "outcome"]


def test_nothing_waits_where_nothing_is_gathered() -> None:
    queue = DeferringQueue(8, 0.0)

    found = steps_with(queue, queue.take, ("outcome", True), ("claim", False))

    assert names(found) == ["outcome", "claim"]
