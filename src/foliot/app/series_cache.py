"""The series of coming runs of many jobs, kept: a definition is opened once after each change."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from foliot.app.background import Background
from foliot.core.ids import JobId
from foliot.core.model.job import Job
from foliot.core.model.timeline import ScheduledJob
from foliot.core.rules.run_series import ComingSeries, RunSeries, coming_runs, series_of
from foliot.ports.store import Reading, Store

# About 200 bytes each.
_MOST_JOBS = 300_000
_AT_ONCE = 500


class KnownJobs(NamedTuple):
    """Jobs whose schedules were read, and how many others there are."""

    jobs: Sequence[tuple[ScheduledJob, ComingSeries]]
    unread: int


class KnownSeries:
    """Reads definitions that are new or were changed, and keeps what the timeline needs of them."""

    def __init__(self, store: Store, background: Background) -> None:
        self._store = store
        self._background = background
        self._reading = asyncio.Lock()
        # By job: the mark of its definition, and its series, None if it does not open here.
        self._known: dict[JobId, tuple[bytes, RunSeries | None]] = {}
        self._shared: dict[RunSeries, RunSeries] = {}

    async def of(self, jobs: Sequence[ScheduledJob]) -> KnownJobs:
        """Return the coming runs of jobs; of those that were not read in time, how many."""
        # In a thread: for a hundred thousand jobs each of the two takes a tenth of a second.
        if await asyncio.to_thread(self._unread, jobs):
            await self._background.work(self._read(jobs))
        return await asyncio.to_thread(self._known_among, jobs)

    def _known_among(self, jobs: Sequence[ScheduledJob]) -> KnownJobs:
        known = self._known
        found: list[tuple[ScheduledJob, ComingSeries]] = []
        unread = 0
        for job in jobs:
            seal, series = known.get(job.job_id, (b"", None))
            if seal != job.seal:
                unread += 1
            elif series is not None:
                found.append((job, coming_runs(series, job.next_at, job.occurrence)))
        return KnownJobs(found, unread)

    def _unread(self, jobs: Sequence[ScheduledJob]) -> list[ScheduledJob]:
        known = self._known
        return [job for job in jobs if job.job_id not in known or known[job.job_id][0] != job.seal]

    async def _read(self, jobs: Sequence[ScheduledJob]) -> None:
        async with self._reading:
            unread = await asyncio.to_thread(self._unread, jobs)
            for first in range(0, len(unread), _AT_ONCE):
                part = unread[first : first + _AT_ONCE]
                ids = [job.job_id for job in part]
                read = await self._store.browse(partial(_series, job_ids=ids))
                for job in part:
                    self._keep(job, read.get(job.job_id))

    def _keep(self, job: ScheduledJob, series: RunSeries | None) -> None:
        if series is not None:
            series = self._shared.setdefault(series, series)
        self._known.pop(job.job_id, None)
        self._known[job.job_id] = (job.seal, series)
        if len(self._known) > _MOST_JOBS:
            del self._known[next(iter(self._known))]
        if len(self._shared) > _MOST_JOBS:
            self._shared.clear()


def _series(reading: Reading, *, job_ids: Sequence[JobId]) -> dict[JobId, RunSeries]:
    jobs: Sequence[Job] = reading.readable_jobs(job_ids)
    return {job.id: series_of(job) for job in jobs}
