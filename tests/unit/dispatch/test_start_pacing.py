"""Transfers begin at a pace: each for one that has ended, and some in every period."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from foliot.dispatch.http.start_pacing import PERIOD_SECONDS, STARTS_PER_PERIOD, StartPacing
from tests.support.virtual_time import run_virtually

Steps = Callable[[StartPacing], Awaitable[None]]


class Burst:
    """Transfers that want to begin at once; each ends when it is told to."""

    def __init__(self, pacing: StartPacing, count: int) -> None:
        self._pacing = pacing
        self.begun: list[int] = []
        self.tasks = [asyncio.create_task(self._begin(number)) for number in range(count)]

    async def _begin(self, number: int) -> None:
        await self._pacing.begin()
        self.begun.append(number)

    async def end(self, count: int) -> None:
        for _ in range(count):
            self._pacing.end()
        await turns()


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def run(steps: Steps) -> None:
    async def within_a_loop() -> None:
        await steps(StartPacing(asyncio.get_running_loop()))

    run_virtually(within_a_loop())


def test_a_few_transfers_begin_at_once() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, STARTS_PER_PERIOD)
        await turns()

        assert len(burst.begun) == STARTS_PER_PERIOD

    run(steps)


def test_in_a_burst_transfers_begin_in_order_as_others_end() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, STARTS_PER_PERIOD + 20)
        await turns()
        assert len(burst.begun) == STARTS_PER_PERIOD

        await burst.end(5)

        assert burst.begun == [*range(STARTS_PER_PERIOD + 5)]

    run(steps)


@pytest.mark.parametrize("ended", [0, 10, STARTS_PER_PERIOD + 10], ids="ended {}".format)
def test_a_period_begins_those_that_ended_but_never_too_few(ended: int) -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, 5 * STARTS_PER_PERIOD)
        await turns()

        await burst.end(ended)
        await asyncio.sleep(PERIOD_SECONDS)
        await turns()

        assert len(burst.begun) == STARTS_PER_PERIOD + max(ended, STARTS_PER_PERIOD)

    run(steps)


def test_targets_that_never_answer_get_all_transfers_within_some_periods() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, 8 * STARTS_PER_PERIOD)

        await asyncio.sleep(7 * PERIOD_SECONDS)
        await turns()

        assert len(burst.begun) == 8 * STARTS_PER_PERIOD

    run(steps)


def test_many_slots_are_in_use_as_soon_as_few() -> None:
    async def steps() -> None:
        pacing = StartPacing(asyncio.get_running_loop(), slots=10_000)
        burst = Burst(pacing, 10_000)

        await asyncio.sleep(7 * PERIOD_SECONDS)
        await turns()

        assert len(burst.begun) == 10_000

    run_virtually(steps())


def test_when_it_is_closed_nothing_waits_any_more() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, 5 * STARTS_PER_PERIOD)
        await turns()

        pacing.close()
        await turns()

        assert len(burst.begun) == 5 * STARTS_PER_PERIOD

    run(steps)


def test_a_single_transfer_does_not_wait_for_those_that_hang() -> None:
    async def steps(pacing: StartPacing) -> None:
        Burst(pacing, STARTS_PER_PERIOD)
        await asyncio.sleep(PERIOD_SECONDS)

        late = Burst(pacing, 1)
        await turns()

        assert late.begun == [0]

    run(steps)


def test_a_transfer_that_is_cancelled_while_it_waits_takes_no_place() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, STARTS_PER_PERIOD + 2)
        await turns()

        burst.tasks[-2].cancel()
        await turns()
        await burst.end(1)

        assert burst.begun[-1] == STARTS_PER_PERIOD + 1

    run(steps)


def test_a_transfer_that_is_cancelled_when_it_may_begin_gives_its_place_to_the_next() -> None:
    async def steps(pacing: StartPacing) -> None:
        burst = Burst(pacing, STARTS_PER_PERIOD + 2)
        await turns()

        pacing.end()
        burst.tasks[-2].cancel()
        await turns()

        assert burst.begun[-1] == STARTS_PER_PERIOD + 1

    run(steps)
