"""How the runs of a job ended, in its status: in our own version of the API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.api.wire.clients import ANY_CLIENT, OWN_CLIENT
from foliot.api.wire.job import encode_job
from foliot.core.model.attempt import Outcome
from tests.support.engine_world import KEY, OWNER, World, failing

NEVER_AGAIN = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}
NO_RETRY = {**NEVER_AGAIN, "retryPolicy": {"retryType": "none"}}
EACH_MINUTE: dict[str, Any] = {"frequency": "minute"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        made.start_engine()
        yield made


def status_of(world: World, client: Any = OWN_CLIENT) -> dict[str, Any]:
    saved = world.run(world.use_cases.jobs.get_job(OWNER, KEY, "job"))
    properties: Any = encode_job(saved.collection, saved.job, client)["properties"]
    return properties["status"]


def test_a_new_job_has_no_outcome(world: World) -> None:
    world.add_job(recurrence=EACH_MINUTE)

    status = status_of(world)

    assert status["consecutiveFailures"] == 0
    assert "lastOutcome" not in status


def test_failures_in_a_row_are_counted_until_a_success(world: World) -> None:
    world.add_job(recurrence=EACH_MINUTE, action=NO_RETRY)
    world.targets.answer = failing()
    world.advance_to("2026-01-10T00:02:30Z")
    failed = status_of(world)

    world.targets.answer = lambda _: Outcome(succeeded=True, message="ok")
    world.advance_to("2026-01-10T00:03:30Z")

    assert (failed["lastOutcome"], failed["consecutiveFailures"]) == ("failed", 3)
    status = status_of(world)
    assert (status["lastOutcome"], status["consecutiveFailures"]) == ("succeeded", 0)


def test_older_versions_show_none_of_it(world: World) -> None:
    world.add_job(recurrence=EACH_MINUTE)
    world.advance_to("2026-01-10T00:01:30Z")

    assert not {"lastOutcome", "consecutiveFailures"} & set(status_of(world, ANY_CLIENT))


def test_a_paused_job_says_why_in_every_version_until_it_is_enabled(world: World) -> None:
    job: dict[str, Any] = {"recurrence": EACH_MINUTE, "action": NO_RETRY}
    world.add_job(**job, policy={"pauseAfter": 2})
    world.targets.answer = failing()
    world.advance_to("2026-01-10T00:05:00Z")

    why = "2 runs in a row were given up, the last one at 2026-01-10 00:01:00 UTC"
    assert status_of(world)["pausedBecause"] == why
    assert status_of(world, ANY_CLIENT)["pausedBecause"] == why
    assert f"Disabled: the job for host '127.0.0.1': {why}." in world.history()[-1].message
    world.add_job(**job, policy={"pauseAfter": 2}, state="enabled")
    enabled = status_of(world)
    assert "pausedBecause" not in enabled
    assert enabled["consecutiveFailures"] == 0
