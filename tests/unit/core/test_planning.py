"""What becomes of an occurrence whose time has come."""

from typing import Any

from msgspec.structs import replace

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.instant import Instant, format_instant
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueJob, Lease
from foliot.core.rules.planning import Claiming, PlannedJob, faulted, plan
from tests.support.builders import DEFINITION, a_collection, at

CREATED = "2026-01-10T00:00:00Z"
HOURLY = {"frequency": "hour"}


def a_due_job(recurrence: dict[str, Any] | None, next_at: str, **fields: Any) -> Job:
    given = Properties({"recurrence": recurrence, "startTime": CREATED})
    definition = replace(DEFINITION, recurrence=decode_recurrence(given), start=decode_start(given))
    job = Job(
        collection_id=a_collection().id,
        name="Nightly",
        definition=definition,
        calendar_at=at(CREATED),
        next_at=at(next_at),
    )
    return replace(job, **fields)


def planned(job: Job, now: str, *, open_runs: int = 0) -> PlannedJob:
    due = DueJob(job, a_collection(), open_runs)
    lease = Lease("node", "claim", Instant(at(now) + 1))
    return plan(due, Claiming(at(now), lease), "tag")


def test_a_due_occurrence_becomes_a_run_and_the_job_moves_on() -> None:
    found = planned(a_due_job(HOURLY, "2026-01-10T05:00:00Z"), "2026-01-10T05:00:01Z")

    assert len(found.runs) == 1
    assert format_instant(found.runs[0].expected_at) == "2026-01-10T05:00:00Z"
    assert (found.runs[0].occurrence, found.runs[0].attempt, found.runs[0].tag) == (1, 1, "tag")
    assert found.runs[0].lease == Lease("node", "claim", Instant(at("2026-01-10T05:00:01Z") + 1))
    assert found.job.next_at == at("2026-01-10T06:00:00Z")
    assert (found.job.occurrence, found.job.execution_count) == (1, 1)
    assert not found.skipped


def test_of_several_missed_occurrences_the_latest_runs_and_the_others_are_skipped() -> None:
    found = planned(a_due_job(HOURLY, "2026-01-10T05:00:00Z"), "2026-01-10T08:30:00Z")

    assert len(found.runs) == 1
    assert format_instant(found.runs[0].expected_at) == "2026-01-10T08:00:00Z"
    assert found.job.next_at == at("2026-01-10T09:00:00Z")
    assert (found.job.occurrence, found.job.execution_count) == (1, 1)
    assert len(found.skipped) == 1
    assert found.skipped[0].status is AttemptStatus.POSTPONED
    assert found.skipped[0].message == (
        "Http Action - Skipped: 3 occurrences for host 'example.com', "
        "from 2026-01-10T05:00:00Z to 2026-01-10T07:00:00Z: "
        "the service was down or overloaded when they were due."
    )
    assert found.skipped_count == 3


def test_with_too_many_runs_open_an_occurrence_is_skipped_and_does_not_count() -> None:
    job = a_due_job(HOURLY | {"count": 30}, "2026-01-10T05:00:00Z", occurrence=10)

    found = planned(job, "2026-01-10T05:00:01Z", open_runs=10)

    assert not found.runs
    assert found.job.next_at == at("2026-01-10T06:00:00Z")
    assert (found.job.occurrence, found.job.execution_count) == (10, 0)
    assert len(found.skipped) == 1
    assert found.skipped[0].message == (
        "Http Action - Skipped: 1 occurrence for host 'example.com', "
        "from 2026-01-10T05:00:00Z to 2026-01-10T05:00:00Z: "
        "the job has 10 open runs, and 10 may be open."
    )


def test_occurrences_skipped_for_open_runs_include_those_missed_before() -> None:
    found = planned(a_due_job(HOURLY, "2026-01-10T05:00:00Z"), "2026-01-10T07:00:00Z", open_runs=11)

    assert len(found.skipped) == 1
    assert found.skipped[0].message.startswith("Http Action - Skipped: 3 occurrences for ")
    assert found.skipped_count == 3


def test_the_last_of_a_count_leaves_nothing_to_come() -> None:
    job = a_due_job(HOURLY | {"count": 3}, "2026-01-10T05:00:00Z", occurrence=2)

    found = planned(job, "2026-01-10T09:00:00Z")

    assert len(found.runs) == 1
    assert (found.job.occurrence, found.job.next_at) == (3, None)


def test_the_last_before_the_end_leaves_nothing_to_come() -> None:
    job = a_due_job(HOURLY | {"endTime": "2026-01-10T05:30"}, "2026-01-10T05:00:00Z")

    assert planned(job, "2026-01-10T05:00:00Z").job.next_at is None


def test_a_job_that_runs_once_runs_late_rather_than_never() -> None:
    found = planned(a_due_job(None, CREATED), "2026-02-01T00:00:00Z")

    assert len(found.runs) == 1
    assert (found.runs[0].expected_at, found.job.next_at) == (at(CREATED), None)


def test_a_job_whose_calendar_breaks_is_faulted_with_the_reason() -> None:
    due = DueJob(a_due_job(HOURLY, CREATED), a_collection(), 0)

    found = faulted(due, at("2026-01-11"), "KeyError")

    assert (found.job.state, found.job.next_at) == (JobState.FAULTED, None)
    assert found.job.ended_at == at("2026-01-11")
    assert found.skipped_count == 0
    assert len(found.skipped) == 1
    assert "cannot be computed (KeyError)" in found.skipped[0].message
