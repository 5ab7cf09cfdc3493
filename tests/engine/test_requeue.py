"""A node claims the runs that it can begin soon, and re-queues the others for idle nodes."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.app.use_cases import UseCases
from foliot.core.errors import Unavailable
from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import NotSent, Outcome
from foliot.core.model.job import JobState
from foliot.core.model.run import Trigger
from foliot.engine.claim import Claimed
from foliot.ports.store import Transaction
from tests.engine.test_loop import AbsentStore, Result
from tests.support.builders import a_job, a_run
from tests.support.engine_world import KEY, World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def test_a_claim_that_was_stored_despite_an_error_is_requeued(world: World) -> None:
    class ForgetfulStore(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            written = await self._store.write(change, **how)
            if self.calls_to_refuse > 0:
                self.calls_to_refuse -= 1
                raise Unavailable("The file was replaced.")
            return written

    world.add_job()
    refused = world.start_engine(ForgetfulStore(world.store, 1))

    async def story() -> None:
        with pytest.raises(Unavailable):
            await refused.tick()
        await refused.drain()

    world.run(story())
    world.start_engine()
    world.clock.set("2026-01-10T00:00:05Z")
    world.step()

    assert world.job().state is JobState.COMPLETED
    assert (len(world.targets.sent), world.job().execution_count) == (1, 1)


def test_a_node_without_free_slots_leaves_due_runs_to_others(world: World) -> None:
    for number in range(8):
        world.add_job(f"job{number}")
    world.targets.are_silent = True
    busy = world.start_engine(slots=2)

    async def look() -> None:
        for _ in range(9):
            await busy.tick()
            await asyncio.sleep(0)

    world.run(look())
    assert busy.load == (2, 0)

    world.targets.are_silent = False
    world.start_engine()
    world.step()

    assert len(world.targets.sent) == 8


def test_runs_that_cannot_begin_are_requeued_though_the_backlog_has_room(world: World) -> None:
    for number in range(12):
        world.add_job(f"job{number}")
    world.targets.are_silent = True
    busy = world.start_engine(slots=8)

    async def look() -> None:
        for _ in range(3):
            await busy.tick()
            await asyncio.sleep(0)

    world.run(look())
    # Two slots are kept for other destinations.
    assert busy.load == (6, 6)
    world.clock.at = Instant(world.clock.at + 5 * SECOND)
    world.run(look())
    assert busy.load == (6, 6)
    world.clock.at = Instant(world.clock.at + SECOND)
    world.run(look())
    assert busy.load == (6, 0)

    world.targets.are_silent = False
    world.start_engine()
    world.clock.at = Instant(world.clock.at + 5 * SECOND)
    world.step()

    assert len(world.targets.sent) == 12
    assert {world.job(f"job{number}").execution_count for number in range(12)} == {1}
    world.kill_engine()


def test_a_busy_node_claims_in_large_batches(world: World) -> None:
    claims: list[int] = []

    class CountingStore(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            written = await super().write(change, **how)
            if isinstance(written, Claimed):
                claims.append(len(written.runs))
            return written

    def add(to: Transaction) -> None:
        collection = to.collection(KEY)
        assert collection is not None
        for number in range(400):
            to.add_job(a_job(collection.id, f"job{number}", next_at=world.clock.now()))

    world.run(world.store.write(add))
    engine = world.start_engine(CountingStore(world.store, 0), slots=64, batch=50)

    async def story() -> None:
        while len(world.targets.sent) < 400:
            await engine.tick()
            await asyncio.sleep(0)
        await engine.drain()

    world.run(story())

    assert sum(claims) == 400
    assert len(claims) <= 12


def test_a_shortage_for_one_destination_does_not_delay_others(world: World) -> None:
    short = {"type": "Http", "request": {"uri": "http://127.0.0.2/", "method": "GET"}}
    lack = NotSent("no port is free", is_of_destination=True)
    ok = Outcome(succeeded=True, message="ok")
    world.targets.answer = lambda request: lack if request.job.startswith("short") else ok
    for number in range(5):
        world.add_job(f"short{number}", action=short)
    world.step()
    before = len(world.targets.sent)
    for number in range(5):
        world.add_job(f"late{number}", action=short)
        world.add_job(f"other{number}")
    world.step()

    assert {world.job(f"other{number}").state for number in range(5)} == {JobState.COMPLETED}
    # Nothing more goes there for a moment.
    assert {each.job[:5] for each in world.targets.sent[before:]} == {"other"}

    world.targets.answer = lambda _: ok
    world.clock.set("2026-01-10T00:00:05Z")
    world.step()

    names = [f"{name}{number}" for name in ("short", "late") for number in range(5)]
    assert {world.job(name).state for name in names} == {JobState.COMPLETED}


def test_a_run_that_was_put_back_unsent_may_become_too_late_to_begin(world: World) -> None:
    world.add_job(startTime="2026-01-10T00:01:00Z", policy={"startWithin": "PT10S"})
    world.targets.answer = lambda _: NotSent("no ports are left")
    world.clock.set("2026-01-10T00:01:00Z")
    world.step()
    world.targets.sent.clear()
    world.clock.set("2026-01-10T00:02:00Z")
    world.step()

    assert world.targets.sent == []
    assert [entry.reason for entry in world.history()] == ["expired"]


def test_an_attempt_that_was_cut_off_is_repeated_however_late(world: World) -> None:
    world.add_job(startTime="2026-01-10T00:01:00Z", policy={"startWithin": "PT10S"})
    world.clock.set("2026-01-10T00:01:00Z")
    world.targets.are_silent = True
    engine = world.start_engine(grace_seconds=0.0)

    async def stop_amid_an_attempt() -> None:
        running = asyncio.create_task(engine.run())
        await world.targets.reached.wait()
        engine.stop()
        await running

    world.run(stop_amid_an_attempt())
    world.targets.are_silent = False
    world.start_engine()
    world.clock.set("2026-01-10T00:02:00Z")
    world.step()

    assert len({sent.tag for sent in world.targets.sent}) == 1
    assert world.job().state is JobState.COMPLETED


@pytest.mark.parametrize(("most", "begin"), [(1, 1), (6, 3)])
def test_a_job_that_may_overlap_now_begins_as_many_runs_as_the_operator_allows(
    world: World, most: int, begin: int
) -> None:
    world.use_cases = UseCases.of(world.store, world.clock, max_open_runs=most)
    once = {"startTime": "2026-02-01T00:00:00Z"}
    world.add_job(**once, policy={"overlap": "queue"})
    job = world.job()

    def wait_their_turn(to: Transaction) -> None:
        for second in range(9):
            to.add_run(a_run(job, second=second, due_at=None, trigger=Trigger.BACKFILL))

    world.run(world.store.write(wait_their_turn))
    world.add_job(**once)

    runs = world.run(world.store.read(lambda to: to.count_runs(job.id)))
    assert runs.open - runs.queued == begin
