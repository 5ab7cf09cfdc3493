"""Retries at once: of a run that failed and waits for its retry, or of many of a job."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from foliot.app.change_log import log_change
from foliot.app.engine_access import EngineAccess
from foliot.app.lookup import check_enabled, check_may_change, find_job
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import RunNotFound
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.audit import AuditAction, AuditDetails
from foliot.core.model.change import Change
from foliot.core.model.run import Run
from foliot.core.rules.audit_entries import runs_entry
from foliot.core.rules.retries import check_waits_for_retry, is_retried_later, waits_for_retry
from foliot.core.rules.turns import waits_until_enabled
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction


class RetryStart(StrEnum):
    """When the next attempt of a run begins that is retried at once."""

    NOW = "now"
    WHEN_ENABLED = "whenEnabled"


class RetryCount(Struct, frozen=True):
    """What became of runs that were to be retried.

    So many begin their next attempt now, so many when their job is enabled; the others had ended,
    or were retried, in the meantime.
    """

    now: int = 0
    when_enabled: int = 0
    changed: int = 0

    def __add__(self, other: "RetryCount") -> "RetryCount":
        return RetryCount(
            self.now + other.now,
            self.when_enabled + other.when_enabled,
            self.changed + other.changed,
        )


class RunRetries:
    """What a caller can do with runs that wait for a retry: make their next attempts due."""

    def __init__(self, store: Store, clock: Clock, engine: EngineAccess) -> None:
        self._store = store
        self._clock = clock
        self._engine = engine

    async def retry_run(
        self,
        who: Principal,
        key: CollectionKey,
        name: str,
        tag: str,
        due_at: Instant | None = None,
    ) -> RetryStart:
        """Retry a run at once; refuse it if its next attempt is not due at a time that is given.

        One that is due already stays as it is.
        """
        now = self._clock.now()

        def change(transaction: Transaction) -> RetryStart:
            collection, job = find_job(transaction, who, key, name)
            check_enabled(collection, "run")
            run = next((each for each in transaction.runs(job.id) if each.tag == tag), None)
            if run is None:
                raise RunNotFound(tag)
            check_waits_for_retry(run, job.name, due_at)
            if is_retried_later(run, now):
                _make_due(transaction, [run], who.changing_at(now), collection.key, job.name)
            return RetryStart.WHEN_ENABLED if waits_until_enabled(job, run) else RetryStart.NOW

        check_may_change(who, key)
        start = await write_and_wake(self._store, change, self._engine.wake)
        log_change("Retry requested", key, name, tag=tag)
        return start

    async def retry_runs(
        self, who: Principal, key: CollectionKey, name: str, due: Mapping[int, Instant]
    ) -> RetryCount:
        """Retry runs of a job at once, by id and the time at which their next attempts are due.

        One whose next attempt is due at another time by now stays as it is.
        """
        now = self._clock.now()

        def change(transaction: Transaction) -> RetryCount:
            collection, job = find_job(transaction, who, key, name)
            check_enabled(collection, "run")
            runs = [
                run
                for run in transaction.runs(job.id)
                if run.due_at is not None and due.get(run.id) == run.due_at and waits_for_retry(run)
            ]
            later = [run for run in runs if is_retried_later(run, now)]
            _make_due(transaction, later, who.changing_at(now), collection.key, job.name)
            held = sum(waits_until_enabled(job, run) for run in runs)
            return RetryCount(len(runs) - held, held, len(due) - len(runs))

        check_may_change(who, key)
        count = await write_and_wake(self._store, change, self._engine.wake)
        if retried := count.now + count.when_enabled:
            log_change("Retries requested", key, name, runs=retried)
        return count


def _make_due(
    transaction: Transaction, runs: Sequence[Run], change: Change, key: CollectionKey, name: str
) -> None:
    if not runs:
        return
    for run in runs:
        transaction.make_run_due(run.id, change.at)
    tag = runs[0].tag if len(runs) == 1 else None
    details = AuditDetails(tag=tag, runs=None if tag else len(runs))
    transaction.add_audit_entries(runs_entry(change, key, name, AuditAction.RETRIED, details))
