"""Jobs: the port's readings and changes, as named statements."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobRecord, JobState
from foliot.core.rules.job_search import search_words
from foliot.ports.store import JobMark
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import (
    JOB_STATES,
    kept_job_of,
    located_job_of,
    row_of_advance,
    row_of_change,
    row_of_definition,
    row_of_job,
    row_of_progress,
    row_of_settlement,
)
from foliot.store.sql.search_rows import row_of_words
from foliot.store.sql.statements import Statement


class SqlJobReading(SqlAccess):
    """Satisfies `ports.store.jobs.JobReading`."""

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and, if it exists, its job of this name with its definition."""
        folded_key, folded_name = key.folded, name.lower()
        self._dialect.lock("collection", folded_key)
        self._dialect.lock("job", (*folded_key, folded_name))
        row = self._row("located_job", (folded_name, *folded_key))
        return None if row is None else located_job_of(row, self._keyring)

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
        self._dialect.lock("jobs", (collection_id,))
        page = {
            "collection_id": collection_id,
            "state": None if state is None else state.value,
            "after": (after or "").lower(),
            "skip": skip,
            "limit": limit,
        }
        statement = "jobs" if state is None else "jobs_in_state"
        return [kept_job_of(row, self._keyring) for row in self._run(statement, page)]

    def job_record(self, job_id: JobId) -> JobRecord:
        """Return when a job was created and last changed, and by whom."""
        row = self._row("job_record", {"job_id": job_id})
        return JobRecord(None, None, None) if row is None else JobRecord(*row)

    def job_marks(self, collection_id: CollectionId) -> Mapping[JobId, JobMark]:
        """Return the marks of all jobs of a collection, by folded name; no definition is opened."""
        self._dialect.lock("jobs", (collection_id,))
        rows = self._run("job_marks", {"collection_id": collection_id})
        return {
            job_id: JobMark(name, JOB_STATES[state], open_runs, seal, tuple(progress))
            for job_id, name, state, open_runs, seal, *progress in rows
        }

    def count_jobs(self, collection_id: CollectionId) -> int:
        """Return how many jobs a collection has."""
        self._dialect.lock("collection_by_id", (collection_id,))
        return self._number("count_jobs", {"collection_id": collection_id})

    def jobs_ended_before(self, at: Instant, limit: int) -> Sequence[JobId]:
        """Return jobs that reached a final state before an instant, the earliest first."""
        rows = self._run("jobs_ended_before", {"at": at, "limit": limit})
        return [job_id for (job_id,) in rows]


class SqlJobChanges(SqlAccess):
    """Satisfies `ports.store.jobs.JobChanges`."""

    def lock_jobs(
        self, named: Iterable[tuple[CollectionId, str]], whole: Iterable[CollectionId]
    ) -> None:
        """Lock jobs by name, and all jobs of whole collections, in the order of their ids."""
        found = [
            *chain.from_iterable(self._run("job_id", (each, name.lower())) for each, name in named),
            *chain.from_iterable(self._run("job_ids", (each,)) for each in whole),
        ]
        self._dialect.lock_jobs([job_id for (job_id,) in found])

    def add_job(self, job: Job, change: Change | None = None) -> Job:
        """Store a new job and return it with its id."""
        taken = f"Job '{job.name}' exists already."
        number = self._dialect.insert("add_job", row_of_job(job), taken=taken)
        added = replace(job, id=JobId(number))
        self._change("add_definition", row_of_definition(added, self._keyring, change))
        self._save_words(added)
        self._change("count_added_job", {"collection_id": job.collection_id})
        return added

    def save_job(self, job: Job, change: Change | None = None) -> None:
        """Store a changed job."""
        if not self._change("save_job", row_of_job(job)):
            raise Conflict(f"Job '{job.name}' no longer exists.")
        self._change("save_definition", row_of_definition(job, self._keyring, change))
        self._save_words(job)
        self._include_due(job)

    def move_job(self, job: Job, change: Change) -> None:
        """Store a job in another collection or under another name, with its runs and history."""
        self._change("count_deleted_job", {"id": job.id})
        # The table of due jobs has a row for each job: the old one goes before the new one comes.
        self._change("halt_job", {"id": job.id})
        place = {"collection_id": job.collection_id, "name": job.name}
        self._change("move_job", {**place, "id": job.id, "folded_name": job.name.lower()})
        self._change("count_added_job", {"collection_id": job.collection_id})
        # They have the collection and the name as well; `save_job` stores them anew.
        self._change("drop_words", {"job_id": job.id})
        self.save_job(job, change)

    def save_definition(self, job: Job) -> None:
        """Store the definition of a job alone."""
        self._change("save_definition", row_of_definition(job, self._keyring, None))

    def note_job_change(self, job_id: JobId, change: Change) -> None:
        """Store who changed a job whose definition stays as it is."""
        self._change("note_job_change", {"id": job_id, **row_of_change(change)})

    def delete_job(self, job_id: JobId) -> None:
        """Hide a job with its history; its definition and its runs are removed."""
        what = {"job_id": job_id}
        self._change("add_hidden_collection")
        self._change("count_deleted_job", {"id": job_id})
        self._change("hide_job", what)
        self._change("drop_runs", what)
        self._change("drop_definition", what)

    def purge_job(self, job_id: JobId) -> None:
        """Remove all rows of a job."""
        self._change("count_deleted_job", {"id": job_id})
        self._change("delete_job", {"id": job_id})

    def advance_job(self, job: Job) -> None:
        """Store a job's state, next time and counters; its definition stays as it is."""
        progress = row_of_progress(job)
        self._include_due(job)
        if self._change("advance_job", progress):
            return
        state = {"id": job.id, "state": job.state.value, "ended_at": job.ended_at}
        self._change("save_job_state", state)
        if not self._change("advance_job", progress):
            raise Conflict(f"Job '{job.name}' no longer exists.")

    def advance_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state, the next time and the count of occurrences of planned jobs."""
        self._save_all("advance_jobs", jobs, row_of_advance)

    def settle_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state and the counters of jobs after attempts; not when they are due."""
        self._save_all("settle_jobs", jobs, row_of_settlement)

    def _include_due(self, job: Job) -> None:
        if job.next_at is not None:
            self._dialect.include_due_job(job.next_at)

    def _save_words(self, job: Job) -> None:
        self._change("save_words", row_of_words(job.id, job.collection_id, search_words(job)))

    def _save_all(
        self, statement: Statement, jobs: Sequence[Job], row_of: Callable[[Job], Row]
    ) -> None:
        """Store jobs in batches; a state that is unchanged is not written, for its indexes."""
        left = iter(jobs)

        def check(size: int, changed: int) -> None:
            batch = list(islice(left, size))
            if changed < size:
                for job in batch:
                    self.advance_job(job)

        self._dialect.change_many(statement, list(map(row_of, jobs)), check)
