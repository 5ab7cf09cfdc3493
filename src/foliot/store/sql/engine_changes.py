"""What the engine plans, claims and settles, as named queries on a connection."""

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

from msgspec import json
from msgspec.structs import replace

from foliot.core.errors import Conflict, Unreadable
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import DueJob, DueRun, Run
from foliot.store.sql.database import Cursor
from foliot.store.sql.multi_row import execute_all
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.reading import SqlReading
from foliot.store.sql.rows import Parameters, Row, row_of_history_entry
from foliot.store.sql.run_rows import (
    claims_of,
    due_job_of,
    due_run_of,
    row_of_advance,
    row_of_changed_run,
    row_of_new_run,
    row_of_place,
    row_of_settlement,
    standing_of,
)

_ALREADY_PLANNED: Final = "This occurrence is planned already."
_ALREADY_RECORDED: Final = "This attempt is recorded already."

_read_json: Final = json.Decoder(list[tuple[Any, ...]]).decode


class SqlEngineChanges(SqlReading):
    """The part of `ports.Transaction` that carries occurrences from their plan to their end.

    A job whose definition is damaged is faulted when it is due, with the reason in its history: it
    must not stop those that are due with it. One that was sealed with a key this node was not given
    raises NotReadableHere, and nothing is changed: other nodes may open it.
    """

    def due_jobs(
        self, now: Instant, limit: int, *, crowding: Sequence[CollectionId] = ()
    ) -> Sequence[DueJob]:
        """Return enabled jobs of enabled collections whose time has come, the earliest first."""
        rows = self._due_rows(QUERIES.due_jobs, now, limit, crowding)
        found = (self._due_job(row, now) for row in rows)
        return [due for due in found if due is not None]

    def due_runs(
        self, now: Instant, limit: int, *, crowding: Sequence[CollectionId] = ()
    ) -> Sequence[DueRun]:
        """Return runs that are due and not held, or whose lease has run out, the earliest first."""
        rows = self._due_rows(QUERIES.due_runs, now, limit, crowding)
        found = (self._due_run(row, now) for row in rows)
        return [due for due in found if due is not None]

    def claimed_runs(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held under the claims they have."""
        known = {due.run.id: due.job.definition for due in claimed}
        held = claims_of([due.run for due in claimed])
        found = chain.from_iterable(rows for _, rows in self._all(QUERIES.claimed_runs, held))
        return [due_run_of(row, self._keyring, known[row[0]]) for row in found]

    def standings(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return of these runs those that are still held, and where their jobs stand now."""
        by_id = {due.run.id: due for due in claimed}
        found = self._all(QUERIES.standings, claims_of([due.run for due in claimed]))
        rows = chain.from_iterable(_read_rows(cursor.fetchone()) for _, cursor in found)
        return [standing_of(row, by_id[row[0]]) for row in rows]

    def add_run(self, run: Run) -> Run:
        """Store a new run and return it with its id; Conflict if its occurrence is planned."""
        number = self._add(QUERIES.add_run, row_of_new_run(run), taken=_ALREADY_PLANNED)
        return replace(run, id=number)

    def plan_runs(self, runs: Sequence[Run]) -> Sequence[Run]:
        """Store new runs of the calendar and return them with their ids."""
        with self._refusing(_ALREADY_PLANNED):
            return self._planned(runs)

    def _planned(self, runs: Sequence[Run]) -> list[Run]:
        planned: list[Run] = []
        for rows, cursor in self._all(QUERIES.plan_runs, [row_of_new_run(run) for run in runs]):
            start = len(planned)
            batch = runs[start : start + len(rows)]
            if cursor.rowcount < len(rows):
                return self._those_planned(runs)
            # Nobody else writes, so that the ids of one statement follow each other.
            first = (cursor.lastrowid or 0) - len(rows) + 1
            planned += [replace(run, id=first + at) for at, run in enumerate(batch)]
        return planned

    def save_runs(self, runs: Sequence[Run]) -> None:
        """Store changed runs; one that is gone stays gone."""
        self._change_all(QUERIES.save_runs, [row_of_changed_run(run) for run in runs])

    def delete_runs(self, runs: Sequence[Run]) -> None:
        """Remove runs that have ended."""
        self._change_all(QUERIES.delete_runs, [(run.id,) for run in runs])

    def count_open_runs(self, job_id: JobId) -> int:
        """Return how many runs of a job are open."""
        return self._number(QUERIES.count_open_runs, {"job_id": job_id})

    def make_runs_due(self, job_id: JobId, now: Instant) -> None:
        """Let the runs of a job that could have begun before now, but waited, be due now."""
        self._change(QUERIES.make_runs_due, {"job_id": job_id, "now": now})

    def make_all_runs_due(self, collection_id: CollectionId, now: Instant) -> None:
        """Do the same for all jobs of a collection."""
        self._change(QUERIES.make_all_runs_due, {"collection_id": collection_id, "now": now})

    def renew_leases(self, node: str, until: Instant, *, since: Instant) -> None:
        """Hold all runs of a node longer whose leases end since a moment."""
        what = {"node": node, "until": until, "since": since}
        self._change(QUERIES.renew_leases, what)

    def end_leases(self, node: str, at: Instant) -> None:
        """Let all runs of a node be taken over: it has begun anew and does not know of them."""
        self._change(QUERIES.end_leases, {"node": node, "at": at})

    def advance_job(self, job: Job) -> None:
        """Store a job's state, place in the calendar and counters; its definition is as it was."""
        place = row_of_place(job)
        if self._change(QUERIES.advance_job, place):
            return
        state = {"id": job.id, "state": job.state.value, "ended_at": job.ended_at}
        self._change(QUERIES.save_job_state, state)
        if not self._change(QUERIES.advance_job, place):
            raise Conflict(f"Job '{job.name}' no longer exists.")

    def advance_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state, the next time and the count of occurrences of jobs that are planned."""
        self._place_all(QUERIES.advance_jobs, jobs, row_of_advance)

    def settle_jobs(self, jobs: Sequence[Job]) -> None:
        """Store the state and the counters of jobs after attempts; not when they are due."""
        self._place_all(QUERIES.settle_jobs, jobs, row_of_settlement)

    def add_history(self, *entries: HistoryEntry) -> None:
        """Store attempts, and give them numbers in this order."""
        with self._refusing(_ALREADY_RECORDED):
            self._change_all(QUERIES.add_history, list(map(row_of_history_entry, entries)))

    def _those_planned(self, runs: Sequence[Run]) -> list[Run]:
        """Store runs of which some are planned already, and return the others."""
        for run in runs:
            self._change(QUERIES.plan_runs, row_of_new_run(run))
        found = (
            (run, self._row(QUERIES.planned_run, (run.job_id, run.expected_at, run.tag)))
            for run in runs
        )
        return [replace(run, id=row[0]) for run, row in found if row is not None]

    def _place_all(self, query: str, jobs: Sequence[Job], row_of: Callable[[Job], Row]) -> None:
        """Store where jobs stand; the state is left alone where it is the same, for its indexes."""
        start = 0
        for rows, cursor in self._all(query, list(map(row_of, jobs))):
            batch = jobs[start : start + len(rows)]
            start += len(rows)
            if cursor.rowcount < len(rows):
                for job in batch:
                    self.advance_job(job)

    def _due_job(self, row: Row, now: Instant) -> DueJob | None:
        try:
            return due_job_of(row, self._keyring)
        except Unreadable as reason:
            self._fault(reason, now)
            return None

    def _due_run(self, row: Row, now: Instant) -> DueRun | None:
        try:
            return due_run_of(row, self._keyring)
        except Unreadable as reason:
            self._fault(reason, now)
            return None

    def _fault(self, reason: Unreadable, now: Instant) -> None:
        job_id = JobId(reason.job_id)
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
                message=f"{reason} Its open runs are dropped." if dropped else str(reason),
                retry_count=0,
                repeat_count=0,
            )
        )

    def _due_rows(
        self, query: str, now: Instant, limit: int, crowding: Sequence[CollectionId]
    ) -> Sequence[Row]:
        listed = json.encode(list(crowding)).decode() if crowding else None
        what = {"now": now, "limit": limit, "crowding": listed}
        return self._execute(query, what).fetchall()

    def _add(self, query: str, parameters: Parameters | Row, *, taken: str) -> int:
        with self._refusing(taken):
            return self._execute(query, parameters).lastrowid or 0

    def _change(self, query: str, parameters: Parameters | Row) -> int:
        return self._execute(query, parameters).rowcount

    def _change_all(self, query: str, rows: Sequence[Row]) -> None:
        for _ in self._all(query, rows):
            pass

    def _all(self, query: str, rows: Sequence[Row]) -> Iterator[tuple[Sequence[Row], Cursor]]:
        return execute_all(self._execute, query, rows)

    @contextmanager
    def _refusing(self, taken: str) -> Generator[None]:
        """Say in words which rule of the schema a new row would break."""
        try:
            yield
        except sqlite3.IntegrityError as refusal:
            match refusal.sqlite_errorcode:
                case sqlite3.SQLITE_CONSTRAINT_UNIQUE:
                    raise Conflict(taken) from None
                case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                    raise Conflict("What this belongs to no longer exists.") from None
                case _:
                    raise


def _read_rows(value: Row | None) -> Sequence[Row]:
    """Return rows that came in one value: each by itself would have to wait for its turn."""
    return [] if value is None else _read_json(value[0])
