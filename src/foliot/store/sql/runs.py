"""Runs: the port's readings and changes of the queue, as named statements."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.run import Run, RunCounts
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.run_rows import claims_of, row_of_changed_run, row_of_new_run, run_of

_ALREADY_PLANNED: Final = "This occurrence is planned already."


class SqlRunReading(SqlAccess):
    """Satisfies `ports.store.runs.RunReading`."""

    def runs(self, job_id: JobId) -> Sequence[Run]:
        """Return the open runs of a job, in the order they were created."""
        return [run_of(row) for row in self._run("runs_of_job", {"job_id": job_id})]

    def count_runs(self, job_id: JobId) -> RunCounts:
        """Return how many runs of a job are open, and how many of these wait their turn."""
        return RunCounts(*(self._row("count_runs", {"job_id": job_id}) or (0, 0)))

    def lost_runs(self, held: Sequence[Run]) -> Sequence[Run]:
        """Return those of the runs that are no longer held under their claims."""
        found = self._dialect.run_many("held_ids", claims_of(held))
        present = {run_id for _, cursor in found for (run_id,) in cursor}
        return [run for run in held if run.id not in present]

    def earliest_due_at(self, gather: int = 0) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before."""
        since = self._dialect.due_since
        row = self._row("earliest_due_at", {"due_since": since, "gather": gather})
        return None if row is None else row[0]

    def count_due(self, now: Instant, limit: int) -> int:
        """Return how many jobs and runs are due and held by nobody, counted up to a limit."""
        return self._number("count_due", {"now": now, "limit": limit})


class SqlRunChanges(SqlAccess):
    """Satisfies `ports.store.runs.RunChanges`."""

    def add_run(self, run: Run) -> Run:
        """Store a new run and return it with its id; Conflict if its occurrence is planned."""
        row = row_of_new_run(run)
        return replace(run, id=self._dialect.insert("add_run", row, taken=_ALREADY_PLANNED))

    def plan_runs(self, runs: Sequence[Run]) -> Sequence[Run]:
        """Store new runs of the calendar and return them with their ids."""
        if not runs:
            return []
        with self._dialect.translated(_ALREADY_PLANNED):
            ids = self._dialect.insert_runs(runs)
        planned = zip(runs, ids, strict=True)
        return [replace(run, id=number) for run, number in planned if number is not None]

    def save_runs(self, runs: Sequence[Run]) -> None:
        """Store changed runs; a run that was deleted stays deleted."""
        self._dialect.change_many("save_runs", [row_of_changed_run(run) for run in runs])

    def delete_runs(self, runs: Sequence[Run]) -> None:
        """Remove runs that have ended."""
        self._dialect.change_many("delete_runs", [(run.id,) for run in runs])

    def count_open_runs(self, job_id: JobId) -> int:
        """Return how many runs of a job are open."""
        return self._number("count_open_runs", {"job_id": job_id})

    def release_runs(self, job_id: JobId, most: int, now: Instant) -> None:
        """Make runs of a job due that wait their turn, until `most` of its runs do not wait."""
        self._change("release_runs", {"job_id": job_id, "most": most, "now": now})

    def release_stalled_runs(self, now: Instant, limit: int) -> int:
        """Make a run due of each job whose runs wait though none is in progress."""
        found = [job_id for (job_id,) in self._run("stalled_jobs", {"limit": limit})]
        # Another node may have let one begin: it is looked at again under the lock of the job.
        self._dialect.lock_jobs(found)
        what = {"most": 1, "now": now}
        return sum(self._change("release_runs", {"job_id": job_id, **what}) for job_id in found)

    def make_run_due(self, run_id: int, now: Instant) -> None:
        """Make a run due now that nobody holds and that is due later."""
        self._change("make_run_due", {"id": run_id, "now": now})

    def make_runs_due(self, job_id: JobId, now: Instant) -> None:
        """Make the runs of a job due now that were overdue while the job could not run."""
        self._change("make_runs_due", {"job_id": job_id, "now": now})

    def make_all_runs_due(self, collection_id: CollectionId, now: Instant) -> None:
        """Do the same for all jobs of a collection."""
        self._change("make_all_runs_due", {"collection_id": collection_id, "now": now})

    def renew_leases(self, node: str, until: Instant, *, since: Instant) -> None:
        """Extend the leases of a node that end at an instant or later."""
        self._change("renew_leases", {"node": node, "until": until, "since": since})

    def end_leases(self, node: str, at: Instant) -> None:
        """End all leases of a node: it has restarted and does not know of them."""
        self._change("end_leases", {"node": node, "at": at})
