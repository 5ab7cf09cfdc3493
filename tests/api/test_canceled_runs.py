"""Cancellations over the API: a run in whichever state, here or on another node."""

import asyncio
from typing import Any

import pytest

from foliot.core.instant import HOUR, MINUTE, SECOND
from foliot.core.model.run import Run
from tests.support.engine_world import failing
from tests.support.served_engine import ServedEngine

BEGIN = "2026-01-10T00:00:00Z"
HOURLY: dict[str, Any] = {"frequency": "hour"}
MINUTELY: dict[str, Any] = {"frequency": "minute"}
REQUEST: dict[str, Any] = {"type": "Http", "request": {"uri": "http://a.test/", "method": "GET"}}
NO_RETRY = {"retryPolicy": {"retryType": "none"}}
RETRY = {"retryPolicy": {"retryInterval": "PT1H", "retryCount": 1}}


def open_runs(served: ServedEngine) -> list[Run]:
    client, job = served.client, served.client.job()
    return client.run(client.store.read(lambda view: view.runs(job.id)))


def cancel_first(served: ServedEngine) -> int:
    """Cancel the oldest open run by its tag; return the status."""
    return served.post(f"runs/{open_runs(served)[0].tag}/cancel").status


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_an_attempt_in_progress_is_aborted_and_not_retried(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    served.targets.gate = asyncio.Event()
    served.begin()
    assert served.engine.load.in_flight == 1

    assert cancel_first(served) == 200
    served.client.run(_settle())

    assert served.engine.load.in_flight == 0
    served.targets.gate.set()
    served.advance_to("2026-01-10T00:59:00Z")
    assert len(served.targets.sent) == 1
    (run,) = served.runs()
    assert (run["outcome"], run["trigger"]) == ("canceled", "schedule")


def test_an_outcome_that_comes_after_the_cancellation_changes_nothing(
    served: ServedEngine,
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    other = served.another_engine()
    served.targets.gate = asyncio.Event()
    served.begin(other)
    cancel_first(served)
    before = served.client.job()

    async def end() -> None:
        assert served.targets.gate is not None
        served.targets.gate.set()
        await other.drain()

    served.client.run(end())

    assert [run["outcome"] for run in served.runs()] == ["canceled"]
    assert served.client.job() == before


def test_another_node_aborts_the_attempt_when_it_looks(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    other = served.another_engine()
    served.targets.gate = asyncio.Event()
    served.begin(other)
    cancel_first(served)
    assert other.load.in_flight == 1

    async def look() -> None:
        await other.abort_lost_runs()
        await _settle()

    served.client.run(look())

    assert other.load.in_flight == 0


def test_a_look_for_canceled_runs_aborts_no_other_attempt(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.targets.gate = asyncio.Event()
    served.begin()
    served.post("run")
    served.begin()

    async def look() -> None:
        await served.engine.abort_lost_runs()
        await _settle()

    served.client.run(look())
    assert served.engine.load.in_flight == 2
    served.targets.gate.set()
    served.step()

    assert [run["outcome"] for run in served.runs()] == ["succeeded"] * 2


def test_a_run_that_waits_for_its_retry_ends(served: ServedEngine) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence={**HOURLY, "interval": 5}, action={**REQUEST, **RETRY})
    served.step()

    assert cancel_first(served) == 200
    served.advance_to("2026-01-10T02:00:00Z")

    assert len(served.targets.sent) == 1
    (run,) = served.runs()
    assert (run["outcome"], len(run["attempts"])) == ("canceled", 1)
    job = served.client.job()
    assert (job.execution_count, job.failure_count, job.faulted_count) == (1, 1, 0)
    assert (job.consecutive_failures, job.last_outcome) == (0, "canceled")


def test_a_run_that_waits_its_turn_ends_and_the_others_keep_their_order(
    served: ServedEngine,
) -> None:
    served.targets.gate = asyncio.Event()
    served.put(startTime=BEGIN, recurrence=MINUTELY, policy={"overlap": "queue"})
    for _ in range(3):
        served.begin()
        served.move(MINUTE)
    first, second, third = open_runs(served)

    assert served.post(f"runs/{second.tag}/cancel").status == 200
    assert open_runs(served) == [first, third]
    served.targets.gate.set()
    served.step()

    tags = [each.tag for each in served.targets.sent]
    assert tags[:2] == [first.tag, third.tag]


def test_the_next_run_begins_when_the_one_before_it_is_canceled(served: ServedEngine) -> None:
    served.targets.gate = asyncio.Event()
    served.put(startTime=BEGIN, recurrence=HOURLY, policy={"overlap": "queue"})
    served.begin()
    served.post("run")
    served.begin()
    assert len(served.targets.sent) == 1

    cancel_first(served)
    served.begin()

    assert len(served.targets.sent) == 2
    assert [run.trigger.value for run in open_runs(served)] == ["manual"]


def test_a_run_at_its_error_action_has_failed_and_only_that_is_canceled(
    served: ServedEngine,
) -> None:
    served.targets.answer = failing()
    action = {**REQUEST, **NO_RETRY, "errorAction": {**REQUEST, **RETRY}}
    served.put(startTime=BEGIN, recurrence=HOURLY, action=action)
    served.step()

    assert cancel_first(served) == 200
    served.advance_to("2026-01-10T00:59:00Z")

    assert len(served.targets.sent) == 2
    assert [run["outcome"] for run in served.runs()] == ["failed"]
    job = served.client.job()
    assert (job.faulted_count, job.consecutive_failures, job.last_outcome) == (1, 1, "failed")
    lines = served.occurrences("from=2026-01-10T00:00:00Z&to=2026-01-10T01:00:00Z")
    assert lines == ["01-10T00:00 failed"]


@pytest.mark.parametrize(
    ("calendar", "runs"),
    [({"startTime": BEGIN}, 1), ({"startTime": BEGIN, "recurrence": {**MINUTELY, "count": 3}}, 3)],
    ids=["once", "count"],
)
def test_a_job_whose_last_open_run_is_canceled_ends(
    served: ServedEngine, calendar: dict[str, Any], runs: int
) -> None:
    served.targets.answer = failing()
    served.put(**calendar, action={**REQUEST, **RETRY})
    served.advance_to("2026-01-10T00:02:30Z")
    assert len(open_runs(served)) == runs

    assert served.post("runs/cancel").json == {"canceled": runs}

    job = served.client.job()
    assert (job.state, job.ended_at, job.next_at) == ("faulted", served.client.clock.at, None)
    assert open_runs(served) == []


def test_a_job_that_goes_on_is_not_ended_by_a_cancellation(served: ServedEngine) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    served.step()
    served.post("runs/cancel")
    served.move(HOUR)
    served.step()

    assert served.client.job().state == "enabled"
    assert len(served.targets.sent) == 2


def test_a_canceled_run_of_a_disabled_job_leaves_it_disabled(served: ServedEngine) -> None:
    served.targets.answer = failing()
    body: dict[str, Any] = {"startTime": BEGIN, "action": {**REQUEST, **RETRY}}
    served.put(**body)
    served.step()
    served.put(**body, state="disabled")

    assert served.post("runs/cancel").json == {"canceled": 1}

    assert served.client.job().state == "disabled"


def test_only_those_that_wait_are_canceled_if_asked(served: ServedEngine) -> None:
    served.targets.gate = asyncio.Event()
    served.put(startTime=BEGIN, recurrence=MINUTELY, policy={"overlap": "queue"})
    for _ in range(3):
        served.begin()
        served.move(MINUTE)
    running = open_runs(served)[0]

    assert served.post("runs/cancel", query="outcome=waiting").json == {"canceled": 2}

    assert open_runs(served) == [running]
    assert served.engine.load.in_flight == 1


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("trigger=manual", ["schedule"]),
        ("trigger=schedule", ["manual"]),
        ("trigger=redrive", ["schedule", "manual"]),
        ("trigger=MANUAL&outcome=WAITING", ["schedule"]),
        ("", []),
    ],
)
def test_runs_of_a_trigger_are_canceled(served: ServedEngine, query: str, left: list[str]) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    served.step()
    served.post("run")
    served.step()

    reply = served.post("runs/cancel", query=query)

    assert reply.json == {"canceled": 2 - len(left)}
    assert [run.trigger.value for run in open_runs(served)] == left


def test_a_run_that_has_ended_or_never_was_is_not_found(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.step()
    (run,) = served.runs()

    for tag in (run["tag"], "nobody", "%20", "a%2Fb"):
        assert served.post(f"runs/{tag}/cancel").status == 404
    assert served.post("runs/cancel").json == {"canceled": 0}


def test_a_canceled_run_is_found_once(served: ServedEngine) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    served.step()
    tag = open_runs(served)[0].tag

    assert served.post(f"runs/{tag}/cancel").status == 200
    assert served.post(f"runs/{tag}/cancel").status == 404


def test_a_canceled_run_counts_towards_the_count_and_is_not_repeated_by_a_redrive(
    served: ServedEngine,
) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence={**HOURLY, "count": 2}, action={**REQUEST, **RETRY})
    served.step()
    served.post("runs/cancel")
    served.move(SECOND)

    body = {"from": BEGIN, "to": "2026-01-10T00:00:01Z"}
    assert served.post("redrive", body).json["planned"] == 0
    assert served.post("backfill", body).json["planned"] == 1
    assert served.client.job().occurrence == 1


def test_a_run_that_waits_for_a_slot_is_forgotten(served: ServedEngine) -> None:
    served.targets.gate = asyncio.Event()
    served.put(startTime=BEGIN, recurrence=HOURLY)
    # The last slot is reserved for other hosts.
    engine = served.another_engine(slots=4, slots_per_host=1)
    served.serve(engine)
    for _ in range(3):
        served.post("run")
    served.begin()
    assert (engine.load.in_flight, engine.load.waiting) == (3, 1)
    sent = {each.tag for each in served.targets.sent}
    (held,) = [run for run in open_runs(served) if run.tag not in sent]

    assert served.post(f"runs/{held.tag}/cancel").status == 200
    assert (engine.load.in_flight, engine.load.waiting) == (3, 0)
    served.targets.gate.set()
    served.step()

    assert held.tag not in [each.tag for each in served.targets.sent]
    assert open_runs(served) == []


def test_a_job_is_paused_when_the_error_action_of_its_last_failure_is_canceled(
    served: ServedEngine,
) -> None:
    served.targets.answer = failing()
    action = {**REQUEST, **NO_RETRY, "errorAction": {**REQUEST, **RETRY}}
    served.put(startTime=BEGIN, recurrence=HOURLY, action=action, policy={"pauseAfter": 1})
    served.step()

    assert cancel_first(served) == 200

    assert served.client.job().state == "disabled"
