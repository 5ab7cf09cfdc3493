"""Jobs that run, in virtual time, on a real store."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.instant import MINUTE, Instant, format_instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

MINUTELY = {"frequency": "minute"}
NO_RETRY = {"retryType": "none"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def action(**more: Any) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": "http://example.com/", "method": "GET"}, **more}


def test_a_job_without_a_start_runs_at_once_and_completes(world: World) -> None:
    world.add_job()

    world.step()

    assert [sent.job for sent in world.targets.sent] == ["job"]
    assert world.job().state is JobState.COMPLETED
    assert [entry.message for entry in world.history()] == ["ok"]


def test_a_recurring_job_runs_at_each_of_its_times(world: World) -> None:
    world.add_job(recurrence=MINUTELY)

    world.advance_to("2026-01-10T00:05:30Z")

    expected = [Instant(at("2026-01-10") + number * MINUTE) for number in range(6)]
    assert [sent.expected_at for sent in world.targets.sent] == expected
    assert [sent.sent_at for sent in world.targets.sent] == expected
    assert len({sent.tag for sent in world.targets.sent}) == 6
    assert world.job().execution_count == 6


def test_a_year_of_a_mixed_calendar_runs_as_planned(world: World) -> None:
    start = "2026-02-01T00:00:00Z"
    monthly = {"frequency": "month", "schedule": {"monthDays": [1, -1], "hours": 6, "minutes": 0}}
    weekly = {"frequency": "week", "schedule": {"weekDays": ["monday"], "hours": 9, "minutes": 0}}
    daily = {"frequency": "day", "timeZone": "Europe/Prague", "count": 300}
    world.add_job("monthly", startTime=start, recurrence=monthly)
    world.add_job("weekly", startTime=start, recurrence=weekly)
    world.add_job("daily", startTime=start, recurrence=daily)

    world.advance_to("2027-02-01T00:00:00Z")

    counts = {name: world.job(name).execution_count for name in ("monthly", "weekly", "daily")}
    assert counts == {"monthly": 24, "weekly": 52, "daily": 300}
    assert world.job("daily").state is JobState.COMPLETED
    assert all(sent.sent_at == sent.expected_at for sent in world.targets.sent)


def test_a_count_ends_a_job(world: World) -> None:
    world.add_job(recurrence=MINUTELY | {"count": 3})

    world.advance_to("2026-01-10T01:00:00Z")

    assert len(world.targets.sent) == 3
    assert world.job().state is JobState.COMPLETED


def test_failures_are_retried_with_the_same_tag_and_then_given_up(world: World) -> None:
    world.targets.answer = failing()
    world.add_job()

    world.advance_to("2026-01-10T01:00:00Z")

    assert [format_instant(sent.sent_at)[11:19] for sent in world.targets.sent] == [
        *("00:00:00", "00:00:30", "00:01:00", "00:01:30", "00:02:00")
    ]
    assert len({sent.tag for sent in world.targets.sent}) == 1
    assert [entry.retry_count for entry in world.history()] == [0, 1, 2, 3, 4]
    job = world.job()
    assert job.state is JobState.FAULTED
    assert (job.execution_count, job.failure_count, job.faulted_count) == (1, 5, 1)


def test_the_error_action_follows_a_run_that_was_given_up(world: World) -> None:
    world.targets.answer = failing()
    error = {**action(), "retryPolicy": NO_RETRY}
    world.add_job(action=action(retryPolicy=NO_RETRY, errorAction=error))

    world.advance_to("2026-01-10T01:00:00Z")

    assert [entry.is_error_action for entry in world.history()] == [False, True]
    assert world.job().failure_count == 1


def test_occurrences_are_independent_of_the_retries_of_earlier_ones(world: World) -> None:
    first = at("2026-01-10")

    def answer(request: AttemptRequest) -> Outcome:
        return Outcome(succeeded=request.expected_at != first, message="?")

    world.targets.answer = answer
    policy = {"retryType": "fixed", "retryInterval": "PT2H", "retryCount": 1}
    world.add_job(action=action(retryPolicy=policy), recurrence=MINUTELY | {"count": 3})

    world.advance_to("2026-01-10T00:10:00Z")
    assert [sent.sent_at for sent in world.targets.sent] == [
        Instant(first + number * MINUTE) for number in range(3)
    ]
    assert world.job().state is JobState.ENABLED

    world.advance_to("2026-01-10T03:00:00Z")
    assert format_instant(world.targets.sent[-1].sent_at) == "2026-01-10T02:00:00Z"
    assert (world.job().state, world.job().faulted_count) == (JobState.COMPLETED, 1)


def test_after_a_pause_the_latest_occurrence_runs_and_the_others_are_skipped(world: World) -> None:
    world.add_job(recurrence=MINUTELY)
    world.step()

    world.clock.set("2026-01-10T01:00:30Z")
    world.step()

    assert [format_instant(sent.expected_at)[11:16] for sent in world.targets.sent] == [
        *("00:00", "01:00")
    ]
    assert world.history()[-2].message.startswith("Http Action - Skipped: 59 occurrences for ")


def test_a_disabled_job_does_not_run_and_goes_on_from_now_when_enabled(world: World) -> None:
    world.add_job(recurrence=MINUTELY)
    world.step()

    world.add_job(recurrence=MINUTELY, state="disabled")
    world.clock.set("2026-01-10T00:10:30Z")
    world.step()
    world.add_job(recurrence=MINUTELY, state="enabled")
    world.advance_to("2026-01-10T00:11:30Z")

    assert [format_instant(sent.expected_at)[11:16] for sent in world.targets.sent] == [
        *("00:00", "00:11")
    ]
    assert len(world.history()) == 2


DAILY = {"frequency": "day"}
CALENDARS: dict[str, dict[str, Any]] = {
    "one-time": {},
    "recurring": {"recurrence": DAILY},
    "of one occurrence": {"recurrence": DAILY | {"count": 1}},
    "at its end": {"recurrence": DAILY | {"endTime": "2026-01-10T00:30:00Z"}},
}


def set_state(world: World, what: str, state: str, calendar: dict[str, Any]) -> None:
    if what == "job":
        world.add_job(**calendar, state=state)
    else:
        wanted = CollectionState.ENABLED if state == "enabled" else CollectionState(what)
        world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, wanted))


@pytest.mark.parametrize("what", ["job", "Disabled", "Suspended"])
@pytest.mark.parametrize("calendar", CALENDARS.values(), ids=CALENDARS)
def test_a_retry_waits_while_it_may_not_run_and_is_due_at_once_when_it_may(
    world: World, what: str, calendar: dict[str, Any]
) -> None:
    world.targets.answer = failing()
    world.add_job(**calendar)
    world.step()

    set_state(world, what, "disabled", calendar)
    world.advance_to("2026-01-10T01:00:00Z")
    assert len(world.targets.sent) == 1
    set_state(world, what, "enabled", calendar)
    world.step()

    first, second = world.targets.sent
    assert (second.tag, second.sent_at) == (first.tag, at("2026-01-10T01:00:00Z"))
    world.advance_to("2026-01-10T02:00:00Z")
    assert [entry.retry_count for entry in world.history()] == [0, 1, 2, 3, 4]
    job = world.job()
    assert (job.execution_count, job.failure_count, job.faulted_count) == (1, 5, 1)
    assert (job.state is JobState.FAULTED) is (calendar != {"recurrence": DAILY})


@pytest.mark.parametrize("what", ["job", "Disabled"])
@pytest.mark.parametrize("succeeds", [True, False])
def test_an_attempt_that_ends_while_its_job_may_not_run_is_settled(
    world: World, what: str, *, succeeds: bool
) -> None:
    world.targets.are_silent = True
    world.add_job()
    world.run(_ticked(world))
    set_state(world, what, "disabled", {})
    world.kill_engine()
    world.targets.are_silent = False
    world.targets.answer = lambda _: Outcome(succeeded=succeeds, message="?")
    world.start_engine()

    world.clock.set("2026-01-10T05:00:00Z")
    world.step()
    assert len(world.targets.sent) == 1
    set_state(world, what, "enabled", {})
    world.step()

    assert [each.tag for each in world.targets.sent] == [world.targets.sent[0].tag] * 2
    world.advance_to("2026-01-10T06:00:00Z")
    assert world.job().state is (JobState.COMPLETED if succeeds else JobState.FAULTED)
    assert (world.job().execution_count, len(world.history())) == (1, 1 if succeeds else 5)


@pytest.mark.parametrize("what", ["job", "Disabled"])
def test_a_failure_while_its_job_may_not_run_is_retried_later(world: World, what: str) -> None:
    world.targets.answer = failing()
    world.add_job()

    async def disable_meanwhile() -> None:
        world.targets.gate = asyncio.Event()
        await world.engine.tick()
        await asyncio.sleep(0)
        if what == "job":
            await world.save_job(state="disabled")
        else:
            await world.use_cases.collections.set_collection_state(
                OWNER, KEY, CollectionState.DISABLED
            )
        world.targets.gate.set()
        await world.engine.drain()

    world.run(disable_meanwhile())
    assert (len(world.history()), world.job().faulted_count) == (1, 0)
    world.clock.set("2026-01-10T00:10:00Z")
    set_state(world, what, "enabled", {})
    world.step()

    assert len(world.targets.sent) == 2
    assert world.job().state is JobState.ENABLED


def test_an_error_action_waits_while_its_job_is_disabled(world: World) -> None:
    world.targets.answer = failing()
    error = {**action(), "retryPolicy": {"retryInterval": "PT1M", "retryCount": 1}}
    properties = {"action": action(retryPolicy=NO_RETRY, errorAction=error)}
    world.add_job(**properties)
    world.step()
    world.step()

    world.add_job(**properties, state="disabled")
    world.advance_to("2026-01-10T01:00:00Z")
    assert [entry.is_error_action for entry in world.history()] == [False, True]
    world.add_job(**properties, state="enabled")
    world.advance_to("2026-01-10T02:00:00Z")

    assert [entry.is_error_action for entry in world.history()] == [False, True, True]
    assert world.job().state is JobState.FAULTED


def test_a_retry_of_a_calendar_that_was_replaced_while_disabled_goes_on(world: World) -> None:
    world.targets.answer = failing()
    world.add_job()
    world.step()

    world.add_job(recurrence=DAILY, startTime="2026-02-01", state="disabled")
    world.clock.set("2026-01-11T00:00:00Z")
    world.add_job(recurrence=DAILY, startTime="2026-02-01", state="enabled")
    world.advance_to("2026-01-12T00:00:00Z")

    assert len({sent.tag for sent in world.targets.sent}) == 1
    assert len(world.targets.sent) == 5
    assert (world.job().state, world.job().faulted_count) == (JobState.ENABLED, 1)


def test_a_retry_of_a_job_whose_calendar_cannot_be_computed_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.targets.answer = failing()
    world.add_job(recurrence=MINUTELY)
    world.step()

    def broken(*_: object, **__: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr("foliot.engine.claim.plan", broken)
    world.advance_to("2026-01-10T01:00:00Z")

    assert len(world.targets.sent) == 5
    assert (world.job().state, world.job().faulted_count) == (JobState.FAULTED, 1)
    assert world.history()[2].message.startswith("Http Action - Faulted: the next time for host ")


def test_a_job_has_as_many_open_runs_as_the_operator_allows(world: World) -> None:
    world.targets.answer = failing()
    world.start_engine(max_open_runs=2)
    hourly = {"retryType": "fixed", "retryInterval": "PT1H"}
    world.add_job(action=action(retryPolicy=hourly), recurrence=MINUTELY)

    world.advance_to("2026-01-10T00:03:30Z")

    assert len(world.targets.sent) == 2
    assert [entry.message for entry in world.history()[2:]] == [
        "Http Action - Skipped: 1 occurrence for host 'example.com', "
        f"from 2026-01-10T00:0{minute}:00Z to 2026-01-10T00:0{minute}:00Z: "
        "the job has 2 open runs, and 2 may be open."
        for minute in (2, 3)
    ]


def test_jobs_of_a_disabled_collection_do_not_run(world: World) -> None:
    world.add_job(recurrence=MINUTELY)
    world.run(
        world.use_cases.collections.set_collection_state(OWNER, KEY, CollectionState.DISABLED)
    )
    world.clock.set("2026-01-10T00:10:30Z")
    world.step()
    assert world.targets.sent == []

    world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, CollectionState.ENABLED))
    world.advance_to("2026-01-10T00:11:30Z")
    assert [format_instant(sent.expected_at)[11:16] for sent in world.targets.sent] == ["00:11"]


def test_a_deleted_job_makes_no_further_attempt(world: World) -> None:
    world.targets.answer = failing()
    world.add_job()
    world.step()

    world.run(world.use_cases.jobs.delete_job(OWNER, KEY, "job"))
    world.advance_to("2026-01-10T01:00:00Z")

    assert len(world.targets.sent) == 1


def test_a_run_by_hand_does_not_count_as_an_occurrence(world: World) -> None:
    world.add_job(startTime="2026-01-11", recurrence={"frequency": "day", "count": 1})

    world.run(world.use_cases.runs.run_job(OWNER, KEY, "job", "a" * 32))
    world.step()
    manual = world.job()
    world.advance_to("2026-01-11T00:00:00Z")

    assert (manual.execution_count, manual.occurrence, manual.state) == (1, 0, JobState.ENABLED)
    assert [entry.repeat_count for entry in world.history()] == [0, 1]
    assert world.job().state is JobState.COMPLETED


def test_a_run_by_hand_counts_once_however_often_it_is_claimed(world: World) -> None:
    world.add_job(state="disabled")
    world.targets.are_silent = True
    world.run(world.use_cases.runs.run_job(OWNER, KEY, "job", "a" * 32))
    world.run(_ticked(world))
    world.kill_engine()
    world.targets.are_silent = False
    world.start_engine()
    world.clock.set("2026-01-10T00:00:16Z")

    world.step()

    assert [each.tag for each in world.targets.sent] == ["a" * 32] * 2
    assert (world.job().execution_count, world.job().state) == (1, JobState.DISABLED)


def test_a_run_at_an_error_action_that_was_removed_is_given_up(world: World) -> None:
    world.targets.answer = failing()
    error = {**action(), "retryPolicy": {"retryInterval": "PT1H"}}
    world.add_job(action=action(retryPolicy=NO_RETRY, errorAction=error))
    world.step()

    world.add_job(action=action(retryPolicy=NO_RETRY))
    world.advance_to("2026-01-10T05:00:00Z")

    main, dropped = world.history()
    assert (main.is_error_action, dropped.is_error_action) == (False, True)
    assert dropped.status is AttemptStatus.POSTPONED
    assert dropped.message == (
        "Http Action - Dropped: the error action after the failure at host 'example.com' "
        "was removed from the job before it could run."
    )
    assert world.job().state is JobState.FAULTED


def test_runs_of_a_dead_node_are_claimed_when_its_lease_has_expired(world: World) -> None:
    world.add_job()
    world.targets.are_silent = True
    world.run(_ticked(world))
    world.kill_engine()
    world.targets.are_silent = False
    world.start_engine()

    world.step()
    assert len(world.targets.sent) == 1

    world.clock.set("2026-01-10T00:00:16Z")
    world.step()
    assert [each.tag for each in world.targets.sent] == [world.targets.sent[0].tag] * 2
    assert world.job().state is JobState.COMPLETED


async def _ticked(world: World) -> None:
    await world.engine.tick()
    await asyncio.sleep(0)
