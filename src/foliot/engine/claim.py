"""Plans and claims, in one transaction: due jobs and due runs become runs leased to this node.

One claim takes at most a batch. A burst of one collection could fill batch after batch, and rows of
other collections, due later, would wait behind it. So a full batch names its dominant collections,
and the loop passes them to a later claim, which takes half of its batch from all other collections.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import takewhile

from msgspec import Struct, structs

from foliot.core.errors import origin_of
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import DueJob, DueRun, Lease, Run, is_first_attempt
from foliot.core.model.schedule_change import ScheduleChange
from foliot.core.rules.audit_entries import paused_entry
from foliot.core.rules.jitter import begins_at
from foliot.core.rules.planning import Claiming, PlannedJob, faulted, passed_over, plan, started
from foliot.core.rules.schedule_changes import last_resumption
from foliot.core.rules.settling import Settlement, abandon, expire, is_pointless
from foliot.core.rules.turns import MAX_OPEN_RUNS, is_expired, most_in_progress, order_of_turns
from foliot.engine.batch_jobs import BatchJobs
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.store import Transaction

LEASE_TICKS = 15 * SECOND
# A collection that has more than one in 20 runs of a full batch is dominant.
_DOMINANT_PART = 20

_log = get_logger("foliot.engine")


class Claimant(Struct, frozen=True):
    """The node that claims; `new_id` makes the tags of occurrences and the fences of claims.

    A job with `max_open_runs` open runs skips its occurrences.
    """

    node: str
    new_id: Callable[[], str]
    max_open_runs: int = MAX_OPEN_RUNS

    def lease(self, now: Instant) -> Lease:
        """Return a lease that begins now, with a new fence."""
        return Lease(self.node, self.new_id(), Instant(now + LEASE_TICKS))


class Claimed(Struct, frozen=True):
    """The runs of a claim, and how many occurrences it skipped."""

    runs: Sequence[DueRun] = ()
    skipped: int = 0


def claim(
    transaction: Transaction,
    claimant: Claimant,
    now: Instant,
    limit: int,
    dominant: Sequence[CollectionId] = (),
) -> Claimed:
    """Claim at most `limit` runs: first retries and runs with expired leases, then new ones.

    With dominant collections, half of the limit is first offered to all the others, and retries
    get at most half of either part: new occurrences must not wait for a burst of retries.
    """
    taken: list[DueRun] = []
    skipped = 0
    claiming = Claiming(now, claimant.lease(now), claimant.max_open_runs)

    def take(runs: int, jobs: int, excluded: Sequence[CollectionId] = ()) -> None:
        nonlocal skipped
        found = transaction.due_runs(now, runs, excluded=excluded)
        retried = _take_over(transaction, found, claimant, claiming)
        room = jobs - len(retried.runs)
        taken.extend(retried.runs)
        skipped += retried.skipped
        if room > 0:
            due = transaction.due_jobs(now, room, excluded=excluded)
            begun = _start(transaction, due, claimant, claiming)
            taken.extend(begun.runs)
            skipped += begun.skipped

    if dominant:
        take(limit // 4, limit // 2, dominant)
        # The rest goes to whoever is first, so that no part of the batch stays empty.
        limit -= len(taken)
        take(limit // 2, limit)
    else:
        take(limit, limit)
    return Claimed(taken, skipped)


def dominant_collections(taken: Sequence[DueRun], limit: int) -> list[CollectionId]:
    """Return the collections that have more than a twentieth of a full batch.

    A batch that is not full left nothing due behind, so no collection delays others.
    """
    if len(taken) < limit:
        return []
    counts = Counter(due.collection.id for due in taken)
    return [each for each, count in counts.items() if count * _DOMINANT_PART > limit]


def _take_over(
    transaction: Transaction, found: Sequence[DueRun], claimant: Claimant, claiming: Claiming
) -> Claimed:
    if not found:
        return Claimed()
    jobs, now = BatchJobs(), claiming.now
    taken: list[DueRun] = []
    waiting: list[Run] = []
    ended: list[DueRun] = []
    entries: list[HistoryEntry] = []
    changes: list[ScheduleChange] = []
    queue = deque(found)
    while queue:
        each = queue.popleft()
        due = structs.replace(jobs.current(each), may_have_begun=each.run.lease is not None)
        end = _end_without_attempt(transaction, due, now)
        if end is not None:
            ended.append(due)
            entries.extend(end.entries)
            if end.change is not None:
                changes.append(end.change)
                transaction.add_audit_entries(paused_entry(due, end.job, now))
            jobs.update(end.job, due.open_runs - 1)
            queue.extend(_expired_behind(transaction, due, now, [*queue, *ended]))
        elif (
            is_first_attempt(due.run) and not due.may_have_begun and (begin := begins_at(due)) > now
        ):
            # It waited its turn for less time than its jitter.
            waiting.append(structs.replace(due.run, due_at=begin))
        else:
            taken.append(_taken(due, claiming.lease, jobs))
    transaction.add_history(*entries)
    transaction.add_schedule_changes(*changes)
    transaction.delete_runs([due.run for due in ended])
    transaction.save_runs([*(due.run for due in taken), *waiting])
    for job in jobs.all():
        transaction.advance_job(job)
    release_runs(transaction, ended, now, claimant.max_open_runs)
    return Claimed(taken, sum(entry.skipped_count or 0 for entry in entries))


def release_runs(
    transaction: Transaction, ended: Sequence[DueRun], now: Instant, max_open_runs: int
) -> bool:
    """Let runs begin that wait for the end of these; tell whether there may be some."""
    has_others = {due.job.id: due for due in ended if due.open_runs > 1}
    for job_id, due in has_others.items():
        most = most_in_progress(due.job.definition.run_policy, max_open_runs)
        transaction.release_runs(job_id, most, now)
    return bool(has_others)


def _end_without_attempt(transaction: Transaction, due: DueRun, now: Instant) -> Settlement | None:
    """Return how a run ends that makes no attempt, or None if it makes one."""
    if is_pointless(due):
        return abandon(due, now, other_open_runs=due.open_runs - 1)
    return expire_run(transaction, due, now) if is_expired(due, now) else None


def _expired_behind(
    transaction: Transaction, due: DueRun, now: Instant, known: Sequence[DueRun]
) -> list[DueRun]:
    """Return runs whose turn would come after an expired one, and that are too late as well.

    They end with it: occurrences that are planned next must not find them open.
    """
    if not is_expired(due, now) or not due.job.definition.run_policy.may_queue:
        return []
    ids = {each.run.id for each in known}
    waiting = [
        structs.replace(due, run=run, may_have_begun=False)
        for run in sorted(transaction.runs(due.job.id), key=order_of_turns)
        if run.due_at is None and run.id not in ids
    ]
    return list(takewhile(lambda each: is_expired(each, now), waiting))


def expire_run(transaction: Transaction, due: DueRun, now: Instant) -> Settlement:
    """Skip the occurrence of a run that could not begin in time."""
    # Only a calendar that had ended may go on, and must not run what was disabled meanwhile.
    has_ended = due.job.next_at is None
    changes = transaction.schedule_changes(due.job.id) if has_ended else ()
    resumed_at = last_resumption(changes)
    return expire(due, now, other_open_runs=due.open_runs - 1, resumed_at=resumed_at)


def _taken(due: DueRun, lease: Lease, jobs: BatchJobs) -> DueRun:
    job = started(due)
    if job is not due.job:
        jobs.update(job, due.open_runs)
    return structs.replace(due, run=structs.replace(due.run, lease=lease), job=job)


def _start(
    transaction: Transaction, found: Sequence[DueJob], claimant: Claimant, claiming: Claiming
) -> Claimed:
    if not found:
        return Claimed()
    counted = [_with_queued_runs(transaction, due) for due in found]
    plans = [_plan(due, claimant, claiming) for due in counted]
    # The store leaves out an occurrence that was planned before: it is unique per job and time.
    stored = transaction.plan_runs([run for each in plans for run in each.runs])
    planned: dict[JobId, list[Run]] = {}
    for run in stored:
        planned.setdefault(run.job_id, []).append(run)
    transaction.advance_jobs(
        [
            decided.job
            if len(present := planned.get(due.job.id, ())) == len(decided.runs)
            else passed_over(due, claiming.now, planned=len(present))
            for due, decided in zip(counted, plans, strict=True)
        ]
    )
    transaction.add_history(*[entry for each in plans for entry in each.skipped])
    _release_caught_up(transaction, counted, plans, claiming)
    begun = [
        DueRun(run, decided.job, due.collection, due.open_runs + due.queued_runs + 1)
        for due, decided in zip(counted, plans, strict=True)
        for run in planned.get(due.job.id, ())
        if run.lease is not None
    ]
    return Claimed(begun, sum(each.skipped_count for each in plans))


def _with_queued_runs(transaction: Transaction, due: DueJob) -> DueJob:
    """Return a due job with its runs that wait their turn, if its policy depends on them."""
    policy = due.job.definition.policy
    if policy is None or not policy.may_queue:
        return due
    return structs.replace(due, queued_runs=transaction.count_runs(due.job.id).queued)


def _release_caught_up(
    transaction: Transaction,
    found: Sequence[DueJob],
    plans: Sequence[PlannedJob],
    claiming: Claiming,
) -> None:
    """Let runs begin that were planned to wait their turn, where nothing is in progress."""
    for due, decided in zip(found, plans, strict=True):
        if any(run.due_at is None for run in decided.runs) or due.queued_runs:
            most = most_in_progress(due.job.definition.run_policy, claiming.max_open_runs)
            transaction.release_runs(due.job.id, most, claiming.now)


def _plan(due: DueJob, claimant: Claimant, claiming: Claiming) -> PlannedJob:
    try:
        return plan(due, claiming, claimant.new_id())
    except Exception as error:  # noqa: BLE001  (one broken job must not stop the others)
        _log.error(
            "Job faulted: its next time cannot be computed",
            collection=collection_text(due.collection.key),
            job=due.job.name,
            error=origin_of(error),
        )
        return faulted(due, claiming.now, type(error).__name__)
