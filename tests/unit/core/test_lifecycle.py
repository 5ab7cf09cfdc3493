"""How a job changes; what clients see of it is tested with the API."""

from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict, Invalid
from foliot.core.ids import CollectionId
from foliot.core.instant import DAY, HOUR, SECOND, Instant, Moment, format_instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.action import RetryPolicy
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.recurrence import Frequency, Recurrence, Schedule, occurrences
from foliot.core.rules.lifecycle import (
    Revision,
    create,
    next_execution_at,
    resume,
    revise,
    timetable_of,
)
from tests.support.builders import DEFINITION, NOW, a_collection

LATER = Instant(NOW + 3 * DAY + HOUR)


def daily(**fields: Any) -> Recurrence:
    return Recurrence(frequency=Frequency.DAY, **fields)


def definition(recurrence: Recurrence | None = None, start: Instant | None = None) -> Definition:
    moment = None if start is None else Moment.at(start)
    return replace(DEFINITION, recurrence=recurrence, start=moment)


def created(state: JobState | None = None, **fields: Any) -> Job:
    return create(CollectionId(1), "Nightly", Revision(definition(**fields), state), NOW)


def test_a_new_job_is_enabled_and_waits_for_its_first_occurrence() -> None:
    job = created(recurrence=daily())

    assert (job.state, job.calendar_at, job.next_at) == (JobState.ENABLED, NOW, NOW)
    assert (job.occurrence, job.generation, job.execution_count) == (0, 1, 0)


def test_a_new_job_that_is_disabled_has_no_next_time() -> None:
    job = created(JobState.DISABLED, recurrence=daily())

    assert (job.state, job.next_at) == (JobState.DISABLED, None)


def test_an_identical_revision_is_the_same_job() -> None:
    job = created(recurrence=daily(), start=NOW)

    assert revise(job, Revision(job.definition), LATER) == job
    assert revise(job, Revision(job.definition, JobState.ENABLED), LATER) == job


def test_a_start_written_with_another_offset_is_kept_as_it_was_written() -> None:
    job = created(recurrence=daily(), start=NOW)
    elsewhere = Moment(Instant(NOW + HOUR), HOUR)

    revised = revise(job, Revision(replace(job.definition, start=elsewhere)), LATER)

    assert revised == job


def test_a_new_calendar_restarts_the_occurrences_and_keeps_the_counters() -> None:
    job = replace(created(recurrence=daily()), occurrence=7, execution_count=9, failure_count=2)

    revised = revise(job, Revision(definition(daily(interval=2))), LATER)

    assert (revised.calendar_at, revised.occurrence, revised.generation) == (LATER, 0, 2)
    assert (revised.execution_count, revised.failure_count) == (9, 2)
    assert revised.next_at == LATER


def test_a_new_calendar_of_a_disabled_job_gives_it_no_next_time() -> None:
    job = created(JobState.DISABLED, recurrence=daily())

    revised = revise(job, Revision(definition(daily(interval=2))), LATER)

    assert (revised.state, revised.next_at, revised.calendar_at) == (JobState.DISABLED, None, LATER)


def test_disabling_forgets_the_next_time_and_enabling_finds_the_one_after_now() -> None:
    job = created(recurrence=daily())

    disabled = revise(job, Revision(job.definition, JobState.DISABLED), NOW)
    enabled = revise(disabled, Revision(job.definition, JobState.ENABLED), LATER)

    assert disabled.next_at is None
    assert enabled == replace(job, next_at=Instant(NOW + 4 * DAY))


@pytest.mark.parametrize(
    ("start", "following"),
    [(None, LATER), (NOW + DAY, LATER), (NOW + 9 * DAY, NOW + 9 * DAY)],
    ids=["at once", "start that passed", "start ahead"],
)
def test_a_one_time_job_that_has_not_run_is_late_rather_than_lost(
    start: Instant | None, following: Instant
) -> None:
    assert resume(created(start=start), LATER).next_at == following


@pytest.mark.parametrize(
    ("recurrence", "occurrence"),
    [(None, 1), (daily(count=2), 2), (daily(count=2), 3)],
    ids=["one-time", "count", "more than count"],
)
def test_a_job_that_has_run_as_often_as_it_should_does_not_resume(
    recurrence: Recurrence | None, occurrence: int
) -> None:
    job = replace(created(recurrence=recurrence), occurrence=occurrence, next_at=None)

    assert resume(job, LATER) == job


def test_a_job_with_occurrences_left_resumes() -> None:
    job = replace(created(recurrence=daily(count=2)), occurrence=1)

    assert resume(job, LATER).next_at == NOW + 4 * DAY


@pytest.mark.parametrize("state", [JobState.DISABLED, JobState.COMPLETED, JobState.FAULTED])
def test_only_enabled_jobs_resume(state: JobState) -> None:
    job = replace(created(recurrence=daily()), state=state)

    assert resume(job, LATER) is job


