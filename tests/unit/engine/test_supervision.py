"""Background tasks are restarted, and health reports one that keeps ending."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NoReturn

import pytest

from foliot.core.errors import Unavailable
from foliot.engine.supervision import Restarts, keep_running, supervised
from foliot.ports.health import Health
from tests.support.virtual_time import run_virtually

UNSAID = "hush"


class Work:
    """A task that ends in some way so many times, then goes on."""

    def __init__(self, end: Callable[[], Awaitable[None]], times: int) -> None:
        self._end = end
        self._times = times
        self.begun_at: list[float] = []

    async def __call__(self) -> None:
        self.begun_at.append(asyncio.get_running_loop().time())
        if len(self.begun_at) <= self._times:
            await self._end()
        else:
            await asyncio.Event().wait()


async def return_() -> None:
    """End without a word."""


async def break_down() -> NoReturn:
    raise ValueError(UNSAID)


async def refuse() -> NoReturn:
    raise Unavailable("The store is away.")


async def touch_what_was_cancelled() -> None:
    task = asyncio.create_task(asyncio.sleep(1))
    task.cancel()
    await task


@pytest.mark.parametrize(
    ("end", "logged"),
    [
        (return_, "it returned"),
        (break_down, "ValueError"),
        (refuse, "The store is away."),
        (touch_what_was_cancelled, "something it waited for was cancelled"),
    ],
)
def test_a_task_that_ends_is_logged_and_restarted(
    end: Callable[[], Awaitable[None]], logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    work, health = Work(end, 2), Health()

    async def steps() -> None:
        async with supervised("janitor", work, health):
            await asyncio.sleep(10)

    run_virtually(steps())

    assert work.begun_at == pytest.approx([0, 0.2, 0.6])
    assert caplog.text.count("Background task ended and starts again task=janitor") == 2
    assert logged in caplog.text
    assert UNSAID not in caplog.text
    assert health.problems == {}


def test_a_task_that_keeps_ending_is_a_problem_until_it_runs_steadily() -> None:
    work, health = Work(break_down, 5), Health()

    async def steps() -> list[bool]:
        seen: list[bool] = []
        async with supervised("janitor", work, health):
            for seconds in (0.5, 1, 10, 70):
                await asyncio.sleep(seconds)
                seen.append("janitor" in health.problems)
        return seen

    assert run_virtually(steps()) == [False, True, True, False]


def test_pauses_grow_to_a_limit() -> None:
    restarts = Restarts(longest_pause_seconds=5)

    assert [restarts.pause(ends) for ends in (1, 2, 3, 10_000)] == [0.2, 0.4, 0.8, 5]


def test_a_task_that_ends_when_it_is_over_is_not_restarted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    is_over = False

    async def work() -> None:
        nonlocal is_over
        is_over = True

    run_virtually(keep_running("engine", work, Health(), is_over=lambda: is_over))

    assert caplog.text == ""


def test_a_task_that_is_cancelled_ends() -> None:
    async def steps() -> bool:
        work = Work(return_, 0)
        task = asyncio.create_task(keep_running("engine", work, Health()))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert run_virtually(steps())
