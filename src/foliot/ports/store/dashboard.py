"""Bounded queries for the dashboard, within a scope."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.dashboard import (
    AttemptSample,
    ComingJob,
    CountedCollection,
    LastRun,
    RetriedRuns,
    Totals,
)
from foliot.core.model.history import AttemptStatus
from foliot.core.model.run_record import OpenRun
from foliot.core.model.token import Scope


class DashboardReading(Protocol):
    """Queries whose cost does not grow with the database: they count to a limit or sample.

    Attempts of error actions do not count: a job fails or succeeds by its main action.
    """

    def search_collections(
        self,
        scope: Scope,
        *,
        search: str = "",
        after: CollectionKey | None = None,
        limit: int = 100,
    ) -> Sequence[CountedCollection]:
        """Return the collections whose name contains a text, by folded key."""
        ...

    def held_runs(self, scope: Scope, *, limit: int) -> Sequence[OpenRun]:
        """Return runs that a node holds, the longest due first."""
        ...

    def coming_jobs(self, scope: Scope, until: Instant, *, limit: int) -> Sequence[ComingJob]:
        """Return enabled jobs of enabled collections that run by an instant, the earliest first."""
        ...

    def totals(self, scope: Scope, until: Instant, *, limit: int) -> Totals:
        """Count open runs and jobs due by an instant, each up to a limit."""
        ...

    def outcomes(
        self, job_ids: Sequence[JobId], *, limit: int
    ) -> Mapping[JobId, Sequence[AttemptStatus]]:
        """Return how the last attempts of each job's main action ended, the newest first."""
        ...

    def retried_runs(self, job_ids: Sequence[JobId]) -> Mapping[JobId, RetriedRuns]:
        """Return the open runs of each job that have failed and are retried, if it has any."""
        ...

    def retried_jobs(self, collection_id: CollectionId) -> AbstractSet[JobId]:
        """Return the jobs of a collection that have such runs."""
        ...

    def last_ended_runs(self, job_ids: Sequence[JobId]) -> Mapping[JobId, LastRun]:
        """Return the run of each job that ended last, if it is among its newest attempts."""
        ...

    def attempt_samples(self, since: Instant, *, points: int) -> Sequence[AttemptSample]:
        """Return attempts recorded since an instant, or an even sample, the oldest first."""
        ...
