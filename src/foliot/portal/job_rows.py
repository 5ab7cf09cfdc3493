"""The rows of job lists."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.app.dashboard import RecentRuns
from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.dashboard import LastRun
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.model.job_search import FoundJob
from foliot.core.rules.job_sentence import job_sentence
from foliot.core.rules.lifecycle import next_execution_at

_UNREADABLE = "This node cannot read the definition of the job."


class JobRow(Struct, frozen=True, kw_only=True):
    """A job in a list."""

    id: JobId
    key: CollectionKey
    name: str
    state: JobState
    collection_state: CollectionState
    sentence: str
    next_at: Instant | None = None
    last: LastRun = LastRun()
    outcomes: Sequence[AttemptStatus] = ()


def row_of_job(collection: Collection, job: Job, recent: RecentRuns, now: Instant) -> JobRow:
    """Return the row of a job."""
    return JobRow(
        id=job.id,
        key=collection.key,
        name=job.name,
        state=job.state,
        collection_state=collection.state,
        sentence=job_sentence(job, now),
        next_at=next_execution_at(job, collection),
        last=recent.last,
        outcomes=recent.outcomes,
    )


def row_of_found(found: FoundJob, recent: RecentRuns, now: Instant) -> JobRow:
    """Return the row of a job that a search has found."""
    if found.job is not None:
        return row_of_job(found.collection, found.job, recent, now)
    return JobRow(
        id=found.position.job_id,
        key=found.collection.key,
        name=found.name,
        state=found.state,
        collection_state=found.collection.state,
        sentence=_UNREADABLE,
    )
