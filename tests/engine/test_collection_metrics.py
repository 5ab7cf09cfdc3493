"""The metrics of collections, in virtual time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.collection import Collection, Sku
from foliot.serve.metrics import Metrics
from tests.support.engine_world import KEY, OWNER, World, failing

OK = Outcome(succeeded=True, message="ok")
MINUTELY = {"frequency": "minute"}
REQUEST = {"uri": "http://a/before", "method": "GET"}
ONCE = {"type": "Http", "request": REQUEST, "retryPolicy": {"retryType": "none"}}
START = 1_768_003_200  # 2026-01-10


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def start(world: World, max_collections: int = 100) -> Metrics:
    made = Metrics(world.store, world.clock, max_collections=max_collections)
    world.start_engine(meter=made)
    return made


def shown(world: World, metrics: Metrics, name: str) -> dict[tuple[str, ...], float]:
    """Return the samples of one name by their labels, that of the collection first."""
    text = world.run(metrics.text())
    return {
        (sample.labels.pop("collection"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == f"foliot_collection_{name}"
    }


def add_collections(world: World, *names: str) -> None:
    async def add() -> None:
        for name in names:
            key = CollectionKey("s", "g", name)
            collection = Collection(key=key, sku=Sku.P20_PREMIUM)
            await world.store.write(lambda tx, it=collection: tx.add_collection(it))

    world.run(add())


def pass_time(world: World, ticks: int) -> None:
    """Let the figures of the store grow old."""
    world.clock.at = Instant(world.clock.at + ticks)


def test_runs_count_by_how_they_ended_and_attempts_beside_them(world: World) -> None:
    metrics = start(world)
    attempts = {"good": 0, "shaky": 0, "bad": 0}

    def answer(request: AttemptRequest) -> Outcome:
        attempts[request.job] += 1
        is_well = request.job == "good" or (request.job == "shaky" and attempts["shaky"] == 3)
        return replace(OK, succeeded=is_well)

    world.targets.answer = answer
    for name in attempts:
        world.add_job(name)
    world.advance_to("2026-01-10T01:00:00Z")

    assert attempts == {"good": 1, "shaky": 3, "bad": 5}
    assert shown(world, metrics, "runs_total") == {
        ("s/g/c", "succeeded"): 1,
        ("s/g/c", "recovered"): 1,
        ("s/g/c", "failed"): 1,
    }
    assert shown(world, metrics, "attempts_total") == {
        ("s/g/c", "completed"): 2,
        ("s/g/c", "failed"): 7,
    }


def test_an_error_action_is_an_attempt_and_no_run(world: World) -> None:
    metrics = start(world)
    world.targets.answer = lambda request: replace(OK, succeeded="after" in request.action.part.uri)
    error_action = {"type": "Http", "request": {"uri": "http://a/after", "method": "GET"}}
    world.add_job(action={**ONCE, "errorAction": error_action})
    world.advance_to("2026-01-10T00:01:00Z")

    runs = shown(world, metrics, "runs_total")
    assert runs["s/g/c", "failed"] == sum(runs.values()) == 1
    assert shown(world, metrics, "attempts_total") == {
        ("s/g/c", "completed"): 1,
        ("s/g/c", "failed"): 1,
    }
    assert shown(world, metrics, "last_success_timestamp_seconds") == {}


def test_lateness_is_that_of_first_attempts_and_duration_reaches_to_the_end(world: World) -> None:
    metrics = start(world)
    answers = iter([False, True])

    def answer(_: AttemptRequest) -> Outcome:
        world.clock.at = Instant(world.clock.at + 2 * SECOND)
        return replace(OK, succeeded=next(answers))

    world.targets.answer = answer
    world.add_job(startTime="2026-01-10T00:10:00Z")
    world.clock.set("2026-01-10T00:10:03Z")
    world.step()
    # The retry comes half a minute after the failure.
    world.advance_to("2026-01-10T00:20:00Z")

    assert shown(world, metrics, "lateness_seconds_count") == {("s/g/c",): 1}
    assert shown(world, metrics, "lateness_seconds_sum") == {("s/g/c",): 3}
    assert shown(world, metrics, "run_duration_seconds_count") == {("s/g/c",): 1}
    assert shown(world, metrics, "run_duration_seconds_sum") == {("s/g/c",): 3 + 2 + 30 + 2}
    buckets = shown(world, metrics, "run_duration_seconds_bucket")
    assert (buckets["s/g/c", "30.0"], buckets["s/g/c", "60.0"]) == (0, 1)


def test_jobs_are_counted_by_state(world: World) -> None:
    metrics = start(world)
    world.add_job("done")
    world.step()
    world.add_job("on", recurrence=MINUTELY)
    world.add_job("off", state="disabled", recurrence=MINUTELY)

    assert shown(world, metrics, "jobs") == {
        ("s/g/c", "enabled"): 1,
        ("s/g/c", "disabled"): 1,
        ("s/g/c", "completed"): 1,
        ("s/g/c", "faulted"): 0,
    }


def test_jobs_that_fail_are_counted_until_they_succeed(world: World) -> None:
    metrics = start(world)
    world.targets.answer = failing()
    world.add_job("one", recurrence=MINUTELY, action=ONCE)
    world.add_job("two", recurrence={"frequency": "day"}, action=ONCE)
    world.advance_to("2026-01-10T00:02:30Z")

    assert shown(world, metrics, "failing_jobs") == {("s/g/c",): 2}
    assert shown(world, metrics, "consecutive_failures") == {("s/g/c",): 3}

    world.targets.answer = lambda _: OK
    world.advance_to("2026-01-10T00:03:30Z")

    assert shown(world, metrics, "failing_jobs") == {("s/g/c",): 1}


def test_the_time_of_the_last_success_survives_a_restart(world: World) -> None:
    metrics = start(world)
    assert shown(world, metrics, "last_success_timestamp_seconds") == {}

    def answer(_: AttemptRequest) -> Outcome:
        world.clock.at = Instant(world.clock.at + 2 * SECOND)
        return OK

    world.targets.answer = answer
    world.add_job(startTime="2026-01-10T00:10:00Z", recurrence={"frequency": "day"})
    world.advance_to("2026-01-10T00:20:00Z")

    # This node knows when the run ended; another one knows for which time it was planned.
    assert shown(world, metrics, "last_success_timestamp_seconds") == {("s/g/c",): START + 602}
    assert shown(world, start(world), "last_success_timestamp_seconds") == {("s/g/c",): START + 600}


def test_collections_beyond_the_limit_are_counted_together(world: World) -> None:
    add_collections(world, "second", "third", "fourth")
    metrics = start(world, max_collections=2)

    async def jobs() -> None:
        for name in ("second", "third", "fourth"):
            await world.save_job_in(CollectionKey("s", "g", name), "job")

    world.add_job()
    world.run(jobs())
    world.run(metrics.text())
    world.step()
    pass_time(world, MINUTE)

    runs = shown(world, metrics, "runs_total")
    assert {name: runs[name, "succeeded"] for name, _ in runs} == {
        "s/g/c": 1,
        "s/g/second": 1,
        "other": 2,
    }
    done = shown(world, metrics, "jobs")
    assert {name: done[name, "completed"] for name, _ in done} == {
        "s/g/c": 1,
        "s/g/second": 1,
        "other": 2,
    }


def test_a_deleted_collection_makes_room_for_the_next_one(world: World) -> None:
    add_collections(world, "second")
    metrics = start(world, max_collections=1)
    assert {name for name, _ in shown(world, metrics, "runs_total")} == {"s/g/c"}

    world.run(world.use_cases.collections.delete_collection(OWNER, KEY))
    pass_time(world, MINUTE)

    assert {name for name, _ in shown(world, metrics, "runs_total")} == {"s/g/second"}


def test_figures_of_the_store_are_read_once_in_ten_seconds(world: World) -> None:
    metrics = start(world)
    world.run(metrics.text())
    world.add_job("new", startTime="2026-02-01")

    pass_time(world, 9 * SECOND)
    assert shown(world, metrics, "jobs") == {}

    pass_time(world, SECOND)
    assert shown(world, metrics, "jobs")["s/g/c", "enabled"] == 1
