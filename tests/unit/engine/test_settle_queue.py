"""Outcomes wait for the next claim unless an occurrence of their job is due before it."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import Attempt, Outcome
from foliot.engine.claim import Claimant
from foliot.engine.parts import Parts
from foliot.engine.requeue import RequeueQueue
from foliot.engine.settle import EndedAttempt, Settled
from foliot.engine.settle_queue import SettleQueue
from foliot.ports.health import Health
from foliot.ports.metrics import NO_METER
from tests.engine.test_fair_queue import due
from tests.support.api_client import ManualClock
from tests.support.builders import NOW
from tests.support.engine_world import Targets
from tests.support.virtual_time import run_virtually

_ATTEMPT = Attempt(outcome=Outcome(succeeded=True, message="ok"), started_at=NOW, ended_at=NOW)


class _Store:
    """Tells whether outcomes may wait; stores none."""

    def __init__(self) -> None:
        self.can_wait: list[bool] = []

    async def write(self, _: object, *, can_wait: bool) -> Settled:
        self.can_wait.append(can_wait)
        return Settled([], 0, [], 0, is_more_due=False)


def _ended(host: str, next_at: Instant | None) -> EndedAttempt:
    of = due(host)
    return EndedAttempt(replace(of, job=replace(of.job, next_at=next_at)), _ATTEMPT)


@pytest.mark.parametrize(
    ("next_times", "can_wait"),
    [
        pytest.param([None], True, id="the last occurrence"),
        pytest.param([Instant(NOW + 60 * SECOND)], True, id="due in a minute"),
        pytest.param([Instant(NOW + SECOND // 20)], False, id="due in 50 ms"),
        pytest.param([Instant(NOW - SECOND)], False, id="due already"),
        pytest.param([None, Instant(NOW)], False, id="one of two"),
        pytest.param([None] * 9, False, id="many"),
    ],
)
def test_outcomes_wait_unless_there_are_many_or_the_next_occurrence_is_due(
    next_times: list[Instant | None], *, can_wait: bool
) -> None:
    store: Any = _Store()

    async def steps() -> None:
        clock = ManualClock()
        clock.at = NOW
        requeue = RequeueQueue(store, clock, NO_METER, lambda _: 1.0)
        parts = Parts(store, Targets(clock), clock, Claimant("node", lambda: "id"), Health())
        outcomes = SettleQueue(parts, requeue, lambda: None)
        for number, next_at in enumerate(next_times):
            outcomes.add(_ended(str(number), next_at))
        await asyncio.sleep(1)

    run_virtually(steps())

    assert store.can_wait == [can_wait]
