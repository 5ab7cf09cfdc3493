"""What alerts tell about jobs whose calendar ends, in virtual time, on a real store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.instant import HOUR, Instant
from foliot.core.model.alert import QuietHours
from foliot.core.model.job import JobState
from tests.support.alert_world import NO_RETRY_ACTION, AlertWorld, clock_text

NO_RETRY: dict[str, Any] = {"action": NO_RETRY_ACTION}
UNTIL_FOUR = {"frequency": "hour", "endTime": "2026-01-10T04:30:00Z"}
FIVE_TIMES = {"frequency": "hour", "count": 5}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with AlertWorld(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    "recurrence",
    [pytest.param(UNTIL_FOUR, id="end time"), pytest.param(FIVE_TIMES, id="count")],
)
@pytest.mark.parametrize(
    ("failing", "words"),
    [
        pytest.param(1, "for its last planned time, and none follows", id="the last one"),
        pytest.param(2, "for its last 2 planned times, and none follows", id="two"),
    ],
)
def test_a_job_whose_last_occurrences_failed_is_told_once(
    world: AlertWorld, recurrence: dict[str, Any], failing: int, words: str
) -> None:
    world.add_alert(no_success_intervals=3)
    world.add_job(recurrence=recurrence, **NO_RETRY)
    world.pass_minutes(60 * (4 - failing) + 30)
    world.fail()

    world.pass_minutes(60 * failing + 30)
    assert world.job().state is JobState.FAULTED
    world.pass_minutes(120)

    assert world.inboxes.told == ["raised:noSuccess"]
    told = world.inboxes.received[0]
    assert clock_text(told.at) in {"04:07", "04:13"}
    assert words in told.message.sentence
    assert told.message.facts["lastPlanned"] == "2026-01-10T04:00:00Z"


@pytest.mark.parametrize("recurrence", [UNTIL_FOUR, FIVE_TIMES], ids=["end time", "count"])
def test_a_job_whose_last_occurrence_succeeded_is_not_told(
    world: AlertWorld, recurrence: dict[str, Any]
) -> None:
    world.add_alert(no_success_intervals=3)
    world.add_job(recurrence=recurrence, **NO_RETRY)
    world.pass_minutes(90)
    world.fail()
    world.pass_minutes(120)
    world.succeed()

    world.pass_minutes(6 * 60)

    assert world.job().state is JobState.COMPLETED
    assert world.inboxes.told == []


def test_a_success_at_the_last_time_resolves_an_open_incident(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=2)
    world.add_job(recurrence=UNTIL_FOUR, **NO_RETRY)
    world.pass_minutes(30)
    world.fail()
    world.pass_minutes(180)
    assert world.inboxes.told == ["raised:noSuccess"]

    world.succeed()
    world.pass_minutes(60)

    assert world.inboxes.told == ["raised:noSuccess", "resolved:noSuccess"]


def test_a_job_that_was_told_before_its_end_is_not_told_again_after_it(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=2)
    world.fail()
    world.add_job(recurrence=UNTIL_FOUR, **NO_RETRY)

    world.pass_minutes(12 * 60)

    assert world.inboxes.told == ["raised:noSuccess"]


def test_a_job_that_never_began_before_its_end_is_told(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=3)
    policy = {"policy": {"catchUp": "none"}}
    world.add_job(recurrence=UNTIL_FOUR, **NO_RETRY, **policy)
    world.step()

    # The server was off.
    world.clock.at = Instant(world.clock.at + 8 * HOUR)
    world.pass_minutes(90)

    assert world.inboxes.told == ["raised:noSuccess"]


@pytest.mark.parametrize("conditions", [{"failed_in_a_row": 1}, {"no_success_intervals": 3}])
def test_a_job_that_ends_with_a_failure_in_quiet_hours_is_told_after_them(
    world: AlertWorld, conditions: dict[str, int]
) -> None:
    world.add_alert(**conditions, quiet_hours=QuietHours(begin=60, end=360, time_zone="UTC"))
    world.add_job(recurrence=UNTIL_FOUR, **NO_RETRY)
    world.pass_minutes(210)
    world.fail()

    world.pass_minutes(180)

    (raised,) = world.inboxes.received
    assert clock_text(raised.at) == "06:00"
