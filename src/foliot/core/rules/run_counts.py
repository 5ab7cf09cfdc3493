"""Counts how often a job will run, by arithmetic: a million runs cost as much as one."""

from foliot.core.instant import DAY, Instant
from foliot.core.model.job import Job
from foliot.core.recurrence import count_between, counts_between
from foliot.core.rules.lifecycle import timetable_of

_YEAR = 366 * DAY


def runs_left(job: Job) -> int | None:
    """Return how often a job will still run, or None if its recurrence has no count."""
    rule = job.definition.recurrence
    count = 1 if rule is None else rule.count
    return None if count is None else max(0, count - job.occurrence)


def runs_before(job: Job, *ends: Instant) -> list[int]:
    """Count, for each of these instants, the runs from the job's next one on and before it."""
    following, left = job.next_at, runs_left(job)
    if following is None:
        return [0] * len(ends)
    if left is not None:
        enough = _enough_at(job, following, left, max(ends, default=following))
        ends = tuple(min(end, enough) for end in ends)
    counts = counts_between(timetable_of(job), Instant(following + 1), ends)
    # The next run may not be in the timetable, if the job was enabled late: it counts all the same.
    found = [count + 1 if following < end else 0 for count, end in zip(counts, ends, strict=True)]
    return found if left is None else [min(each, left) for each in found]


def _enough_at(job: Job, following: Instant, left: int, latest: Instant) -> Instant:
    """Return an instant before which a job has run as often as it will, at most the latest one.

    Clocks are looked up year by year, so thousands of years after the last run would take seconds.
    """
    timetable, length = timetable_of(job), _YEAR
    while following + length < latest:
        end = Instant(following + length)
        if count_between(timetable, following, end) >= left:
            return end
        length *= 2
    return latest
