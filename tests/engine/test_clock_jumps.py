"""A clock that jumps, or a laptop that slept: no burst of runs, and no silence."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant, format_instant
from foliot.core.model.history import AttemptStatus
from tests.support.builders import at
from tests.support.engine_world import World, failing

BEGIN = "2026-01-10T00:00:00Z"
MINUTELY = {"frequency": "minute"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path, BEGIN) as made:
        yield made


def run_for(world: World, minutes: int) -> None:
    """Look every second, as the loop does at the latest."""
    for _ in range(minutes * 60):
        world.step()
        world.clock.at = Instant(world.clock.at + SECOND)


def times(world: World) -> list[str]:
    return [format_instant(each.expected_at)[11:16] for each in world.targets.sent]


def test_after_a_jump_forward_the_latest_runs_once_and_the_others_are_skipped(world: World) -> None:
    world.add_job(startTime=BEGIN, recurrence=MINUTELY)
    run_for(world, 2)

    world.clock.at = Instant(world.clock.at + HOUR)
    run_for(world, 2)

    assert times(world) == ["00:00", "00:01", "01:02", "01:03"]
    skipped = [each for each in world.history() if each.status is AttemptStatus.POSTPONED]
    assert [each.message.partition(", from ")[0] for each in skipped] == [
        "Http Action - Skipped: 60 occurrences for host 'example.com'"
    ]


def test_a_jump_back_repeats_no_occurrence(world: World) -> None:
    world.add_job(startTime=BEGIN, recurrence=MINUTELY)
    world.clock.at = Instant(at(BEGIN) + 90 * MINUTE)
    world.step()

    world.clock.at = Instant(world.clock.at - HOUR)
    run_for(world, 62)

    assert times(world) == ["01:30", "01:31"]


def test_after_a_jump_back_a_new_job_runs_at_once(world: World) -> None:
    world.clock.at = Instant(at(BEGIN) + 90 * MINUTE)
    world.step()
    world.clock.at = Instant(world.clock.at - HOUR)

    world.add_job()
    world.step()

    assert len(world.targets.sent) == 1


@pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["forward", "back"])
def test_a_node_keeps_its_open_attempts_through_a_jump(world: World, jump: int) -> None:
    world.add_job()
    world.targets.are_silent = True

    async def tick() -> None:
        await world.engine.tick()
        await asyncio.sleep(0)

    world.run(tick())
    world.clock.at = Instant(world.clock.at + jump)
    world.run(tick())
    world.run(tick())

    assert len(world.targets.sent) == 1


def test_a_retry_waits_for_its_time_on_the_new_clock(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(
        action={
            "type": "Http",
            "request": {"uri": "http://127.0.0.1/", "method": "GET"},
            "retryPolicy": {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 1},
        }
    )
    world.step()
    world.clock.at = Instant(world.clock.at + HOUR)

    world.step()

    assert [entry.retry_count for entry in world.history()] == [0, 1]
