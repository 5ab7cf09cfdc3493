"""The ledger of a job after single events that once were told wrongly."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from foliot.core.instant import DAY, MINUTE, SECOND, Instant, format_instant
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import RunOutcome
from foliot.core.model.ledger import LedgerLine
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

BEGIN = "2026-01-10T00:00:00Z"
MINUTELY: dict[str, Any] = {"frequency": "minute"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path, BEGIN) as made:
        yield made


def lines(world: World, *, before: Instant | None = None) -> list[str]:
    """Return the ledger from the day before on, up to now or another instant."""
    end = Instant(world.clock.at + 1) if before is None else before
    range_ = TimeRange(Instant(at(BEGIN) - DAY), end)
    found: Sequence[LedgerLine] = world.run(
        world.use_cases.ledger.lines(OWNER, KEY, "job", range_, 10_000)
    )
    return [
        f"{format_instant(each.planned_at)[11:16]} {each.reason or each.outcome}" for each in found
    ]


def test_a_calendar_whose_count_was_reached_has_no_lines_after_it_though_the_job_is_disabled(
    world: World,
) -> None:
    retries = {"retryPolicy": {"retryInterval": "PT10M", "retryCount": 1}}
    request = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}
    body: dict[str, Any] = {"startTime": BEGIN, "action": {**request, **retries}}
    world.targets.answer = failing()
    world.add_job(**body, recurrence={**MINUTELY, "count": 2})
    world.advance_to("2026-01-10T00:01:30Z")

    world.add_job(**body, recurrence={**MINUTELY, "count": 2}, state="disabled")
    world.clock.at = Instant(world.clock.at + 3 * MINUTE + SECOND)
    late = format_instant(Instant(world.clock.at + DAY))
    world.add_job(**body | {"startTime": late}, recurrence=MINUTELY)

    assert lines(world) == ["00:00 waiting", "00:01 waiting"]


def test_nothing_is_skipped_after_the_last_run_that_the_count_allows(world: World) -> None:
    retries = {"retryPolicy": {"retryInterval": "PT1H", "retryCount": 1}}
    request = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}
    world.targets.answer = failing()
    world.add_job(
        startTime=BEGIN,
        action={**request, **retries},
        recurrence={**MINUTELY, "count": 12},
        policy={"overlap": "queue", "catchUp": "all"},
    )
    world.step()

    # Eleven were missed, so that too many wait for the twelfth; but the count is reached by then.
    world.clock.at = Instant(world.clock.at + 12 * MINUTE)
    world.step()

    assert lines(world) == [f"00:{minute:02} waiting" for minute in range(12)]
    assert [each for each in world.history() if each.outcome is RunOutcome.SKIPPED] == []


@pytest.mark.parametrize("what", ["job", "collection"])
def test_a_time_while_nothing_was_enabled_is_known_after_the_clock_was_set_back(
    world: World, what: str
) -> None:
    def set_state(state: str, time: str) -> None:
        world.advance_to(f"2026-01-10T00:{time}Z")
        if what == "job":
            world.add_job(startTime=BEGIN, recurrence=MINUTELY, state=state)
        else:
            new = CollectionState(state.capitalize())
            world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, new))

    world.add_job(startTime=BEGIN, recurrence=MINUTELY)
    set_state("disabled", "04:30")
    set_state("enabled", "07:30")
    world.advance_to("2026-01-10T00:08:30Z")
    world.clock.set("2026-01-10T00:05:30Z")
    set_state("disabled", "05:40")
    set_state("enabled", "06:30")
    world.advance_to("2026-01-10T00:09:30Z")

    assert lines(world)[4:] == [
        "00:04 succeeded",
        "00:05 disabled",
        "00:06 disabled",
        "00:07 disabled",
        "00:08 succeeded",
        "00:09 succeeded",
    ]


@pytest.mark.parametrize("what", ["policy", "job", "collection"])
def test_times_after_a_count_are_told_when_a_waiting_run_gives_its_number_back(
    world: World, what: str
) -> None:
    retries = {"retryPolicy": {"retryInterval": "PT3M30S", "retryCount": 1}}
    request = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}
    pause = {"pauseAfter": 1} if what == "policy" else {}
    body: dict[str, Any] = {
        "startTime": BEGIN,
        "action": {**request, **retries},
        "recurrence": {**MINUTELY, "count": 2},
        "policy": {"overlap": "queue", "startWithin": "PT50S", **pause},
    }

    def set_state(state: str) -> None:
        if what == "collection":
            new = CollectionState(state.capitalize())
            world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, new))
        else:
            world.add_job(**body, state=state)

    world.targets.answer = failing()
    world.add_job(**body)
    world.advance_to("2026-01-10T00:03:40Z" if what == "policy" else "2026-01-10T00:03:20Z")
    if what != "policy":
        set_state("disabled")
    world.advance_to("2026-01-10T00:10:10Z")
    set_state("enabled")
    world.advance_to("2026-01-10T00:10:30Z")

    assert lines(world)[1:4] == ["00:01 expired", "00:02 disabled", "00:03 disabled"]


@pytest.mark.parametrize("is_disabled", [False, True], ids=["", "and the job is disabled later"])
def test_what_passed_while_the_collection_was_disabled_is_not_told_as_a_change_of_the_calendar(
    world: World, *, is_disabled: bool
) -> None:
    every_second = {**MINUTELY, "interval": 2}

    def set_collection(state: CollectionState) -> None:
        world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, state))

    world.add_job(startTime=BEGIN, recurrence=MINUTELY)
    world.advance_to("2026-01-10T00:00:30Z")
    set_collection(CollectionState.DISABLED)
    world.advance_to("2026-01-10T00:03:30Z")
    world.add_job(startTime=BEGIN, recurrence=every_second)
    world.advance_to("2026-01-10T00:04:30Z")
    if is_disabled:
        world.add_job(startTime=BEGIN, recurrence=every_second, state="disabled")
        world.advance_to("2026-01-10T00:05:30Z")
        world.add_job(startTime=BEGIN, recurrence=every_second, state="enabled")
    set_collection(CollectionState.ENABLED)
    world.advance_to("2026-01-10T00:06:30Z")

    assert lines(world) == [
        "00:00 succeeded",
        *(f"00:{minute:02} disabled" for minute in (1, 2, 3, 4)),
        "00:06 succeeded",
    ]
