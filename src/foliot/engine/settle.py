"""Settles ended attempts, and re-queues runs, each in one transaction."""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.core.instant import Instant
from foliot.core.model.attempt import Attempt, Expired
from foliot.core.model.audit import AuditEntry
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import DueRun, Phase, Run
from foliot.core.model.schedule_change import ScheduleChange
from foliot.core.rules.alerts.conditions import SettledRun, may_be_notable
from foliot.core.rules.audit_entries import paused_entry
from foliot.core.rules.settling import Settlement, settle
from foliot.core.rules.turns import MAX_OPEN_RUNS
from foliot.engine.alerts.settled_runs import tell_settled_runs
from foliot.engine.batch_jobs import BatchJobs
from foliot.engine.claim import expire_run, release_runs
from foliot.ports.store import Transaction


class EndedAttempt(Struct, frozen=True):
    """An attempt that has ended or came too late, and the run as this node has claimed it."""

    due: DueRun
    attempt: Attempt | Expired
    request_id: str | None = None

    @property
    def has_succeeded(self) -> bool:
        """Whether nothing more follows from the attempt."""
        return isinstance(self.attempt, Attempt) and self.attempt.outcome.succeeded


class FailedAttempt(Struct, frozen=True):
    """An attempt that failed, and the run as it goes on, or None if it has ended."""

    ended: EndedAttempt
    following: Run | None

    @property
    def is_given_up(self) -> bool:
        """Whether the main action of the run has failed for the last time."""
        is_main = self.ended.due.run.phase is Phase.MAIN
        return is_main and (self.following is None or self.following.phase is Phase.ERROR)


class Settled(Struct, frozen=True):
    """The attempts that count, how many came too late for that, and what follows from failures.

    `skipped` runs expired before their first attempt. `is_more_due`: other runs may be due now.
    """

    recorded: Sequence[EndedAttempt]
    late: int
    failures: Sequence[FailedAttempt]
    skipped: int
    is_more_due: bool


def settle_attempts(
    transaction: Transaction,
    ended: Sequence[EndedAttempt],
    max_open_runs: int = MAX_OPEN_RUNS,
) -> Settled:
    """Store history, retries and jobs that follow from attempts.

    An attempt under a lost lease changes nothing: the node that holds the run now settles it. Jobs
    are read again, since clients may have changed them during the attempt.
    """
    current, jobs, batch = _current_runs(transaction, ended), BatchJobs(), _Batch()
    for each in ended:
        due = current.get(each.due.run.id)
        if due is None:
            continue
        due = jobs.current(due)
        settled = _settle(transaction, due, each.attempt)
        batch.add(due, each, settled)
        jobs.update(settled.job, due.open_runs - (settled.run is None))
    transaction.add_history(*batch.entries)
    transaction.delete_runs([due.run for due in batch.done])
    transaction.save_runs(batch.going_on)
    _save_jobs(transaction, jobs.all(), ended)
    transaction.add_schedule_changes(*batch.changes)
    transaction.add_audit_entries(*batch.paused)
    tell_settled_runs(transaction, batch.runs)
    now = max((each.attempt.ended_at for each in ended), default=Instant(0))
    are_released = release_runs(transaction, batch.done, now, max_open_runs)
    late = len(ended) - len(batch.done) - len(batch.going_on)
    return Settled(
        recorded=[each for each in ended if each.due.run.id in current] if late else ended,
        late=late,
        failures=batch.failures,
        skipped=sum(entry.skipped_count or 0 for entry in batch.entries),
        # A retry, an error action, or the occurrence after one that expired.
        is_more_due=are_released or bool(batch.going_on) or batch.has_expired,
    )


class _Batch:
    """What follows from the attempts of a batch, to be stored at its end."""

    def __init__(self) -> None:
        self.entries: list[HistoryEntry] = []
        self.changes: list[ScheduleChange] = []
        self.paused: list[AuditEntry] = []
        self.failures: list[FailedAttempt] = []
        self.done: list[DueRun] = []
        self.going_on: list[Run] = []
        self.runs: list[SettledRun] = []
        self.has_expired = False

    def add(self, due: DueRun, ended: EndedAttempt, settled: Settlement) -> None:
        """Add what follows from one attempt."""
        self.entries.extend(settled.entries)
        if settled.change is not None:
            self.changes.append(settled.change)
            self.paused.append(paused_entry(due, settled.job, ended.attempt.ended_at))
        self.has_expired = self.has_expired or isinstance(ended.attempt, Expired)
        if isinstance(ended.attempt, Attempt):
            if may_be_notable(due, ended.attempt, settled.job):
                self.runs.append(SettledRun(due, ended.attempt, settled.job))
            if not ended.has_succeeded:
                self.failures.append(FailedAttempt(ended, settled.run))
        if settled.run is None:
            self.done.append(due)
        else:
            self.going_on.append(settled.run)


def _settle(transaction: Transaction, due: DueRun, attempt: Attempt | Expired) -> Settlement:
    if isinstance(attempt, Expired):
        return expire_run(transaction, due, attempt.ended_at)
    return settle(due, attempt, other_open_runs=due.open_runs - 1)


def _save_jobs(
    transaction: Transaction, jobs: Sequence[Job], ended: Sequence[EndedAttempt]
) -> None:
    """Store the counters; for an occurrence that no longer counts, the next time as well."""
    expired = {each.due.job.id for each in ended if isinstance(each.attempt, Expired)}
    transaction.settle_jobs([job for job in jobs if job.id not in expired])
    for job in jobs:
        if job.id in expired:
            transaction.advance_job(job)


def _current_runs(transaction: Transaction, ended: Sequence[EndedAttempt]) -> dict[int, DueRun]:
    """Return the runs that this node still holds, with their jobs as they are now.

    Definitions are read again for failures only: a retry or an error action may follow from these.
    And for jobs that have other open runs: their policy decides whether one of these begins.
    The first call locks all jobs, in one order: two nodes that locked the jobs of successes before
    those of failures could each wait for the other.
    """
    found = {due.run.id: due for due in transaction.current_state([each.due for each in ended])}
    again = [
        each.due
        for each in ended
        if (due := found.get(each.due.run.id)) is not None
        and (due.open_runs > 1 or not each.has_succeeded)
    ]
    return found | {due.run.id: due for due in transaction.claimed_runs(again)}


def requeue_runs(transaction: Transaction, runs: Sequence[DueRun], until: Instant) -> None:
    """Release unfinished runs: due again at `until`, with the same tag, not counted as failed."""
    begun = {due.run.id for due in runs if due.may_have_begun}
    held = transaction.claimed_runs(runs)
    transaction.save_runs(
        [_released(due.run, until, may_have_begun=due.run.id in begun) for due in held]
    )


def _released(run: Run, until: Instant, *, may_have_begun: bool) -> Run:
    if run.is_planned and not may_have_begun:
        # As if nobody had claimed it: it may still become too late for its first attempt.
        return structs.replace(run, lease=None, due_at=until)
    # The lease stays, with its end: a run by hand without one would count as started once more. It
    # has no node, so that no node renews it.
    lease = None if run.lease is None else structs.replace(run.lease, node="", until=until)
    return structs.replace(run, lease=lease)
