"""The coming runs of a job as a small value, equal for jobs that run alike.

A page counts the runs of many jobs in many cells of time: what it keeps of each job is its series,
and jobs with the same series and the same next run are counted once.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct, structs

from foliot.core.instant import LAST_TICK, Instant, Wall
from foliot.core.model.job import Job
from foliot.core.recurrence import Timetable, count_between, counts_between
from foliot.core.recurrence.days_off import AnyPattern
from foliot.core.recurrence.pattern import DayPattern, StepPattern
from foliot.core.rules.lifecycle import timetable_of

Counts = tuple[tuple[int, int], ...]


class RunSeries(Struct, frozen=True, cache_hash=True, kw_only=True):
    """What follows the next run of a job.

    `step`: runs follow each other at this distance; 0 if the timetable says when. `count` is how
    often the job runs in all, None if nothing limits it.
    """

    step: int = 0
    timetable: Timetable | None = None
    end: Instant = Instant(LAST_TICK)
    count: int | None = None


class ComingSeries(Struct, frozen=True, cache_hash=True):
    """A series from the next run of a job on; `left` is how many runs there will be, if limited."""

    series: RunSeries
    next_at: Instant
    left: int | None = None


def series_of(job: Job) -> RunSeries:
    """Return the series of a job."""
    rule = job.definition.recurrence
    if rule is None:
        return RunSeries(count=1)
    timetable = timetable_of(job)
    pattern = timetable.pattern
    if isinstance(pattern, StepPattern) and timetable.zone is None and _is_even(pattern, job):
        return RunSeries(step=pattern.length, end=timetable.end, count=rule.count)
    return RunSeries(timetable=_without_its_past(timetable), end=timetable.end, count=rule.count)


def coming_runs(series: RunSeries, next_at: Instant, occurrence: int) -> ComingSeries:
    """Return the coming runs of a job that has run so often."""
    left = None if series.count is None else max(0, series.count - occurrence)
    return ComingSeries(series, next_at, left)


def runs_in_cells(runs: ComingSeries, edges: Sequence[Instant]) -> Counts:
    """Return how many runs lie in each cell between two edges, without the cells that have none."""
    first, left = _from_the_first_edge(runs, edges[0])
    if first is None or first >= edges[-1]:
        return ()
    found: dict[int, int] = {}
    for number, at in enumerate(_runs_from(runs.series, first, left)):
        if at >= edges[-1]:
            break
        if number == len(edges):
            # Many runs: counting cell by cell is faster than listing them.
            return _counted(runs.series, first, left, edges)
        index = bisect_right(edges, at) - 1
        found[index] = found.get(index, 0) + 1
    return tuple(found.items())


def runs_between(runs: ComingSeries, since: Instant, before: Instant) -> tuple[Instant, int] | None:
    """Return the first run from one instant on and before another, and how many there are."""
    if runs.next_at >= before:
        return None
    series = runs.series
    first, left = _from_the_first_edge(runs, since)
    if first is None or first >= before or first > series.end:
        return None
    if left is not None and left <= 0:
        return None
    if series.step:
        count = -((first - min(before, series.end + 1)) // series.step)
        return first, count if left is None else min(count, left)
    return first, sum(count for _, count in runs_in_cells(runs, (since, before)))


def _is_even(pattern: StepPattern, job: Job) -> bool:
    """Tell whether the next run and all that follow it lie at even steps.

    A job may run once when it is created, and then at the times of its schedule.
    """
    if len(pattern.offsets) != 1 or job.next_at is None:
        return False
    return (job.next_at - pattern.origin - pattern.offsets[0]) % pattern.length == 0


def _without_its_past(timetable: Timetable) -> Timetable:
    """Return a timetable that has the same occurrences after the first one.

    When the job was accepted and began does not matter any more, so that jobs share a timetable.
    """
    if timetable.opening is not None and not timetable.opening_comes_first:
        return timetable
    pattern = timetable.pattern
    return Timetable(
        recurrence=None,
        begin=Instant(0),
        opening=None,
        floor=Instant(0),
        end=timetable.end,
        anchor=Wall(0),
        pattern=None if pattern is None else _with_early_origin(pattern),
        zone=timetable.zone,
        dst=timetable.dst,
    )


def _with_early_origin(pattern: AnyPattern) -> AnyPattern:
    """Return the same pattern, its origin moved back by whole cycles."""
    match pattern:
        case DayPattern() | StepPattern():
            origin = pattern.origin % pattern.length
            return structs.replace(pattern, origin=origin)
        case _:
            return pattern


def _from_the_first_edge(runs: ComingSeries, edge: Instant) -> tuple[Instant | None, int | None]:
    """Return the first run at or after an edge, and how many runs are left then."""
    series, next_at, left = runs.series, runs.next_at, runs.left
    if next_at >= edge or left == 0:
        return next_at, left
    if series.step:
        passed = -((next_at - edge) // series.step)
        return Instant(next_at + passed * series.step), None if left is None else left - passed
    timetable = series.timetable
    if timetable is None:
        return None, left
    if left is not None:
        left -= 1 + count_between(timetable, Instant(next_at + 1), edge)
    return timetable.next_after(Instant(edge - 1)), left


def _runs_from(series: RunSeries, at: Instant | None, left: int | None) -> Iterator[Instant]:
    while at is not None and at <= series.end and (left is None or left > 0):
        yield at
        left = None if left is None else left - 1
        if series.step:
            at = Instant(at + series.step)
        else:
            at = None if series.timetable is None else series.timetable.next_after(at)


def _counted(
    series: RunSeries, first: Instant, left: int | None, edges: Sequence[Instant]
) -> Counts:
    """Count the runs from the first one on, by arithmetic."""
    if series.step:
        ends = [min(edge, series.end + 1) for edge in edges]
        before = [max(0, -((first - end) // series.step)) for end in ends]
    else:
        timetable = series.timetable
        assert timetable is not None  # noqa: S101  (a job that runs once has one run)
        after = counts_between(timetable, Instant(first + 1), edges)
        before = [
            count + 1 if first < edge else 0 for count, edge in zip(after, edges, strict=True)
        ]
    if left is not None:
        before = [min(each, left) for each in before]
    counts = [later - earlier for earlier, later in pairwise(before)]
    return tuple((index, count) for index, count in enumerate(counts) if count)
