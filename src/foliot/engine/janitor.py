"""Removes what is too old, in steps so small that no other write waits.

A walk first lets stalled runs begin, and removes jobs that were deleted or ended long ago. Then it
removes audit entries beyond their number, goes through all other jobs by id and trims their
histories. It looks for rows with readers; the writer gets only the deletions, a few rows at a time,
and serves others between two steps.
"""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.limits import Limits
from foliot.core.rules.retention import Retention, retention
from foliot.ports.clock import Clock
from foliot.ports.logs import get_logger
from foliot.ports.store import AuditPosition, Store, Transaction

_FIRST = JobId(0)

_log = get_logger("foliot.janitor")


class Pace(Struct, frozen=True, kw_only=True):
    """How much one step does, and how long the janitor rests between steps and walks."""

    rows: int = 250
    jobs: int = 100
    # With an incident go its messages: up to three for each destination of its alert.
    incidents: int = 50
    seconds_before_first_walk: float = 60.0
    seconds_between_steps: float = 0.05
    seconds_between_walks: float = 3600.0
    seconds_after_failure: float = 60.0


class Janitor:
    """Walks through the store. `step` takes one step, for tests; `run` walks until cancelled."""

    def __init__(
        self, store: Store, clock: Clock, limits: Limits, pace: Pace | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits
        self._pace = pace or Pace()
        # The last job whose history was inspected; None while ended jobs are being removed.
        self._reached: JobId | None = None
        # Audit entries that this walk has removed because there were too many.
        self._audit_removed = 0

    async def run(self) -> None:
        """Walk until cancelled; a step that fails is tried again later."""
        rest = self._pace.seconds_before_first_walk
        while True:
            await asyncio.sleep(rest)
            rest = await self._rest_after_step()

    async def step(self) -> bool:
        """Take one step; tell whether the walk goes on."""
        now = self._clock.now()
        keep = retention(self._limits, now)
        if self._reached is None:
            goes_on = await self._store.write(lambda to: _begin_walk(to, keep, now, self._pace))
            if not goes_on and not await self._trim_audit(keep.audit_entries):
                self._reached = _FIRST
            return True
        self._reached = await self._trim_after(self._reached, keep)
        return self._reached is not None

    async def _rest_after_step(self) -> float:
        try:
            goes_on = await self.step()
        except FoliotError as error:
            _log.warning("Nothing is tidied up: the store does not answer", error=str(error))
            return self._pace.seconds_after_failure
        except Exception as error:  # noqa: BLE001  (the walk must go on, or the disk fills up)
            _log.error("A step of the janitor broke down", error=origin_of(error))
            return self._pace.seconds_after_failure
        return self._pace.seconds_between_steps if goes_on else self._pace.seconds_between_walks

    async def _trim_audit(self, kept: int) -> bool:
        """Remove the oldest audit entries if there are too many; tell whether some may be left."""
        last = await self._store.browse(lambda reading: reading.newest_surplus_audit(kept))
        if last is not None:
            self._audit_removed += await self._store.write(
                lambda to: to.trim_audit(last, self._pace.rows)
            )
            return True
        if self._audit_removed:
            said = "The oldest audit entries are removed: there were more than FOLIOT_AUDIT_ENTRIES"
            _log.warning(said, limit=kept, removed=self._audit_removed)
            self._audit_removed = 0
        return False

    async def _trim_after(self, after: JobId, keep: Retention) -> JobId | None:
        """Inspect some histories and trim them; return the last job that is done."""
        found = await self._store.read(
            lambda reading: reading.inspect_histories(
                after,
                since=keep.history_since,
                kept=keep.history_entries,
                limit=self._pace.jobs,
            )
        )
        if found.to_trim and await self._store.write(
            lambda to: _trim(to, found.to_trim, keep, self._pace)
        ):
            return after
        return found.reached


def _begin_walk(transaction: Transaction, keep: Retention, now: Instant, pace: Pace) -> bool:
    """Remove ended jobs and what else is too old, then maintain partitions.

    Before that, let runs begin that nothing else would: the end of another run was to do it. Tell
    whether more are left.
    """
    if transaction.release_stalled_runs(now, pace.jobs) == pace.jobs:
        return True
    if _remove_ended(transaction, keep, pace):
        return True
    if transaction.trim_schedule_changes(keep.history_since, pace.rows) == pace.rows:
        return True
    if transaction.trim_audit(AuditPosition(keep.audit_since, 0), pace.rows) == pace.rows:
        return True
    if _remove_incidents(transaction, keep, pace):
        return True
    transaction.maintain_partitions(now=now, since=keep.history_since)
    return False


def _remove_ended(transaction: Transaction, keep: Retention, pace: Pace) -> bool:
    """Remove ended jobs, each after its history and incidents; tell whether there may be more."""
    rows, incidents = pace.rows, pace.incidents
    ended = transaction.jobs_ended_before(keep.ended_since, pace.jobs)
    for job_id in ended:
        rows -= transaction.trim_history(job_id, since=keep.history_since, kept=0, limit=rows)
        if rows > 0:
            incidents -= transaction.trim_incidents_of_job(job_id, incidents)
        if rows <= 0 or incidents <= 0:
            return True
        transaction.purge_job(job_id)
        rows -= 1
    return len(ended) == pace.jobs


def _remove_incidents(transaction: Transaction, keep: Retention, pace: Pace) -> bool:
    """Remove old incidents, and those of deleted alerts; tell whether there may be more."""
    if transaction.trim_incidents(keep.incidents_since, pace.incidents) == pace.incidents:
        return True
    return transaction.trim_incidents_without_alert(pace.incidents) == pace.incidents


def _trim(transaction: Transaction, job_ids: Sequence[JobId], keep: Retention, pace: Pace) -> bool:
    """Trim histories, within the rows of one step; tell whether some may be left."""
    rows = pace.rows
    for job_id in job_ids:
        rows -= transaction.trim_history(
            job_id, since=keep.history_since, kept=keep.history_entries, limit=rows
        )
        if rows <= 0:
            return True
    return False
