"""What the log says of attempts: those that fail, runs that are given up, at debug all."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.model.attempt import Outcome
from foliot.core.model.reason import Reason
from foliot.engine import claim
from foliot.ports.logs import LogEvent
from tests.support.engine_world import World

MINUTELY = {"frequency": "minute"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def action(**more: Any) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": "http://example.com/", "method": "GET"}, **more}


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (record.levelname, record.msg.event, dict(record.msg.fields))
        for record in caplog.records
        if isinstance(record.msg, LogEvent)
    ]


def test_a_failed_attempt_is_a_warning_that_tells_which_and_why_and_when_it_is_retried(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.targets.answer = lambda _: Outcome(
        succeeded=False,
        message="Timeout\r\nBody: hush",
        reason=Reason.HTTP_STATUS,
        host="example.com",
        status_code=503,
    )
    world.add_job("Nightly")

    world.step()

    (sent,) = world.targets.sent
    ((level, event, fields),) = lines(caplog)
    assert (level, event) == ("WARNING", "Attempt failed")
    assert len(str(fields.pop("request_id"))) == 32
    assert fields == {
        "collection": "s/g/c",
        "job": "Nightly",
        "tag": sent.tag,
        "expected_at": "2026-01-10T00:00:00Z",
        "attempt": 1,
        "action": "main",
        "duration_ms": 0,
        "reason": "HttpStatus",
        "host": "example.com",
        "status_code": 503,
        "message": "Timeout",
        "retry_at": "2026-01-10T00:00:30Z",
    }


@pytest.mark.parametrize(
    ("more", "events"),
    [
        pytest.param({}, [("ERROR", "Run given up", False)], id="without an error action"),
        pytest.param(
            {"errorAction": {**action(), "retryPolicy": {"retryType": "none"}}},
            [("ERROR", "Run given up", True), ("ERROR", "Error action given up", None)],
            id="with an error action that fails, too",
        ),
    ],
)
def test_a_run_that_is_given_up_is_an_error(
    world: World, caplog: pytest.LogCaptureFixture, more: Any, events: Any
) -> None:
    world.targets.answer = lambda _: Outcome(succeeded=False, message="Timeout")
    world.add_job(action=action(retryPolicy={"retryType": "none"}, **more))

    world.step()
    world.step()

    errors = [each for each in lines(caplog) if each[0] == "ERROR"]
    warnings = [each for each in lines(caplog) if each[0] == "WARNING"]
    told = [(level, event, given.get("error_action_follows")) for level, event, given in errors]
    assert told == events
    assert [event for _, event, _ in warnings] == ["Attempt failed"] * len(events)
    assert "retry_at" not in warnings[0][2]
    assert {each[2]["tag"] for each in errors} == {sent.tag for sent in world.targets.sent}


def test_attempts_that_go_well_are_told_at_debug_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.add_job(recurrence=MINUTELY)
    caplog.set_level(logging.INFO)
    world.step()
    assert lines(caplog) == []

    caplog.set_level(logging.DEBUG)
    world.advance_to("2026-01-10T00:01:30Z")

    ((level, event, fields),) = lines(caplog)
    assert (level, event) == ("DEBUG", "Attempt succeeded")
    assert fields["tag"] == world.targets.sent[1].tag
    assert not {"reason", "message"} & fields.keys()


def test_a_job_whose_next_time_cannot_be_computed_is_an_error(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("hush")

    world.add_job("Nightly")
    monkeypatch.setattr(claim, "plan", fail)

    world.step()

    ((level, event, fields),) = lines(caplog)
    assert (level, event) == ("ERROR", "Job faulted: its next time cannot be computed")
    assert (fields["collection"], fields["job"]) == ("s/g/c", "Nightly")
    assert str(fields["error"]).startswith("ValueError < ")
    assert "hush" not in caplog.text
