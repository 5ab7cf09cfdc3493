"""The dashboard: the port's bounded queries, as named statements."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import json

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
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run_record import OpenRun
from foliot.core.model.token import Scope
from foliot.store.sql.history import SqlHistoryReading
from foliot.store.sql.job_rows import job_of
from foliot.store.sql.rows import collection_of
from foliot.store.sql.run_rows import JOB_SIZE, RUN_SIZE, run_of
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.search_rows import containing

_STATUSES: Final = {status.value[0]: status for status in AttemptStatus}
# The run of a job that ended last is looked for among so many attempts: few are open at a time.
_NEWEST: Final = 100
_BEFORE_THE_FIRST: Final = CollectionKey("", "", "")


class SqlDashboardReading(SqlHistoryReading):
    """Satisfies `ports.store.dashboard.DashboardReading`."""

    def search_collections(
        self,
        scope: Scope,
        *,
        search: str = "",
        after: CollectionKey | None = None,
        limit: int = 100,
    ) -> Sequence[CountedCollection]:
        """Return the collections whose name contains a text, by folded key."""
        subscription, group, name = (after or _BEFORE_THE_FIRST).folded
        page = scope_parameters(scope) | {
            "pattern": containing(search),
            "after_subscription": subscription,
            "after_group": group,
            "after_name": name,
            "limit": limit,
        }
        rows = self._run("search_collections", page)
        return [CountedCollection(collection_of(row[:-1]), row[-1]) for row in rows]

    def held_runs(self, scope: Scope, *, limit: int) -> Sequence[OpenRun]:
        """Return runs that a node holds, the longest due first."""
        rows = self._run("held_runs", scope_parameters(scope) | {"limit": limit})
        return [
            OpenRun(CollectionKey(*row[RUN_SIZE:-1]), row[-1], run_of(row[:RUN_SIZE]))
            for row in rows
        ]

    def coming_jobs(self, scope: Scope, until: Instant, *, limit: int) -> Sequence[ComingJob]:
        """Return enabled jobs of enabled collections that run by an instant, the earliest first."""
        what = scope_parameters(scope) | {"until": until, "limit": limit}
        return [
            ComingJob(collection_of(row[JOB_SIZE:]), job_of(row[:JOB_SIZE], self._keyring))
            for row in self._run("coming_jobs", what)
        ]

    def totals(self, scope: Scope, until: Instant, *, limit: int) -> Totals:
        """Count open runs and jobs due by an instant, each up to a limit."""
        what = scope_parameters(scope) | {"until": until, "limit": limit}
        statement = "totals_of_all" if scope == Scope() else "totals"
        return Totals(*(self._row(statement, what) or ()))

    def outcomes(
        self, job_ids: Sequence[JobId], *, limit: int
    ) -> Mapping[JobId, Sequence[AttemptStatus]]:
        """Return how the last attempts of each job's main action ended, the newest first."""
        what = {"job_ids": json.encode(job_ids).decode(), "limit": limit}
        return {
            job_id: [_STATUSES[letter] for letter in letters or ""]
            for job_id, letters in self._run("outcomes", what)
        }

    def retried_runs(self, job_ids: Sequence[JobId]) -> Mapping[JobId, RetriedRuns]:
        """Return the open runs of each job that have failed and are retried, if it has any."""
        rows = self._run("retried_runs", {"job_ids": json.encode(job_ids).decode()})
        return {job_id: RetriedRuns(*figures) for job_id, *figures in rows}

    def retried_jobs(self, collection_id: CollectionId) -> AbstractSet[JobId]:
        """Return the jobs of a collection that have such runs."""
        rows = self._run("retried_jobs", {"collection_id": collection_id})
        return {job_id for (job_id,) in rows}

    def last_ended_runs(self, job_ids: Sequence[JobId]) -> Mapping[JobId, LastRun]:
        """Return the run of each job that ended last, if it is among its newest attempts."""
        what = {"job_ids": json.encode(job_ids).decode(), "newest": _NEWEST}
        rows = self._run("last_ended_runs", what)
        return {job_id: LastRun(RunOutcome(outcome), at) for job_id, outcome, at in rows}

    def attempt_samples(self, since: Instant, *, points: int) -> Sequence[AttemptSample]:
        """Return attempts recorded since an instant, or an even sample, the oldest first."""
        newest = self._number("newest_number", {}) or 0
        first = self.first_number_since(since, newest)
        step = -(-(newest + 1 - first) // points)
        if step == 0:
            return []
        # From the newest back, so that the sample contains the newest attempt.
        numbers = json.encode(list(range(newest, first - 1, -step))).decode()
        rows = self._run("attempt_samples", {"numbers": numbers})
        return [
            AttemptSample(started, ended, expected, AttemptStatus(status), bool(tells_delay), step)
            for started, ended, expected, status, tells_delay in rows
        ]
