"""Writes the history entry of occurrences that were skipped together, for one reason."""

from foliot.core.history_text import history_note
from foliot.core.instant import Instant, format_instant, tell_length
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome, SkipReason
from foliot.core.model.job import Job
from foliot.core.model.policy import Policy
from foliot.core.plurals import how_many, noun_after
from foliot.core.rules.due_occurrences import Stretch

MISSED = (SkipReason.MISSED, "the service was down or overloaded when they were due")
OVERLAP = (SkipReason.OVERLAP, "another run of the job was open, and its runs must not overlap")


def expired(policy: Policy) -> tuple[SkipReason, str]:
    """Return why occurrences are skipped that are too late for the policy of their job."""
    length = "" if policy.start_within is None else tell_length(policy.start_within.ticks)
    return SkipReason.EXPIRED, f"they could not begin within {length} of their planned times"


def too_many_open(open_runs: int, most: int) -> tuple[SkipReason, str]:
    """Return why occurrences are skipped if too many runs are in progress."""
    return (
        SkipReason.LIMIT,
        f"the job has {how_many(open_runs, 'open run')}, and {most} may be open",
    )


def too_many_queued(queued: int) -> tuple[SkipReason, str]:
    """Return why occurrences are skipped if too many runs wait their turn."""
    return SkipReason.LIMIT, f"the job has {how_many(queued, 'waiting run')}, and no more may wait"


def skipped_entry(
    job: Job, stretch: Stretch, why: tuple[SkipReason, str], now: Instant
) -> HistoryEntry:
    """Return the entry for occurrences that are skipped."""
    reason, words = why
    times = noun_after(stretch.count, "occurrence")
    more = "more than " if stretch.is_more else ""
    return HistoryEntry(
        job_id=job.id,
        started_at=now,
        ended_at=now,
        expected_at=stretch.first,
        status=AttemptStatus.POSTPONED,
        message=history_note(
            job.definition.action,
            f"Skipped: {more}{stretch.count} {times} for",
            f", from {format_instant(stretch.first)} to {format_instant(stretch.last)}: {words}.",
        ),
        retry_count=0,
        repeat_count=job.occurrence,
        outcome=RunOutcome.SKIPPED,
        reason=reason.value,
        last_expected_at=stretch.last,
        skipped_count=stretch.count,
    )
