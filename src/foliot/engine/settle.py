"""Settle, in one transaction: outcomes become history, retries and final states."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import DueRun, Run
from foliot.core.rules.settling import settle
from foliot.engine.batch_jobs import JobBook
from foliot.ports.store import Transaction


class Result(Struct, frozen=True):
    """An attempt that has ended, at a run this node held when it began."""

    due: DueRun
    attempt: Attempt
    request_id: str | None = None


class FailedAttempt(Struct, frozen=True):
    """An attempt that failed, and the run as it goes on, or None if it has ended."""

    result: Result
    following: Run | None


class Recorded(Struct, frozen=True):
    """How many outcomes came too late to count, and what follows from each failure."""

    late: int
    failures: Sequence[FailedAttempt]


def record(transaction: Transaction, results: Sequence[Result]) -> Recorded:
    """Store what follows from each attempt.

    A result of a lease that was lost changes nothing: whoever holds the run now will settle it. The
    job is read again, since it may have been changed while the attempt was under way. What it does
    matters only after a failure, which may be followed by a retry or the error action.
    """
    current, jobs = _held(transaction, results), JobBook()
    entries: list[HistoryEntry] = []
    failures: list[FailedAttempt] = []
    ended: list[Run] = []
    going_on: list[Run] = []
    for result in results:
        due = current.get(result.due.run.id)
        if due is None:
            continue
        due = jobs.seen(due)
        settled = settle(due, result.attempt, other_open_runs=due.open_runs - 1)
        entries.append(settled.entry)
        if not result.attempt.outcome.succeeded:
            failures.append(FailedAttempt(result, settled.run))
        if settled.run is None:
            ended.append(due.run)
        else:
            going_on.append(settled.run)
        jobs.note(settled.job, due.open_runs - (settled.run is None))
    transaction.add_history(*entries)
    transaction.delete_runs(ended)
    transaction.save_runs(going_on)
    transaction.settle_jobs(jobs.all())
    return Recorded(len(results) - len(entries), failures)


def _held(transaction: Transaction, results: Sequence[Result]) -> dict[int, DueRun]:
    """Return the runs that are still held, with their jobs as they are now.

    All jobs are locked by the first call, in one order: two nodes that locked those of successes
    before those of failures could each wait for the other.
    """
    ill = [result.due for result in results if not result.attempt.outcome.succeeded]
    found = [*transaction.current_state([result.due for result in results])]
    return {due.run.id: due for due in [*found, *transaction.claimed_runs(ill)]}


def put_back(transaction: Transaction, left: Sequence[DueRun], until: Instant) -> None:
    """Let go of runs that have no answer: due from then on, with the same tag, not failed."""
    held = transaction.claimed_runs(left)
    transaction.save_runs([_let_go(due.run, until) for due in held])


def _let_go(run: Run, until: Instant) -> Run:
    # It was begun before: its lease stays, ended, so that it is not counted as begun again. It is
    # nobody's, so that nobody renews it.
    lease = None if run.lease is None else structs.replace(run.lease, node="", until=until)
    return structs.replace(run, lease=lease)
