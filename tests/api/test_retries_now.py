"""Retries at once over the API: a run that waits for its retry need not wait until it is due."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import pytest

from foliot.core.instant import MINUTE, SECOND
from foliot.core.model.run import Run
from foliot.core.model.token import Role
from tests.support.engine_world import failing
from tests.support.served_engine import OWN, ServedEngine

BEGIN = "2026-01-10T00:00:00Z"
REQUEST: dict[str, Any] = {"type": "Http", "request": {"uri": "http://a.test/", "method": "GET"}}
RETRY = {"retryPolicy": {"retryInterval": "PT1H", "retryCount": 2}}
DAILY: dict[str, Any] = {"startTime": BEGIN, "recurrence": {"frequency": "day"}}
MINUTELY: dict[str, Any] = {"startTime": BEGIN, "recurrence": {"frequency": "minute"}}


def open_runs(served: ServedEngine) -> list[Run]:
    client, job = served.client, served.client.job()
    return client.run(client.store.read(lambda view: view.runs(job.id)))


def retry(served: ServedEngine, run: Run, **query: str) -> Any:
    return served.post(f"runs/{run.tag}/retry", query=urlencode(query))


@pytest.fixture
def waiting(served: ServedEngine) -> ServedEngine:
    """Return an engine whose job has a run that failed, and waits an hour for its retry."""
    served.targets.answer = failing()
    served.put(**DAILY, action={**REQUEST, **RETRY})
    served.step()
    served.move(MINUTE)
    return served


def test_a_run_that_waits_for_its_retry_is_retried_at_once(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)

    reply = retry(waiting, run)
    waiting.step()

    assert (reply.status, reply.json) == (200, {"begins": "now"})
    assert [each.tag for each in waiting.targets.sent] == [run.tag, run.tag]
    (again,) = open_runs(waiting)
    assert (again.id, again.attempt, again.tag) == (run.id, run.attempt + 1, run.tag)
    job = waiting.client.job()
    assert (job.execution_count, job.failure_count, job.faulted_count) == (1, 2, 0)


def next_attempt(waiting: ServedEngine) -> str:
    """Return when the next attempt of the only open run is due, as the list of runs has it."""
    (run,) = waiting.runs()
    return str(run["nextAttemptTime"])


def test_a_retry_that_is_sent_twice_is_made_once(waiting: ServedEngine) -> None:
    (run,), seen = open_runs(waiting), next_attempt(waiting)
    assert retry(waiting, run, due=seen).status == 200
    waiting.step()

    again = retry(waiting, run, due=seen)

    assert again.status == 409
    told = again.json["error"]["message"]
    assert "was retried in the meantime: its next attempt is due at 2026-01-10T01:01:00Z" in told
    assert len(waiting.targets.sent) == 2


def test_a_retry_of_the_action_is_not_one_of_the_error_action(served: ServedEngine) -> None:
    served.targets.answer = failing()
    once = {"retryPolicy": {"retryInterval": "PT1H", "retryCount": 1}}
    served.put(**DAILY, action={**REQUEST, **once, "errorAction": {**REQUEST, **once}})
    served.step()
    (run,), seen = open_runs(served), next_attempt(served)
    served.move(MINUTE)
    retry(served, run, due=seen)
    served.step()
    sent = len(served.targets.sent)
    assert open_runs(served)[0].attempt == 2

    assert retry(served, run, due=seen).status == 409
    served.step()

    assert len(served.targets.sent) == sent


@pytest.mark.parametrize("value", ["", "0", "two", "2026-13-01T00:00:00Z"])
def test_a_time_of_the_next_attempt_that_is_none_is_refused(
    waiting: ServedEngine, value: str
) -> None:
    (run,) = open_runs(waiting)

    reply = retry(waiting, run, due=value)

    assert reply.status == 400
    assert "due" in reply.json["error"]["message"]
    assert open_runs(waiting) == [run]


def test_a_run_that_is_due_already_stays_as_it_is(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)
    retry(waiting, run)
    (due,) = open_runs(waiting)
    waiting.move(SECOND)

    assert retry(waiting, run).json == {"begins": "now"}
    assert open_runs(waiting) == [due]
    entries = waiting.client.get("/audit", query=f"{OWN}&action=retried").json["value"]
    assert len(entries) == 1


def test_a_retry_at_once_does_not_wait_for_a_clock_that_was_set_back(
    waiting: ServedEngine,
) -> None:
    waiting.move(-2 * MINUTE)
    retry(waiting, open_runs(waiting)[0])

    waiting.step()

    assert len(waiting.targets.sent) == 2


def test_the_last_retry_at_once_ends_the_run(waiting: ServedEngine) -> None:
    for _ in range(2):
        retry(waiting, open_runs(waiting)[0])
        waiting.step()

    assert open_runs(waiting) == []
    (run,) = waiting.runs()
    assert (run["outcome"], len(run["attempts"])) == ("failed", 3)


def test_an_attempt_in_progress_is_not_retried(waiting: ServedEngine) -> None:
    waiting.targets.gate = asyncio.Event()
    (run,) = open_runs(waiting)
    retry(waiting, run)
    waiting.begin()

    reply = retry(waiting, run)

    assert reply.status == 409
    assert "an attempt of it is in progress" in reply.json["error"]["message"]
    assert open_runs(waiting)[0].lease is not None
    waiting.targets.gate.set()
    waiting.step()


def test_a_run_that_waits_its_turn_is_not_retried(served: ServedEngine) -> None:
    served.targets.gate = asyncio.Event()
    served.put(**MINUTELY, policy={"overlap": "queue"})
    for _ in range(2):
        served.begin()
        served.move(MINUTE)
    _, behind = open_runs(served)

    reply = retry(served, behind)

    assert reply.status == 409
    assert "it waits for another run of the job to end" in reply.json["error"]["message"]
    assert open_runs(served)[1] == behind
    served.targets.gate.set()
    served.step()


def test_a_run_without_an_attempt_is_not_retried(served: ServedEngine) -> None:
    served.put(**DAILY)
    served.step()
    served.put(**DAILY, state="disabled")
    body = {"from": BEGIN, "to": "2026-01-10T00:00:01Z"}
    assert served.post("redrive", body).json["planned"] == 0
    served.post("run")
    (run,) = open_runs(served)

    reply = retry(served, run)

    assert reply.status == 409
    assert "it has made no attempt yet" in reply.json["error"]["message"]


def test_a_run_that_has_ended_or_never_was_is_not_found(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)
    waiting.post("runs/cancel")

    assert [waiting.post(f"runs/{tag}/retry").status for tag in (run.tag, "nobody")] == [404, 404]


def test_a_retry_in_a_disabled_collection_is_refused(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)
    waiting.set_collection("disable")

    assert retry(waiting, run).status == 409
    assert open_runs(waiting) == [run]


def test_a_retry_of_a_disabled_job_waits_until_it_is_enabled(waiting: ServedEngine) -> None:
    waiting.put(**DAILY, action={**REQUEST, **RETRY}, state="disabled")
    assert retry(waiting, open_runs(waiting)[0]).json == {"begins": "whenEnabled"}
    waiting.step()
    assert len(waiting.targets.sent) == 1

    waiting.put(**DAILY, action={**REQUEST, **RETRY}, state="enabled")
    waiting.step()

    assert len(waiting.targets.sent) == 2


def test_a_reader_retries_nothing(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)
    waiting.as_(Role.READER)

    assert retry(waiting, run).status == 403


def test_a_retry_stands_in_the_audit_log_with_the_tag_of_its_run(waiting: ServedEngine) -> None:
    (run,) = open_runs(waiting)
    retry(waiting, run)

    reply = waiting.client.get("/audit", query=f"{OWN}&action=retried")

    (entry,) = reply.json["value"]
    assert entry["properties"]["tag"] == run.tag