def test_a_job_whose_end_has_passed_cannot_be_enabled() -> None:
    end = Moment.at(Instant(NOW + DAY))
    job = created(JobState.DISABLED, recurrence=daily(end=end))

    with pytest.raises(Invalid) as refusal:
        revise(job, Revision(job.definition, JobState.ENABLED), LATER)

    assert refusal.value.path == ("properties", "recurrence", "endTime")


def test_a_job_without_a_further_occurrence_cannot_be_enabled() -> None:
    end = Moment.at(Instant(LATER + HOUR))
    job = created(JobState.DISABLED, recurrence=daily(end=end))

    with pytest.raises(Invalid, match="never occurs again") as refusal:
        revise(job, Revision(job.definition, JobState.ENABLED), LATER)

    assert refusal.value.path == ("properties", "recurrence")


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
def test_a_job_that_has_ended_stays_as_it_is(state: JobState) -> None:
    job = replace(created(), state=state, next_at=None)

    assert revise(job, Revision(job.definition), LATER) is job
    for wanted in (JobState.ENABLED, JobState.DISABLED):
        with pytest.raises(Conflict, match=f"is {state} and can no longer be changed"):
            revise(job, Revision(job.definition, wanted), LATER)
    with pytest.raises(Conflict):
        revise(job, Revision(definition(daily())), LATER)


DELAY = 20 * SECOND
DELAYED = JobDefaults(immediate_delay_seconds=20)
SOON = Instant(NOW + 5 * SECOND)
BEFORE = Instant(NOW - 5 * SECOND)
HOURLY = Recurrence(frequency=Frequency.HOUR)
AT_MINUTE_7 = Recurrence(frequency=Frequency.HOUR, schedule=Schedule(minutes=(7,)))
# Recurrence and start; the first two occurrences in seconds after the job was saved.
FIRST_RUNS: dict[str, tuple[Recurrence | None, Instant | None, list[int]]] = {
    "once, at once": (None, None, [20]),
    "once, with a start in the past": (None, BEFORE, [20]),
    "once, with a start that is now": (None, NOW, [0]),
    "once, with a start within the delay": (None, SOON, [5]),
    "equal steps from the first run on": (HOURLY, None, [20, 20 + 3600]),
    "equal steps with a start in the past": (HOURLY, BEFORE, [3600 - 5, 2 * 3600 - 5]),
    "equal steps with a start within the delay": (HOURLY, SOON, [5, 5 + 3600]),
    "at once, then a schedule": (AT_MINUTE_7, None, [20, 7 * 60]),
    "a schedule with a start in the past": (AT_MINUTE_7, BEFORE, [7 * 60, 3600 + 7 * 60]),
}


@pytest.mark.parametrize(
    ("recurrence", "start", "seconds"), FIRST_RUNS.values(), ids=FIRST_RUNS.keys()
)
def test_only_a_run_at_once_is_delayed(
    recurrence: Recurrence | None, start: Instant | None, seconds: list[int]
) -> None:
    wanted = Revision(definition(recurrence, start))

    job = create(CollectionId(1), "Nightly", wanted, NOW, DELAYED)

    times = [*islice(occurrences(timetable_of(job)), 2)]
    assert [(each - NOW) // SECOND for each in times] == seconds
    assert job.next_at == times[0]


def test_the_delay_counts_from_the_change_of_a_calendar_and_from_no_other_change() -> None:
    job = create(CollectionId(1), "Nightly", Revision(definition(daily())), NOW, DELAYED)
    other = replace(DEFINITION.action, retry_policy=RetryPolicy(count=1))

    changed = revise(job, Revision(replace(job.definition, action=other)), SOON, DELAYED)
    restarted = revise(job, Revision(definition(HOURLY)), SOON, DELAYED)

    assert changed.next_at == job.next_at == NOW + DELAY
    assert restarted.next_at == SOON + DELAY


def test_a_job_that_is_enabled_later_runs_without_a_delay() -> None:
    wanted = Revision(definition(), JobState.DISABLED)
    job = create(CollectionId(1), "Nightly", wanted, NOW, DELAYED)

    enabled = revise(job, Revision(job.definition, JobState.ENABLED), LATER, DELAYED)

    assert enabled.next_at == LATER


def test_an_end_before_the_delayed_first_run_is_refused() -> None:
    end = Moment.at(Instant(NOW + DELAY - 1))

    with pytest.raises(Invalid, match="lies before its first time") as refusal:
        create(CollectionId(1), "Nightly", Revision(definition(daily(end=end))), NOW, DELAYED)

    assert refusal.value.path == ("properties", "recurrence", "endTime")


@pytest.mark.parametrize("state", list(CollectionState))
@pytest.mark.parametrize("job_state", list(JobState))
def test_the_next_time_is_known_only_where_job_and_collection_are_enabled(
    state: CollectionState, job_state: JobState
) -> None:
    job = replace(created(recurrence=daily()), state=job_state)

    found = next_execution_at(job, a_collection(state=state))

    both = state is CollectionState.ENABLED and job_state is JobState.ENABLED
    assert (found is not None and format_instant(found)) == (both and "2026-01-10T00:00:00Z")
