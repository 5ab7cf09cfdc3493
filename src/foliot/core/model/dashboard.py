"""The values of the dashboard: counts, coming jobs, samples of attempts."""

from msgspec import Struct

from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job
from foliot.core.model.run_outcome import RunOutcome


class CountedCollection(Struct, frozen=True):
    """A collection and how many jobs it has."""

    collection: Collection
    job_count: int


class ComingJob(Struct, frozen=True):
    """A job that will run, in its collection."""

    collection: Collection
    job: Job


class Totals(Struct, frozen=True):
    """The number of runs, retries and coming jobs, each counted up to a limit."""

    running: int
    retrying: int
    coming: int


class RetriedRuns(Struct, frozen=True):
    """Runs of a job that failed and are retried; how many of them wait, and until when.

    `next_at` is when the first of those that wait is due; None if none waits.
    """

    runs: int
    waiting: int
    next_at: Instant | None


class LastRun(Struct, frozen=True):
    """The run of a job that ended last: how, and when its last attempt began.

    `retried` are the runs that have failed meanwhile and have not ended.
    """

    outcome: RunOutcome | None = None
    at: Instant | None = None
    retried: RetriedRuns | None = None


class AttemptSample(Struct, frozen=True):
    """An ended attempt of a main action, drawn as a sample: it stands for `weight` attempts.

    `tells_delay` is true of the first attempt of a planned run: a retry, a rerun or a backfill
    begins long after its planned time by design.
    """

    started_at: Instant
    ended_at: Instant
    expected_at: Instant
    status: AttemptStatus
    tells_delay: bool
    weight: int
