"""Counts the scheduled runs in each hour of the next seven days, in the viewer's time zone."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.instant import HOUR, Instant, Wall
from foliot.core.model.dashboard import ComingJob
from foliot.core.model.job import Job
from foliot.core.recurrence.zone import to_instant, to_wall
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_before

DAYS = 7
HOURS = DAYS * 24


class Hour(Struct, frozen=True):
    """An hour of local time, with its start and end.

    An hour that the change to summer time skips has no length; a repeated one lasts twice as long.
    """

    reading: Wall
    start: Instant
    end: Instant


class JobInHour(Struct, frozen=True):
    """A job that runs within an hour: its first run there, and the number of runs."""

    coming: ComingJob
    first: Instant
    count: int


def hours_of(zone: ZoneInfo | None, now: Instant) -> list[Hour]:
    """Return the hours of a week in local time, from the current hour on."""
    here = to_wall(zone, now)
    readings = [Wall(here - here % HOUR + number * HOUR) for number in range(HOURS + 1)]
    edges = [to_instant(zone, reading) for reading in readings]
    return [
        Hour(reading, *between) for reading, between in zip(readings, pairwise(edges), strict=False)
    ]


def runs_per_hour(jobs: Sequence[ComingJob], hours: Sequence[Hour]) -> list[int]:
    """Return the number of runs in each hour."""
    edges = [*(hour.start for hour in hours), hours[-1].end]
    totals = [0] * len(hours)
    for coming in jobs:
        for index, count in _counts(coming.job, edges):
            totals[index] += count
    return totals


def jobs_in_hour(jobs: Sequence[ComingJob], hour: Hour) -> list[JobInHour]:
    """Return the jobs that run in an hour, in order of their first run."""
    found: list[JobInHour] = []
    for coming in jobs:
        before, by_then = runs_before(coming.job, hour.start, hour.end)
        first = _first_from(coming.job, hour.start)
        if by_then > before and first is not None:
            found.append(JobInHour(coming, first, by_then - before))
    return sorted(found, key=lambda each: each.first)


def _counts(job: Job, edges: Sequence[Instant]) -> Iterator[tuple[int, int]]:
    """Yield the index and the number of runs of each hour in which a job runs."""
    before, by_then = runs_before(job, edges[0], edges[-1])
    if by_then <= len(edges):
        # Few runs: listing them is faster than counting hour by hour.
        for at in islice(_runs(job), by_then):
            if at >= edges[0]:
                yield bisect_right(edges, at) - 1, 1
        return
    if by_then > before:
        for index, (earlier, later) in enumerate(pairwise(runs_before(job, *edges))):
            yield index, later - earlier


def _runs(job: Job) -> Iterator[Instant]:
    timetable, at = timetable_of(job), job.next_at
    while at is not None:
        yield at
        at = timetable.next_after(at)


def _first_from(job: Job, since: Instant) -> Instant | None:
    if job.next_at is not None and job.next_at >= since:
        return job.next_at
    return timetable_of(job).next_after(Instant(since - 1))
