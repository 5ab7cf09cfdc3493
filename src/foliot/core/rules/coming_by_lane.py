"""Counts the coming runs of many jobs in cells of time, lane by lane, by arithmetic.

Jobs that run at even steps are counted together: of those with the same step only the phases
differ, and how many lie before an instant is one binary search. Jobs with the same series and the
same next run are counted once.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from foliot.core.instant import Instant
from foliot.core.rules.run_series import ComingSeries, Counts, runs_in_cells

Lane = TypeVar("Lane", bound=Hashable)

_KEPT_COUNTS = 20_000


def count_by_lane(
    jobs: Iterable[tuple[Lane, ComingSeries]], edges: tuple[Instant, ...], now: Instant
) -> dict[Lane, list[int]]:
    """Return the number of runs in each cell between two edges, for each lane that has any.

    An occurrence that is overdue counts where it was planned.
    """
    begin, end = max(edges[0], now), edges[-1]
    phases: defaultdict[tuple[Lane, int], list[int]] = defaultdict(list)
    others: Counter[tuple[Lane, ComingSeries]] = Counter()
    for lane, runs in jobs:
        if runs.next_at >= end:
            continue
        step = runs.series.step
        if step and 0 <= runs.next_at - begin < step and _goes_on_until(runs, end):
            phases[lane, step].append(runs.next_at % step)
        else:
            others[lane, runs] += 1
    found: defaultdict[Lane, list[int]] = defaultdict(lambda: [0] * (len(edges) - 1))
    for (lane, step), group in phases.items():
        _add(found[lane], _even_runs(sorted(group), step, begin, edges))
    for (lane, runs), times in others.items():
        for index, count in _kept_counts(runs, edges):
            found[lane][index] += count * times
    return dict(found)


def _goes_on_until(runs: ComingSeries, end: Instant) -> bool:
    """Tell whether a job with even steps runs up to an instant, whatever limits it."""
    step, left = runs.series.step, runs.left
    return runs.series.end >= end and (left is None or runs.next_at + left * step >= end)


def _even_runs(
    phases: Sequence[int], step: int, begin: Instant, edges: Sequence[Instant]
) -> list[int]:
    """Count the runs of jobs with one step in each cell from an instant on, by sorted phases."""

    def up_to(tick: int) -> int:
        cycle, rest = divmod(tick, step)
        return len(phases) * cycle + bisect_right(phases, rest)

    before = [up_to(max(edge, begin) - 1) for edge in edges]
    return [later - earlier for earlier, later in pairwise(before)]


def _add(totals: list[int], counts: Sequence[int]) -> None:
    for index, count in enumerate(counts):
        totals[index] += count


@lru_cache(maxsize=_KEPT_COUNTS)
def _kept_counts(runs: ComingSeries, edges: tuple[Instant, ...]) -> Counts:
    return runs_in_cells(runs, edges)
