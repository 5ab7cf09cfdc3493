"""Decides whether a due occurrence runs or is skipped, and when the next one is.

Of several missed occurrences the latest one runs, late, and the others are skipped: to run them all
at once would overload the target.
"""

from msgspec import Struct, structs

from foliot.core.history_text import history_note
from foliot.core.instant import SECOND, Instant, format_instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueJob, DueRun, Lease, Phase, Run
from foliot.core.recurrence import Timetable
from foliot.core.rules.lifecycle import has_run_out, timetable_of

MAX_OPEN_RUNS = 10

# Missed occurrences are counted one by one up to this number: there may be millions.
_COUNTED = 1000
_LATE = "the service was down or overloaded when they were due"


class PlannedJob(Struct, frozen=True):
    """A job with its next time, the run to start and the entry for skipped ones, if any."""

    job: Job
    run: Run | None = None
    skipped: HistoryEntry | None = None
    skipped_count: int = 0


class Missed(Struct, frozen=True):
    """Missed occurrences: how many (at least), the first and the last."""

    count: int
    first: Instant
    last: Instant
    is_more: bool = False


class Due(Struct, frozen=True):
    """The latest occurrence that is due, those missed before it, and the one that follows."""

    latest: Instant
    missed: Missed | None
    following: Instant | None


def plan(
    due: DueJob, now: Instant, *, tag: str, lease: Lease, max_open_runs: int = MAX_OPEN_RUNS
) -> PlannedJob:
    """Decide what a due job does now, and when it is due again."""
    job, found = due.job, _due(due.job, now)
    if due.open_runs >= max_open_runs:
        why = f"{due.open_runs} runs of the job are open, and {max_open_runs} may be"
        stretch = _with_latest(found)
        skipped = _entry(job, stretch, why, now)
        return PlannedJob(_moved_on(job, found), None, skipped, stretch.count)
    begun = structs.replace(
        job, occurrence=job.occurrence + 1, execution_count=job.execution_count + 1
    )
    run = Run(
        job_id=job.id,
        generation=job.generation,
        occurrence=begun.occurrence,
        expected_at=found.latest,
        due_at=found.latest,
        tag=tag,
        lease=lease,
    )
    missed = found.missed
    skipped = None if missed is None else _entry(job, missed, _LATE, now)
    return PlannedJob(_moved_on(begun, found), run, skipped, missed.count if missed else 0)


def passed_over(due: DueJob, now: Instant) -> Job:
    """Return a job whose due occurrence was planned before: it moves on, and counts nothing."""
    return _moved_on(due.job, _due(due.job, now))


def started(due: DueRun) -> Job:
    """Return the job of a claimed run; a run by hand counts at its first claim."""
    run, job = due.run, due.job
    is_first = run.is_manual and run.lease is None and run.attempt == 1 and run.phase is Phase.MAIN
    return structs.replace(job, execution_count=job.execution_count + 1) if is_first else job


def faulted(due: DueJob, now: Instant, why: str) -> PlannedJob:
    """Return a faulted job, whose calendar cannot be computed, with the reason for its history."""
    job = structs.replace(due.job, state=JobState.FAULTED, next_at=None, ended_at=now)
    entry = HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=due.job.next_at or now,
        status=AttemptStatus.FAILED,
        message=history_note(
            job.definition.action,
            "Faulted: the next time for",
            f" cannot be computed ({why}).",
        ),
        retry_count=0,
        repeat_count=job.occurrence,
    )
    return PlannedJob(job, skipped=entry)


def _due(job: Job, now: Instant) -> Due:
    assert job.next_at is not None  # noqa: S101  (or it would not be due)
    timetable, first = timetable_of(job), job.next_at
    latest = previous = first
    count, following = 0, timetable.next_after(first)
    while following is not None and following <= now:
        if count == _COUNTED:
            return _latest_of_many(timetable, first, following, now)
        previous, latest, count = latest, following, count + 1
        following = timetable.next_after(latest)
    return Due(latest, Missed(count, first, previous) if count else None, following)


def _latest_of_many(timetable: Timetable, first: Instant, reached: Instant, now: Instant) -> Due:
    """Find the latest occurrence without going through all before it.

    The period before now is doubled until it holds two occurrences, the latest and its previous.
    """
    period = SECOND
    while (begin := now - period) > reached:
        one = timetable.next_after(Instant(begin))
        other = None if one is None else timetable.next_after(one)
        if one is not None and other is not None and other <= now:
            return _last_two(timetable, first, (one, other), now)
        period *= 2
    return _last_two(timetable, first, (reached, reached), now)


def _last_two(
    timetable: Timetable, first: Instant, two: tuple[Instant, Instant], now: Instant
) -> Due:
    previous, latest = two
    while (following := timetable.next_after(latest)) is not None and following <= now:
        previous, latest = latest, following
    return Due(latest, Missed(_COUNTED, first, previous, is_more=True), following)


def _moved_on(job: Job, found: Due) -> Job:
    return structs.replace(job, next_at=None if has_run_out(job) else found.following)


def _with_latest(found: Due) -> Missed:
    missed = found.missed
    if missed is None:
        return Missed(1, found.latest, found.latest)
    return structs.replace(missed, count=missed.count + 1, last=found.latest)


def _entry(job: Job, missed: Missed, why: str, now: Instant) -> HistoryEntry:
    times = "occurrence" if missed.count == 1 else "occurrences"
    more = "more than " if missed.is_more else ""
    return HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=missed.first,
        status=AttemptStatus.POSTPONED,
        message=history_note(
            job.definition.action,
            f"Skipped: {more}{missed.count} {times} for",
            f", from {format_instant(missed.first)} to {format_instant(missed.last)}: {why}.",
        ),
        retry_count=0,
        repeat_count=job.occurrence,
    )
