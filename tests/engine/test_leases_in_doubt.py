"""A node that was paused longer than its lease: another node may have claimed its runs."""

from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.errors import Unavailable
from foliot.core.model.job import JobState
from foliot.engine.loop import Engine
from foliot.ports.store import Reading, Store, Transaction
from tests.support.engine_world import World


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    with World(tmp_path) as opened:
        yield opened


class SlowStore:
    """A store from which each answer comes late: first something else happens, once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.meanwhile: list[Callable[[], Awaitable[object]]] = []

    async def read(self, view: Callable[[Reading], Any]) -> Any:
        return await self._store.read(view)

    async def write(self, change: Callable[[Transaction], Any], **how: Any) -> Any:
        written = await self._store.write(change, **how)
        while self.meanwhile:
            await self.meanwhile.pop(0)()
        return written

    async def close(self) -> None:
        """Hold nothing."""


class RefusingStore(SlowStore):
    """A store that refuses some writes before it does them."""

    refusals = 0

    async def write(self, change: Callable[[Transaction], Any], **how: Any) -> Any:
        if self.refusals:
            self.refusals -= 1
            raise Unavailable("The store is away.")
        return await super().write(change, **how)


async def work(engine: Engine) -> None:
    while await engine.tick():
        await engine.drain()
    await engine.drain()


def test_runs_that_another_node_has_claimed_are_not_sent_again(world: World) -> None:
    world.add_job()
    other, store = world.start_engine(), SlowStore(world.store)
    engine = world.start_engine(store)

    async def standstill() -> None:
        world.clock.set("2026-01-10T00:00:20Z")
        await work(other)

    store.meanwhile = [standstill]
    world.run(work(engine))

    assert len(world.targets.sent) == 1
    assert (len(world.history()), world.job().state) == (1, JobState.COMPLETED)


@pytest.mark.parametrize("refusals", [0, 1])
def test_runs_that_no_other_node_has_claimed_are_claimed_again_and_sent(
    world: World, refusals: int
) -> None:
    world.add_job()
    store = RefusingStore(world.store)
    engine = world.start_engine(store)

    async def standstill() -> None:
        world.clock.set("2026-01-10T00:00:20Z")
        store.refusals = refusals

    async def story() -> None:
        store.meanwhile = [standstill]
        assert await engine.tick()
        assert world.targets.sent == []
        for _ in range(refusals):
            with pytest.raises(Unavailable):
                await engine.tick()
        await work(engine)

    world.run(story())

    assert len(world.targets.sent) == 1
    assert (world.job().execution_count, world.job().state) == (1, JobState.COMPLETED)
