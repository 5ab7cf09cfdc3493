"""Runs that a caller asks for, outside the schedule, or cancels."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from foliot.app.change_log import log_change
from foliot.app.engine_access import EngineAccess
from foliot.app.lookup import check_enabled, check_may_change, find_job
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import RunNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.audit import AuditAction, AuditDetails, AuditEntry
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.run import DueRun, Run, Trigger
from foliot.core.rules import lifecycle
from foliot.core.rules.audit_entries import paused_entry, runs_entry
from foliot.core.rules.manual_runs import ManualRuns
from foliot.core.rules.settling import cancel
from foliot.core.rules.turns import check_waiting, most_in_progress
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction

CountRun = Callable[[Collection, Job, int, Instant], None]


class Cancellation(Struct, frozen=True, kw_only=True):
    """Which open runs of a job to cancel: that of a tag, or those that a trigger has started."""

    tag: str | None = None
    trigger: Trigger | None = None
    is_waiting: bool = False

    def includes(self, run: Run) -> bool:
        """Tell whether a run is to be canceled."""
        if self.tag is not None:
            return run.tag == self.tag
        is_of_trigger = self.trigger is None or run.trigger is self.trigger
        return is_of_trigger and not (self.is_waiting and run.lease is not None)


class Runs:
    """What a caller can do with runs: start one, cancel some."""

    def __init__(
        self, store: Store, clock: Clock, engine: EngineAccess, manual_runs: ManualRuns
    ) -> None:
        self.store = store
        self.clock = clock
        self.engine = engine
        self.max_open_runs = manual_runs.max_open_runs
        self._manual_runs = manual_runs

    def counter(self) -> CountRun:
        """Return a function that counts one request, or refuses it beyond the limits of the plan.

        The store may run a change more than once: only the first call counts. Check and count stand
        together in the transaction, so that concurrent requests count each other.
        """
        is_counted = False

        def count(collection: Collection, job: Job, in_progress: int, now: Instant) -> None:
            nonlocal is_counted
            if not is_counted:
                self._manual_runs.check(collection, job, in_progress, now)
                self._manual_runs.add(collection, job, now)
                is_counted = True

        return count

    async def run_job(self, who: Principal, key: CollectionKey, name: str, tag: str) -> None:
        """Run a job now, as often as its collection's plan allows."""
        now, count = self.clock.now(), self.counter()

        def change(transaction: Transaction) -> None:
            found, job = find_job(transaction, who, key, name)
            check_enabled(found, "run")
            runs = transaction.count_runs(job.id)
            run = lifecycle.run_now(job, now, tag, runs)
            check_waiting(found, job, runs.queued, int(run.due_at is None))
            count(found, job, runs.open - runs.queued, now)
            transaction.add_run(run)
            made, details = who.changing_at(now), AuditDetails(tag=tag)
            entry = runs_entry(made, found.key, job.name, AuditAction.RUN, details)
            transaction.add_audit_entries(entry)

        check_may_change(who, key)
        await write_and_wake(self.store, change, self.engine.wake)
        log_change("Run requested", key, name, tag=tag)

    async def cancel_runs(
        self, who: Principal, key: CollectionKey, name: str, wanted: Cancellation
    ) -> int:
        """Cancel open runs of a job: they are not retried, and attempts in progress are aborted.

        Return how many there were; RunNotFound if none has the tag that is wanted.
        """
        now = self.clock.now()

        def change(transaction: Transaction) -> Sequence[int]:
            collection, job = find_job(transaction, who, key, name)
            open_runs = transaction.runs(job.id)
            chosen = [run for run in open_runs if wanted.includes(run)]
            if not chosen and wanted.tag is not None:
                raise RunNotFound(wanted.tag)
            left = len(open_runs)
            for run in chosen:
                left -= 1
                due = DueRun(run, job, collection)
                ended = cancel(due, now, other_open_runs=left)
                job = ended.job
                transaction.add_history(*ended.entries)
                if ended.change is not None:
                    transaction.add_schedule_changes(ended.change)
                    transaction.add_audit_entries(paused_entry(due, job, now))
            transaction.delete_runs(chosen)
            transaction.advance_job(job)
            most = most_in_progress(job.definition.run_policy, self.max_open_runs)
            transaction.release_runs(job.id, most, now)
            if chosen:
                transaction.add_audit_entries(
                    _canceled_entry(who.changing_at(now), collection, job, wanted, len(chosen))
                )
            return [run.id for run in chosen]

        check_may_change(who, key)
        canceled = await write_and_wake(self.store, change, self.engine.wake)
        self.engine.abort_runs(canceled)
        log_change("Runs canceled", key, name, runs=len(canceled))
        return len(canceled)


def _canceled_entry(
    change: Change, collection: Collection, job: Job, wanted: Cancellation, count: int
) -> AuditEntry:
    details = AuditDetails(tag=wanted.tag, runs=count)
    return runs_entry(change, collection.key, job.name, AuditAction.CANCELED, details)
