"""Jobs by name, their definitions, state and counters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobRecord, JobState


class JobMark(NamedTuple):
    """Tells whether a job has changed since it was read, without its definition.

    `seal` differs after every change of the definition, `progress` after every change of the rest
    except the failure counters.
    """

    name: str
    state: JobState
    open_runs: int
    seal: bytes
    progress: tuple[int | None, ...]


class JobReading(Protocol):
    """Finds jobs; in a transaction nobody else changes a job it has returned until it ends."""

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and, if it exists, its job of this name with its definition."""
        ...

    def jobs(
        self,
        collection_id: CollectionId,
        *,
        state: JobState | None = None,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs by folded name."""
        ...

    def job_record(self, job_id: JobId) -> JobRecord:
        """Return when a job was created and last changed, and by whom."""
        ...

    def job_marks(self, collection_id: CollectionId) -> Mapping[JobId, JobMark]:
        """Return the marks of all jobs of a collection, by folded name; no definition is opened."""
        ...

    def count_jobs(self, collection_id: CollectionId) -> int:
        """Return how many jobs a collection has; in a transaction nobody else adds one."""
        ...

    def jobs_ended_before(self, at: Instant, limit: int) -> Sequence[JobId]:
        """Return jobs that reached a final state before an instant, the earliest first."""
        ...


class JobChanges(Protocol):
    """Changes jobs."""

    def lock_jobs(
        self, named: Iterable[tuple[CollectionId, str]], whole: Iterable[CollectionId]
    ) -> None:
        """Lock jobs by name, and all jobs of whole collections, until the transaction ends.

        They are locked in the order of their ids, as those who settle attempts lock them.
        """
        ...

    def add_job(self, job: Job, change: Change | None = None) -> Job:
        """Store a new job and return it with its id; Conflict if its name is taken."""
        ...

    def save_job(self, job: Job, change: Change | None = None) -> None:
        """Store a changed job; Conflict if it no longer exists.

        Without a change by a caller, the record of the last one stays.
        """
        ...

    def move_job(self, job: Job, change: Change) -> None:
        """Store a job in another collection or under another name; runs and history stay with it.

        The name must not be taken there. A job is halted if its new collection is not enabled.
        """
        ...

    def save_definition(self, job: Job) -> None:
        """Store the definition of a job alone; the record of who changed it stays."""
        ...

    def note_job_change(self, job_id: JobId, change: Change) -> None:
        """Store who changed a job whose definition stays as it is."""
        ...

    def delete_job(self, job_id: JobId) -> None:
        """Remove a job with its runs; its history is hidden and left to `purge_job`.

        From then on `jobs_ended_before` returns the job for any instant.
        """
        ...

    def purge_job(self, job_id: JobId) -> None:
        """Remove all rows of a job; the caller has removed most of its history."""
        ...

    def advance_job(self, job: Job) -> None:
        """Store a job's state, next time and counters; its definition stays as it is."""
        ...

    def advance_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state, the next time and the count of occurrences of planned jobs."""
        ...

    def settle_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state and the counters of jobs after attempts; not when they are due."""
        ...
