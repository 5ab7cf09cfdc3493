"""How many runs of each collection ended in each quarter of an hour, counted once and kept.

A quarter that is over is counted again after an hour, so that deleted jobs and trimmed histories
leave the counts; one that is not over, after some seconds.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from foliot.app.background import Background
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.timeline import QUARTER, EndedCount, EntryNumbers
from foliot.core.rules.timeline_cells import Tally, by_quarter, merged
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store

_ENTRIES_AT_ONCE = 20_000
_QUARTERS_AT_ONCE = 96
# An outcome is stored within seconds of its end.
_SETTLED_AFTER = 2 * MINUTE
_OPEN_KEPT = 5 * SECOND
_CLOSED_KEPT = HOUR
# A tally of a collection takes about 200 bytes. The quarters of a week are always kept.
_MOST_TALLIES = 200_000
_ALWAYS_KEPT = 8 * 24 * 4
_MOST_CELLS = 1000


class _Quarter(NamedTuple):
    tally: Tally
    counted_at: Instant


class EndedCells(NamedTuple):
    """A tally for each cell of time, and how many quarters of an hour are not counted yet."""

    cells: Sequence[Tally]
    uncounted: int


class EndedCounts:
    """Counts runs by collection, part by part, and keeps the counts."""

    def __init__(self, store: Store, clock: Clock, background: Background) -> None:
        self._store = store
        self._clock = clock
        self._background = background
        self._counting = asyncio.Lock()
        self._quarters: OrderedDict[int, _Quarter] = OrderedDict()
        self._size = 0
        # The sum of a cell, and when each of its quarters was counted.
        self._cells: OrderedDict[range, tuple[Sequence[Instant], Tally]] = OrderedDict()

    async def in_cells(self, edges: Sequence[Instant]) -> EndedCells:
        """Return the runs that ended in each cell, as far as they are counted in time."""
        now = self._clock.now()
        wanted = range(edges[0] // QUARTER, -(-min(edges[-1], now + 1) // QUARTER))
        if self._uncounted(wanted, now):
            await self._background.work(self._count(wanted))
        cells = [
            self._sum_of(range(-(-start // QUARTER), -(-end // QUARTER)))
            for start, end in pairwise(edges)
        ]
        return EndedCells(cells, sum(each not in self._quarters for each in wanted))

    def _uncounted(self, wanted: Sequence[int], now: Instant) -> list[int]:
        return [quarter for quarter in wanted if not self._is_current(quarter, now)]

    def _is_current(self, quarter: int, now: Instant) -> bool:
        kept = self._quarters.get(quarter)
        if kept is None:
            return False
        is_closed = kept.counted_at >= (quarter + 1) * QUARTER + _SETTLED_AFTER
        return 0 <= now - kept.counted_at < (_CLOSED_KEPT if is_closed else _OPEN_KEPT)

    def _sum_of(self, quarters: range) -> Tally:
        counted = [self._quarters[each] for each in quarters if each in self._quarters]
        times = [each.counted_at for each in counted]
        kept = self._cells.get(quarters)
        if kept is not None and kept[0] == times:
            return kept[1]
        found = merged(each.tally for each in counted)
        self._cells[quarters] = (times, found)
        if len(self._cells) > _MOST_CELLS:
            self._cells.popitem(last=False)
        return found

    async def _count(self, wanted: Sequence[int]) -> None:
        async with self._counting:
            now = self._clock.now()
            for span in _spans_backwards(self._uncounted(wanted, now)):
                tallies = await self._tallies_of(span)
                for quarter in span:
                    self._keep(quarter, _Quarter(tallies.get(quarter, {}), now))

    async def _tallies_of(self, span: range) -> Mapping[int, Tally]:
        since, before = Instant(span.start * QUARTER), Instant(span.stop * QUARTER)
        numbers = await self._store.browse(
            lambda reading: reading.numbers_ended_between(since, before)
        )
        counts: list[EndedCount] = []
        for first in range(numbers.first, numbers.end, _ENTRIES_AT_ONCE):
            part = EntryNumbers(first, min(first + _ENTRIES_AT_ONCE, numbers.end))
            count = partial(_count_entries, numbers=part, since=since, before=before)
            counts += await self._store.browse(count)
        return by_quarter(counts)

    def _keep(self, quarter: int, counted: _Quarter) -> None:
        earlier = self._quarters.pop(quarter, None)
        self._size += len(counted.tally) - (len(earlier.tally) if earlier else 0)
        self._quarters[quarter] = counted
        while self._size > _MOST_TALLIES and len(self._quarters) > _ALWAYS_KEPT:
            _, dropped = self._quarters.popitem(last=False)
            self._size -= len(dropped.tally)


def _count_entries(
    reading: Reading, *, numbers: EntryNumbers, since: Instant, before: Instant
) -> Sequence[EndedCount]:
    return reading.ended_by_collection(numbers, since, before)


def _spans_backwards(quarters: Sequence[int]) -> Iterator[range]:
    """Yield quarters in a row together, the latest first, a limited number at a time."""
    span = range(0)
    for quarter in reversed(quarters):
        if span and quarter == span.start - 1 and len(span) < _QUARTERS_AT_ONCE:
            span = range(quarter, span.stop)
            continue
        if span:
            yield span
        span = range(quarter, quarter + 1)
    if span:
        yield span
