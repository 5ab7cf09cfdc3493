"""Plans and claims, in one transaction: due jobs and due runs become runs leased to this node.

One claim takes at most a batch. A burst of one collection could fill batch after batch, and rows of
other collections, due later, would wait behind it. So a full batch names its dominant collections,
and the loop passes them to a later claim, which takes half of its batch from all other collections.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from foliot.core.errors import origin_of
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import DueJob, DueRun, Lease, Run
from foliot.core.rules.planning import (
    MAX_OPEN_RUNS,
    PlannedJob,
    faulted,
    passed_over,
    plan,
    started,
)
from foliot.core.rules.settling import abandon, is_pointless
from foliot.engine.batch_jobs import BatchJobs
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.store import Transaction

LEASE_TICKS = 15 * SECOND
# A collection that has more than one in 20 runs of a full batch is dominant.
_DOMINANT_PART = 20

_log = get_logger("foliot.engine")


class Claimant(Struct, frozen=True):
    """The node that claims; `new_id` makes the tags of occurrences and the fences of claims.

    `meter` counts skipped occurrences. A job with `max_open_runs` open runs skips its occurrences.
    """

    node: str
    new_id: Callable[[], str]
    meter: Meter = NO_METER
    max_open_runs: int = MAX_OPEN_RUNS

    def lease(self, now: Instant) -> Lease:
        """Return a lease that begins now, with a new fence."""
        return Lease(self.node, self.new_id(), Instant(now + LEASE_TICKS))


def claim(
    transaction: Transaction,
    claimant: Claimant,
    now: Instant,
    limit: int,
    dominant: Sequence[CollectionId] = (),
) -> Sequence[DueRun]:
    """Claim at most `limit` runs: first retries and runs with expired leases, then new ones.

    With dominant collections, half of the limit is first offered to all the others, and retries
    get at most half of either part: new occurrences must not wait for a burst of retries.
    """
    taken: list[DueRun] = []
    lease = claimant.lease(now)

    def take(runs: int, jobs: int, excluded: Sequence[CollectionId] = ()) -> None:
        found = transaction.due_runs(now, runs, excluded=excluded)
        retried = _take_over(transaction, found, lease, now)
        room = jobs - len(retried)
        taken.extend(retried)
        if room > 0:
            due = transaction.due_jobs(now, room, excluded=excluded)
            taken.extend(_start(transaction, due, claimant, lease, now))

    if dominant:
        take(limit // 4, limit // 2, dominant)
        # The rest goes to whoever is first, so that no part of the batch stays empty.
        limit -= len(taken)
        take(limit // 2, limit)
    else:
        take(limit, limit)
    return taken


def dominant_collections(taken: Sequence[DueRun], limit: int) -> list[CollectionId]:
    """Return the collections that have more than a twentieth of a full batch.

    A batch that is not full left nothing due behind, so no collection delays others.
    """
    if len(taken) < limit:
        return []
    counts = Counter(due.collection.id for due in taken)
    return [each for each, count in counts.items() if count * _DOMINANT_PART > limit]


def _take_over(
    transaction: Transaction, found: Sequence[DueRun], lease: Lease, now: Instant
) -> list[DueRun]:
    jobs = BatchJobs()
    taken: list[DueRun] = []
    pointless: list[Run] = []
    entries: list[HistoryEntry] = []
    for each in found:
        due = jobs.current(each)
        if is_pointless(due):
            left = due.open_runs - 1
            pointless.append(due.run)
            abandoned = abandon(due, now, other_open_runs=left)
            entries.append(abandoned.entry)
            jobs.update(abandoned.job, left)
            continue
        job = started(due)
        if job is not due.job:
            jobs.update(job, due.open_runs)
        run = structs.replace(due.run, lease=lease)
        taken.append(structs.replace(due, run=run, job=job))
    transaction.add_history(*entries)
    transaction.delete_runs(pointless)
    transaction.save_runs([due.run for due in taken])
    for job in jobs.all():
        transaction.advance_job(job)
    return taken


def _start(
    transaction: Transaction,
    found: Sequence[DueJob],
    claimant: Claimant,
    lease: Lease,
    now: Instant,
) -> list[DueRun]:
    plans = [_plan(due, claimant, lease, now) for due in found]
    runs = [each.run for each in plans if each.run is not None]
    # The store leaves out an occurrence that was planned before: it is unique per job and time.
    planned = {run.job_id: run for run in transaction.plan_runs(runs)}
    transaction.advance_jobs(
        [
            decided.job if decided.run is None or due.job.id in planned else passed_over(due, now)
            for due, decided in zip(found, plans, strict=True)
        ]
    )
    transaction.add_history(*[each.skipped for each in plans if each.skipped is not None])
    claimant.meter.skipped(sum(each.skipped_count for each in plans))
    return [
        DueRun(run, decided.job, due.collection, due.open_runs + 1)
        for due, decided in zip(found, plans, strict=True)
        if (run := planned.get(due.job.id)) is not None
    ]


def _plan(due: DueJob, claimant: Claimant, lease: Lease, now: Instant) -> PlannedJob:
    try:
        return plan(
            due, now, tag=claimant.new_id(), lease=lease, max_open_runs=claimant.max_open_runs
        )
    except Exception as error:  # noqa: BLE001  (one broken job must not stop the others)
        _log.error(
            "Job faulted: its next time cannot be computed",
            collection=collection_text(due.collection.key),
            job=due.job.name,
            error=origin_of(error),
        )
        return faulted(due, now, type(error).__name__)
