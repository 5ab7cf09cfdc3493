"""An outcome that cannot be stored, though the store answers."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.engine import settle_queue
from foliot.engine.claim import Claimant
from foliot.engine.parts import Parts
from foliot.engine.requeue import RequeueQueue
from foliot.engine.settle import EndedAttempt, Settled, settle_attempts
from foliot.engine.settle_queue import SettleQueue
from foliot.ports.health import Health
from foliot.ports.metrics import NO_METER
from foliot.ports.store import Transaction
from tests.engine.test_fair_queue import due
from tests.support.api_client import ManualClock
from tests.support.builders import NOW
from tests.support.engine_world import Targets, World
from tests.support.virtual_time import run_virtually


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def test_an_outcome_that_cannot_be_stored_delays_no_other_and_its_run_repeats(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "poison", "two"):
        world.add_job(name)
    is_broken = True

    def failing(transaction: Transaction, ended: list[Any], most: int) -> Settled:
        if is_broken and any(each.due.job.name == "poison" for each in ended):
            raise ValueError
        return settle_attempts(transaction, ended, most)

    monkeypatch.setattr(settle_queue, "settle_attempts", failing)
    world.start_engine(longest_pause_seconds=0.01)
    world.step()

    assert {len(world.history(name)) for name in ("one", "two")} == {1}
    assert world.history("poison") == []
    assert world.health.problems == {
        "outcomes": "one could not be stored; its run is repeated, and the log says why"
    }

    is_broken = False
    world.clock.set("2026-01-10T00:00:05Z")
    world.step()

    assert world.job("poison").state is JobState.COMPLETED
    assert len({each.tag for each in world.targets.sent if each.job == "poison"}) == 1


def test_a_run_whose_outcome_can_never_be_stored_fails(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(transaction: Transaction, ended: list[Any], most: int) -> Settled:
        if any(each.attempt.outcome.message == "poison" for each in ended):
            raise ValueError
        return settle_attempts(transaction, ended, most)

    monkeypatch.setattr(settle_queue, "settle_attempts", failing)
    world.targets.answer = lambda _: Outcome(succeeded=True, message="poison")
    world.add_job()
    world.start_engine(longest_pause_seconds=0.01)
    for second in range(0, 21, 5):
        world.clock.set(f"2026-01-10T00:00:{second:02}Z")
        world.step()

    assert [entry.status for entry in world.history()] == [AttemptStatus.FAILED]


def test_the_problem_ends_after_a_minute_without_another_one() -> None:
    class Store:
        is_broken = True

        async def write(self, _: object, **_how: Any) -> int:
            if self.is_broken:
                raise ValueError
            return 0

    store, health, clock = Store(), Health(), ManualClock()
    seen: list[set[str]] = []

    async def steps() -> None:
        requeue = RequeueQueue(store, clock, NO_METER, lambda _: 1.0)
        claimant = Claimant("node", lambda: "id")
        parts = Parts(store, Targets(clock), clock, claimant, health)
        outcomes = SettleQueue(parts, requeue, lambda: None)
        outcome = Outcome(succeeded=True, message="ok")
        attempt = Attempt(outcome=outcome, started_at=NOW, ended_at=NOW)
        outcomes.add(EndedAttempt(due("h"), attempt))
        for seconds in (5, 50, 10):
            await asyncio.sleep(seconds)
            seen.append(set(health.problems))
            store.is_broken = False

    run_virtually(steps())

    assert seen == [{"outcomes"}, {"outcomes"}, set()]
