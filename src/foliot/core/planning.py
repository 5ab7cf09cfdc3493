"""What becomes of an occurrence whose time has come: it is run, or skipped and said so.

When several were missed, the latest one runs and the others are skipped; late is better than lost,
but a storm helps nobody.
"""

from msgspec import Struct, structs

from foliot.core.instant import Instant, format_instant
from foliot.core.lifecycle import has_run_out, timetable_of
from foliot.core.model import AttemptStatus, HistoryEntry, Job, JobState
from foliot.core.run import DueJob, DueRun, Lease, Phase, Run

MAX_OPEN_RUNS = 10

_LATE = "the service was down or overloaded when they were due"


class Plan(Struct, frozen=True):
    """A job on its way to its next time, with a run and a word on what was skipped, if any."""

    job: Job
    run: Run | None = None
    skipped: HistoryEntry | None = None
    skipped_count: int = 0


class Missed(Struct, frozen=True):
    """A stretch of occurrences: how many, from when to when."""

    count: int
    first: Instant
    last: Instant


def plan(
    due: DueJob, now: Instant, *, tag: str, lease: Lease, max_open_runs: int = MAX_OPEN_RUNS
) -> Plan:
    """Decide what a due job does now, and when it is due again."""
    job = due.job
    latest, missed = _latest_due(job, now)
    if due.open_runs >= max_open_runs:
        why = f"{due.open_runs} runs of the job are open, and {max_open_runs} may be"
        stretch = Missed((missed.count if missed else 0) + 1, _first(missed, latest), latest)
        skipped = _entry(job, stretch, why, now)
        return Plan(_moved_on(job, latest), None, skipped, stretch.count)
    begun = structs.replace(
        job, occurrence=job.occurrence + 1, execution_count=job.execution_count + 1
    )
    run = Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=begun.occurrence,
        expected_at=latest,
        due_at=latest,
        tag=tag,
        lease=lease,
    )
    skipped = None if missed is None else _entry(job, missed, _LATE, now)
    return Plan(_moved_on(begun, latest), run, skipped, missed.count if missed else 0)


def started(due: DueRun) -> Job:
    """Return the job of a run that is taken; one beside the calendar counts when it starts."""
    run, job = due.run, due.job
    is_first = run.is_manual and run.lease is None and run.attempt == 1 and run.phase is Phase.MAIN
    return structs.replace(job, execution_count=job.execution_count + 1) if is_first else job


def faulted(due: DueJob, now: Instant, why: str) -> Plan:
    """Take a job whose calendar cannot be computed out of the way, and say so in its history."""
    job = structs.replace(due.job, state=JobState.FAULTED, next_at=None, ended_at=now)
    entry = HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=due.job.next_at or now,
        status=AttemptStatus.FAILED,
        message=f"The job is faulted: its next time cannot be computed ({why}).",
        retry_count=0,
        repeat_count=job.occurrence,
    )
    return Plan(job, skipped=entry)


def _latest_due(job: Job, now: Instant) -> tuple[Instant, Missed | None]:
    """Return the latest occurrence that is due, and those before it."""
    assert job.next_at is not None  # noqa: S101  (or it would not be due)
    first = latest = job.next_at
    timetable, count, previous = timetable_of(job), 0, first
    following = timetable.next_after(latest)
    while following is not None and following <= now:
        previous, latest, count = latest, following, count + 1
        following = timetable.next_after(latest)
    return latest, Missed(count, first, previous) if count else None


def _moved_on(job: Job, latest: Instant) -> Job:
    if has_run_out(job):
        return structs.replace(job, next_at=None)
    return structs.replace(job, next_at=timetable_of(job).next_after(latest))


def _first(missed: Missed | None, latest: Instant) -> Instant:
    return latest if missed is None else missed.first


def _entry(job: Job, missed: Missed, why: str, now: Instant) -> HistoryEntry:
    times = "occurrence was" if missed.count == 1 else "occurrences were"
    return HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=missed.first,
        status=AttemptStatus.POSTPONED,
        message=(
            f"{missed.count} {times} skipped, from {format_instant(missed.first)} "
            f"to {format_instant(missed.last)}: {why}."
        ),
        retry_count=0,
        repeat_count=job.occurrence,
    )
