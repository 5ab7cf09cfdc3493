"""Runs of the past, made again: redrives of failed runs, and backfills of a calendar."""

from collections.abc import Callable

from msgspec import Struct, structs

from foliot.app.change_log import log_change
from foliot.app.lookup import check_enabled, check_may_change, find_job
from foliot.app.runs import Runs
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import Conflict, Invalid, shown
from foliot.core.ids import CollectionKey
from foliot.core.instant import LAST_TICK, Instant, tell_instant
from foliot.core.model.audit import AuditAction, AuditDetails
from foliot.core.model.collection import Collection
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import Run
from foliot.core.rules.audit_entries import runs_entry
from foliot.core.rules.repeated_runs import (
    MAX_REPEATED,
    Obstacle,
    Present,
    Repetition,
    TimeRange,
    backfill,
    failed_entries,
    obstacle_at,
    range_around,
    redrive,
)
from foliot.core.rules.turns import check_waiting, most_in_progress
from foliot.ports.store import Transaction

NewTag = Callable[[], str]


class Repeated(Struct, frozen=True):
    """How many runs were planned; and how many planned times were left out, or are left.

    `obstacle` is why the only planned time that was asked for was left out.
    """

    planned: int
    left_out: int = 0
    left: int = 0
    obstacle: Obstacle | None = None


class _Told(Struct, frozen=True):
    """How the log and the audit log tell what a caller asked for."""

    event: str
    action: AuditAction
    details: AuditDetails


class RepeatedRuns:
    """What a caller can do with runs of the past."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    async def redrive(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        which: TimeRange | frozenset[Instant] | str,
        new_tag: NewTag,
    ) -> Repeated:
        """Repeat runs that were given up: of a range of planned times, of some, or of a tag."""

        def repeat(transaction: Transaction, job: Job) -> tuple[list[Run], Repeated]:
            if isinstance(which, str):
                runs = redrive(job, _failed_run(transaction, job, which), new_tag)
                return runs, Repeated(len(runs))
            range_ = which if isinstance(which, TimeRange) else range_around(which)
            present = _present(transaction, job, range_)
            failed = _failed_runs(present, which)
            runs = redrive(job, failed[:MAX_REPEATED], new_tag)
            left = max(0, len(failed) - MAX_REPEATED)
            return runs, Repeated(len(runs), left=left, obstacle=_obstacle(present, which))

        told = _Told("Redrive requested", AuditAction.REDRIVEN, _redrive_details(which))
        return await self._repeat(who, key, name, repeat, told)

    async def backfill(
        self, who: Principal, key: CollectionKey, name: str, range_: TimeRange, new_tag: NewTag
    ) -> Repeated:
        """Run the occurrences of the calendar in a range of the past."""
        now = self._runs.clock.now()
        if range_.before > now:
            given, most = tell_instant(range_.before), tell_instant(now)
            raise Invalid(("to",), f"{given} is in the future; give {most} or earlier.")

        def repeat(transaction: Transaction, job: Job) -> tuple[list[Run], Repeated]:
            found: Repetition = backfill(job, range_, _present(transaction, job, range_), new_tag)
            return [*found.runs], Repeated(len(found.runs), left_out=found.left_out)

        details = AuditDetails(since=range_.since, until=range_.before)
        told = _Told("Backfill requested", AuditAction.BACKFILLED, details)
        return await self._repeat(who, key, name, repeat, told)

    async def _repeat(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        repeat: Callable[[Transaction, Job], tuple[list[Run], Repeated]],
        told: _Told,
    ) -> Repeated:
        now, count = self._runs.clock.now(), self._runs.counter()

        def change(transaction: Transaction) -> Repeated:
            collection, job = find_job(transaction, who, key, name)
            check_enabled(collection, "run")
            runs, repeated = repeat(transaction, job)
            if runs:
                count(collection, job, 0, now)
                self._store_runs(transaction, collection, job, runs, now)
                details = structs.replace(told.details, runs=len(runs))
                made = who.changing_at(now)
                transaction.add_audit_entries(
                    runs_entry(made, collection.key, job.name, told.action, details)
                )
            return repeated

        check_may_change(who, key)
        repeated = await write_and_wake(self._runs.store, change, self._runs.engine.wake)
        log_change(told.event, key, name, planned=repeated.planned)
        return repeated

    def _store_runs(
        self,
        transaction: Transaction,
        collection: Collection,
        job: Job,
        runs: list[Run],
        now: Instant,
    ) -> None:
        check_waiting(collection, job, transaction.count_runs(job.id).queued, len(runs))
        for run in runs:
            transaction.add_run(run)
        policy = job.definition.run_policy
        transaction.release_runs(job.id, most_in_progress(policy, self._runs.max_open_runs), now)


def _redrive_details(which: TimeRange | frozenset[Instant] | str) -> AuditDetails:
    if isinstance(which, str):
        return AuditDetails(tag=which)
    range_ = which if isinstance(which, TimeRange) else range_around(which)
    return AuditDetails(since=range_.since, until=range_.before)


def _failed_runs(present: Present, which: TimeRange | frozenset[Instant]) -> list[HistoryEntry]:
    """Return the entries of runs that were given up and have not been repeated since."""
    failed = failed_entries(present)
    if isinstance(which, TimeRange):
        return failed
    return [entry for entry in failed if entry.expected_at in which]


def _obstacle(present: Present, which: TimeRange | frozenset[Instant]) -> Obstacle | None:
    if isinstance(which, TimeRange) or len(which) > 1:
        return None
    return obstacle_at(present, next(iter(which)))


def _present(transaction: Transaction, job: Job, range_: TimeRange) -> Present:
    ended = transaction.ended_runs_by_planned_time(job.id, range_.since, range_.before)
    return Present(ended, transaction.runs(job.id))


def _failed_run(transaction: Transaction, job: Job, tag: str) -> list[HistoryEntry]:
    """Return the entry of the run of a tag, if it was given up and is not being repeated."""
    everything = TimeRange(Instant(0), Instant(LAST_TICK))
    present = _present(transaction, job, everything)
    named = [entry for entry in present.ended if entry.tag == tag]
    if not named and any(run.tag == tag for run in present.open_runs):
        raise Conflict(
            f"The run {shown(tag)} of the job '{job.name}' is open; wait for its end, or cancel it."
        )
    if not named:
        problem = f"{shown(tag)} is no ended run of '{job.name}'; give that of a failed one."
        raise Invalid(("tag",), problem)
    at = named[-1].expected_at
    entries = [entry for entry in failed_entries(present) if entry.expected_at == at]
    if not entries:
        raise Conflict(
            f"The run {shown(tag)} of the job '{job.name}' did not fail, was repeated, or is being "
            "repeated."
        )
    return entries
