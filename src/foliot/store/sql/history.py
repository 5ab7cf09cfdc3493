"""History: the port's readings and changes, as named statements."""

from collections.abc import Sequence
from typing import Final

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.ports.store import Inspection
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import OWNER_IS_GONE
from foliot.store.sql.rows import history_entry_of, row_of_history_entry

_AFTER_THE_NEWEST: Final = (LAST_TICK + 1, 0)
_ALREADY_RECORDED: Final = "This attempt is recorded already."


class SqlHistoryReading(SqlAccess):
    """Satisfies `ports.store.history.HistoryReading`."""

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
        before_start, before_number = after or _AFTER_THE_NEWEST
        page = {
            "job_id": job_id,
            "status": None if status is None else status.value,
            "before_start": before_start,
            "before_number": before_number,
            "skip": skip,
            "limit": limit,
        }
        statement = "history" if status is None else "history_with_status"
        return [history_entry_of(row) for row in self._run(statement, page)]

    def attempt(self, job_id: JobId, number: int) -> HistoryEntry | None:
        """Return an entry of the history of a job by its number."""
        row = self._row("attempt", {"job_id": job_id, "number": number})
        return None if row is None else history_entry_of(row)

    def inspect_histories(
        self, after: JobId, *, since: Instant, kept: int, limit: int
    ) -> Inspection:
        """Find jobs with history before an instant, or with more entries than are kept."""
        what = {"after": after, "since": since, "kept": kept, "limit": limit}
        rows = self._run("inspect_histories", what).fetchall()
        to_trim = [job_id for job_id, has_surplus in rows if has_surplus]
        return Inspection(to_trim, rows[-1][0] if len(rows) == limit else None)

    def first_number_since(self, since: Instant, newest: int) -> int:
        """Return the first number recorded since an instant: numbers grow with time."""
        return self._number("first_number_since", {"since": since, "newest": newest})


class SqlHistoryChanges(SqlAccess):
    """Satisfies `ports.store.history.HistoryChanges`."""

    def add_history(self, *entries: HistoryEntry) -> None:
        """Store attempts and number them in this order; Conflict if a job no longer exists."""
        if not entries:
            return
        rows = list(map(row_of_history_entry, entries))
        with self._dialect.translated(_ALREADY_RECORDED):
            for batch, cursor in self._dialect.run_many("add_history", rows):
                if cursor.rowcount < len(batch):
                    raise Conflict(OWNER_IS_GONE)

    def trim_history(self, job_id: JobId, *, since: Instant, kept: int, limit: int) -> int:
        """Remove entries of a job from before an instant, or beyond the newest that are kept."""
        surplus = self._row("newest_surplus", {"job_id": job_id, "kept": kept})
        started_at, number = max((since, 0), surplus or (0, 0))
        what = {"job_id": job_id, "started_at": started_at, "number": number, "limit": limit}
        return self._change("trim_history", what)

    def maintain_partitions(self, *, now: Instant, since: Instant) -> None:
        """Create coming history partitions and drop expired ones, where there are partitions."""
        self._dialect.maintain_partitions(now=now, since=since)
