"""Histograms of durations, counted in ticks.

Each attempt adds to two of them. The histograms of prometheus-client take a lock and a loop each
time, three times the work; these need no lock, since one event loop writes and reads them.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily

from foliot.core.instant import SECOND


class DurationHistogram:
    """Counts of durations up to each bound, and their sum."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._names = [*(str(float(bound)) for bound in bounds), "+Inf"]
        self._bounds = [round(bound * SECOND) for bound in bounds]
        self._counts = [0] * len(self._names)
        self._ticks = 0

    def add(self, ticks: int) -> None:
        """Count a duration; a negative one, after the clock was set back, counts as zero."""
        kept = max(0, ticks)
        self._counts[bisect_left(self._bounds, kept)] += 1
        self._ticks += kept

    @property
    def count(self) -> int:
        """The number of durations."""
        return sum(self._counts)

    def add_to(self, family: HistogramMetricFamily, labels: Sequence[str]) -> None:
        """Add the counts to a family of metrics."""
        buckets = [*zip(self._names, accumulate(self._counts), strict=True)]
        family.add_metric(labels, buckets, self._ticks / SECOND)

    def lines(self, name: str, label: str) -> Iterator[str]:
        """Return the counts as lines of Prometheus' text format, with a label that is written."""
        for bound, count in zip(self._names, accumulate(self._counts), strict=True):
            yield f'{name}_bucket{{{label},le="{bound}"}} {count}'
        yield f"{name}_count{{{label}}} {self.count}"
        yield f"{name}_sum{{{label}}} {self._ticks / SECOND}"
