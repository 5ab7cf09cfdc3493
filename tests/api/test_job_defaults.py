"""What a server does with jobs that do not say it themselves, and what clients see of it."""

from pathlib import Path
from typing import Any

import pytest

from foliot.core.job_defaults import JobDefaults
from tests.support.api_client import COLLECTION, JOB, Client, a_collection, http_job
from tests.support.bodies import queue_job

LARGE = queue_job(message="&" * 12_000)


def served(path: Path, **defaults: Any) -> Client:
    path.mkdir(exist_ok=True)
    client = Client(path, defaults=JobDefaults(**defaults))
    client.put(COLLECTION, a_collection())
    return client


def next_time(client: Client) -> str:
    return client.get(JOB).json["properties"]["status"]["nextExecutionTime"]


def test_a_job_without_a_start_runs_after_the_delay_of_the_server(tmp_path: Path) -> None:
    with served(tmp_path, immediate_delay_seconds=20) as client:
        created = client.put(JOB, http_job(recurrence={"frequency": "day"}))
        client.clock.set("2026-01-10T00:00:05Z")
        adjusted = client.put(JOB, http_job("http://h/", recurrence={"frequency": "day"}))

        assert (created.status, adjusted.status) == (201, 200)
        assert "startTime" not in created.json["properties"]
        assert next_time(client) == "2026-01-10T00:00:20Z"
        client.patch(JOB, {"properties": {"recurrence": {"frequency": "hour"}}})
        assert next_time(client) == "2026-01-10T00:00:25Z"


def test_a_run_by_hand_is_not_delayed(tmp_path: Path) -> None:
    with served(tmp_path, immediate_delay_seconds=20) as client:
        client.put(JOB, http_job())
        client.post(f"{JOB}/run")

        job, now = client.job(), client.clock.now()
        runs = client.run(client.store.read(lambda reading: reading.runs(job.id)))
        assert [run.due_at for run in runs] == [now]


def test_the_format_of_the_server_is_not_shown_in_a_job(tmp_path: Path) -> None:
    with served(tmp_path, queue_format="envelope") as client:
        client.put(JOB, queue_job())

        assert "format" not in client.get(JOB).json["properties"]["action"]["queueMessage"]


@pytest.mark.parametrize("place", ["action", "error action"])
def test_a_message_is_measured_in_the_format_that_it_will_have(tmp_path: Path, place: str) -> None:
    body, path = LARGE, "properties.action"
    if place == "error action":
        body = http_job()
        body["properties"]["action"]["errorAction"] = LARGE["properties"]["action"]
        path = "properties.action.errorAction"
    with served(tmp_path, queue_format="envelope") as client:
        refused, state = client.put(JOB, body), client.state()

        assert (refused.status, refused.code) == (400, "BadRequest")
        assert refused.message.startswith(f"{path}.queueMessage.message: has 8")
        assert client.put(JOB, body).status == 400
        assert client.state() == state
    with served(tmp_path / "text", queue_format="text") as client:
        assert client.put(JOB, body).status == 201


def test_a_message_that_another_default_makes_too_large_can_stay(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        client.put(JOB, LARGE)
        client.use_cases.jobs.defaults = JobDefaults(queue_format="envelope")

        disabled = client.patch(JOB, {"properties": {"state": "disabled"}})
        changed = client.patch(
            JOB, {"properties": {"action": {"queueMessage": {"queueName": "other"}}}}
        )

        assert (disabled.status, changed.status) == (200, 400)
