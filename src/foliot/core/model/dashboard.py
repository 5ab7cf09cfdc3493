"""What goes on, as values for those who watch: where jobs are, without what they do."""

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import Run


class CountedCollection(Struct, frozen=True):
    """A collection and how many jobs it has."""

    collection: Collection
    job_count: int


class OpenRun(Struct, frozen=True):
    """A run that a node holds, and the job it is of."""

    key: CollectionKey
    job: str
    run: Run


class FailingJob(Struct, frozen=True):
    """A job that failed of late: how many attempts of its main action, and the last of them."""

    key: CollectionKey
    job: str
    count: int
    latest: HistoryEntry


class FailurePage(Struct, frozen=True, kw_only=True):
    """Which failing jobs are wanted: by name, so many, of so many of the newest failures."""

    search: str = ""
    skip: int = 0
    limit: int = 10
    sample: int = 2000


class ComingJob(Struct, frozen=True):
    """A job that will run, in its collection."""

    collection: Collection
    job: Job


class Tally(Struct, frozen=True):
    """How much there is of everything, each number no higher than the limit it was counted to."""

    running: int
    retrying: int
    failed: int
    coming: int


class Beat(Struct, frozen=True):
    """An attempt of a main action that has ended; it stands for so many around it."""

    started_at: Instant
    ended_at: Instant
    expected_at: Instant
    status: AttemptStatus
    is_first: bool
    weight: int
