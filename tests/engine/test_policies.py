"""Each policy of a job, in virtual time, on a real store: what docs/reference/policies.md says."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from foliot.core.errors import Conflict
from foliot.core.instant import MINUTE, Instant, format_instant, parse_instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.core.model.run import Trigger
from foliot.core.rules.jitter import jitter_ticks
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

DAY = "2026-01-10T"
START = f"{DAY}00:00:00Z"
MINUTELY: dict[str, Any] = {"startTime": START, "recurrence": {"frequency": "minute"}}
NO_RETRY = {"retryType": "none"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def action(**more: Any) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": "http://example.com/", "method": "GET"}, **more}


def retrying(interval: str, times: int = 1) -> dict[str, Any]:
    return action(retryPolicy={"retryInterval": interval, "retryCount": times})


def minutely(count: int) -> dict[str, Any]:
    return {"startTime": START, "recurrence": {"frequency": "minute", "count": count}}


def be_punctual_until(world: World, time: str) -> None:
    world.advance_to(f"{DAY}{time}Z")


def come_back_at(world: World, time: str) -> None:
    """Be away until a time, and then do all that is due."""
    world.clock.set(f"{DAY}{time}Z")
    world.advance_to(f"{DAY}{time}Z")


def set_collection(world: World, state: CollectionState) -> None:
    world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, state))


def run_now(world: World, tag: str) -> None:
    world.run(world.use_cases.runs.run_job(OWNER, KEY, "job", tag))


def redrive(world: World, since: str, before: str) -> None:
    tags = (f"redrive {number}" for number in count(1))
    range_ = TimeRange(at(f"{DAY}{since}Z"), at(f"{DAY}{before}Z"))
    repeated_runs = world.use_cases.repeated_runs
    world.run(repeated_runs.redrive(OWNER, KEY, "job", range_, lambda: next(tags)))


def time(instant: Instant) -> str:
    return format_instant(instant).removeprefix(DAY).removesuffix("Z")


def begun(world: World) -> list[str]:
    """Return the planned times of runs, in the order in which they began."""
    first = {each.tag: time(each.expected_at) for each in reversed(world.targets.sent)}
    return [first[tag] for tag in dict.fromkeys(each.tag for each in world.targets.sent)]


def skipped(world: World) -> list[tuple[str, str, int | None, str | None]]:
    return [
        (time(each.expected_at), time(each.last_expected_at), each.skipped_count, each.reason)
        for each in world.history()
        if each.last_expected_at is not None
    ]


def failing_at(*planned: str) -> Any:
    """Return answers that fail the first attempts of runs with these planned times."""
    left = set(planned)

    def answer(request: AttemptRequest) -> Outcome:
        is_well = time(request.expected_at) not in left
        left.discard(time(request.expected_at))
        return Outcome(succeeded=is_well, message="?")

    return answer


def began_at(world: World, planned: str, tag: str | None = None) -> str:
    """Return when the run of a planned time began."""
    return next(
        time(each.sent_at)
        for each in world.targets.sent
        if time(each.expected_at) == planned and tag in {None, each.tag}
    )


# The limits of a thousand and of a count.


def test_nothing_is_skipped_after_the_occurrence_that_completes_a_count(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(**minutely(count=1), policy={"overlap": "queue", "catchUp": "all"})

    come_back_at(world, "00:42:40")

    assert begun(world) == ["00:00:00"]
    assert skipped(world) == []


def test_a_thousand_missed_occurrences_run_beside_one_that_was_not_missed(world: World) -> None:
    world.add_job(**MINUTELY, policy={"catchUp": "all"})
    world.step()

    # 1,001 were missed, from 00:01 to 16:41, and 16:42 was not.
    come_back_at(world, "16:42:00")

    assert skipped(world) == [("00:01:00", "00:01:00", 1, "missed")]
    assert world.job().execution_count == 1 + 1000 + 1


@pytest.mark.parametrize("what", ["job", "collection"])
def test_a_count_that_has_a_place_again_leaves_out_what_came_while_disabled(
    world: World, what: str
) -> None:
    world.targets.answer = failing()
    policy = {"overlap": "queue", "catchUp": "all", "startWithin": "PT30M"}
    body: dict[str, Any] = {**minutely(count=2), "action": retrying("PT10M"), "policy": policy}
    world.add_job(**body)
    be_punctual_until(world, "00:05:00")

    if what == "job":
        world.add_job(**body, state="disabled")
    else:
        set_collection(world, CollectionState.DISABLED)
    world.clock.set(f"{DAY}01:00:30Z")
    if what == "job":
        world.add_job(**body, state="enabled")
    else:
        set_collection(world, CollectionState.ENABLED)
    # The run of 00:00 ends, that of 00:01 expires: the calendar goes on.
    be_punctual_until(world, "01:05:00")

    assert ("00:01:00", "00:01:00", 1, "expired") in skipped(world)
    assert begun(world) == ["00:00:00", "01:01:00"]


# Overlap.


@pytest.mark.parametrize(
    ("overlap", "runs", "left_out"),
    [
        ("allow", ["00:00:00", "00:01:00", "00:02:00", "00:03:00"], []),
        ("skip", ["00:00:00", "00:03:00"], ["00:01:00", "00:02:00"]),
        ("queue", ["00:00:00", "00:01:00", "00:02:00", "00:03:00"], []),
    ],
)
def test_an_occurrence_beside_an_open_run_begins_or_is_skipped_or_waits(
    world: World, overlap: str, runs: list[str], left_out: list[str]
) -> None:
    world.targets.answer = failing_at("00:00:00")
    world.add_job(**minutely(count=4), action=retrying("PT150S"), policy={"overlap": overlap})

    be_punctual_until(world, "00:03:30")

    assert begun(world) == runs
    assert skipped(world) == [(each, each, 1, "overlap") for each in left_out]
    second = {"allow": "00:01:00", "skip": "00:03:00", "queue": "00:02:30"}[overlap]
    assert second == began_at(world, runs[1])


def test_a_queue_has_ten_places_for_occurrences_that_were_not_missed(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(**MINUTELY, action=retrying("P1D"), policy={"overlap": "queue"})

    be_punctual_until(world, "00:12:30")

    assert begun(world) == ["00:00:00"]
    assert skipped(world) == [
        ("00:11:00", "00:11:00", 1, "limit"),
        ("00:12:00", "00:12:00", 1, "limit"),
    ]


def test_a_queue_lets_the_oldest_planned_time_begin_first(world: World) -> None:
    world.targets.answer = failing_at("00:00:00")
    world.add_job(**MINUTELY, action=retrying("PT3M"), policy={"overlap": "queue"})
    be_punctual_until(world, "00:01:30")
    run_now(world, "by hand")

    be_punctual_until(world, "00:03:00")

    assert begun(world) == ["00:00:00", "00:01:00", "00:01:30", "00:02:00", "00:03:00"]


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_a_manual_run_waits_its_turn_behind_an_open_run(world: World, overlap: str) -> None:
    world.targets.answer = failing_at("00:00:00")
    world.add_job(startTime=START, action=retrying("PT2M"), policy={"overlap": overlap})
    be_punctual_until(world, "00:00:30")
    run_now(world, "by hand")

    be_punctual_until(world, "00:05:00")

    assert began_at(world, "00:00:30") == "00:02:00"


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_occurrences_and_manual_runs_begin_before_redrives(world: World, overlap: str) -> None:
    world.targets.answer = failing()
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY), "policy": {"overlap": overlap}}
    world.add_job(**MINUTELY, **body)
    be_punctual_until(world, "00:01:30")
    world.add_job(**MINUTELY, action=retrying("PT90S"), policy={"overlap": overlap})
    be_punctual_until(world, "00:02:30")
    world.targets.sent.clear()
    redrive(world, "00:00:00", "00:02:00")
    run_now(world, "by hand")
    world.targets.answer = failing_at("nothing")

    be_punctual_until(world, "00:03:30")

    scheduled = ["00:03:00"] if overlap == "queue" else []
    triggers = [each.trigger for each in world.history() if each.tag is not None][-2:]
    assert begun(world) == ["00:02:00", "00:02:30", *scheduled, "00:00:00", "00:01:00"]
    assert triggers == [Trigger.REDRIVE, Trigger.REDRIVE]


def test_a_request_to_run_now_is_refused_if_ten_runs_do_not_wait_their_turn(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(startTime=START, action=retrying("P1D"), recurrence={"frequency": "minute"})
    be_punctual_until(world, "00:08:30")
    run_now(world, "the tenth")

    with pytest.raises(Conflict):
        run_now(world, "the eleventh")


# Catch-up.


@pytest.mark.parametrize(
    ("catch_up", "runs", "left_out"),
    [
        ("latest", ["00:05:00"], [("00:01:00", "00:04:00", 4, "missed")]),
        ("all", ["00:01:00", "00:02:00", "00:03:00", "00:04:00", "00:05:00"], []),
        ("none", ["00:05:00"], [("00:01:00", "00:04:00", 4, "missed")]),
    ],
)
@pytest.mark.parametrize("overlap", ["allow", "skip", "queue"])
def test_the_catch_up_says_which_missed_occurrences_run(
    world: World, overlap: str, catch_up: str, runs: list[str], left_out: list[Any]
) -> None:
    world.add_job(**MINUTELY, policy={"overlap": overlap, "catchUp": catch_up})
    world.step()

    come_back_at(world, "00:05:30")

    assert sorted(begun(world)) == ["00:00:00", *runs]
    assert skipped(world) == left_out
    if overlap != "allow":
        assert begun(world) == sorted(begun(world))


def test_without_a_catch_up_a_latest_occurrence_of_a_minute_ago_is_skipped_too(
    world: World,
) -> None:
    body: dict[str, Any] = {
        "startTime": START,
        "recurrence": {"frequency": "hour"},
        "policy": {"catchUp": "none"},
    }
    world.add_job(**body)

    come_back_at(world, "00:01:00")
    come_back_at(world, "01:01:01")

    assert begun(world) == ["00:00:00"]
    assert skipped(world) == [("01:00:00", "01:00:00", 1, "missed")]


def test_five_runs_are_in_progress_while_all_missed_occurrences_are_caught_up(
    world: World,
) -> None:
    world.targets.answer = failing()
    world.add_job(**MINUTELY, action=retrying("PT1H"), policy={"catchUp": "all"})

    come_back_at(world, "00:20:00")

    # What was not missed begins at once; the oldest missed ones have the other places.
    assert begun(world) == ["00:20:00", "00:00:00", "00:01:00", "00:02:00", "00:03:00"]
    run_now(world, "by hand")
    world.step()
    assert len(begun(world)) == 6


def test_with_skip_all_missed_occurrences_run_one_after_the_other(world: World) -> None:
    world.targets.answer = failing_at("00:00:00")
    policy = {"overlap": "skip", "catchUp": "all"}
    world.add_job(**MINUTELY, action=retrying("PT80S"), policy=policy)

    come_back_at(world, "00:02:30")
    assert begun(world) == ["00:00:00"]
    be_punctual_until(world, "00:04:00")

    assert begun(world) == ["00:00:00", "00:01:00", "00:02:00", "00:04:00"]
    assert skipped(world) == [("00:03:00", "00:03:00", 1, "overlap")]


@pytest.mark.parametrize("catch_up", ["latest", "all"])
def test_missed_occurrences_outside_of_the_window_are_skipped(world: World, catch_up: str) -> None:
    policy = {"overlap": "queue", "catchUp": catch_up, "catchUpWindow": "PT2M"}
    world.add_job(**MINUTELY, policy=policy)

    come_back_at(world, "00:05:00")

    runs = ["00:03:00", "00:04:00", "00:05:00"] if catch_up == "all" else ["00:05:00"]
    assert begun(world) == runs
    before = "00:02:00" if catch_up == "all" else "00:04:00"
    assert [each[3] for each in skipped(world)] == ["missed"] * len(skipped(world))
    assert (skipped(world)[0][0], skipped(world)[-1][1]) == ("00:00:00", before)


def test_the_window_applies_to_a_job_without_recurrence(world: World) -> None:
    world.add_job(startTime=START, policy={"catchUp": "all", "catchUpWindow": "PT2M"})

    come_back_at(world, "00:02:01")

    assert (begun(world), world.job().state) == ([], JobState.FAULTED)
    assert skipped(world) == [("00:00:00", "00:00:00", 1, "missed")]


# Start within.


def test_an_occurrence_that_is_planned_too_late_expires(world: World) -> None:
    world.add_job(**MINUTELY, policy={"startWithin": "PT10S"})

    come_back_at(world, "00:00:10")
    come_back_at(world, "00:01:11")

    assert begun(world) == ["00:00:00"]
    assert skipped(world) == [("00:01:00", "00:01:00", 1, "expired")]
    assert world.job().execution_count == 1


def test_a_run_that_waited_too_long_for_its_turn_expires_and_does_not_count(world: World) -> None:
    world.targets.answer = failing_at("00:00:00")
    policy = {"overlap": "queue", "startWithin": "PT90S"}
    world.add_job(**minutely(count=3), action=retrying("PT3M"), policy=policy)

    be_punctual_until(world, "00:02:30")
    assert world.job().execution_count == 3
    be_punctual_until(world, "00:10:00")

    # 00:01 was too late at 00:03, so that 00:03 is the third one.
    assert begun(world) == ["00:00:00", "00:02:00", "00:03:00"]
    assert skipped(world) == [("00:01:00", "00:01:00", 1, "expired")]
    assert (world.job().execution_count, world.job().state) == (3, JobState.COMPLETED)


def test_a_run_that_waited_too_long_for_a_free_slot_expires(world: World) -> None:
    engine = world.start_engine(slots=1)
    world.add_job("busy", startTime=START)
    world.add_job(startTime=f"{DAY}00:00:01Z", policy={"startWithin": "PT30S"})

    async def story() -> None:
        world.targets.gate = asyncio.Event()
        await engine.tick()
        world.clock.set(f"{DAY}00:00:01Z")
        await engine.tick()
        await world.targets.reached.wait()
        world.clock.set(f"{DAY}00:00:32Z")
        world.targets.gate.set()
        await engine.drain()

    world.run(story())
    come_back_at(world, "00:00:32")

    assert [each.job for each in world.targets.sent] == ["busy"]
    assert skipped(world) == [("00:00:01", "00:00:01", 1, "expired")]
    assert (world.job().execution_count, world.job().state) == (0, JobState.FAULTED)


def test_a_manual_run_never_expires(world: World) -> None:
    world.targets.answer = failing_at("00:00:00")
    policy = {"overlap": "queue", "startWithin": "PT1S"}
    world.add_job(startTime=START, action=retrying("PT1H"), policy=policy)
    world.step()
    run_now(world, "by hand")

    be_punctual_until(world, "02:00:00")

    assert began_at(world, "00:00:00", "by hand") == "01:00:00"


# Jitter.


def test_jitter_delays_each_run_by_its_own_part_and_keeps_the_planned_time(world: World) -> None:
    body: dict[str, Any] = {
        "startTime": START,
        "recurrence": {"frequency": "hour"},
        "policy": {"jitter": "PT30M"},
    }
    world.add_job(**body)

    be_punctual_until(world, "12:00:00")

    parts = [each.sent_at - each.expected_at for each in world.targets.sent]
    assert [time(each.expected_at) for each in world.targets.sent] == [
        f"{hour:02}:00:00" for hour in range(12)
    ]
    assert all(0 <= part <= 30 * MINUTE for part in parts)
    assert len(set(parts)) == 12


def test_jitter_is_the_same_after_a_restart(world: World) -> None:
    body: dict[str, Any] = {
        "startTime": START,
        "recurrence": {"frequency": "hour"},
        "policy": {"jitter": "PT30M"},
    }
    world.add_job(**body)
    world.add_job("twin", **body)
    world.step()
    planned_to_begin = world.due_at()
    world.kill_engine()
    world.start_engine()

    be_punctual_until(world, "00:59:59")
    sent = {each.job: each.sent_at for each in world.targets.sent}

    assert planned_to_begin == min(sent.values())
    begin = parse_instant(START)
    assert sent == {
        name: begin + jitter_ticks(KEY, name, begin, 30 * MINUTE) for name in ("job", "twin")
    }
    assert sent["job"] != sent["twin"]


def test_a_run_that_is_later_than_its_jitter_begins_at_once(world: World) -> None:
    body: dict[str, Any] = {
        "startTime": START,
        "recurrence": {"frequency": "hour"},
        "policy": {"jitter": "PT30M"},
    }
    world.add_job(**body)

    come_back_at(world, "00:30:01")

    assert began_at(world, "00:00:00") == "00:30:01"


def test_a_manual_run_has_no_jitter(world: World) -> None:
    world.add_job(startTime=f"{DAY}05:00:00Z", policy={"jitter": "PT1H"})
    run_now(world, "by hand")

    world.step()

    assert began_at(world, "00:00:00") == "00:00:00"


# Pause after failures.


def test_runs_given_up_in_a_row_disable_a_job_and_it_says_why(world: World) -> None:
    world.targets.answer = failing()
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY), "policy": {"pauseAfter": 2}}
    world.add_job(**MINUTELY, **body)

    be_punctual_until(world, "00:05:00")

    job, entries = world.job(), world.history()
    assert (job.state, job.consecutive_failures) == (JobState.DISABLED, 2)
    assert (
        job.paused_because
        == "2 runs in a row were given up, the last one at 2026-01-10 00:01:00 UTC"
    )
    assert begun(world) == ["00:00:00", "00:01:00"]
    assert entries[-1].status is AttemptStatus.POSTPONED
    assert job.paused_because in entries[-1].message


def test_enabling_a_paused_job_begins_a_new_count(world: World) -> None:
    world.targets.answer = failing()
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY), "policy": {"pauseAfter": 2}}
    world.add_job(**MINUTELY, **body)
    be_punctual_until(world, "00:05:30")

    world.add_job(**MINUTELY, **body, state="enabled")
    enabled = world.job()
    be_punctual_until(world, "00:06:30")

    assert (enabled.consecutive_failures, enabled.paused_because) == (0, None)
    assert (world.job().state, world.job().consecutive_failures) == (JobState.ENABLED, 1)
    be_punctual_until(world, "00:10:00")
    assert begun(world) == ["00:00:00", "00:01:00", "00:06:00", "00:07:00"]


def test_a_success_begins_a_new_count_of_failures(world: World) -> None:
    world.targets.answer = failing_at("00:00:00", "00:02:00", "00:04:00")
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY), "policy": {"pauseAfter": 2}}
    world.add_job(**MINUTELY, **body)

    be_punctual_until(world, "00:04:30")

    assert (world.job().state, world.job().consecutive_failures) == (JobState.ENABLED, 1)


def test_a_job_is_paused_when_its_error_action_has_ended(world: World) -> None:
    world.targets.answer = failing()
    error = {**retrying("PT2M")}
    body: dict[str, Any] = {
        "action": action(retryPolicy=NO_RETRY, errorAction=error),
        "policy": {"pauseAfter": 1},
    }
    world.add_job(startTime=START, recurrence={"frequency": "hour"}, **body)

    be_punctual_until(world, "00:01:00")
    assert (world.job().state, world.job().consecutive_failures) == (JobState.ENABLED, 1)
    be_punctual_until(world, "00:02:00")

    assert world.job().state is JobState.DISABLED


def test_a_job_that_has_reached_its_end_is_faulted_and_not_paused(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(action=action(retryPolicy=NO_RETRY), policy={"pauseAfter": 1})

    world.step()

    assert (world.job().state, world.job().paused_because) == (JobState.FAULTED, None)


# While a job is disabled.


def test_a_disabled_job_stays_disabled_when_a_manual_run_is_its_last(world: World) -> None:
    world.targets.answer = lambda request: Outcome(succeeded=request.tag == "by hand", message="?")
    policy = {"overlap": "queue", "pauseAfter": 1}
    body: dict[str, Any] = {"startTime": START, "action": retrying("PT1M"), "policy": policy}
    world.add_job(**body)
    be_punctual_until(world, "00:00:30")
    run_now(world, "by hand")

    be_punctual_until(world, "00:05:00")
    paused = world.job()
    world.add_job(**body, state="enabled")
    world.step()

    assert (begun(world), paused.state) == (["00:00:00", "00:00:30"], JobState.DISABLED)
    assert world.job().state is JobState.FAULTED


def test_redrives_of_a_job_that_was_paused_wait_until_it_is_enabled(world: World) -> None:
    world.targets.answer = failing()
    policy = {"overlap": "queue", "pauseAfter": 4}
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY), "policy": policy}
    world.add_job(**MINUTELY, **body)
    be_punctual_until(world, "00:02:30")
    redrive(world, "00:00:00", "00:03:00")

    # The redrive of 00:00 is the fourth failure.
    be_punctual_until(world, "00:10:30")
    assert (world.job().state, world.job().consecutive_failures) == (JobState.DISABLED, 4)
    world.targets.answer = failing_at("nothing")
    world.add_job(**MINUTELY, **body, state="enabled")
    be_punctual_until(world, "00:10:30")

    assert begun(world)[3:] == ["00:00:00", "00:01:00", "00:02:00"]


def test_redrives_of_a_disabled_job_wait_until_it_is_enabled(world: World) -> None:
    world.targets.answer = failing()
    body: dict[str, Any] = {"action": action(retryPolicy=NO_RETRY)}
    world.add_job(**MINUTELY, **body)
    be_punctual_until(world, "00:01:30")
    world.add_job(**MINUTELY, **body, state="disabled")

    redrive(world, "00:00:00", "00:02:00")
    be_punctual_until(world, "00:10:30")
    assert begun(world) == ["00:00:00", "00:01:00"]
    world.add_job(**MINUTELY, **body, state="enabled")
    be_punctual_until(world, "00:10:30")

    assert begun(world)[2:] == ["00:00:00", "00:01:00"]


def test_a_manual_run_that_was_given_up_can_be_redriven(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(startTime=f"{DAY}05:00:00Z", action=action(retryPolicy=NO_RETRY))
    run_now(world, "by hand")
    world.step()

    repeated_runs = world.use_cases.repeated_runs
    world.run(repeated_runs.redrive(OWNER, KEY, "job", "by hand", lambda: "again"))
    be_punctual_until(world, "00:00:00")

    assert [each.tag for each in world.targets.sent] == ["by hand", "again"]


def test_redrives_of_a_job_that_has_ended_run(world: World) -> None:
    world.targets.answer = failing()
    world.add_job(**minutely(count=2), action=action(retryPolicy=NO_RETRY))
    be_punctual_until(world, "00:01:30")
    assert world.job().state is JobState.FAULTED

    redrive(world, "00:00:00", "00:02:00")
    be_punctual_until(world, "00:01:30")

    assert begun(world)[2:] == ["00:00:00", "00:01:00"]


def test_a_job_without_recurrence_that_is_enabled_late_runs_whatever_its_policy(
    world: World,
) -> None:
    policy = {"startWithin": "PT1S", "catchUpWindow": "PT1M"}
    world.add_job(startTime=f"{DAY}00:10:00Z", policy=policy, state="disabled")
    be_punctual_until(world, "05:00:00")

    world.add_job(startTime=f"{DAY}00:10:00Z", policy=policy, state="enabled")
    world.step()

    assert begun(world) == ["05:00:00"]
