"""The coming runs of a job, with what a change of the clock or a day off does to them."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from msgspec import structs

from foliot.core.instant import Instant
from foliot.core.model.job import Job, JobState
from foliot.core.recurrence import ExplainedTime, Timetable, notes_on
from foliot.core.rules.lifecycle import FINAL, resume, timetable_of
from foliot.core.rules.run_counts import runs_left


def as_enabled(job: Job, now: Instant) -> Job:
    """Return the job as if it were enabled now, to compute its next runs."""
    if job.next_at is not None or job.state in FINAL:
        return job
    return resume(structs.replace(job, state=JobState.ENABLED), now)


def coming_runs(job: Job, now: Instant, count: int) -> Sequence[ExplainedTime]:
    """Return the next runs of an enabled job, at most so many, with notes."""
    timetable = timetable_of(job)
    runs = [*islice(_coming(job, timetable), count)]
    return [
        ExplainedTime(at, notes_on(timetable, previous, at))
        for previous, at in pairwise([min([now, *runs]), *runs])
    ]


def _coming(job: Job, timetable: Timetable) -> Iterator[Instant]:
    at, left = job.next_at, runs_left(job)
    while at is not None and (left is None or left > 0):
        yield at
        at, left = timetable.next_after(at), None if left is None else left - 1
