"""Settles ended attempts, and re-queues runs, each in one transaction."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import DueRun, Run
from foliot.core.rules.settling import settle
from foliot.engine.batch_jobs import BatchJobs
from foliot.ports.store import Transaction


class EndedAttempt(Struct, frozen=True):
    """An attempt that has ended, and the run as it was when this node claimed it."""

    due: DueRun
    attempt: Attempt
    request_id: str | None = None


class FailedAttempt(Struct, frozen=True):
    """An attempt that failed, and the run as it goes on, or None if it has ended."""

    ended: EndedAttempt
    following: Run | None


class Settled(Struct, frozen=True):
    """How many attempts came too late to count, and what follows from each failure."""

    late: int
    failures: Sequence[FailedAttempt]


def settle_attempts(transaction: Transaction, ended: Sequence[EndedAttempt]) -> Settled:
    """Store history, retries and jobs that follow from attempts.

    An attempt under a lost lease changes nothing: the node that holds the run now settles it. Jobs
    are read again, since clients may have changed them during the attempt.
    """
    current, jobs = _current_runs(transaction, ended), BatchJobs()
    entries: list[HistoryEntry] = []
    failures: list[FailedAttempt] = []
    done: list[Run] = []
    going_on: list[Run] = []
    for each in ended:
        due = current.get(each.due.run.id)
        if due is None:
            continue
        due = jobs.current(due)
        settled = settle(due, each.attempt, other_open_runs=due.open_runs - 1)
        entries.append(settled.entry)
        if not each.attempt.outcome.succeeded:
            failures.append(FailedAttempt(each, settled.run))
        if settled.run is None:
            done.append(due.run)
        else:
            going_on.append(settled.run)
        jobs.update(settled.job, due.open_runs - (settled.run is None))
    transaction.add_history(*entries)
    transaction.delete_runs(done)
    transaction.save_runs(going_on)
    transaction.settle_jobs(jobs.all())
    return Settled(len(ended) - len(entries), failures)


def _current_runs(transaction: Transaction, ended: Sequence[EndedAttempt]) -> dict[int, DueRun]:
    """Return the runs that this node still holds, with their jobs as they are now.

    Definitions are read again for failures only: a retry or an error action may follow from these.
    The first call locks all jobs, in one order: two nodes that locked the jobs of successes before
    those of failures could each wait for the other.
    """
    failed = [each.due for each in ended if not each.attempt.outcome.succeeded]
    found = [*transaction.current_state([each.due for each in ended])]
    return {due.run.id: due for due in [*found, *transaction.claimed_runs(failed)]}


def requeue_runs(transaction: Transaction, runs: Sequence[DueRun], until: Instant) -> None:
    """Release unfinished runs: due again at `until`, with the same tag, not counted as failed."""
    held = transaction.claimed_runs(runs)
    transaction.save_runs([_released(due.run, until) for due in held])


def _released(run: Run, until: Instant) -> Run:
    # The lease stays, with its end: a run without a lease would count as started once more. It has
    # no node, so that no node renews it.
    lease = None if run.lease is None else structs.replace(run.lease, node="", until=until)
    return structs.replace(run, lease=lease)
