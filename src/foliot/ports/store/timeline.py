"""What the timeline counts: jobs that will run, and runs that have ended."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.timeline import EndedCount, EntryNumbers, JobName, ScheduledJob
from foliot.core.model.token import Scope


class TimelineReading(Protocol):
    """Reads many rows in parts that a caller chooses."""

    def collections_in_scope(self, scope: Scope) -> Sequence[Collection]:
        """Return all collections of a scope, by folded name."""
        ...

    def scheduled_jobs(self, scope: Scope) -> Sequence[ScheduledJob]:
        """Return enabled jobs of enabled collections that will run."""
        ...

    def readable_jobs(self, job_ids: Sequence[JobId]) -> Sequence[Job]:
        """Return these jobs with their definitions, without those that do not open here."""
        ...

    def job_names(self, job_ids: Sequence[JobId]) -> Mapping[JobId, JobName]:
        """Return the names of jobs, without deleted ones."""
        ...

    def jobs_by_name(
        self, collection_id: CollectionId, *, skip: int, limit: int
    ) -> Sequence[tuple[JobId, str]]:
        """Return the ids and names of jobs of a collection, by folded name."""
        ...

    def numbers_ended_between(self, since: Instant, before: Instant) -> EntryNumbers:
        """Return numbers among which are those of all entries that ended between two instants."""
        ...

    def ended_by_collection(
        self, numbers: EntryNumbers, since: Instant, before: Instant
    ) -> Sequence[EndedCount]:
        """Count runs that ended between two instants by collection, among entries by number."""
        ...

    def ended_by_job(
        self, job_ids: Sequence[JobId], since: Instant, before: Instant
    ) -> Sequence[EndedCount]:
        """Count runs of some jobs that ended between two instants, each after a day at most."""
        ...
