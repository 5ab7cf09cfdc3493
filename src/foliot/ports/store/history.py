"""Attempts that have ended, and their retention."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry


class Inspection(Struct, frozen=True):
    """Jobs whose history is to be trimmed, and the last job inspected, None after the last one."""

    to_trim: Sequence[JobId]
    reached: JobId | None


class HistoryReading(Protocol):
    """Finds history entries."""

    def history(
        self,
        job_id: JobId,
        *,
        status: AttemptStatus | None = None,
        after: tuple[Instant, int] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[HistoryEntry]:
        """Return history entries by start and number, the newest first."""
        ...

    def attempt(self, job_id: JobId, number: int) -> HistoryEntry | None:
        """Return an entry of the history of a job by its number."""
        ...

    def inspect_histories(
        self, after: JobId, *, since: Instant, kept: int, limit: int
    ) -> Inspection:
        """Find jobs with history before an instant, or with more entries than are kept.

        The jobs are inspected by id, `limit` of them after the job `after`.
        """
        ...


class HistoryChanges(Protocol):
    """Adds and removes history entries."""

    def add_history(self, *entries: HistoryEntry) -> None:
        """Store attempts and number them in this order; Conflict if a job no longer exists."""
        ...

    def trim_history(self, job_id: JobId, *, since: Instant, kept: int, limit: int) -> int:
        """Remove entries of a job from before an instant, or beyond the newest that are kept.

        At most `limit` entries are removed, the oldest first; returns how many.
        """
        ...

    def maintain_partitions(self, *, now: Instant, since: Instant) -> None:
        """Create coming history partitions and drop expired ones, where there are partitions."""
        ...
