"""The values of the dashboard: runs, failures and coming jobs, without their definitions."""

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job


class CountedCollection(Struct, frozen=True):
    """A collection and how many jobs it has."""

    collection: Collection
    job_count: int


class FailingJob(Struct, frozen=True):
    """A job with recent failures: the number of failed main attempts, and the latest of them."""

    key: CollectionKey
    job: str
    count: int
    latest: HistoryEntry


class FailurePage(Struct, frozen=True, kw_only=True):
    """A page of failing jobs: the search text, and how many of the newest failures to read."""

    search: str = ""
    skip: int = 0
    limit: int = 10
    sample: int = 2000


class ComingJob(Struct, frozen=True):
    """A job that will run, in its collection."""

    collection: Collection
    job: Job


class Totals(Struct, frozen=True):
    """The number of runs, retries, failures and coming jobs, each counted up to a limit."""

    running: int
    retrying: int
    failed: int
    coming: int


class AttemptSample(Struct, frozen=True):
    """An ended attempt of a main action, drawn as a sample: it stands for `weight` attempts."""

    started_at: Instant
    ended_at: Instant
    expected_at: Instant
    status: AttemptStatus
    is_first: bool
    weight: int
