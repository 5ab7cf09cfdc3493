"""The timeline: jobs that will run and counts of ended runs, as named statements."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import json

from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import DAY, Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.model.timeline import (
    QUARTER,
    EndedCount,
    EntryNumbers,
    JobName,
    ScheduledJob,
)
from foliot.core.model.token import Scope
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.history import SqlHistoryReading
from foliot.store.sql.job_rows import job_of
from foliot.store.sql.rows import collection_of
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.statements import Statement

# Entries are numbered when they are stored, about in the order of their ends.
_OUT_OF_ORDER: Final = 1000
_LONGEST_ATTEMPT: Final = DAY


class SqlTimelineReading(SqlHistoryReading):
    """Satisfies `ports.store.timeline.TimelineReading`."""

    def collections_in_scope(self, scope: Scope) -> Sequence[Collection]:
        """Return all collections of a scope, by folded name."""
        return [
            collection_of(row) for row in self._run("collections_in_scope", scope_parameters(scope))
        ]

    def scheduled_jobs(self, scope: Scope) -> Sequence[ScheduledJob]:
        """Return enabled jobs of enabled collections that will run."""
        rows = self._run("scheduled_jobs", scope_parameters(scope))
        return [ScheduledJob(*row) for row in rows]

    def readable_jobs(self, job_ids: Sequence[JobId]) -> Sequence[Job]:
        """Return these jobs with their definitions, without those that do not open here."""
        found = (self._readable(row) for row in self._run("jobs_by_id", _listed(job_ids)))
        return [job for job in found if job is not None]

    def job_names(self, job_ids: Sequence[JobId]) -> Mapping[JobId, JobName]:
        """Return the names of jobs, without deleted ones."""
        return {
            job_id: JobName(CollectionKey(*key), name)
            for job_id, *key, name in self._run("job_names", _listed(job_ids))
        }

    def jobs_by_name(
        self, collection_id: CollectionId, *, skip: int, limit: int
    ) -> Sequence[tuple[JobId, str]]:
        """Return the ids and names of jobs of a collection, by folded name."""
        page = {"collection_id": collection_id, "skip": skip, "limit": limit}
        return [(job_id, name) for job_id, name in self._run("jobs_by_name", page)]

    def numbers_ended_between(self, since: Instant, before: Instant) -> EntryNumbers:
        """Return numbers among which are those of all entries that ended between two instants."""
        newest = self._number("newest_number") or 0
        first = self.first_number_since(since, newest) - _OUT_OF_ORDER
        last = self.first_number_since(before, newest) + _OUT_OF_ORDER
        return EntryNumbers(max(1, first), min(newest + 1, last))

    def ended_by_collection(
        self, numbers: EntryNumbers, since: Instant, before: Instant
    ) -> Sequence[EndedCount]:
        """Count runs that ended between two instants by collection, among entries by number."""
        what = {"first": numbers.first, "end": numbers.end}
        return self._counts("ended_by_collection", what, since, before)

    def ended_by_job(
        self, job_ids: Sequence[JobId], since: Instant, before: Instant
    ) -> Sequence[EndedCount]:
        """Count runs of some jobs that ended between two instants, each after a day at most."""
        begun_since = since - _LONGEST_ATTEMPT
        return [
            count
            for job_id in job_ids
            for count in self._counts(
                "ended_by_job", {"job_id": job_id, "begun_since": begun_since}, since, before
            )
        ]

    def _counts(
        self, statement: Statement, what: Parameters, since: Instant, before: Instant
    ) -> Sequence[EndedCount]:
        rows = self._run(statement, {**what, "since": since, "before": before, "quarter": QUARTER})
        return [
            EndedCount(owner, quarter, RunOutcome(outcome), int(count))
            for owner, quarter, outcome, count in rows
        ]

    def _readable(self, row: Row) -> Job | None:
        try:
            return job_of(row, self._keyring)
        except FoliotError:
            return None


def _listed(job_ids: Sequence[JobId]) -> Parameters:
    return {"job_ids": json.encode(job_ids).decode()}
