"""What follows from the outcome of an attempt."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    Duration,
    HttpRequest,
    RetryKind,
    RetryPolicy,
)
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.collection import Sku
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun, Phase, Run, Trigger
from foliot.core.rules.retries import action_of
from foliot.core.rules.settling import Settlement, abandon, is_pointless, settle
from tests.support.builders import DEFINITION, NOW, a_collection, a_job

ENDED = Instant(NOW + 5 * SECOND)
ERROR_ACTION = Action(
    kind=ActionKind.HTTP, part=HttpRequest(uri="http://example.com/failed", method="POST")
)


def a_run(job: Job, **fields: Any) -> Run:
    run = Run(job_id=job.id, generation=1, occurrence=1, expected_at=NOW, due_at=NOW, tag="tag")
    return replace(run, **fields)


def settled(  # noqa: PLR0913  (a test names what matters to it)
    *,
    succeeded: bool,
    action: dict[str, Any] | None = None,
    job: dict[str, Any] | None = None,
    sku: Sku = Sku.STANDARD,
    others: int = 0,
    retry_after: int | None = None,
    **run: Any,
) -> Settlement:
    definition = replace(DEFINITION, action=replace(DEFINITION.action, **(action or {})))
    of = replace(a_job(a_collection().id, definition=definition, occurrence=1), **(job or {}))
    attempt = Attempt(
        outcome=Outcome(succeeded=succeeded, message="said", retry_after=retry_after),
        started_at=NOW,
        ended_at=ENDED,
    )
    due = DueRun(a_run(of, **run), of, a_collection(sku=sku))
    return settle(due, attempt, other_open_runs=others)


def test_a_success_ends_the_run_and_completes_a_job_with_nothing_to_come() -> None:
    found = settled(succeeded=True)

    assert found.run is None
    assert (found.job.state, found.job.ended_at) == (JobState.COMPLETED, ENDED)
    assert found.job.last_execution_at == NOW
    assert (
        found.entries[0].status,
        found.entries[0].retry_count,
        found.entries[0].repeat_count,
    ) == (*(AttemptStatus.COMPLETED, 0, 1),)


def test_a_job_with_a_next_time_stays_enabled() -> None:
    found = settled(succeeded=True, job={"next_at": Instant(NOW + HOUR)})

    assert (found.job.state, found.job.ended_at) == (JobState.ENABLED, None)


POLICIES: dict[str, tuple[RetryPolicy | None, Sku, int, int]] = {
    "none given": (None, Sku.STANDARD, 4, 30 * SECOND),
    "empty": (RetryPolicy(), Sku.STANDARD, 4, 30 * SECOND),
    "on the free plan": (None, Sku.FREE, 4, HOUR),
    "fixed": (
        RetryPolicy(kind=RetryKind.FIXED, interval=Duration("PT1M", MINUTE), count=2),
        *(Sku.STANDARD, 2, MINUTE),
    ),
}


@pytest.mark.parametrize(("policy", "sku", "retries", "pause"), POLICIES.values(), ids=POLICIES)
def test_a_failure_is_retried_as_often_as_the_policy_says(
    policy: RetryPolicy | None, sku: Sku, retries: int, pause: int
) -> None:
    action = {"retry_policy": policy}
    again = settled(succeeded=False, action=action, sku=sku, attempt=retries)
    over = settled(succeeded=False, action=action, sku=sku, attempt=retries + 1)

    assert again.run
    assert (again.run.attempt, again.run.due_at) == (retries + 1, ENDED + pause)
    assert (again.run.tag, again.run.lease) == ("tag", None)
    assert (again.job.failure_count, again.job.faulted_count) == (1, 0)
    assert again.entries[0].retry_count == retries - 1
    assert over.run is None
    assert (over.job.failure_count, over.job.faulted_count) == (1, 1)
    assert over.job.state is JobState.FAULTED


def test_without_retries_a_failure_is_final() -> None:
    found = settled(succeeded=False, action={"retry_policy": RetryPolicy(kind=RetryKind.NONE)})

    assert found.run is None
    assert found.job.faulted_count == 1


@pytest.mark.parametrize(("asked", "pause"), [(HOUR, HOUR), (SECOND, 30 * SECOND)])
def test_a_target_that_asks_for_a_longer_pause_gets_it(asked: int, pause: int) -> None:
    found = settled(succeeded=False, retry_after=asked)

    assert found.run
    assert found.run.due_at == ENDED + pause


def test_an_action_given_up_is_followed_by_the_error_action_under_its_own_policy() -> None:
    error = replace(ERROR_ACTION, retry_policy=RetryPolicy(kind=RetryKind.NONE))
    action = {"error_action": error}

    given_up = settled(succeeded=False, action=action, attempt=5)
    failed = settled(succeeded=False, action=action, phase=Phase.ERROR)

    assert given_up.run
    assert (given_up.run.phase, given_up.run.attempt, given_up.run.due_at) == (
        *(Phase.ERROR, 1, ENDED),
    )
    assert (given_up.job.faulted_count, given_up.job.state) == (1, JobState.ENABLED)
    assert failed.run is None
    assert failed.entries[0].is_error_action
    assert (failed.job.failure_count, failed.job.faulted_count) == (0, 0)
    assert failed.job.state is JobState.FAULTED


def test_the_error_action_takes_the_policy_of_the_action_if_it_has_none() -> None:
    policy = RetryPolicy(interval=Duration("PT1H", HOUR), count=1)
    action = {"error_action": ERROR_ACTION, "retry_policy": policy}

    found = settled(succeeded=False, action=action, phase=Phase.ERROR)

    assert found.run
    assert (found.run.attempt, found.run.due_at) == (2, ENDED + HOUR)


def test_an_error_action_that_succeeds_leaves_the_job_faulted() -> None:
    found = settled(succeeded=True, action={"error_action": ERROR_ACTION}, phase=Phase.ERROR)

    assert found.job.state is JobState.FAULTED


def test_a_job_ends_only_when_nothing_of_it_is_open() -> None:
    found = settled(succeeded=True, others=1)

    assert found.job.state is JobState.ENABLED
    assert (found.job.settled_at, found.job.settled_well) == (NOW, True)


def test_how_a_job_ends_is_decided_by_its_latest_occurrence() -> None:
    later = {"settled_at": Instant(NOW + HOUR), "settled_well": True}

    earlier_fails = settled(succeeded=False, attempt=5, job=later)

    assert earlier_fails.job.state is JobState.COMPLETED
    assert earlier_fails.job.faulted_count == 1


def test_a_job_disabled_meanwhile_keeps_its_retry() -> None:
    found = settled(succeeded=False, job={"state": JobState.DISABLED})

    assert found.run
    assert found.run.attempt == 2
    assert found.job.state is JobState.DISABLED
    assert (found.job.failure_count, found.job.faulted_count) == (1, 0)


def test_a_run_by_hand_is_retried_in_any_state_of_its_job_and_changes_none() -> None:
    disabled = {"state": JobState.DISABLED}

    failed = settled(succeeded=False, job=disabled, trigger=Trigger.MANUAL)
    succeeded = settled(succeeded=True, job=disabled, trigger=Trigger.MANUAL)

    assert failed.run
    assert succeeded.job.state is JobState.DISABLED
    assert succeeded.job.settled_at is None


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
def test_a_run_by_hand_leaves_an_ended_job_in_its_state(state: JobState) -> None:
    assert settled(succeeded=True, job={"state": state}, trigger=Trigger.MANUAL).job.state is state


def test_a_run_of_a_calendar_that_was_replaced_says_nothing_about_the_new_one() -> None:
    found = settled(succeeded=False, attempt=5, job={"generation": 2, "next_at": ENDED})

    assert (found.job.settled_at, found.job.settled_well) == (None, True)
    assert found.job.faulted_count == 1


def test_a_run_at_an_error_action_that_was_removed_is_abandoned() -> None:
    job = a_job(a_collection().id)
    due = DueRun(a_run(job, phase=Phase.ERROR), job, a_collection())

    assert is_pointless(due)
    last, other = (abandon(due, ENDED, other_open_runs=others) for others in (0, 1))
    assert (last.job.state, last.job.ended_at) == (JobState.FAULTED, ENDED)
    assert (other.job.state, other.job.ended_at) == (JobState.ENABLED, None)
    assert last.entries[0].message.startswith("Http Action - Dropped: the error action after ")
    assert action_of(due) == DEFINITION.action


@pytest.mark.parametrize(
    ("succeeded", "run", "outcome"),
    [
        pytest.param(True, {}, RunOutcome.SUCCEEDED, id="a success at once"),
        pytest.param(True, {"attempt": 2}, RunOutcome.RECOVERED, id="a success after a retry"),
        pytest.param(False, {"attempt": 1}, None, id="a failure with a retry to come"),
        pytest.param(False, {"attempt": 5}, RunOutcome.FAILED, id="the last failure"),
        pytest.param(True, {"phase": Phase.ERROR}, None, id="a success of the error action"),
        pytest.param(
            False, {"phase": Phase.ERROR, "attempt": 5}, None, id="the end of the error action"
        ),
    ],
)
def test_the_last_attempt_at_the_main_action_tells_how_the_run_ended(
    succeeded: bool,  # noqa: FBT001
    run: dict[str, Any],
    outcome: RunOutcome | None,
) -> None:
    entry = settled(
        succeeded=succeeded, action={"error_action": ERROR_ACTION}, id=7, **run
    ).entries[0]

    assert entry.outcome is outcome
    assert (entry.run_id, entry.tag, entry.trigger) == (7, "tag", Trigger.SCHEDULE)
