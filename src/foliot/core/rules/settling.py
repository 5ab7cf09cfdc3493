"""Decides what follows from an outcome: an end, a retry, the error action, a final state."""

from msgspec import Struct, structs

from foliot.core.history_text import history_note
from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun, Phase, Run
from foliot.core.rules.lifecycle import FINAL
from foliot.core.rules.retries import pause_before_retry


class Settlement(Struct, frozen=True):
    """What to store for an attempt: its history, the run if it goes on, and the changed job."""

    entry: HistoryEntry
    run: Run | None
    job: Job


def settle(due: DueRun, attempt: Attempt, *, other_open_runs: int) -> Settlement:
    """Decide what follows from an attempt."""
    run = _next_step(due, attempt)
    job = _counted(due, attempt, is_given_up=_is_given_up(due, run, attempt))
    if run is None:
        # An occurrence at its error action has failed, even if the error action succeeds.
        well = attempt.outcome.succeeded and due.run.phase is Phase.MAIN
        job = _with_result(job, due.run, well=well)
        if other_open_runs == 0:
            job = finished(job, attempt.ended_at)
    return Settlement(_entry(due, attempt), run, job)


def is_pointless(due: DueRun) -> bool:
    """Tell whether a run waits for an error action that its job no longer has."""
    return due.run.phase is Phase.ERROR and due.job.definition.action.error_action is None


def abandon(due: DueRun, now: Instant, *, other_open_runs: int) -> Settlement:
    """End a pointless run, with an entry in history: its occurrence has failed before."""
    job = _with_result(due.job, due.run, well=False)
    entry = HistoryEntry(
        job_id=due.job.id,
        started_at=now,
        ended_at=now,
        expected_at=due.run.expected_at,
        status=AttemptStatus.POSTPONED,
        message=history_note(
            due.job.definition.action,
            "Dropped: the error action after the failure at",
            " was removed from the job before it could run.",
        ),
        retry_count=due.run.attempt - 1,
        repeat_count=due.run.occurrence,
        is_error_action=True,
    )
    return Settlement(entry, None, finished(job, now) if other_open_runs == 0 else job)


def finished(job: Job, now: Instant) -> Job:
    """Return the job in its final state, if its calendar has no more occurrences."""
    if job.state is not JobState.ENABLED or job.next_at is not None:
        return job
    # A job that has begun occurrences and settled none counts as failed.
    well = job.occurrence == 0 if job.settled_at is None else job.settled_well
    final = JobState.COMPLETED if well else JobState.FAULTED
    return structs.replace(job, state=final, ended_at=now)


def _next_step(due: DueRun, attempt: Attempt) -> Run | None:
    """Return the run as it goes on, or None if it has ended."""
    if attempt.outcome.succeeded:
        return None
    run = structs.replace(due.run, lease=None)
    pause = pause_before_retry(due, attempt.outcome)
    if pause is not None:
        again = Instant(attempt.ended_at + pause)
        return structs.replace(run, attempt=run.attempt + 1, due_at=again)
    if run.phase is Phase.MAIN and due.job.definition.action.error_action is not None:
        return structs.replace(run, phase=Phase.ERROR, attempt=1, due_at=attempt.ended_at)
    return None


def _is_given_up(due: DueRun, run: Run | None, attempt: Attempt) -> bool:
    """Tell whether the main action has just failed for the last time."""
    if due.run.phase is not Phase.MAIN or attempt.outcome.succeeded:
        return False
    return run is None or run.phase is Phase.ERROR


def _counted(due: DueRun, attempt: Attempt, *, is_given_up: bool) -> Job:
    job = due.job
    if due.run.phase is Phase.ERROR:
        return job
    return structs.replace(
        job,
        last_execution_at=max(job.last_execution_at or attempt.started_at, attempt.started_at),
        failure_count=job.failure_count + (not attempt.outcome.succeeded),
        faulted_count=job.faulted_count + is_given_up,
    )


def _with_result(job: Job, run: Run, *, well: bool) -> Job:
    """Return the job with the result of its latest occurrence, which decides its final state."""
    belongs = not run.is_manual and run.generation == job.generation and job.state not in FINAL
    if not belongs or (job.settled_at is not None and run.expected_at < job.settled_at):
        return job
    return structs.replace(job, settled_at=run.expected_at, settled_well=well)


def _entry(due: DueRun, attempt: Attempt) -> HistoryEntry:
    run, outcome = due.run, attempt.outcome
    return HistoryEntry(
        job_id=due.job.id,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        expected_at=run.expected_at,
        status=AttemptStatus.COMPLETED if outcome.succeeded else AttemptStatus.FAILED,
        message=outcome.message,
        retry_count=run.attempt - 1,
        repeat_count=run.occurrence,
        is_error_action=run.phase is Phase.ERROR,
    )
