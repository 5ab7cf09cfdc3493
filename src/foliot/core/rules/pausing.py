"""Disables a job when too many of its runs in a row were given up, if its policy says so."""

from msgspec import structs

from foliot.core.history_text import history_note
from foliot.core.instant import Instant, tell_instant, to_the_second
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import DueRun


def paused_job(job: Job, at: Instant) -> Job | None:
    """Return the job as it is disabled when a failed run has ended, or None if it goes on."""
    most = job.definition.run_policy.pause_after
    is_reached = most is not None and job.consecutive_failures >= most
    if not is_reached or job.state is not JobState.ENABLED:
        return None
    runs = "run was" if job.consecutive_failures == 1 else "runs in a row were"
    when = tell_instant(to_the_second(at))
    why = f"{job.consecutive_failures} {runs} given up, the last one at {when}"
    return structs.replace(job, state=JobState.DISABLED, next_at=None, paused_because=why)


def pause_entry(due: DueRun, paused: Job, at: Instant) -> HistoryEntry:
    """Return the history entry that says why the job was disabled."""
    return HistoryEntry(
        job_id=paused.id,
        started_at=at,
        ended_at=at,
        expected_at=due.run.expected_at,
        status=AttemptStatus.POSTPONED,
        message=history_note(
            paused.definition.action,
            "Disabled: the job for",
            f": {paused.paused_because}. Enable it when the cause is removed.",
        ),
        retry_count=0,
        repeat_count=paused.occurrence,
    )
