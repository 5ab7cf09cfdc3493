"""Changes of when jobs run, and what became of planned times, as named statements."""

from collections.abc import Sequence
from typing import Final

from msgspec import json

from foliot.core.ids import JobId
from foliot.core.instant import DAY, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.schedule_change import PastCalendar, ScheduleChange, ScheduleChangeKind
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.rows import history_entry_of
from foliot.store.sql.statements import Statement

_KEPT: Final = 1000
_read_calendar: Final = json.Decoder(PastCalendar).decode


class SqlScheduleReading(SqlAccess):
    """Satisfies `ports.store.schedule_changes.ScheduleReading`."""

    def schedule_changes(self, job_id: JobId) -> Sequence[ScheduleChange]:
        """Return the changes of when a job runs, in order."""
        return [
            ScheduleChange(
                job_id=job_id,
                at=at,
                from_at=from_at,
                kind=ScheduleChangeKind(kind),
                calendar=None if calendar is None else _read_calendar(calendar),
            )
            for _, at, from_at, kind, calendar in self._run("schedule_changes", {"job_id": job_id})
        ]

    def planned_entries(
        self, job_id: JobId, since: Instant, before: Instant
    ) -> Sequence[HistoryEntry]:
        """Return how occurrences planned from `since` on and before an instant have ended."""
        return self._entries("planned_entries", job_id, since, before)

    def ended_runs_by_planned_time(
        self, job_id: JobId, since: Instant, before: Instant
    ) -> Sequence[HistoryEntry]:
        """Return how runs planned from `since` on and before an instant have ended."""
        return self._entries("ended_runs_by_planned_time", job_id, since, before)

    def _entries(
        self, statement: Statement, job_id: JobId, since: Instant, before: Instant
    ) -> Sequence[HistoryEntry]:
        what = {
            "job_id": job_id,
            "since": since,
            "before": before,
            # No attempt begins before its time, but a clock may have been set back.
            "started_since": since - DAY,
        }
        return [history_entry_of(row) for row in self._run(statement, what)]


class SqlScheduleChanges(SqlAccess):
    """Satisfies `ports.store.schedule_changes.ScheduleChanges`."""

    def add_schedule_changes(self, *changes: ScheduleChange) -> None:
        """Store changes; of one job only the newest thousand are kept."""
        for change in changes:
            calendar = change.calendar
            row = {
                "job_id": change.job_id,
                "at": change.at,
                "from_at": change.from_at,
                "kind": change.kind.value,
                "calendar": None if calendar is None else json.encode(calendar).decode(),
            }
            self._change("add_schedule_change", row)
        for job_id in {change.job_id for change in changes}:
            self._change("trim_schedule_changes_of_job", {"job_id": job_id, "kept": _KEPT})

    def trim_schedule_changes(self, before: Instant, limit: int) -> int:
        """Remove changes from before an instant, at most `limit`; return how many."""
        return self._change("trim_schedule_changes", {"before": before, "limit": limit})
