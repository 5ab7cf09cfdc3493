"""Runs that have ended, and those that are open, across collections."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import Run
from foliot.core.model.run_record import EndedRun, LaterRun, OpenRun, RunFilter
from foliot.core.model.token import Scope


class RunRecordReading(Protocol):
    """Finds runs of a job, or of all jobs in a scope.

    Those that did not simply succeed are found without reading the others.
    """

    def ended_runs(
        self,
        scope: Scope,
        wanted: RunFilter,
        *,
        job_id: JobId | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[EndedRun]:
        """Return ended runs by the number of their entry, the newest first, without attempts."""
        ...

    def open_runs(
        self,
        scope: Scope,
        wanted: RunFilter,
        *,
        job_id: JobId | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[OpenRun]:
        """Return open runs by their id, the newest first, without attempts.

        A run at its error action has failed, and is not among them.
        """
        ...

    def runs_to_retry(
        self,
        scope: Scope,
        wanted: RunFilter,
        *,
        now: Instant,
        job_id: JobId | None = None,
        limit: int = 100,
    ) -> Sequence[OpenRun]:
        """Return runs that failed and are retried later than now, the next ones first.

        Those of collections that are not enabled are left out. Trigger, reason and host of the
        filter count.
        """
        ...

    def attempts_of(self, ended: Sequence[HistoryEntry]) -> Sequence[Sequence[HistoryEntry]]:
        """Return the attempts of each ended run at its action and at its error action, in order."""
        ...

    def later_runs(self, failed: Sequence[HistoryEntry]) -> Sequence[LaterRun | None]:
        """Return, for each failed run, the open run that repeats it, or else the last that did."""
        ...

    def attempts_beside(self, attempt: HistoryEntry) -> Sequence[HistoryEntry]:
        """Return all attempts of the run of an attempt, which may be open, in order."""
        ...

    def attempts_so_far(self, runs: Sequence[Run]) -> Sequence[Sequence[HistoryEntry]]:
        """Return the attempts of each open run, in order."""
        ...
