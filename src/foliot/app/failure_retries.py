"""Retries of many waiting runs: first listed, then made, one change for each job."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from foliot.app.failures import mutes_of
from foliot.app.job_batches import change_each
from foliot.app.run_records import RunsOf, runs_scope
from foliot.app.run_retries import RetryCount, RunRetries
from foliot.core.access import Principal, require
from foliot.core.errors import CollectionNotFound, FoliotError, JobNotFound
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.failure import FailureKind
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run_record import OpenRun, RunFilter
from foliot.core.model.token import Role
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# So many waiting runs can be retried at once, and so many are looked at for those that are not
# muted.
MOST_RETRIED: Final = 1000
MOST_LOOKED_AT: Final = 5000


class JobRetries(Struct, frozen=True):
    """The waiting runs of a job: when the next attempt of each is due, by its id."""

    job_id: JobId
    key: CollectionKey
    job: str
    due: Mapping[int, Instant]


class RetryPlan(Struct, frozen=True, kw_only=True):
    """What a retry would make due; how many runs of muted failures it leaves out.

    With `is_cut` there are more than are retried at once; those that are due first are among these.
    """

    jobs: Sequence[JobRetries]
    muted: int = 0
    is_cut: bool = False

    @property
    def runs(self) -> int:
        """How many runs would be retried."""
        return sum(len(each.due) for each in self.jobs)

    @property
    def due(self) -> Mapping[int, Instant]:
        """When the next attempt of each run is due, by its id."""
        return {id_: at for each in self.jobs for id_, at in each.due.items()}


class RefusedRetries(Struct, frozen=True):
    """A job of which runs were not retried, and why."""

    of: JobRetries
    reason: FoliotError


class RetryResult(Struct, frozen=True):
    """What became of the runs of a plan, and what was refused."""

    count: RetryCount
    refusals: Sequence[RefusedRetries] = ()


class FailureRetries:
    """What a caller can do with many runs that wait for a retry at once: retry them now."""

    def __init__(self, store: Store, clock: Clock, run_retries: RunRetries) -> None:
        self._store = store
        self._clock = clock
        self._run_retries = run_retries

    async def plan(
        self,
        who: Principal,
        of: RunsOf,
        wanted: RunFilter,
        confirmed: Mapping[int, Instant] | None = None,
    ) -> RetryPlan:
        """Find the runs that pass a filter, are retried later and are not muted, of any time.

        Of confirmed runs, those whose next attempts are still due when these say.
        """
        now = self._clock.now()

        def view(reading: Reading) -> RetryPlan:
            scope, job_id = runs_scope(reading, who, of)
            found = reading.runs_to_retry(
                scope, wanted, now=now, job_id=job_id, limit=MOST_LOOKED_AT
            )
            # Who names reason and host has chosen a group, muted or not.
            is_chosen = wanted.reason is not None and wanted.host is not None
            muted = {} if is_chosen else mutes_of(reading, scope, now)
            shown = _without(reading, found, muted) if muted else found
            # Before the rest is cut off: others may be due before these by now.
            kept = [each for each in shown if _is_among(each, confirmed)]
            return RetryPlan(
                jobs=_by_job(kept[:MOST_RETRIED]),
                muted=len(found) - len(shown),
                is_cut=len(found) == MOST_LOOKED_AT or len(shown) > MOST_RETRIED,
            )

        require(who, Role.CONTRIBUTOR)
        return await self._store.browse(view)

    async def retry(self, who: Principal, plan: RetryPlan) -> RetryResult:
        """Retry the runs of a plan, as far as their next attempts are still due when it says."""
        require(who, Role.CONTRIBUTOR)
        results = await change_each(
            plan.jobs, lambda each: self._run_retries.retry_runs(who, each.key, each.job, each.due)
        )
        total = RetryCount()
        refusals: list[RefusedRetries] = []
        for each, result in results:
            match result:
                case RetryCount():
                    total += result
                case JobNotFound() | CollectionNotFound():
                    total += RetryCount(changed=len(each.due))
                case _:
                    refusals.append(RefusedRetries(each, result))
        return RetryResult(total, refusals)


def _without(
    reading: Reading, runs: Sequence[OpenRun], muted: Mapping[FailureKind, object]
) -> Sequence[OpenRun]:
    """Return the runs whose last failures are not muted."""
    attempts = reading.attempts_so_far([each.run for each in runs])
    kinds = [_last_failure(made) for made in attempts]
    return [each for each, kind in zip(runs, kinds, strict=True) if kind not in muted]


def _is_among(run: OpenRun, confirmed: Mapping[int, Instant] | None) -> bool:
    return confirmed is None or confirmed.get(run.run.id) == run.run.due_at


def _last_failure(attempts: Sequence[HistoryEntry]) -> FailureKind:
    # By number and not by time: a clock may have been set back between two attempts.
    last = max(attempts, key=lambda each: each.number, default=None)
    return FailureKind("", "") if last is None else FailureKind(last.reason or "", last.host or "")


def _by_job(runs: Sequence[OpenRun]) -> Sequence[JobRetries]:
    first: dict[JobId, OpenRun] = {}
    due: defaultdict[JobId, dict[int, Instant]] = defaultdict(dict)
    for each in runs:
        if each.run.due_at is not None:
            first.setdefault(each.run.job_id, each)
            due[each.run.job_id][each.run.id] = each.run.due_at
    jobs = [JobRetries(job_id, of.key, of.job, due[job_id]) for job_id, of in first.items()]
    return sorted(jobs, key=lambda each: (each.key.folded, each.job.lower()))
