"""What the attempts of a job send, in virtual time, on a real store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.model.action import HttpRequest
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.reason import Reason
from tests.support.engine_world import KEY, OWNER, World

TEXT = "{{occurrence}}.{{attempt}} {{planned}} after {{previous}}"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def action(**request: Any) -> dict[str, Any]:
    fields = {"uri": "http://example.com/", "method": "POST", **request}
    return {"type": "Http", "request": fields, "template": True}


def recording(world: World, *, fails: bool = False) -> list[AttemptRequest]:
    """Let all attempts end well or badly, and return what they send."""
    sent: list[AttemptRequest] = []

    def answer(request: AttemptRequest) -> Outcome:
        sent.append(request)
        return Outcome(succeeded=not fails, message="?")

    world.targets.answer = answer
    return sent


def bodies(sent: list[AttemptRequest]) -> list[str | None]:
    parts = [request.action.part for request in sent]
    return [part.body for part in parts if isinstance(part, HttpRequest)]


def test_each_occurrence_sends_its_own_times(world: World) -> None:
    sent = recording(world)
    world.add_job(
        action=action(body=TEXT), recurrence={"frequency": "minute", "timeZone": "Europe/Prague"}
    )

    world.advance_to("2026-01-10T00:02:30Z")

    assert bodies(sent) == [
        "1.1 2026-01-10T01:00:00+01:00 after ",
        "2.1 2026-01-10T01:01:00+01:00 after 2026-01-10T01:00:00+01:00",
        "3.1 2026-01-10T01:02:00+01:00 after 2026-01-10T01:01:00+01:00",
    ]


def test_a_retry_sends_the_times_of_its_occurrence_again(world: World) -> None:
    sent = recording(world, fails=True)
    policy = {"retryPolicy": {"retryInterval": "PT90S", "retryCount": 2}}
    world.add_job(action=action(body=TEXT) | policy)

    world.advance_to("2026-01-10T01:00:00Z")

    assert bodies(sent) == [f"1.{n} 2026-01-10T00:00:00Z after " for n in (1, 2, 3)]


def test_a_skipped_occurrence_is_still_the_previous_one_of_the_calendar(world: World) -> None:
    sent = recording(world)
    world.add_job(action=action(body=TEXT), recurrence={"frequency": "minute"})
    world.step()

    world.clock.set("2026-01-10T00:05:10Z")
    world.step()

    assert bodies(sent)[1] == "2.1 2026-01-10T00:05:00Z after 2026-01-10T00:04:00Z"


def test_a_run_by_hand_follows_the_last_occurrence(world: World) -> None:
    sent = recording(world)
    world.add_job(action=action(body=TEXT), recurrence={"frequency": "hour"})
    world.step()

    world.clock.set("2026-01-10T00:30:00Z")
    world.run(world.use_cases.runs.run_job(OWNER, KEY, "job", "tag"))
    world.step()

    assert bodies(sent)[1] == "1.1 2026-01-10T00:30:00Z after 2026-01-10T00:00:00Z"


def test_a_text_that_becomes_too_long_fails_and_is_retried(world: World) -> None:
    sent = recording(world)
    world.add_job(action=action(uri="http://example.com/" + "{{tag}}" * 100))

    world.advance_to("2026-01-10T01:00:00Z")

    assert sent == []
    assert [entry.message for entry in world.history()] == [
        "Http Action - Request to host 'example.com' failed: InvalidRequest "
        "The placeholders cannot be filled in: "
        "request.uri: has 3219 characters; give at most 2048."
    ] * 5


def test_the_log_has_the_reason_of_a_text_that_is_too_long(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.add_job(action=action(body="{{tag}}" * 1000))

    world.step()

    fields = caplog.records[0].msg.fields
    assert fields["reason"] is Reason.INVALID_REQUEST


def test_the_timeout_of_a_job_goes_with_each_attempt(world: World) -> None:
    sent = recording(world)
    world.add_job("slow", policy={"timeout": "PT2M"})
    world.add_job("usual")

    world.step()

    assert {each.job: each.timeout_seconds for each in sent} == {"slow": 120, "usual": None}
