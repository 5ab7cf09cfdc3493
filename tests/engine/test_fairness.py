"""A burst of one collection does not delay the jobs of another."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.attempt import AttemptRequest
from foliot.core.model.collection import Collection, Sku
from foliot.ports.store import Transaction
from tests.support.builders import DEFINITION, a_job, a_key, a_run
from tests.support.engine_world import KEY, World, failing

BURST = 2000
FEW = 10


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def add(world: World, *, late: int) -> None:
    """Add a burst that is due, and a few jobs of another collection that are due later."""
    now = world.clock.now()

    def change(to: Transaction) -> None:
        burst = to.collection(KEY)
        assert burst is not None
        quiet = to.add_collection(Collection(key=a_key("quiet"), sku=Sku.STANDARD))
        due = Instant(now + late * SECOND)
        for number in range(BURST):
            to.add_job(a_job(burst.id, f"burst{number}", next_at=now))
        for number in range(FEW):
            to.add_job(a_job(quiet.id, f"quiet{number}", next_at=due))

    world.run(world.store.write(change))


def rounds_until_all_are_sent(world: World) -> int:
    async def rounds() -> int:
        for count in range(1, 100):
            await world.engine.tick()
            await world.engine.drain()
            if sum(each.job.startswith("quiet") for each in world.targets.sent) == FEW:
                return count
        raise AssertionError(len(world.targets.sent))

    return world.run(rounds())


@pytest.mark.parametrize("late", [0, 1], ids=["at the same time", "a second later"])
def test_jobs_of_another_collection_run_a_few_rounds_after_a_burst_has_begun(
    world: World, late: int
) -> None:
    add(world, late=late)
    world.start_engine(batch=100)
    world.clock.at = Instant(world.clock.at + late * SECOND)

    assert rounds_until_all_are_sent(world) <= 4


def test_a_burst_gets_whole_batches_when_no_other_collection_waits(world: World) -> None:
    add(world, late=0)
    world.start_engine(batch=100)
    rounds = 0

    async def story() -> None:
        nonlocal rounds
        while len(world.targets.sent) < BURST + FEW:
            await world.engine.tick()
            await world.engine.drain()
            rounds += 1

    world.run(story())

    assert rounds <= -(-(BURST + FEW) // 100) + 1


def test_a_burst_of_retries_leaves_room_for_new_runs(world: World) -> None:
    now = world.clock.now()

    def change(to: Transaction) -> None:
        burst = to.collection(KEY)
        assert burst is not None
        job = to.add_job(a_job(burst.id, "burst"))
        for number in range(BURST):
            to.add_run(a_run(job, second=-number, due_at=now, attempt=2))
        for number in range(FEW):
            to.add_job(a_job(burst.id, f"quiet{number}", next_at=now))

    world.run(world.store.write(change))
    world.start_engine(batch=100)

    assert rounds_until_all_are_sent(world) <= 4


def test_failures_during_a_burst_are_retried(world: World) -> None:
    add(world, late=0)

    def answer(request: AttemptRequest) -> object:
        return failing()(request) if request.job == "quiet0" else world_ok(request)

    world_ok = world.targets.answer
    world.targets.answer = answer
    world.start_engine(batch=100)
    world.step()
    world.advance_to("2026-01-10T00:01:00Z")

    assert sum(each.job == "quiet0" for each in world.targets.sent) == 3
    assert len(world.targets.sent) == BURST + FEW + 2


def test_hundreds_of_hanging_targets_do_not_delay_another_collection(world: World) -> None:
    now = world.clock.now()

    def change(to: Transaction) -> None:
        hostile = to.collection(KEY)
        assert hostile is not None
        quiet = to.add_collection(Collection(key=a_key("quiet"), sku=Sku.STANDARD))
        for number in range(600):
            part = HttpRequest(uri=f"http://h{number}.example/", method="GET")
            action = Action(kind=ActionKind.HTTP, part=part)
            definition = replace(DEFINITION, action=action)
            to.add_job(a_job(hostile.id, f"dead{number}", definition=definition, next_at=now))
        later = Instant(now + 5 * SECOND)
        to.add_job(a_job(quiet.id, "quiet", next_at=later))

    world.run(world.store.write(change))
    world.targets.are_silent = True
    engine = world.start_engine(slots=64, backlog=128, batch=100)

    async def look() -> None:
        for _ in range(12):
            await engine.tick()
            await asyncio.sleep(0)

    world.run(look())
    hanging = len(world.targets.sent)
    world.clock.at = Instant(now + 5 * SECOND)
    world.run(look())

    assert hanging == 64 - 8
    assert [each.job for each in world.targets.sent[hanging:]] == ["quiet"]
    world.kill_engine()
