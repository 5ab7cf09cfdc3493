"""Puts counts of runs into the cells of a timeline: those that ended, and those that are coming."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from operator import add

from foliot.core.instant import Instant
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.model.timeline import QUARTER, CountedRuns, EndedCount

# By collection or job: the number of runs with each outcome, in the order of the outcomes.
Tally = Mapping[int, tuple[int, ...]]

_OUTCOMES = tuple(RunOutcome)
_NONE = (0,) * len(_OUTCOMES)


def by_quarter(counts: Iterable[EndedCount]) -> Mapping[int, Tally]:
    """Return counts as a tally for each quarter of an hour that has any."""
    found: defaultdict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for owner, quarter, outcome, number in counts:
        tally, place = found[quarter], _OUTCOMES.index(outcome)
        more = (*_NONE[:place], number, *_NONE[place + 1 :])
        tally[owner] = tuple(map(add, tally.get(owner, _NONE), more))
    return found


def merged(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of some tallies."""
    found: dict[int, tuple[int, ...]] = {}
    for tally in tallies:
        for owner, counts in tally.items():
            earlier = found.get(owner)
            found[owner] = counts if earlier is None else tuple(map(add, earlier, counts))
    return found


def in_cells(quarters: Mapping[int, Tally], edges: Sequence[Instant]) -> list[Tally]:
    """Return the sum of the quarters in each cell between two edges."""
    cells: list[list[Tally]] = [[] for _ in edges[1:]]
    for quarter, tally in quarters.items():
        place = bisect_right(edges, quarter * QUARTER) - 1
        if 0 <= place < len(cells):
            cells[place].append(tally)
    return [merged(each) for each in cells]


def lane_cells(
    ended: Sequence[Tally], coming: Mapping[int, Sequence[int]], owner: int
) -> list[CountedRuns]:
    """Return the cells of one collection or job."""
    numbers = coming.get(owner) or [0] * len(ended)
    return [
        counted(tally.get(owner, _NONE), number)
        for tally, number in zip(ended, numbers, strict=True)
    ]


def total_cells(
    ended: Sequence[Tally], coming: Mapping[int, Sequence[int]], members: Container[int]
) -> list[CountedRuns]:
    """Return the cells of some collections together."""
    numbers = [0] * len(ended)
    for owner, counts in coming.items():
        if owner in members:
            numbers = list(map(add, numbers, counts))
    sums = (
        tuple(map(sum, zip(_NONE, *_of_members(tally, members), strict=True))) for tally in ended
    )
    return [counted(each, number) for each, number in zip(sums, numbers, strict=True)]


def counted(outcomes: Sequence[int], coming: int) -> CountedRuns:
    """Return a cell from the numbers of runs with each outcome."""
    by_outcome = {outcome.value: each for outcome, each in zip(_OUTCOMES, outcomes, strict=True)}
    return CountedRuns(**by_outcome, coming=coming)


def _of_members(tally: Tally, members: Container[int]) -> Iterable[tuple[int, ...]]:
    return (counts for owner, counts in tally.items() if owner in members)
