"""The timeline: runs that ended and runs that are coming, lane by lane, in cells of time.

A lane is a collection, or a job if one collection is chosen. All counts are exact: coming runs are
computed from the schedules, ended ones counted in the history.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from msgspec import Struct

from foliot.app.background import Background
from foliot.app.dashboard import part_of
from foliot.app.ended_counts import EndedCells, EndedCounts
from foliot.app.ended_counts_of_jobs import EndedCountsOfJobs
from foliot.app.series_cache import KnownJobs, KnownSeries
from foliot.core.access import Principal
from foliot.core.ids import JobId
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.collection import Collection
from foliot.core.model.timeline import QUARTER, CountedRuns, JobName
from foliot.core.model.token import Scope
from foliot.core.rules.coming_by_lane import count_by_lane
from foliot.core.rules.run_series import runs_between
from foliot.core.rules.timeline_cells import lane_cells, total_cells
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

# So long a page waits for what is not counted yet.
PATIENCE_SECONDS = 0.25
# To read a hundred thousand jobs takes half a second, and to count their runs a tenth: whoever goes
# from week to week waits once, and so do those who look at the same week.
_KEPT_TICKS = 10 * SECOND
_KEPT_SCOPES = 2
_KEPT_COUNTS = 8
_FEW_JOBS = 2000

# The borders of the cells, in order; all are whole quarters of an hour.
Edges = tuple[Instant, ...]


class LanePage(NamedTuple):
    """Which lanes are shown."""

    skip: int = 0
    limit: int = 25


class Lane(Struct, frozen=True):
    """A collection, or a job of it, and its runs in each cell."""

    collection: Collection
    job: str | None
    cells: Sequence[CountedRuns]


class TimelineView(Struct, frozen=True, kw_only=True):
    """Lanes of a page, the sum of all lanes, and what is not counted yet.

    `chosen` is the collection whose jobs have lanes, if only one is in the scope.
    """

    chosen: Collection | None
    collections: Sequence[Collection]
    lanes: Sequence[Lane]
    lane_count: int
    total: Sequence[CountedRuns]
    uncounted_minutes: int
    unread_jobs: int


class JobInCell(Struct, frozen=True):
    """A job that runs within a cell: its first run there, and how many there are."""

    job: JobName
    first: Instant
    count: int


class CellJobs(Struct, frozen=True):
    """The jobs that run in a cell, the earliest first, and how many there are in all."""

    jobs: Sequence[JobInCell]
    job_count: int
    unread_jobs: int


class ReadJobs:
    """Jobs as they were read at an instant; what is counted of them is kept as long as they are."""

    def __init__(self, at: Instant, known: KnownJobs) -> None:
        self.at = at
        self.known = known
        # Of functions and not of methods: with a reference to itself this would be freed late.
        self.by_collection = lru_cache(_KEPT_COUNTS)(partial(_by_collection, known, at))
        self.runs_between = lru_cache(_KEPT_COUNTS)(partial(_runs_between, known))


class Timeline:
    """What a caller can see of the past and the coming runs, within the caller's scope."""

    def __init__(self, store: Store, clock: Clock, background: Background | None = None) -> None:
        self._store = store
        self._clock = clock
        self._kept: OrderedDict[Scope, ReadJobs] = OrderedDict()
        background = background or Background(PATIENCE_SECONDS)
        self._series = KnownSeries(store, background)
        self._ended = EndedCounts(store, clock, background)
        self._ended_of_jobs = EndedCountsOfJobs(store, clock, background)

    async def view(
        self, who: Principal, within: Scope, edges: Edges, page: LanePage
    ) -> TimelineView:
        """Return the lanes of a page, with the runs in each cell between two edges."""
        scope = part_of(who, within)
        collections = await self._store.browse(lambda reading: reading.collections_in_scope(scope))
        is_one = scope.collection is not None and len(collections) == 1
        chosen = collections[0] if is_one else None
        ended, read = await asyncio.gather(
            self._ended.in_cells(edges), self._read(scope, edges[-1])
        )
        coming = await asyncio.to_thread(read.by_collection, edges)
        total = total_cells(ended.cells, coming, {each.id for each in collections})
        uncounted = ended.uncounted
        if chosen is not None:
            lanes, missing = await self._job_lanes(chosen, read, edges, page)
            uncounted = max(uncounted, missing)
        else:
            lanes = [
                Lane(each, None, lane_cells(ended.cells, coming, each.id))
                for each in collections[page.skip : page.skip + page.limit]
            ]
        return TimelineView(
            chosen=chosen,
            collections=collections,
            lanes=lanes,
            lane_count=await self._count_lanes(chosen, collections),
            total=total,
            uncounted_minutes=uncounted * QUARTER // MINUTE,
            unread_jobs=read.known.unread,
        )

    async def jobs_in_cell(
        self, who: Principal, within: Scope, since: Instant, before: Instant, *, limit: int
    ) -> CellJobs:
        """Return the jobs that will run from one instant on and before another."""
        scope = part_of(who, within)
        read = await self._read(scope, before)
        found = await asyncio.to_thread(read.runs_between, since, before)
        listed = found[:limit]
        names = await self._store.browse(
            partial(_names, job_ids=[job_id for _, job_id, _ in listed])
        )
        jobs = [
            JobInCell(names[job_id], first, count)
            for first, job_id, count in listed
            if job_id in names
        ]
        return CellJobs(jobs, len(found), read.known.unread)

    async def _read(self, scope: Scope, until: Instant) -> ReadJobs:
        """Return the jobs that run before an instant; those of many jobs some seconds old."""
        now = self._clock.now()
        if until <= now:
            return ReadJobs(now, KnownJobs((), 0))
        kept = self._kept.get(scope)
        if kept is not None and 0 <= now - kept.at < _KEPT_TICKS:
            return kept
        self._kept.pop(scope, None)
        jobs = await self._store.browse(lambda reading: reading.scheduled_jobs(scope))
        read = ReadJobs(now, await self._series.of(jobs))
        if len(jobs) > _FEW_JOBS and not read.known.unread:
            self._kept[scope] = read
            if len(self._kept) > _KEPT_SCOPES:
                self._kept.popitem(last=False)
        return read

    async def _job_lanes(
        self, chosen: Collection, read: ReadJobs, edges: Edges, page: LanePage
    ) -> tuple[Sequence[Lane], int]:
        jobs = await self._store.browse(
            lambda reading: reading.jobs_by_name(chosen.id, skip=page.skip, limit=page.limit)
        )
        ids = {job_id for job_id, _ in jobs}
        ended: EndedCells = await self._ended_of_jobs.in_cells([*ids], edges)
        shown = ((int(job.job_id), runs) for job, runs in read.known.jobs if job.job_id in ids)
        coming = count_by_lane(shown, edges, read.at)
        lanes = [
            Lane(chosen, name, lane_cells(ended.cells, coming, job_id)) for job_id, name in jobs
        ]
        return lanes, ended.uncounted

    async def _count_lanes(
        self, chosen: Collection | None, collections: Sequence[Collection]
    ) -> int:
        if chosen is None:
            return len(collections)
        return await self._store.browse(lambda reading: reading.count_jobs(chosen.id))


def _by_collection(known: KnownJobs, at: Instant, edges: Edges) -> Mapping[int, Sequence[int]]:
    return count_by_lane(((job.collection_id, runs) for job, runs in known.jobs), edges, at)


def _runs_between(
    known: KnownJobs, since: Instant, before: Instant
) -> Sequence[tuple[Instant, JobId, int]]:
    """Return first runs, jobs and numbers of runs in a cell, the earliest first.

    Of those that begin together the one with fewer runs comes first: it is planned for this time.
    """
    # Many jobs run alike.
    look = lru_cache(maxsize=10_000)(partial(runs_between, since=since, before=before))
    found: list[tuple[Instant, JobId, int]] = []
    for job, runs in known.jobs:
        between = look(runs)
        if between is not None:
            first, count = between
            found.append((first, job.job_id, count))
    return sorted(found, key=lambda each: (each[0], each[2], each[1]))


def _names(reading: Reading, *, job_ids: Sequence[JobId]) -> Mapping[JobId, JobName]:
    return reading.job_names(job_ids)
