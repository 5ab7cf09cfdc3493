"""What the portal shows of many jobs at once: overview, lists.

An overview is cached for two seconds, so that many viewers cost as much as one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from msgspec import Struct, structs

from foliot.app.failures import FailureReport, RetryReport, failure_report, retry_report
from foliot.app.lookup import find_collection, find_job
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import DAY, HOUR, SECOND, Instant
from foliot.core.model.collection import Collection
from foliot.core.model.dashboard import (
    AttemptSample,
    ComingJob,
    CountedCollection,
    LastRun,
    Totals,
)
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.node import Node
from foliot.core.model.run import Run
from foliot.core.model.run_record import OpenRun, RunFilter
from foliot.core.model.token import Scope
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# Counting stops here: a larger number is shown as "10,000 and more".
COUNTED_TO = 10_000
SHOWN_OUTCOMES = 30

_ALL = 1_000_000
_LISTED = 10
_POINTS = 1500
_KEPT_TICKS = 2 * SECOND
_KEPT_SCOPES = 64
_CHARTED = 120


class Overview(Struct, frozen=True, kw_only=True):
    """Open runs, failures of the last day, jobs that run in the next hour."""

    at: Instant
    totals: Totals
    running: Sequence[OpenRun]
    failures: FailureReport
    retries: RetryReport
    coming: Sequence[ComingJob]
    attempt_samples: Sequence[AttemptSample] = ()
    nodes: Sequence[Node] = ()


class ListedJobs(Struct, frozen=True):
    """All jobs of a collection; which of them have runs that are retried, if that was asked."""

    collection: Collection
    jobs: Sequence[Job]
    retried: AbstractSet[JobId] = frozenset()


class RecentRuns(Struct, frozen=True):
    """How the last attempts of a job ended, the newest first, and its last run."""

    outcomes: Sequence[AttemptStatus] = ()
    last: LastRun = LastRun()


class JobDetails(Struct, frozen=True):
    """A job with its open runs, its newest attempts and its last run."""

    collection: Collection
    job: Job
    runs: Sequence[Run]
    newest: Sequence[HistoryEntry]
    last: LastRun = LastRun()


class Dashboard:
    """What a caller can see, each call within the caller's scope."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._kept: OrderedDict[Scope, asyncio.Task[Overview]] = OrderedDict()

    async def overview(self, who: Principal) -> Overview:
        """Return an overview that is at most two seconds old."""
        kept = self._kept.get(who.scope)
        if kept is None or _is_stale(kept, self._clock.now()):
            # Concurrent callers wait for the same task.
            kept = asyncio.create_task(self._look(who.scope))
            self._kept[who.scope] = kept
            if len(self._kept) > _KEPT_SCOPES:
                self._kept.popitem(last=False)
        return await asyncio.shield(kept)

    async def collections(
        self, who: Principal, search: str = "", after: CollectionKey | None = None, limit: int = 100
    ) -> Sequence[CountedCollection]:
        """Return the collections of all subscriptions within the caller's scope."""
        return await self._store.browse(
            lambda reading: reading.search_collections(
                who.scope, search=search, after=after, limit=limit
            )
        )

    async def collection(self, who: Principal, key: CollectionKey) -> CountedCollection:
        """Return a collection, and how many jobs it has."""

        def view(reading: Reading) -> CountedCollection:
            found = find_collection(reading, who, key)
            return CountedCollection(found, reading.count_jobs(found.id))

        return await self._store.read(view)

    async def jobs(
        self, who: Principal, key: CollectionKey, *, with_retried: bool = False
    ) -> ListedJobs:
        """Return all jobs of a collection in order of name."""

        def view(reading: Reading) -> ListedJobs:
            found = find_collection(reading, who, key)
            retried = reading.retried_jobs(found.id) if with_retried else frozenset[JobId]()
            return ListedJobs(found, reading.jobs(found.id, limit=_ALL), retried)

        return await self._store.browse(view)

    async def recent_runs(self, jobs: Sequence[Job]) -> Mapping[JobId, RecentRuns]:
        """Return how the last runs of these jobs ended; the caller has read them before."""
        ids = [job.id for job in jobs]

        def view(reading: Reading) -> Mapping[JobId, RecentRuns]:
            outcomes = reading.outcomes(ids, limit=SHOWN_OUTCOMES)
            last = _last_runs(reading, jobs)
            return {each: RecentRuns(outcomes.get(each, ()), last[each]) for each in ids}

        return await self._store.browse(view)

    async def job(self, who: Principal, key: CollectionKey, name: str) -> JobDetails:
        """Return a job with its open runs and its newest attempts."""

        def view(reading: Reading) -> JobDetails:
            found, job = find_job(reading, who, key, name)
            newest = reading.history(job.id, limit=_CHARTED)
            last = _last_runs(reading, [job])[job.id]
            return JobDetails(found, job, reading.runs(job.id), newest, last)

        return await self._store.browse(view)

    async def _look(self, scope: Scope) -> Overview:
        return await self._store.browse(partial(_overview, scope=scope, now=self._clock.now()))


def part_of(who: Principal, within: Scope) -> Scope:
    """Return the part of a scope that the caller may see."""
    return Scope(
        subscription=who.scope.subscription or within.subscription,
        group=who.scope.group or within.group,
        collection=who.scope.collection or within.collection,
    )


def sees_everything(who: Principal) -> bool:
    """Tell whether a caller's scope is unlimited."""
    return who.scope == Scope()


def _last_runs(reading: Reading, jobs: Sequence[Job]) -> Mapping[JobId, LastRun]:
    """Return the last run of each job.

    Nearly always a job tells it by itself. It does not if its newest attempt did not end a run, nor
    if its last run was canceled, which is no attempt: these are looked up in history.
    """
    retried = reading.retried_runs([job.id for job in jobs])
    unsure = {
        job.id for job in jobs if job.id in retried or job.last_outcome is RunOutcome.CANCELED
    }
    ended = reading.last_ended_runs([*unsure]) if unsure else dict[JobId, LastRun]()

    def last(job: Job) -> LastRun:
        if job.id not in unsure:
            return LastRun(job.last_outcome, job.last_execution_at)
        # One that ended too long ago to be found has an outcome and no time.
        found = ended.get(job.id) or LastRun(job.last_outcome)
        return structs.replace(found, retried=retried.get(job.id))

    return {job.id: last(job) for job in jobs}


def _is_stale(kept: "asyncio.Task[Overview]", now: Instant) -> bool:
    if not kept.done():
        return False
    if kept.cancelled() or kept.exception() is not None:
        return True
    return abs(now - kept.result().at) > _KEPT_TICKS


def _overview(reading: Reading, *, scope: Scope, now: Instant) -> Overview:
    hour_ahead = Instant(now + HOUR)
    failed = RunFilter(since=Instant(now - DAY), outcome=RunOutcome.FAILED)
    # Numbers about the whole server are only for callers who may see all of it.
    is_whole = scope == Scope()
    return Overview(
        at=now,
        totals=reading.totals(scope, hour_ahead, limit=COUNTED_TO),
        running=reading.held_runs(scope, limit=_LISTED),
        failures=failure_report(reading, scope, failed, now=now),
        retries=retry_report(reading, scope, RunFilter(), now=now),
        coming=reading.coming_jobs(scope, hour_ahead, limit=_LISTED),
        attempt_samples=reading.attempt_samples(Instant(now - HOUR), points=_POINTS)
        if is_whole
        else (),
        nodes=reading.nodes() if is_whole else (),
    )
