"""Attempts that take too long are cancelled; all others end as they would."""

import asyncio

import pytest

from foliot.dispatch.time_limit import TimeLimit

NEVER = 3600.0


async def _forever() -> None:
    await asyncio.Event().wait()


def test_an_attempt_that_takes_too_long_raises_a_timeout() -> None:
    async def run() -> None:
        limit = TimeLimit(seconds_between_looks=0)
        with pytest.raises(TimeoutError):
            await limit.wait_for(_forever(), 0)
        # The task itself goes on: it was asked to end once, and that is over.
        await asyncio.sleep(0)

    asyncio.run(run())


def test_an_attempt_in_time_has_its_result_or_its_own_error() -> None:
    async def fails() -> None:
        raise ValueError("own")

    async def run() -> str:
        limit = TimeLimit(seconds_between_looks=0)
        with pytest.raises(ValueError, match="own"):
            await limit.wait_for(fails(), NEVER)
        return await limit.wait_for(asyncio.sleep(0, "done"), NEVER)

    assert asyncio.run(run()) == "done"


def test_an_attempt_that_somebody_else_cancels_is_cancelled() -> None:
    async def run() -> None:
        limit = TimeLimit()
        task = asyncio.create_task(limit.wait_for(_forever(), NEVER))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_a_cancellation_is_not_hidden_by_a_timeout_at_the_same_time() -> None:
    async def run() -> None:
        limit = TimeLimit(seconds_between_looks=0)
        task = asyncio.create_task(limit.wait_for(_forever(), 0))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_only_attempts_that_are_overdue_are_cancelled() -> None:
    async def run() -> None:
        limit = TimeLimit(seconds_between_looks=0)
        patient = asyncio.create_task(limit.wait_for(_forever(), NEVER))
        with pytest.raises(TimeoutError):
            await limit.wait_for(_forever(), 0)
        assert not patient.done()
        patient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await patient

    asyncio.run(run())
