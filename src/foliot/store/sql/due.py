"""Due work: what the engine claims, and what it has claimed, as named statements."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from msgspec import json

from foliot.core.errors import Unreadable
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.run import DueJob, DueRun
from foliot.store.sql.dialect import Row
from foliot.store.sql.history import SqlHistoryChanges
from foliot.store.sql.job_rows import current_run_of
from foliot.store.sql.run_rows import claims_of, due_job_of, due_run_of

_read_json: Final = json.Decoder(list[tuple[Any, ...]]).decode


class SqlDueChanges(SqlHistoryChanges):
    """Satisfies `ports.store.runs.DueChanges`.

    A job whose definition is damaged is faulted when it is due, with the reason in its history: it
    must not stop those that are due with it. One that was sealed with a key this node was not given
    raises NotReadableHere, and nothing is changed: other nodes may open it.
    """

    def due_jobs(
        self, now: Instant, limit: int, *, excluded: Sequence[CollectionId] = ()
    ) -> Sequence[DueJob]:
        """Return due, enabled jobs of enabled collections, the earliest first."""
        rows = self._dialect.due_rows("due_jobs", now, limit, excluded)
        found = (self._due_job(row, now) for row in rows)
        return [due for due in found if due is not None]

    def due_runs(
        self, now: Instant, limit: int, *, excluded: Sequence[CollectionId] = ()
    ) -> Sequence[DueRun]:
        """Return runs that are due and not held, or whose lease has run out, the earliest first."""
        rows = self._dialect.due_rows("due_runs", now, limit, excluded)
        found = (self._due_run(row, now) for row in rows)
        return [due for due in found if due is not None]

    def claimed_runs(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return those of the runs that are still held under their claims."""
        if not claimed:
            return []
        self._dialect.lock_jobs([due.run.job_id for due in claimed])
        known = {due.run.id: due.job.definition for due in claimed}
        held = claims_of([due.run for due in claimed])
        found = self._dialect.run_many("claimed_runs", held)
        rows = chain.from_iterable(cursor for _, cursor in found)
        return [due_run_of(row, self._keyring, known[row[0]]) for row in rows]

    def current_state(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return those of the runs that are still held, with the current state of their jobs."""
        self._dialect.lock_jobs([due.run.job_id for due in claimed])
        by_id = {due.run.id: due for due in claimed}
        held = claims_of([due.run for due in claimed])
        found = self._dialect.run_many("current_state", held)
        rows = chain.from_iterable(_read_rows(cursor.fetchone()) for _, cursor in found)
        return [current_run_of(row, by_id[row[0]]) for row in rows]

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
        faulted = self._change("fault_job", {"id": job_id, "now": now})
        dropped = self._change("drop_runs", {"job_id": job_id})
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


def _read_rows(value: Row | None) -> Sequence[Row]:
    """Return rows that came in one value: to fetch each by itself takes the interpreter each time.

    Under load a thread waits for the interpreter longer than it works on a row.
    """
    return [] if value is None else _read_json(value[0])
