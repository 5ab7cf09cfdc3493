"""What the portal shows of many jobs at once: overview, lists, calendar, failures.

An overview is cached for two seconds, so that many viewers cost as much as one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from foliot.app.lookup import find_collection, find_job
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import DAY, HOUR, SECOND, Instant
from foliot.core.model.collection import Collection
from foliot.core.model.dashboard import (
    AttemptSample,
    ComingJob,
    CountedCollection,
    FailingJob,
    FailurePage,
    Totals,
)
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job, JobState
from foliot.core.model.node import Node
from foliot.core.model.run import Run
from foliot.core.model.run_record import OpenRun
from foliot.core.model.token import Scope
from foliot.core.rules.lifecycle import next_execution_at
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
    failing: Sequence[FailingJob]
    coming: Sequence[ComingJob]
    attempt_samples: Sequence[AttemptSample] = ()
    nodes: Sequence[Node] = ()


class ListedJobs(Struct, frozen=True):
    """All jobs of a collection, and how the last attempt of each ended, if there was one.

    Skipped occurrences and error actions do not count as attempts here.
    """

    collection: Collection
    jobs: Sequence[Job]
    last: Mapping[JobId, Sequence[AttemptStatus]]


class JobDetails(Struct, frozen=True):
    """A job with its open runs and its newest attempts."""

    collection: Collection
    job: Job
    runs: Sequence[Run]
    newest: Sequence[HistoryEntry]


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

    async def jobs(self, who: Principal, key: CollectionKey) -> ListedJobs:
        """Return all jobs of a collection in order of name."""

        def view(reading: Reading) -> ListedJobs:
            found = find_collection(reading, who, key)
            jobs = reading.jobs(found.id, limit=_ALL)
            ids = [job.id for job in jobs]
            last = reading.outcomes(ids, limit=1, with_postponed=False)
            return ListedJobs(found, jobs, last)

        return await self._store.browse(view)

    async def outcomes(self, jobs: Sequence[Job]) -> Mapping[JobId, Sequence[AttemptStatus]]:
        """Return how the last attempts of these jobs ended; the caller has read them before."""
        ids = [job.id for job in jobs]
        return await self._store.browse(lambda reading: reading.outcomes(ids, limit=SHOWN_OUTCOMES))

    async def job(self, who: Principal, key: CollectionKey, name: str) -> JobDetails:
        """Return a job with its open runs and its newest attempts."""

        def view(reading: Reading) -> JobDetails:
            found, job = find_job(reading, who, key, name)
            newest = reading.history(job.id, limit=_CHARTED)
            return JobDetails(found, job, reading.runs(job.id), newest)

        return await self._store.browse(view)

    async def coming(
        self, who: Principal, within: Scope, until: Instant, limit: int
    ) -> Sequence[ComingJob]:
        """Return jobs that run until an instant, within a part of the scope, earliest first."""
        scope = _part_of(who, within)
        return await self._store.browse(partial(_coming, scope=scope, until=until, limit=limit))

    async def failing(
        self, who: Principal, within: Scope, page: FailurePage
    ) -> Sequence[FailingJob]:
        """Return jobs that failed in the last day, within a part of the caller's scope."""
        scope, since = _part_of(who, within), Instant(self._clock.now() - DAY)
        return await self._store.browse(lambda reading: reading.failing_jobs(scope, since, page))

    async def _look(self, scope: Scope) -> Overview:
        return await self._store.browse(partial(_overview, scope=scope, now=self._clock.now()))


def _part_of(who: Principal, within: Scope) -> Scope:
    """Return the part of a scope that the caller may see."""
    return Scope(
        subscription=who.scope.subscription or within.subscription,
        group=who.scope.group or within.group,
        collection=who.scope.collection or within.collection,
    )


def sees_everything(who: Principal) -> bool:
    """Tell whether a caller's scope is unlimited."""
    return who.scope == Scope()


def _is_stale(kept: "asyncio.Task[Overview]", now: Instant) -> bool:
    if not kept.done():
        return False
    if kept.cancelled() or kept.exception() is not None:
        return True
    return abs(now - kept.result().at) > _KEPT_TICKS


def _overview(reading: Reading, *, scope: Scope, now: Instant) -> Overview:
    day_ago, hour_ahead = Instant(now - DAY), Instant(now + HOUR)
    # Numbers about the whole server are only for callers who may see all of it.
    is_whole = scope == Scope()
    return Overview(
        at=now,
        totals=reading.totals(scope, day_ago, hour_ahead, limit=COUNTED_TO),
        running=reading.held_runs(scope, limit=_LISTED),
        failing=reading.failing_jobs(scope, day_ago, FailurePage(limit=_LISTED)),
        coming=reading.coming_jobs(scope, hour_ahead, limit=_LISTED),
        attempt_samples=reading.attempt_samples(Instant(now - HOUR), points=_POINTS)
        if is_whole
        else (),
        nodes=reading.nodes() if is_whole else (),
    )


def _coming(reading: Reading, *, scope: Scope, until: Instant, limit: int) -> Sequence[ComingJob]:
    subscription, group, name = scope.subscription, scope.group, scope.collection
    if subscription is None or group is None or name is None:
        return reading.coming_jobs(scope, until, limit=limit)
    # A collection has few jobs; all jobs due until then may be many.
    found = reading.collection(CollectionKey(subscription, group, name))
    if found is None:
        return []
    jobs = reading.jobs(found.id, state=JobState.ENABLED, limit=_ALL)
    due = [(next_execution_at(job, found), job) for job in jobs]
    soon = sorted((at, job.id, job) for at, job in due if at is not None and at <= until)
    return [ComingJob(found, job) for _, _, job in soon[:limit]]
