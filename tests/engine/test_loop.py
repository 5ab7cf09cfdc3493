"""The loop itself: waking, stopping, a store that is away, an attempt that breaks down."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from foliot.core.errors import Unavailable
from foliot.core.instant import SECOND, Instant, parse_instant
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.core.model.run import DueRun
from foliot.engine import settle_queue
from foliot.engine.claim import Claimant
from foliot.engine.leases import Leases
from foliot.engine.loop import Engine
from foliot.engine.settle import Settled, settle_attempts
from foliot.ports.metrics import Meter
from foliot.ports.store import Reading, Store, Transaction
from tests.support.engine_world import World

Result = TypeVar("Result")


class AbsentStore:
    """A store that is away for so many calls."""

    def __init__(self, store: Store, calls: int) -> None:
        self._store = store
        self.calls_to_refuse = calls

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        return await self._store.read(view)

    async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
        if self.calls_to_refuse > 0:
            self.calls_to_refuse -= 1
            raise Unavailable("The store is away.")
        return await self._store.write(change, **how)

    async def close(self) -> None:
        """Leave the store to its owner."""


class CountingStore:
    """A store that counts the changes it is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.writes = 0

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        return await self._store.read(view)

    async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
        self.writes += 1
        return await self._store.write(change, **how)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


async def run_until_reached(world: World, engine: Engine) -> None:
    """Let the loop run until it has sent something, then stop it in good order."""
    running = asyncio.create_task(engine.run())
    async with asyncio.timeout(30):
        await world.targets.reached.wait()
        engine.stop()
        await running


