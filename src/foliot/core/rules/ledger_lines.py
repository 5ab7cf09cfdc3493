"""Writes the lines of the ledger: outcomes of planned times, each with a sentence on it."""

from foliot.core.instant import Instant, tell_instant, to_the_second
from foliot.core.model.history import HistoryEntry, RunOutcome, SkipReason
from foliot.core.model.ledger import LedgerLine, LineOutcome, NotPlanned
from foliot.core.model.run import Phase, Run
from foliot.core.plurals import how_many

_SKIPPED = {
    SkipReason.MISSED: "the service was down or overloaded when it was due",
    SkipReason.EXPIRED: "it could not begin in time",
    SkipReason.OVERLAP: "another run of the job was open",
    SkipReason.LIMIT: "too many runs of the job were open or waiting",
    SkipReason.DISABLED: "the job or its collection was not enabled",
    SkipReason.DAY_OFF: "the day is a day off",
}


def line_of_open(run: Run, failed: HistoryEntry | None) -> LedgerLine:
    """Return the line of an open run; if it is at its error action, its main action has failed."""
    is_held = run.lease is not None
    attempts = run.attempt - 1
    if run.phase is Phase.ERROR:
        attempts = None if failed is None else failed.retry_count + 1
    return LedgerLine(
        planned_at=run.expected_at,
        outcome=LineOutcome.RUNNING if is_held else LineOutcome.WAITING,
        explanation=_of_open(run),
        trigger=run.trigger,
        tag=run.tag,
        attempts=attempts,
    )


def _of_open(run: Run) -> str:
    attempt = f"Attempt {run.attempt}{' at the error action' if run.phase is Phase.ERROR else ''}"
    if run.lease is not None:
        return f"{attempt} is in progress."
    if run.due_at is None:
        return "It waits until another run of the job has ended."
    return f"{attempt} is due at {tell_instant(to_the_second(run.due_at))}."


def line_of_ended(entry: HistoryEntry) -> LedgerLine:
    """Return the line of a run that has ended."""
    outcome = LineOutcome((entry.outcome or RunOutcome.FAILED).value)
    attempts = entry.retry_count + (outcome is not LineOutcome.CANCELED)
    tries = how_many(attempts, "attempt")
    words = {
        LineOutcome.SUCCEEDED: "It ran and succeeded.",
        LineOutcome.RECOVERED: f"It ran and succeeded after {tries}.",
        LineOutcome.CANCELED: "It was canceled.",
    }
    failed = f"It failed after {tries}: {entry.reason or 'see its history'}."
    return LedgerLine(
        planned_at=entry.expected_at,
        outcome=outcome,
        reason=entry.reason,
        explanation=words.get(outcome, failed),
        trigger=entry.trigger,
        tag=entry.tag,
        attempts=attempts,
        ended_at=entry.ended_at,
    )


def not_planned_line(at: Instant, reason: NotPlanned, why: str) -> LedgerLine:
    """Return the line of a time that was not planned."""
    return LedgerLine(
        planned_at=at,
        outcome=LineOutcome.NOT_PLANNED,
        reason=reason,
        explanation=f"It was not planned: {why}.",
    )


def skipped_line(
    at: Instant,
    reason: SkipReason,
    moved_to: Instant | None = None,
    *,
    is_coming: bool = False,
    why: str = "",
) -> LedgerLine:
    """Return the line of an occurrence that was skipped, or will be if it is still to come."""
    verb = "will be" if is_coming else "was"
    moved = "" if moved_to is None else f"; it moves to {tell_instant(moved_to)}"
    return LedgerLine(
        planned_at=at,
        outcome=LineOutcome.SKIPPED,
        reason=reason,
        explanation=f"It {verb} skipped: {why or _SKIPPED[reason]}{moved}.",
        moved_to=moved_to,
    )


def upcoming_line(at: Instant, now: Instant) -> LedgerLine:
    """Return the line of an occurrence that has not begun: it is to come, or late."""
    explanation = (
        "It will run, if nothing changes."
        if at > now
        else "It is due and has not begun yet; its policies say whether it runs late."
    )
    return LedgerLine(planned_at=at, outcome=LineOutcome.UPCOMING, explanation=explanation)


def unknown_line(at: Instant) -> LedgerLine:
    """Return the line of a time of which nothing is recorded."""
    return LedgerLine(
        planned_at=at,
        outcome=LineOutcome.UNKNOWN,
        reason=NotPlanned.NOT_KEPT,
        explanation="Nothing is known: it is longer ago than history is kept.",
    )
