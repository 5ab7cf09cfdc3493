import logging

import pytest

from foliot.ports.health import Health


def test_a_problem_is_kept_until_it_is_over() -> None:
    health = Health()

    health.report("engine", "a task keeps ending")
    assert health.problems == {"engine": "a task keeps ending"}

    health.report("engine", None)
    assert health.problems == {}


def test_a_problem_is_logged_when_it_begins_and_when_it_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "foliot.health")
    health = Health()

    for problem in (None, "is full", "is full", None, None):
        health.report("disk", problem)

    assert [record.getMessage() for record in caplog.records] == [
        "Part of this node does not work part=disk problem=is full",
        "Part of this node works again part=disk",
    ]
