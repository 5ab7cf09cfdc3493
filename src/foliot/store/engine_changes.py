"""What the engine plans, claims and settles, as named queries on a connection."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model import AttemptStatus, HistoryEntry, Job
from foliot.core.run import DueJob, DueRun, Run
from foliot.store.errors import Unreadable
from foliot.store.queries import QUERIES
from foliot.store.reading import SqlReading
from foliot.store.rows import Parameters, Row, row_of_history_entry
from foliot.store.run_rows import (
    due_job_of,
    due_run_of,
    job_id_of_due_job,
    job_id_of_due_run,
    row_of_changed_run,
    row_of_new_run,
    row_of_place,
)

_ALREADY_PLANNED: Final = "This occurrence is planned already."
_ALREADY_RECORDED: Final = "This attempt is recorded already."


class SqlEngineChanges(SqlReading):
    """The part of `ports.Transaction` that carries occurrences from their plan to their end.

    A job whose definition cannot be opened is faulted when it is due, with the reason in its
    history: it must not stop those that are due with it.
    """

    def due_jobs(self, now: Instant, limit: int) -> Sequence[DueJob]:
        """Return enabled jobs of enabled collections whose time has come, the earliest first."""
        rows = self._execute(QUERIES.due_jobs, {"now": now, "limit": limit}).fetchall()
        found = (self._due_job(row, now) for row in rows)
        return [due for due in found if due is not None]

    def due_runs(self, now: Instant, limit: int) -> Sequence[DueRun]:
        """Return runs that are due and not held, or whose lease has run out, the earliest first."""
        rows = self._execute(QUERIES.due_runs, {"now": now, "limit": limit}).fetchall()
        found = (self._due_run(row, now) for row in rows)
        return [due for due in found if due is not None]

    def claimed_run(self, run_id: int, claim: str) -> DueRun | None:
        """Return a run if it is still held under this claim."""
        row = self._row(QUERIES.claimed_run, (run_id, claim))
        try:
            return None if row is None else due_run_of(row, self._keyring)
        except Unreadable:
            # Nothing follows from its attempt; it is faulted when its lease has run out.
            return None

    def add_run(self, run: Run) -> Run:
        """Store a new run and return it with its id; Conflict if its occurrence is planned."""
        number = self._add(QUERIES.add_run, row_of_new_run(run), taken=_ALREADY_PLANNED)
        return replace(run, id=number)

    def save_run(self, run: Run) -> None:
        """Store a changed run."""
        if not self._change(QUERIES.save_run, row_of_changed_run(run)):
            raise Conflict("This run no longer exists.")

    def delete_run(self, run_id: int) -> None:
        """Remove a run that has ended."""
        self._change(QUERIES.delete_run, (run_id,))

    def count_open_runs(self, job_id: JobId) -> int:
        """Return how many runs of a job are open."""
        return self._number(QUERIES.count_open_runs, {"job_id": job_id})

    def drop_waiting_runs(self, collection_id: CollectionId, job_id: JobId | None = None) -> None:
        """Remove the planned runs that nobody holds, of a collection or of one job in it."""
        what = {"collection_id": collection_id, "job_id": job_id}
        one, all_ = QUERIES.drop_waiting_runs_of_job, QUERIES.drop_waiting_runs
        self._change(all_ if job_id is None else one, what)

    def renew_leases(self, node: str, until: Instant) -> None:
        """Hold all runs of a node longer."""
        self._change(QUERIES.renew_leases, {"node": node, "until": until})

    def advance_job(self, job: Job) -> None:
        """Store a job's state, place in the calendar and counters; its definition is as it was."""
        place = row_of_place(job)
        if self._change(QUERIES.advance_job, place):
            return
        state = {"id": job.id, "state": job.state.value, "ended_at": job.ended_at}
        self._change(QUERIES.save_job_state, state)
        if not self._change(QUERIES.advance_job, place):
            raise Conflict(f"Job '{job.name}' no longer exists.")

    def add_history(self, entry: HistoryEntry) -> HistoryEntry:
        """Store an attempt and return it with its number."""
        row = row_of_history_entry(entry)
        return replace(entry, number=self._add(QUERIES.add_history, row, taken=_ALREADY_RECORDED))

    def _due_job(self, row: Row, now: Instant) -> DueJob | None:
        try:
            return due_job_of(row, self._keyring)
        except Unreadable as reason:
            self._fault(job_id_of_due_job(row), str(reason), now)
            return None

    def _due_run(self, row: Row, now: Instant) -> DueRun | None:
        try:
            return due_run_of(row, self._keyring)
        except Unreadable as reason:
            self._fault(job_id_of_due_run(row), str(reason), now)
            return None

    def _fault(self, job_id: JobId, reason: str, now: Instant) -> None:
        faulted = self._change(QUERIES.fault_job, {"id": job_id, "now": now})
        dropped = self._change(QUERIES.drop_runs, {"job_id": job_id})
        if not faulted and not dropped:
            # Another run of the same job was due with this one.
            return
        self.add_history(
            HistoryEntry(
                job_id=job_id,
                started_at=now,
                ended_at=now,
                expected_at=now,
                status=AttemptStatus.FAILED,
                message=reason,
                retry_count=0,
                repeat_count=0,
            )
        )

    def _add(self, query: str, parameters: Parameters | Row, *, taken: str) -> int:
        try:
            return self._execute(query, parameters).lastrowid or 0
        except sqlite3.IntegrityError as refusal:
            match refusal.sqlite_errorcode:
                case sqlite3.SQLITE_CONSTRAINT_UNIQUE:
                    raise Conflict(taken) from None
                case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                    raise Conflict("What this belongs to no longer exists.") from None
                case _:
                    raise

    def _change(self, query: str, parameters: Parameters | Row) -> int:
        return self._execute(query, parameters).rowcount
