"""Changes of when jobs run, and what became of their planned times."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.schedule_change import ScheduleChange


class ScheduleReading(Protocol):
    """Finds what the ledger of a job is computed from."""

    def schedule_changes(self, job_id: JobId) -> Sequence[ScheduleChange]:
        """Return the changes of when a job runs, in order."""
        ...

    def planned_entries(
        self, job_id: JobId, since: Instant, before: Instant
    ) -> Sequence[HistoryEntry]:
        """Return how occurrences planned from `since` on and before an instant have ended.

        Stretches of skipped occurrences that reach into this time are among them; manual runs,
        redrives and backfills are not. They come in the order they were recorded.
        """
        ...

    def ended_runs_by_planned_time(
        self, job_id: JobId, since: Instant, before: Instant
    ) -> Sequence[HistoryEntry]:
        """Return how runs planned from `since` on and before an instant have ended.

        Manual runs, redrives and backfills are among them; skipped occurrences are not.
        """
        ...


class ScheduleChanges(Protocol):
    """Stores changes of when jobs run."""

    def add_schedule_changes(self, *changes: ScheduleChange) -> None:
        """Store changes; of one job only the newest thousand are kept."""
        ...

    def trim_schedule_changes(self, before: Instant, limit: int) -> int:
        """Remove changes from before an instant, at most `limit`; return how many."""
        ...
