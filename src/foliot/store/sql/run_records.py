"""Runs that have ended and those that are open, as named statements."""

from collections.abc import Sequence
from typing import Final

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import DAY, Instant
from foliot.core.model.history import HistoryEntry
from foliot.core.model.run import Run
from foliot.core.model.run_record import EndedRun, OpenRun, OpenState, RunFilter
from foliot.core.model.token import Scope
from foliot.store.sql.columns import HISTORY
from foliot.store.sql.dialect import Parameters
from foliot.store.sql.history import SqlHistoryReading
from foliot.store.sql.rows import history_entry_of
from foliot.store.sql.run_rows import RUN_SIZE, run_of
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.statements import Statement

_HISTORY_SIZE: Final = len(HISTORY)
_AFTER_THE_LAST: Final = 2**62
# Entries are numbered when they are stored, about in the order of their ends.
_OUT_OF_ORDER: Final = 1000
_IS_HELD: Final[dict[object, int]] = {OpenState.RUNNING: 1, OpenState.WAITING: 0}


class SqlRunRecordReading(SqlHistoryReading):
    """Satisfies `ports.store.run_records.RunRecordReading`."""

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
        what = {
            **scope_parameters(scope),
            **self._filter_parameters(wanted, before),
            "job_id": job_id,
            "limit": limit,
        }
        rows = self._run(_statement(scope, wanted, job_id), what)
        return [
            EndedRun(
                CollectionKey(*row[_HISTORY_SIZE:-1]),
                row[-1],
                history_entry_of(row[:_HISTORY_SIZE]),
            )
            for row in rows
        ]

    def open_runs(
        self,
        scope: Scope,
        wanted: RunFilter,
        *,
        job_id: JobId | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[OpenRun]:
        """Return open runs by their id, the newest first, without attempts."""
        what = {
            **scope_parameters(scope),
            "job_id": job_id,
            "before": _AFTER_THE_LAST if before is None else before,
            "is_held": _IS_HELD.get(wanted.outcome),
            "trigger": wanted.trigger and wanted.trigger.value,
            "limit": limit,
        }
        return [
            OpenRun(CollectionKey(*row[RUN_SIZE:-1]), row[-1], run_of(row[:RUN_SIZE]))
            for row in self._run("open_runs", what)
        ]

    def attempts_of(self, ended: HistoryEntry) -> Sequence[HistoryEntry]:
        """Return the attempts of an ended run at its action and at its error action, in order."""
        return self._attempts(ended.job_id, ended.run_id, ended.expected_at, ended.repeat_count)

    def attempts_so_far(self, run: Run) -> Sequence[HistoryEntry]:
        """Return the attempts of an open run, in order."""
        return self._attempts(run.job_id, run.id, run.expected_at, run.occurrence)

    def _attempts(
        self, job_id: JobId, run_id: int | None, expected_at: Instant, occurrence: int
    ) -> Sequence[HistoryEntry]:
        what = {
            "job_id": job_id,
            "run_id": run_id,
            "expected_at": expected_at,
            "repeat_count": occurrence,
            # No attempt begins before its time, but a clock may have been set back.
            "since": expected_at - DAY,
        }
        return [history_entry_of(row) for row in self._run("attempts_of_run", what)]

    def _filter_parameters(self, wanted: RunFilter, before: int | None) -> Parameters:
        newest = self._number("newest_number") or 0
        first, end = 0, _AFTER_THE_LAST if before is None else before
        if wanted.since is not None:
            first = self.first_number_since(wanted.since, newest) - _OUT_OF_ORDER
        if wanted.until is not None:
            end = min(end, self.first_number_since(wanted.until, newest) + _OUT_OF_ORDER)
        return {
            "first": first,
            "before": end,
            "since": wanted.since,
            "until": wanted.until,
            "outcome": wanted.outcome and wanted.outcome.value,
            "trigger": wanted.trigger and wanted.trigger.value,
            "reason": wanted.reason,
            "host": wanted.host,
        }


def _statement(scope: Scope, wanted: RunFilter, job_id: JobId | None) -> Statement:
    if job_id is not None:
        return "ended_runs_of_job"
    if not wanted.allows_success:
        return "notable_runs"
    return "ended_runs" if scope.collection is None else "ended_runs_of_collection"
