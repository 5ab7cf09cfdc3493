"""How many runs each hour of the coming week has.

A job that runs by the minute has ten thousand runs in a week: where its times are equal steps they
are counted without being gone through, and all others together no further than a budget.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

from msgspec import Struct

from foliot.core.instant import HOUR, MINUTE, Instant
from foliot.core.lifecycle import timetable_of
from foliot.core.model import Job
from foliot.core.recurrence import Frequency, Timetable
from foliot.core.watch import ComingJob

DAYS = 7
HOURS = DAYS * 24
_STEPS = {Frequency.MINUTE: MINUTE, Frequency.HOUR: HOUR}
_BUDGET = 60_000


class Heat(Struct, frozen=True):
    """Runs by hour from the first on; not whole if there were more than could be counted."""

    hours: Sequence[int]
    is_whole: bool


class InHour(Struct, frozen=True):
    """A job that runs within an hour: when first, and how many times."""

    coming: ComingJob
    first: Instant
    count: int


def heat(jobs: Sequence[ComingJob], begin: Instant) -> Heat:
    """Count the runs of a week that begins with a full hour."""
    hours, left = [0] * HOURS, _BUDGET
    steady = [0] * (HOURS + 1)
    end = Instant(begin + HOURS * HOUR)
    for coming in jobs:
        step = _equal_step(coming.job)
        if step is not None:
            _count_steps(hours, steady, (coming.job.next_at or end, step), begin)
            continue
        counts = Counter((at - begin) // HOUR for at in islice(_runs(coming.job, end), left))
        left -= counts.total()
        for hour, count in counts.items():
            if hour >= 0:
                hours[hour] += count
    always = accumulate(steady)
    return Heat([count + more for count, more in zip(hours, always, strict=False)], left > 0)


def in_hour(jobs: Sequence[ComingJob], begin: Instant) -> list[InHour]:
    """Return the jobs that run in the hour from then on, the first to run first."""
    end = Instant(begin + HOUR)
    found: list[InHour] = []
    for coming in jobs:
        job = coming.job
        since = Instant(max(begin, job.next_at or begin))
        times = list(_runs(job, end, since))
        if times:
            found.append(InHour(coming, times[0], len(times)))
    return sorted(found, key=lambda each: each.first)


def _equal_step(job: Job) -> int | None:
    """Return the distance of a job's runs if it is always the same and they do not end soon."""
    rule = job.definition.recurrence
    if rule is None or rule.schedule is not None or rule.count is not None or rule.end is not None:
        return None
    size = _STEPS.get(rule.frequency)
    return None if size is None else size * rule.interval


def _count_steps(
    hours: list[int], steady: list[int], steps: tuple[int, int], begin: Instant
) -> None:
    """Count equal steps from a first one on; what all later hours have is noted where it begins."""
    first, step = steps
    opening = max(0, (first - begin) // HOUR)
    if opening >= HOURS:
        return
    if step >= HOUR:
        for at in range(first, begin + HOURS * HOUR, step):
            hours[(at - begin) // HOUR] += 1
        return
    is_steady = HOUR % step == 0
    for index in range(opening, opening + 1 if is_steady else HOURS):
        # From the first run to the ends of the hour before and of this one.
        since, until = begin + index * HOUR - 1 - first, begin + (index + 1) * HOUR - 1 - first
        hours[index] += until // step - max(-1, since // step)
    if is_steady:
        steady[opening + 1] += HOUR // step


def _runs(job: Job, end: Instant, since: Instant | None = None) -> Iterator[Instant]:
    """Go through the runs of a job up to an end, as many as it has left."""
    timetable = timetable_of(job)
    at = job.next_at if since is None else _from(timetable, job, since)
    rule = job.definition.recurrence
    count = 1 if rule is None else rule.count
    left = None if count is None else count - job.occurrence
    while at is not None and at < end and (left is None or left > 0):
        yield at
        at, left = timetable.next_after(at), None if left is None else left - 1


def _from(timetable: Timetable, job: Job, since: Instant) -> Instant | None:
    if job.next_at is not None and job.next_at >= since:
        return job.next_at
    return timetable.next_after(Instant(since - 1))
