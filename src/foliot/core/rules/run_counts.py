"""Counts how often a job will run, by arithmetic: a million runs cost as much as one."""

from foliot.core.instant import Instant
from foliot.core.model.job import Job
from foliot.core.recurrence import counts_between
from foliot.core.rules.lifecycle import timetable_of


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
    counts = counts_between(timetable_of(job), Instant(following + 1), ends)
    # The next run may not be in the timetable, if the job was enabled late: it counts all the same.
    found = [count + 1 if following < end else 0 for count, end in zip(counts, ends, strict=True)]
    return found if left is None else [min(each, left) for each in found]
