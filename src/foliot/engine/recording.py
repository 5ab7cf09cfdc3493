"""Settle, in one transaction: outcomes become history, retries and final states."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.core.instant import Instant
from foliot.core.run import DueRun
from foliot.core.settling import Attempt, settle
from foliot.ports import Transaction


class Result(Struct, frozen=True):
    """An attempt that has ended, at a run this node held when it began."""

    due: DueRun
    attempt: Attempt


def record(transaction: Transaction, results: Sequence[Result]) -> int:
    """Store what follows from each attempt; return how many came too late to count.

    A result of a lease that was lost changes nothing: whoever holds the run now will settle it. The
    job is read again, since it may have been changed while the attempt was under way.
    """
    return sum(not _record(transaction, result) for result in results)


def put_back(transaction: Transaction, left: Sequence[DueRun], now: Instant) -> None:
    """Let go of runs that have no answer: due at once, with the same tag, not counted as failed."""
    for due in left:
        current = _still_ours(transaction, due)
        if current is not None and current.run.lease is not None:
            # It was begun before: its lease ends, so that it is not counted as begun again.
            ended = structs.replace(current.run.lease, until=now)
            transaction.save_run(structs.replace(current.run, lease=ended, due_at=now))


def _record(transaction: Transaction, result: Result) -> bool:
    current = _still_ours(transaction, result.due)
    if current is None:
        return False
    others = transaction.count_open_runs(current.job.id) - 1
    settled = settle(current, result.attempt, other_open_runs=others)
    transaction.add_history(settled.entry)
    if settled.run is None:
        transaction.delete_run(current.run.id)
    else:
        transaction.save_run(settled.run)
    transaction.advance_job(settled.job)
    return True


def _still_ours(transaction: Transaction, due: DueRun) -> DueRun | None:
    lease = due.run.lease
    return None if lease is None else transaction.claimed_run(due.run.id, lease.claim)
