"""The metrics of the engine, in virtual time."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from foliot.core.errors import Unavailable
from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.run import Phase, planned_at
from foliot.ports.store import Transaction
from foliot.serve.metrics import Metrics
from tests.engine.test_loop import AbsentStore, Result
from tests.support.builders import NOW, a_collection, a_job, a_run
from tests.support.engine_world import KEY, OWNER, World, failing

MINUTELY = {"frequency": "minute"}
OK = Outcome(succeeded=True, message="ok")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


@pytest.fixture
def metrics(world: World) -> Metrics:
    made = Metrics(world.store, world.clock)
    made.watch(lambda: world.engine.load)
    world.start_engine(meter=made)
    return made


def shown(world: World, metrics: Metrics, name: str, **labels: str) -> float:
    """Return one figure, as a scraper reads it."""
    text = world.run(metrics.text())
    (found,) = [
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if (sample.name, sample.labels) == (name, labels)
    ]
    return found


def test_lateness_is_from_the_planned_time_to_the_sending(world: World, metrics: Metrics) -> None:
    world.add_job(startTime="2026-01-10T01:00:00Z")
    world.clock.set("2026-01-10T01:00:02Z")
    world.step()

    def lateness(part: str, **labels: str) -> float:
        name = f"foliot_attempt_lateness_seconds_{part}"
        return shown(world, metrics, name, action="Http", **labels)

    assert lateness("count") == 1
    assert lateness("sum") == 2
    assert lateness("bucket", le="1.0") == 0
    assert lateness("bucket", le="2.5") == lateness("bucket", le="+Inf") == 1


def test_a_bound_is_part_of_its_bucket(world: World, metrics: Metrics) -> None:
    world.add_job(startTime="2026-01-10T01:00:00Z")
    world.clock.set("2026-01-10T01:00:01Z")
    world.step()

    name = "foliot_attempt_lateness_seconds_bucket"
    assert shown(world, metrics, name, action="Http", le="1.0") == 1
    assert shown(world, metrics, name, action="Http", le="0.5") == 0


def test_durations_and_outcomes_are_counted_by_action(world: World, metrics: Metrics) -> None:
    def answer(request: AttemptRequest) -> Outcome:
        world.clock.at = Instant(world.clock.at + 3 * SECOND)
        return replace(OK, succeeded=request.job == "good")

    world.targets.answer = answer
    world.add_job("good")
    world.step()
    world.add_job("bad")
    world.advance_to("2026-01-10T01:00:00Z")

    def counted(outcome: str) -> float:
        return shown(world, metrics, "foliot_attempts_total", action="Http", outcome=outcome)

    assert (counted("completed"), counted("failed")) == (1, 5)
    took = "foliot_attempt_duration_seconds_sum"
    assert shown(world, metrics, took, action="Http", outcome="completed") == 3
    assert shown(world, metrics, took, action="Http", outcome="failed") == 15
    assert shown(world, metrics, "foliot_attempts_recorded_total") == 6
    assert shown(world, metrics, "foliot_recording_batches_total") >= 6


def test_a_punctual_retry_is_not_late(world: World, metrics: Metrics) -> None:
    world.targets.answer = failing()
    world.add_job()
    world.advance_to("2026-01-10T01:00:00Z")

    assert shown(world, metrics, "foliot_attempt_lateness_seconds_count", action="Http") == 5
    assert shown(world, metrics, "foliot_attempt_lateness_seconds_sum", action="Http") == 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, NOW),
        ({"due_at": Instant(NOW + 5)}, NOW),
        ({"due_at": Instant(NOW + 5), "attempt": 2}, NOW + 5),
        ({"due_at": Instant(NOW + 5), "phase": Phase.ERROR}, NOW + 5),
    ],
    ids=["first", "first, re-queued", "retry", "error action"],
)
def test_an_attempt_is_planned_for_its_occurrence_or_its_retry(
    fields: dict[str, Any], expected: int
) -> None:
    assert planned_at(a_run(a_job(a_collection().id), **fields)) == expected


def test_a_clock_that_is_set_back_takes_nothing_away(world: World, metrics: Metrics) -> None:
    def answer(_: AttemptRequest) -> Outcome:
        world.clock.at = Instant(world.clock.at - 3 * SECOND)
        return OK

    world.targets.answer = answer
    world.add_job()
    world.step()

    took = "foliot_attempt_duration_seconds_sum"
    assert shown(world, metrics, took, action="Http", outcome="completed") == 0


def test_running_and_waiting_runs_are_counted(world: World, metrics: Metrics) -> None:
    world.start_engine(meter=metrics, slots=4)
    world.targets.are_silent = True
    for number in range(7):
        world.add_job(f"job{number}")
    assert shown(world, metrics, "foliot_due_backlog") == 7

    world.run(world.engine.tick())

    # One slot is kept for other destinations; more than that many are not claimed.
    assert shown(world, metrics, "foliot_attempts_in_flight") == 3
    assert shown(world, metrics, "foliot_attempts_waiting") == 1
    assert shown(world, metrics, "foliot_due_backlog") == 3
    world.kill_engine()


def test_runs_whose_lease_has_run_out_are_a_backlog(world: World, metrics: Metrics) -> None:
    world.targets.are_silent = True
    world.add_job()
    world.run(world.engine.tick())
    world.kill_engine()

    world.clock.set("2026-01-10T00:00:16Z")

    assert shown(world, metrics, "foliot_due_backlog") == 1


def test_skipped_occurrences_are_counted(world: World, metrics: Metrics) -> None:
    world.add_job(recurrence=MINUTELY)
    world.step()
    world.clock.set("2026-01-10T01:00:30Z")
    world.step()

    assert shown(world, metrics, "foliot_occurrences_skipped_total") == 59


def test_skipped_occurrences_of_a_claim_that_fails_are_counted_once(
    world: World, metrics: Metrics
) -> None:
    class FullDisk(AbsentStore):
        async def write(self, change: Callable[[Transaction], Result], **how: Any) -> Result:
            def then_fail(transaction: Transaction) -> Result:
                change(transaction)
                raise Unavailable("The disk is full.")

            if self.calls_to_refuse > 0:
                self.calls_to_refuse -= 1
                return await self._store.write(then_fail, **how)
            return await self._store.write(change, **how)

    world.add_job(recurrence=MINUTELY)
    world.step()
    world.clock.set("2026-01-10T01:00:30Z")
    world.start_engine(FullDisk(world.store, 1), meter=metrics)
    with pytest.raises(Unavailable):
        world.step()
    # PostgreSQL scans again every ten seconds what an earlier scan has passed.
    world.clock.set("2026-01-10T01:00:45Z")
    world.step()

    assert shown(world, metrics, "foliot_occurrences_skipped_total") == 59


def test_an_attempt_that_outlived_its_lease_is_lost(world: World, metrics: Metrics) -> None:
    world.add_job()

    async def story() -> None:
        await world.engine.tick()
        await world.use_cases.jobs.delete_job(OWNER, KEY, "job")
        await world.engine.drain()

    world.run(story())

    assert shown(world, metrics, "foliot_attempts_lost_total") == 1
    assert shown(world, metrics, "foliot_attempts_recorded_total") == 0


def test_runs_that_could_not_be_sent_are_counted(world: World, metrics: Metrics) -> None:
    world.targets.answer = lambda _: NotSent("no descriptor is free")
    for number in range(3):
        world.add_job(f"job{number}")
    world.step()

    assert shown(world, metrics, "foliot_attempts_put_back_total") == 3


def test_the_time_of_the_last_round_is_shown(world: World, metrics: Metrics) -> None:
    async def story() -> None:
        running = asyncio.create_task(world.engine.run())
        async with asyncio.timeout(30):
            await world.targets.reached.wait()
            world.engine.stop()
            await running

    world.add_job()
    world.run(story())

    last_round = shown(world, metrics, "foliot_engine_last_round_timestamp_seconds")
    assert last_round == 1_768_003_200  # 2026-01-10