@pytest.mark.parametrize(
    ("second", "claimed_at"),
    [
        pytest.param("00:01:00.004", "00:01:00.004", id="close together"),
        pytest.param("00:01:00.006", "00:01:00", id="too far apart"),
    ],
)
def test_runs_that_are_due_close_together_wait_for_one_claim(
    world: World, second: str, claimed_at: str
) -> None:
    engine = world.start_engine(gather_due=SECOND // 200)
    world.add_job("first", startTime="2026-01-10T00:01:00Z")
    world.add_job("second", startTime=f"2026-01-10T{second}Z")
    world.step()

    seconds = engine._seconds_until_due()  # noqa: SLF001  (how long the loop rests)

    due_at = Instant(world.clock.now() + round(seconds * SECOND))
    assert due_at == parse_instant(f"2026-01-10T{claimed_at}Z")


def test_the_loop_runs_due_jobs_and_stops(world: World) -> None:
    world.add_job()

    world.run(run_until_reached(world, world.engine))

    assert world.job().state is JobState.COMPLETED


def test_wake_starts_a_round_at_once(world: World) -> None:
    engine = world.start_engine(poll_seconds=600.0)

    async def story() -> None:
        running = asyncio.create_task(run_until_reached(world, engine))
        await asyncio.to_thread(lambda: None)
        await world.save_job()
        engine.wake()
        await running

    world.run(story())

    assert len(world.targets.sent) == 1


def test_the_error_action_begins_as_soon_as_the_failure_is_stored(world: World) -> None:
    world.targets.answer = lambda _: Outcome(succeeded=False, message="refused")
    once = {"retryPolicy": {"retryType": "none"}}
    target = {"type": "Http", "request": {"uri": "http://target.example/", "method": "GET"}}
    world.add_job(action={**target, **once, "errorAction": {**target, **once}})
    engine = world.start_engine(poll_seconds=600.0)

    async def story() -> None:
        running = asyncio.create_task(engine.run())
        async with asyncio.timeout(30):
            for _ in range(2):
                await world.targets.reached.wait()
                world.targets.reached.clear()
            engine.stop()
            await running

    world.run(story())

    assert len(world.targets.sent) == 2


def test_an_attempt_that_ends_causes_no_claim_while_there_is_room(world: World) -> None:
    world.add_job()
    store = CountingStore(world.store)
    engine = world.start_engine(store, poll_seconds=600.0)

    world.run(run_until_reached(world, engine))

    # The leases of the last process, one claim, one outcome.
    assert store.writes == 3


def test_attempts_open_after_the_grace_are_requeued_and_repeated(world: World) -> None:
    world.add_job()
    world.targets.are_silent = True
    engine = world.start_engine(grace_seconds=0.01)
    world.run(run_until_reached(world, engine))

    world.targets.are_silent = False
    world.start_engine()
    world.step()

    assert [each.tag for each in world.targets.sent] == [world.targets.sent[0].tag] * 2
    assert (world.job().failure_count, len(world.history())) == (0, 1)


def test_hurry_requeues_open_attempts_at_once(world: World) -> None:
    world.add_job()
    world.targets.are_silent = True
    engine = world.start_engine(grace_seconds=3600)

    async def story() -> None:
        running = asyncio.create_task(engine.run())
        await world.targets.reached.wait()
        engine.stop()
        engine.hurry()
        async with asyncio.timeout(30):
            await running

    world.run(story())
    world.targets.are_silent = False
    world.start_engine()
    world.step()

    assert [each.tag for each in world.targets.sent] == [world.targets.sent[0].tag] * 2
    assert world.job().state is JobState.COMPLETED


def test_a_restarted_node_claims_its_own_runs_at_once(world: World) -> None:
    world.add_job()
    world.targets.are_silent = True
    held = world.start_engine(node="home")
    world.run(held.tick())
    world.run(asyncio.sleep(0))
    world.kill_engine()
    world.targets.are_silent = False
    world.targets.reached.clear()

    again = world.start_engine(node="home")
    world.run(run_until_reached(world, again))

    assert [each.tag for each in world.targets.sent] == [world.targets.sent[0].tag] * 2
    assert (world.job().execution_count, world.job().state) == (1, JobState.COMPLETED)


@pytest.mark.parametrize("error", [Unavailable("away"), ValueError("broken")])
def test_outcomes_are_kept_whatever_fails_when_they_are_settled(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    world.add_job()
    engine = world.start_engine(longest_pause_seconds=0.01)
    refusals = [error, error]

    def failing(transaction: Transaction, results: list[Any], most: int) -> Settled:
        if refusals:
            raise refusals.pop()
        return settle_attempts(transaction, results, most)

    monkeypatch.setattr(settle_queue, "settle_attempts", failing)
    world.run(run_until_reached(world, engine))

    assert (len(world.targets.sent), len(world.history())) == (1, 1)
    assert world.job().state is JobState.COMPLETED


def test_a_store_that_is_away_loses_nothing(world: World, caplog: Any) -> None:
    world.add_job()
    store = AbsentStore(world.store, 2)
    engine = world.start_engine(store, longest_pause_seconds=0.01)

    def answer(_: AttemptRequest) -> Outcome:
        store.calls_to_refuse = 3
        return Outcome(succeeded=True, message="ok")

    world.targets.answer = answer
    world.run(run_until_reached(world, engine))

    assert len(world.targets.sent) == 1
    assert world.job().state is JobState.COMPLETED
    assert "Nothing is claimed: the store does not answer error=The store is away." in caplog.text
    assert (
        "Items wait: the store does not answer kind=outcomes error=The store is away."
        in caplog.text
    )


def test_a_run_whose_attempt_breaks_down_is_requeued_with_a_pause(
    world: World, caplog: Any
) -> None:
    unsaid = "hush"  # by name below: a log shows the lines of code on the way
    answers = iter([ValueError(unsaid)] * 4)

    def answer(_: AttemptRequest) -> Outcome:
        for error in answers:
            raise error
        return Outcome(succeeded=True, message="ok")

    world.targets.answer = answer
    world.add_job()
    for second in range(0, 21, 5):
        world.clock.set(f"2026-01-10T00:00:{second:02}Z")
        world.step()
        world.step()

    assert [entry.status for entry in world.history()] == [AttemptStatus.COMPLETED]
    assert len({sent.tag for sent in world.targets.sent}) == 1
    assert len(world.targets.sent) == 5
    assert "ValueError" in caplog.text
    assert unsaid not in caplog.text


def test_a_run_whose_attempts_keep_breaking_down_fails(world: World) -> None:
    def answer(_: AttemptRequest) -> Outcome:
        raise ValueError

    world.targets.answer = answer
    world.add_job()
    for second in range(0, 21, 5):
        world.clock.set(f"2026-01-10T00:00:{second:02}Z")
        world.step()

    assert [entry.message for entry in world.history()] == [
        "Http Action - Request to host 'example.com' failed: UnknownError The attempt broke down "
        "inside Foliot 5 times in a row; the server's log has more."
    ]


@pytest.mark.parametrize(
    ("error", "shown"),
    [(ValueError, "ValueError"), pytest.param(StopIteration, "RuntimeError", id="StopIteration")],
)
def test_a_run_whose_attempt_cannot_begin_is_requeued(
    world: World, caplog: Any, error: type[Exception], shown: str
) -> None:
    class BrokenMeter(Meter):
        def sent(self, due: DueRun, at: Instant) -> None:
            raise error(due, at)

    world.add_job()
    world.start_engine(meter=BrokenMeter())
    world.step()
    world.start_engine()
    world.clock.set("2026-01-10T00:00:05Z")
    world.step()

    assert "Attempt broke down collection=s/g/c job=job" in caplog.text
    assert f"error={shown}" in caplog.text
    assert [entry.status for entry in world.history()] == [AttemptStatus.COMPLETED]


def test_a_run_that_could_not_be_sent_is_requeued_with_its_tag(world: World) -> None:
    answers = iter([NotSent("no descriptor is free"), Outcome(succeeded=True, message="ok")])
    world.targets.answer = lambda _: next(answers)
    world.add_job()

    world.step()
    assert world.history() == []
    world.clock.set("2026-01-10T00:00:10Z")
    world.step()

    assert [entry.status for entry in world.history()] == [AttemptStatus.COMPLETED]
    assert len({sent.tag for sent in world.targets.sent}) == 1
    assert (world.job().execution_count, world.job().failure_count) == (1, 0)


def test_unsent_runs_are_requeued_in_one_batch_and_others_wait_a_moment(
    world: World, caplog: Any
) -> None:
    writes = 0

    class CountingStore(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            nonlocal writes
            writes += 1
            return await super().write(change, **how)

    world.targets.answer = lambda _: NotSent("no descriptor is free")
    for number in range(40):
        world.add_job(f"job{number}")
    world.start_engine(CountingStore(world.store, 0), slots=20, batch=30)
    world.step()

    # One claim, one batch for each of the attempts that ended together; five still wait here.
    assert (len(world.targets.sent), writes) == (15, 2)
    assert caplog.text.count("could not be sent and are put back") == 1
    assert world.engine.load == (0, 5)

    world.targets.answer = lambda _: Outcome(succeeded=True, message="ok")
    world.clock.set("2026-01-10T00:00:01Z")
    world.step()
    assert len(world.targets.sent) == 15 + 25
    world.clock.set("2026-01-10T00:00:05Z")
    world.step()

    assert {world.job(f"job{number}").state for number in range(40)} == {JobState.COMPLETED}


def test_a_node_that_cannot_send_requeues_its_runs_and_claims_nothing(world: World) -> None:
    for number in range(9):
        world.add_job(f"job{number}")
    world.targets.are_silent = True
    away = world.start_engine(slots=4)
    world.run(away.tick())
    world.can_send = False
    world.run(away.tick())
    world.targets.are_silent = False
    before = len(world.targets.sent)
    world.add_job("new")

    world.run(away.tick())
    assert (len(world.targets.sent), away.load.waiting) == (before, 0)
    world.can_send = True
    world.start_engine()
    world.step()

    assert world.job("new").state is JobState.COMPLETED
    assert sum(world.job(f"job{number}").state is JobState.COMPLETED for number in range(9)) == 6


def test_the_loop_rests_while_nothing_can_be_sent(world: World) -> None:
    world.add_job()
    world.can_send = False
    engine = world.start_engine(poll_seconds=0.01)
    asked = 0

    def can_send() -> bool:
        nonlocal asked
        asked += 1
        world.can_send = asked > 6
        return world.can_send

    world.ask_whether_it_can_send = can_send
    world.run(run_until_reached(world, engine))

    assert len(world.targets.sent) == 1


def test_a_round_that_breaks_down_is_repeated(world: World, caplog: Any) -> None:
    class BrokenStore(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            if self.calls_to_refuse > 0:
                self.calls_to_refuse -= 1
                raise ValueError
            return await super().write(change, **how)

    world.add_job()
    engine = world.start_engine(BrokenStore(world.store, 4), longest_pause_seconds=0.01)
    world.run(run_until_reached(world, engine))

    assert world.job().state is JobState.COMPLETED
    assert (
        caplog.text.count("Background task ended and starts again task=engine error=ValueError")
        == 4
    )
    assert world.health.problems == {"engine": "keeps ending; the log says why"}


@pytest.mark.parametrize("error", [Unavailable("away"), ValueError("broken")])
def test_leases_are_renewed_again_after_any_failure(
    world: World, caplog: Any, error: Exception
) -> None:
    seen: list[object] = []

    class Refusing(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            seen.append(dict(world.health.problems))
            world.clock.at = Instant(world.clock.at + 6 * SECOND)
            if len(seen) <= 4:
                raise error
            return await super().write(change, **how)

    leases = Leases(
        Refusing(world.store, 0), world.clock, Claimant("node", lambda: "id"), seconds=0
    )
    leases.renewed_at = world.clock.now()

    async def story() -> None:
        task = asyncio.create_task(leases.keep_renewing(world.health))
        while len(seen) < 7:  # noqa: ASYNC110  (each turn of the loop is one of the task's)
            await asyncio.sleep(0)
        task.cancel()

    world.run(story())

    assert [bool(each) for each in seen] == [False, False, False, False, True, False, False]
    assert seen[4] == {"leases": "have run out and cannot be renewed"}
    assert "renew" in caplog.text.lower()


def test_a_hanging_target_does_not_keep_others_from_being_claimed(world: World) -> None:
    dead = {"type": "Http", "request": {"uri": "http://127.0.0.2/", "method": "GET"}}
    for number in range(20):
        world.add_job(f"dead{number}", action=dead)
    answer = world.targets.dispatch

    async def dispatch(request: AttemptRequest) -> Outcome:
        if request.job.startswith("dead"):
            world.targets.are_silent = True
        outcome = await answer(request)
        world.targets.are_silent = False
        return outcome

    world.targets.dispatch = dispatch
    engine = world.start_engine(slots=8, batch=4, backlog=8)

    async def look() -> None:
        for _ in range(9):
            await engine.tick()
            await asyncio.sleep(0)

    world.run(look())
    world.targets.are_silent = False
    world.clock.at = Instant(world.clock.at + 2 * SECOND)
    world.add_job("alive")
    world.run(look())

    assert "alive" in {each.job for each in world.targets.sent}
    # Stuck runs that were re-queued run later, and count once.
    counts = {world.job(f"dead{number}").execution_count for number in range(20)}
    assert counts == {1}


def test_waiting_runs_are_requeued_before_the_grace_when_the_engine_stops(world: World) -> None:
    for number in range(12):
        world.add_job(f"job-{number}")
    world.targets.are_silent = True
    engine = world.start_engine(slots=8, grace_seconds=30.0)

    async def steps() -> int:
        running = asyncio.create_task(engine.run())
        await world.targets.reached.wait()
        while engine.load.waiting == 0:  # noqa: ASYNC110  (nothing tells of it)
            await asyncio.sleep(0)
        engine.stop()
        while engine.load.waiting:  # noqa: ASYNC110  (nothing tells of it)
            await asyncio.sleep(0)
        left = await world.store.read(lambda to: to.count_due(world.clock.now(), 99))
        engine.hurry()
        await running
        return left

    assert world.run(steps()) > 0
