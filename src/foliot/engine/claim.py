"""Plan and claim, in one transaction: what is due becomes runs that this node holds."""

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
from foliot.engine.batch_jobs import JobBook
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.store import Transaction

LEASE_TICKS = 15 * SECOND
# A collection with more than one in so many of a full batch may crowd out others.
_CROWD = 20

_log = get_logger("foliot.engine")


class Claimant(Struct, frozen=True):
    """Who claims; `new_id` makes the tags of occurrences and the fences of claims.

    The meter hears of what becomes of them. Beyond so many open runs of a job, its occurrences are
    skipped.
    """

    node: str
    new_id: Callable[[], str]
    meter: Meter = NO_METER
    max_open_runs: int = MAX_OPEN_RUNS

    def lease(self, now: Instant) -> Lease:
        """Return a lease that has just begun."""
        return Lease(self.node, self.new_id(), Instant(now + LEASE_TICKS))


def claim(
    transaction: Transaction,
    claimant: Claimant,
    now: Instant,
    limit: int,
    crowding: Sequence[CollectionId] = (),
) -> Sequence[DueRun]:
    """Take what is due, at most so many: retries and runs of the dead first, then new ones.

    While some collections crowd, half of the room is for the others if they need it, and retries
    leave some of the rest to new ones.
    """
    taken: list[DueRun] = []
    lease = claimant.lease(now)

    def take(runs: int, jobs: int, passed_over: Sequence[CollectionId] = ()) -> None:
        found = transaction.due_runs(now, runs, excluded=passed_over)
        retried = _take_over(transaction, found, lease, now)
        room = jobs - len(retried)
        taken.extend(retried)
        if room > 0:
            due = transaction.due_jobs(now, room, excluded=passed_over)
            taken.extend(_start(transaction, due, claimant, lease, now))

    if crowding:
        take(limit // 4, limit // 2, crowding)
        limit -= len(taken)
        take(limit // 2, limit)
    else:
        take(limit, limit)
    return taken


def crowding_of(taken: Sequence[DueRun], limit: int) -> list[CollectionId]:
    """Return the collections that have more than a twentieth of a batch in which all was taken.

    They may have a burst behind which others would wait.
    """
    if len(taken) < limit:
        return []
    counts = Counter(due.collection.id for due in taken)
    return [each for each, count in counts.items() if count * _CROWD > limit]


def _take_over(
    transaction: Transaction, found: Sequence[DueRun], lease: Lease, now: Instant
) -> list[DueRun]:
    jobs = JobBook()
    taken: list[DueRun] = []
    pointless: list[Run] = []
    entries: list[HistoryEntry] = []
    for each in found:
        due = jobs.seen(each)
        if is_pointless(due):
            left = due.open_runs - 1
            pointless.append(due.run)
            abandoned = abandon(due, now, other_open_runs=left)
            entries.append(abandoned.entry)
            jobs.note(abandoned.job, left)
            continue
        job = started(due)
        if job is not due.job:
            jobs.note(job, due.open_runs)
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
