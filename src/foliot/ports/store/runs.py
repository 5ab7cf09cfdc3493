"""The queue: due jobs, due runs, claims and leases."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.run import DueJob, DueRun, Run, RunCounts


class RunReading(Protocol):
    """Looks at the queue without claiming anything."""

    def runs(self, job_id: JobId) -> Sequence[Run]:
        """Return the open runs of a job, in the order they were created."""
        ...

    def count_runs(self, job_id: JobId) -> RunCounts:
        """Return how many runs of a job are open, and how many of these wait their turn."""
        ...

    def lost_runs(self, held: Sequence[Run]) -> Sequence[Run]:
        """Return those of the runs that are no longer held under their claims."""
        ...

    def earliest_due_at(self, gather: int = 0) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before.

        That is the earliest next time of an enabled job, or due time of a run nobody holds, in an
        enabled collection; or the last of a few such times that come at most `gather` ticks after
        it, so that one claim takes them all.
        """
        ...

    def count_due(self, now: Instant, limit: int) -> int:
        """Return how many jobs and runs are due and held by nobody, counted up to a limit."""
        ...


class DueChanges(Protocol):
    """Finds due work for the engine to claim, and claimed work for it to settle."""

    def due_jobs(
        self, now: Instant, limit: int, *, excluded: Sequence[CollectionId] = ()
    ) -> Sequence[DueJob]:
        """Return due, enabled jobs of enabled collections, the earliest first.

        Jobs of excluded collections are left out. NotReadableHere if this node cannot read one.
        """
        ...

    def due_runs(
        self, now: Instant, limit: int, *, excluded: Sequence[CollectionId] = ()
    ) -> Sequence[DueRun]:
        """Return runs that are due and not held, or whose lease has run out, the earliest first.

        Of an enabled collection only; of a disabled job only manual runs. Runs of excluded
        collections are left out. NotReadableHere if this node cannot read one.
        """
        ...

    def claimed_runs(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return those of the runs that are still held under their claims.

        A job whose definition does not open keeps the one it was claimed with: no outcome is lost.
        """
        ...

    def current_state(self, claimed: Sequence[DueRun]) -> Sequence[DueRun]:
        """Return those of the runs that are still held, with the current state of their jobs.

        Definitions are not read again: nothing more follows these attempts.
        """
        ...


class RunChanges(Protocol):
    """Changes runs and their leases."""

    def add_run(self, run: Run) -> Run:
        """Store a new run and return it with its id; Conflict if its occurrence is planned."""
        ...

    def plan_runs(self, runs: Sequence[Run]) -> Sequence[Run]:
        """Store new runs of the calendar and return them with their ids.

        A run whose occurrence is planned already is left out.
        """
        ...

    def save_runs(self, runs: Sequence[Run]) -> None:
        """Store changed runs; a run that was deleted stays deleted."""
        ...

    def delete_runs(self, runs: Sequence[Run]) -> None:
        """Remove runs that have ended."""
        ...

    def count_open_runs(self, job_id: JobId) -> int:
        """Return how many runs of a job are open."""
        ...

    def release_runs(self, job_id: JobId, most: int, now: Instant) -> None:
        """Make runs of a job due that wait their turn, until `most` of its runs do not wait.

        Those of the calendar and by hand come before redrives and backfills, and the oldest planned
        time first.
        """
        ...

    def release_stalled_runs(self, now: Instant, limit: int) -> int:
        """Make a run due of each job whose runs wait their turn though none is in progress.

        A node of an older version ends runs without letting others begin. Return how many runs
        were made due, of at most `limit` jobs.
        """
        ...

    def make_run_due(self, run_id: int, now: Instant) -> None:
        """Make a run due now that nobody holds and that is due later.

        One that waits its turn stays as it is, and so does one that a node has claimed meanwhile.
        """
        ...

    def make_runs_due(self, job_id: JobId, now: Instant) -> None:
        """Make the runs of a job due now that were overdue while the job could not run.

        Those are retries whose time has passed, and runs whose lease has run out.
        """
        ...

    def make_all_runs_due(self, collection_id: CollectionId, now: Instant) -> None:
        """Do the same for all jobs of a collection."""
        ...

    def renew_leases(self, node: str, until: Instant, *, since: Instant) -> None:
        """Extend the leases of a node that end at an instant or later.

        `since` is when they were last renewed to: no lease ends earlier, and a scan costs time.
        """
        ...

    def end_leases(self, node: str, at: Instant) -> None:
        """End all leases of a node: it has restarted and does not know of them."""
        ...
