"""How many runs of single jobs ended in each quarter of an hour of a period, kept for a while."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from foliot.app.background import Background
from foliot.app.ended_counts import EndedCells
from foliot.core.ids import JobId
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.timeline import QUARTER, EndedCount
from foliot.core.rules.timeline_cells import by_quarter, in_cells
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

_SETTLED_AFTER = 2 * MINUTE
_OPEN_KEPT = 15 * SECOND
_CLOSED_KEPT = HOUR
# Together about 40 MB, if each has a run in each quarter of a week.
_MOST_PERIODS = 400


class _Period(NamedTuple):
    job_id: JobId
    since: Instant
    before: Instant


class _Counted(NamedTuple):
    counts: Sequence[EndedCount]
    at: Instant


class EndedCountsOfJobs:
    """Counts the runs of jobs by the index of their histories, job by job."""

    def __init__(self, store: Store, clock: Clock, background: Background) -> None:
        self._store = store
        self._clock = clock
        self._background = background
        self._kept: OrderedDict[_Period, _Counted] = OrderedDict()

    async def in_cells(self, job_ids: Sequence[JobId], edges: Sequence[Instant]) -> EndedCells:
        """Return the runs of jobs that ended in each cell, as far as they are counted in time."""
        now = self._clock.now()
        if edges[0] > now:
            return EndedCells([{} for _ in edges[1:]], 0)
        periods = [_Period(job_id, edges[0], edges[-1]) for job_id in job_ids]
        wanted = [period for period in periods if not self._is_current(period, now)]
        if wanted:
            await self._background.work(self._count(wanted))
        found = [self._kept[period].counts for period in periods if period in self._kept]
        quarters = by_quarter(count for counts in found for count in counts)
        missing = len(periods) - len(found)
        ended = min(edges[-1], now) - edges[0]
        return EndedCells(in_cells(quarters, edges), missing * (ended // QUARTER + 1))

    def _is_current(self, period: _Period, now: Instant) -> bool:
        kept = self._kept.get(period)
        if kept is None:
            return False
        is_closed = kept.at >= period.before + _SETTLED_AFTER
        return 0 <= now - kept.at < (_CLOSED_KEPT if is_closed else _OPEN_KEPT)

    async def _count(self, wanted: Sequence[_Period]) -> None:
        for period in wanted:
            now = self._clock.now()
            if not self._is_current(period, now):
                counts = await self._store.browse(partial(_count, period=period))
                self._kept.pop(period, None)
                self._kept[period] = _Counted(counts, now)
                if len(self._kept) > _MOST_PERIODS:
                    self._kept.popitem(last=False)


def _count(reading: Reading, *, period: _Period) -> Sequence[EndedCount]:
    return reading.ended_by_job([period.job_id], period.since, period.before)
