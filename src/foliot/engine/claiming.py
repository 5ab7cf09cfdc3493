"""Plan and claim, in one transaction: what is due becomes runs that this node holds."""

from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from foliot.core.instant import SECOND, Instant
from foliot.core.planning import faulted, plan, started
from foliot.core.run import DueJob, DueRun, Lease
from foliot.core.settling import abandon, is_pointless
from foliot.ports import NO_METER, Meter, Transaction

LEASE_TICKS = 15 * SECOND


class Claimant(Struct, frozen=True):
    """Who claims; `new_id` makes the tags of occurrences and the fences of claims.

    The meter hears of what becomes of them.
    """

    node: str
    new_id: Callable[[], str]
    meter: Meter = NO_METER

    def lease(self, now: Instant) -> Lease:
        """Return a lease that has just begun."""
        return Lease(self.node, self.new_id(), Instant(now + LEASE_TICKS))


def claim(
    transaction: Transaction, claimant: Claimant, now: Instant, limit: int
) -> Sequence[DueRun]:
    """Take what is due, at most so many: retries and runs of the dead first, then new ones."""
    retried = [
        taken
        for due in transaction.due_runs(now, limit)
        if (taken := _take_over(transaction, due, claimant, now)) is not None
    ]
    planned = [
        found
        for due in transaction.due_jobs(now, limit - len(retried))
        if (found := _start(transaction, due, claimant, now)) is not None
    ]
    return [*retried, *planned]


def _take_over(
    transaction: Transaction, due: DueRun, claimant: Claimant, now: Instant
) -> DueRun | None:
    if is_pointless(due):
        others = transaction.count_open_runs(due.job.id) - 1
        transaction.delete_run(due.run.id)
        transaction.advance_job(abandon(due, now, other_open_runs=others))
        return None
    run, job = structs.replace(due.run, lease=claimant.lease(now)), started(due)
    transaction.save_run(run)
    if job is not due.job:
        transaction.advance_job(job)
    return structs.replace(due, run=run, job=job)


def _start(
    transaction: Transaction, due: DueJob, claimant: Claimant, now: Instant
) -> DueRun | None:
    try:
        decided = plan(due, now, tag=claimant.new_id(), lease=claimant.lease(now))
    except Exception as error:  # noqa: BLE001  (one broken job must not stop the others)
        decided = faulted(due, now, type(error).__name__)
    transaction.advance_job(decided.job)
    if decided.skipped is not None:
        transaction.add_history(decided.skipped)
        claimant.meter.skipped(decided.skipped_count)
    if decided.run is None:
        return None
    return DueRun(transaction.add_run(decided.run), decided.job, due.collection)
