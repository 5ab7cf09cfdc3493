"""Figures about jobs, read from the store in pages and cached.

A server may have a million jobs, and several Prometheus servers may ask at the same time. Each
query reads one page, so that listings of other callers wait no longer than for a page; all pages
are read once in ten seconds at most, and for no more than a twentieth of the time.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.job import JobState
from foliot.core.model.job_figures import JobFigures, JobFiguresPage
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

KEPT_TICKS: Final = 10 * SECOND
_PARTS_OF_TIME: Final = 20
_JOBS_PER_PAGE: Final = 5000


class StoredFigures(NamedTuple):
    """The collections that have series of their own, and the figures of all collections."""

    names: Mapping[CollectionId, CollectionKey]
    jobs: Sequence[JobFigures]
    read_at: Instant
    kept_until: Instant


class JobFigureCache:
    """Reads the figures of the store, at most every ten seconds."""

    def __init__(self, store: Store, clock: Clock, limit: int) -> None:
        self._store = store
        self._clock = clock
        self._limit = limit
        self._reading: asyncio.Task[StoredFigures] | None = None

    async def figures(self) -> StoredFigures:
        """Return the figures as they are now or were a few seconds ago; may raise Unavailable."""
        reading = self._reading
        if reading is None or self._is_stale(reading):
            # Callers at the same time wait for the same task.
            reading = self._reading = asyncio.create_task(self._read())
        return await asyncio.shield(reading)

    def _is_stale(self, reading: "asyncio.Task[StoredFigures]") -> bool:
        if not reading.done():
            return False
        if reading.cancelled() or reading.exception() is not None:
            return True
        found = reading.result()
        return not found.read_at <= self._clock.now() < found.kept_until

    async def _read(self) -> StoredFigures:
        began_at = self._clock.now()
        names = await self._store.browse(lambda view: view.oldest_collections(self._limit))
        found: dict[tuple[CollectionId, JobState], JobFigures] = {}
        last: JobId | None = JobId(0)
        while last is not None:
            page = await self._store.browse(partial(_page, after=last))
            _add(found, page.figures)
            last = page.last
        read_at = self._clock.now()
        kept = max(KEPT_TICKS, _PARTS_OF_TIME * (read_at - began_at))
        return StoredFigures(names, [*found.values()], read_at, Instant(read_at + kept))


def _page(view: Reading, *, after: JobId) -> JobFiguresPage:
    return view.job_figures(after, limit=_JOBS_PER_PAGE)


def _add(
    found: dict[tuple[CollectionId, JobState], JobFigures], page: Iterable[JobFigures]
) -> None:
    for each in page:
        key = each.collection_id, each.state
        before = found.get(key)
        found[key] = each if before is None else together(before, each)


def together(one: JobFigures, other: JobFigures) -> JobFigures:
    """Return the figures of two sets of jobs as those of one, of the first one's collection."""
    return JobFigures(
        one.collection_id,
        one.state,
        one.count + other.count,
        one.failing + other.failing,
        max(one.most_failures, other.most_failures),
        latest(one.succeeded_at, other.succeeded_at),
    )


def latest(one: Instant | None, other: Instant | None) -> Instant | None:
    """Return the later of two instants, either of which may be missing."""
    if one is None or other is None:
        return one or other
    return max(one, other)
