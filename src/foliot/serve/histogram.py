"""Histograms of durations, counted in ticks.

An attempt adds to two of them. The client library's own would take a lock and a loop for each,
which is three times the work; here all is counted on one event loop, and read there.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily

from foliot.core.instant import SECOND


class Tally:
    """How many durations there were up to each bound, and how long they were together."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._names = [*(str(float(bound)) for bound in bounds), "+Inf"]
        self._bounds = [round(bound * SECOND) for bound in bounds]
        self._counts = [0] * len(self._names)
        self._ticks = 0

    def add(self, ticks: int) -> None:
        """Count a duration; a clock that was set back does not make it less than nothing."""
        kept = max(0, ticks)
        self._counts[bisect_left(self._bounds, kept)] += 1
        self._ticks += kept

    @property
    def count(self) -> int:
        """How many durations there were."""
        return sum(self._counts)

    def show_in(self, family: HistogramMetricFamily, labels: Sequence[str]) -> None:
        """Add what was counted to a family of metrics."""
        buckets = [*zip(self._names, accumulate(self._counts), strict=True)]
        family.add_metric(labels, buckets, self._ticks / SECOND)
