"""Decides what follows from an outcome: an end, a retry, the error action, a final state."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.core.history_text import history_note
from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun, Phase, Run
from foliot.core.model.schedule_change import ScheduleChange
from foliot.core.rules.due_occurrences import Stretch
from foliot.core.rules.lifecycle import FINAL, has_run_out, timetable_of
from foliot.core.rules.pausing import pause_entry, paused_job
from foliot.core.rules.retries import pause_before_retry
from foliot.core.rules.schedule_changes import disabling
from foliot.core.rules.skipping import expired, skipped_entry


class Settlement(Struct, frozen=True):
    """What to store for an attempt: its history, the run if it goes on, and the changed job.

    `change` is there if the job was disabled because too many runs were given up in a row.
    """

    entries: Sequence[HistoryEntry]
    run: Run | None
    job: Job
    change: ScheduleChange | None = None


def settle(due: DueRun, attempt: Attempt, *, other_open_runs: int) -> Settlement:
    """Decide what follows from an attempt."""
    run = _next_step(due, attempt)
    is_given_up = _is_given_up(due, run, attempt)
    ended = _outcome_of_run(due.run, attempt.outcome, is_given_up=is_given_up)
    entry = _entry(due, attempt, ended)
    if run is not None:
        return Settlement([entry], run, _counted(due, attempt, ended))
    # An occurrence at its error action has failed, even if the error action succeeds.
    well = attempt.outcome.succeeded and due.run.phase is Phase.MAIN
    job = _counted(due, attempt, ended, well=well)
    if other_open_runs == 0:
        job = finished(job, attempt.ended_at)
    return Settlement([entry], None, job) if well else _ended(due, entry, job, attempt.ended_at)


def expire(
    due: DueRun, now: Instant, *, other_open_runs: int, resumed_at: Instant | None = None
) -> Settlement:
    """Skip the occurrence of a run that could not begin in time: it no longer counts.

    `resumed_at` is when the job was last enabled: if its calendar goes on, then after that.
    """
    run, job = due.run, due.job
    if run.generation == job.generation and job.state not in FINAL:
        job = structs.replace(job, occurrence=max(0, job.occurrence - 1))
        job = _with_another_occurrence(job, resumed_at)
    job = structs.replace(job, execution_count=max(0, job.execution_count - 1))
    stretch = Stretch(1, run.expected_at, run.expected_at)
    entry = skipped_entry(job, stretch, expired(job.definition.run_policy), now)
    if other_open_runs == 0:
        job = finished(job, now, has_skipped=True)
    return Settlement([entry], None, job)


def cancel(due: DueRun, now: Instant, *, other_open_runs: int) -> Settlement:
    """End a run that somebody has canceled; it is not given up, and nothing of it is retried.

    A run at its error action has failed before: only the error action is canceled.
    """
    run, is_main = due.run, due.run.phase is Phase.MAIN
    job = _with_result(due.job, run, well=False)
    if is_main:
        job = structs.replace(job, last_outcome=RunOutcome.CANCELED)
    if other_open_runs == 0:
        job = finished(job, now)
    entry = _note(due, now, "Canceled: the run for", " was canceled by a caller.")
    if is_main:
        return Settlement([structs.replace(entry, outcome=RunOutcome.CANCELED)], None, job)
    return _ended(due, entry, job, now)


def _ended(due: DueRun, entry: HistoryEntry, job: Job, at: Instant) -> Settlement:
    """End a run that has failed; its job may be disabled by its policy."""
    paused = paused_job(job, at)
    if paused is None:
        return Settlement([entry], None, job)
    entries = [entry, pause_entry(due, paused, at)]
    return Settlement(entries, None, paused, disabling(job, at))


def is_pointless(due: DueRun) -> bool:
    """Tell whether a run waits for an error action that its job no longer has."""
    return due.run.phase is Phase.ERROR and due.job.definition.action.error_action is None


def abandon(due: DueRun, now: Instant, *, other_open_runs: int) -> Settlement:
    """End a pointless run, with an entry in history: its occurrence has failed before."""
    job = _with_result(due.job, due.run, well=False)
    entry = _note(
        due,
        now,
        "Dropped: the error action after the failure at",
        " was removed from the job before it could run.",
    )
    return _ended(due, entry, finished(job, now) if other_open_runs == 0 else job, now)


def finished(job: Job, now: Instant, *, has_skipped: bool = False) -> Job:
    """Return the job in its final state, if its calendar has no more occurrences.

    `has_skipped`: its last occurrence was skipped, so that a job that never ran is no success.
    """
    if job.state is not JobState.ENABLED or job.next_at is not None:
        return job
    # A job that has begun occurrences and settled none counts as failed.
    never_ran_well = job.occurrence == 0 and not has_skipped
    well = never_ran_well if job.settled_at is None else job.settled_well
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


def _counted(
    due: DueRun, attempt: Attempt, ended: RunOutcome | None, *, well: bool | None = None
) -> Job:
    """Return the job with its counters, and with the result of the run if that has ended."""
    job, run = due.job, due.run
    if run.phase is Phase.ERROR:
        return job if well is None else _with_result(job, run, well=well)
    is_given_up = ended is RunOutcome.FAILED
    failures = job.consecutive_failures + 1 if is_given_up else 0
    has_result = well is not None and _is_latest(job, run)
    # One copy: each outcome pays for it.
    return structs.replace(
        job,
        last_execution_at=max(job.last_execution_at or attempt.started_at, attempt.started_at),
        failure_count=job.failure_count + (not attempt.outcome.succeeded),
        faulted_count=job.faulted_count + is_given_up,
        settled_at=run.expected_at if has_result else job.settled_at,
        settled_well=well if has_result else job.settled_well,
        last_outcome=ended or job.last_outcome,
        consecutive_failures=job.consecutive_failures if ended is None else failures,
    )


def _with_another_occurrence(job: Job, resumed_at: Instant | None) -> Job:
    """Return a job whose count is no longer reached, with the occurrence after the latest one."""
    if job.next_at is not None or job.state is not JobState.ENABLED or has_run_out(job):
        return job
    if job.definition.recurrence is None or job.planned_at is None:
        return job
    after = job.planned_at if resumed_at is None else max(job.planned_at, resumed_at)
    return structs.replace(job, next_at=timetable_of(job).next_after(after))


def _with_result(job: Job, run: Run, *, well: bool) -> Job:
    """Return the job with the result of its latest occurrence, which decides its final state."""
    if not _is_latest(job, run):
        return job
    return structs.replace(job, settled_at=run.expected_at, settled_well=well)


def _is_latest(job: Job, run: Run) -> bool:
    """Tell whether no later occurrence of the calendar has ended before this one."""
    belongs = run.is_planned and run.generation == job.generation and job.state not in FINAL
    return belongs and (job.settled_at is None or run.expected_at >= job.settled_at)


def _entry(due: DueRun, attempt: Attempt, ended: RunOutcome | None) -> HistoryEntry:
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
        run_id=run.id,
        trigger=run.trigger,
        tag=run.tag,
        outcome=ended,
        reason=outcome.reason,
        host=outcome.host,
        status_code=outcome.status_code,
        timings=outcome.timings,
    )


def _note(due: DueRun, now: Instant, begin: str, end: str) -> HistoryEntry:
    """Return an entry about a run that makes no attempt any more."""
    run = due.run
    return HistoryEntry(
        job_id=due.job.id,
        started_at=now,
        ended_at=now,
        expected_at=run.expected_at,
        status=AttemptStatus.POSTPONED,
        message=history_note(due.job.definition.action, begin, end),
        retry_count=run.attempt - 1,
        repeat_count=run.occurrence,
        is_error_action=run.phase is Phase.ERROR,
        run_id=run.id,
        trigger=run.trigger,
        tag=run.tag,
    )


def _outcome_of_run(run: Run, outcome: Outcome, *, is_given_up: bool) -> RunOutcome | None:
    """Return how the run ended, or None if it goes on or had ended before its error action."""
    if is_given_up:
        return RunOutcome.FAILED
    if run.phase is Phase.ERROR or not outcome.succeeded:
        return None
    return RunOutcome.SUCCEEDED if run.attempt == 1 else RunOutcome.RECOVERED
