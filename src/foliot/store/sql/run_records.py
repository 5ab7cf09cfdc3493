"""Runs that have ended and those that are open, as named statements."""

from collections.abc import Sequence
from typing import Final

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.run import Run
from foliot.core.model.run_record import (
    EndedRun,
    LaterRun,
    OpenRun,
    OpenRuns,
    OpenState,
    RunFilter,
)
from foliot.core.model.token import Scope
from foliot.store.sql.columns import HISTORY
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.history import SqlHistoryReading
from foliot.store.sql.rows import history_entry_of
from foliot.store.sql.run_rows import RUN_SIZE, run_of
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.statements import Statement

_HISTORY_SIZE: Final = len(HISTORY)
_AFTER_THE_LAST: Final = 2**62
# Entries are numbered when they are stored, about in the order of their ends.
_OUT_OF_ORDER: Final = 1000
# So many entries are read faster than those of a hundred jobs, one job after the other.
_NEAR: Final = 20_000
_IS_HELD: Final[dict[object, int]] = {
    OpenState.RUNNING: 1,
    OpenState.WAITING: 0,
    OpenRuns.RETRIED: 0,
}


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
            **self.filter_parameters(wanted, before),
            "job_id": job_id,
            "limit": limit,
        }
        return [
            EndedRun(
                CollectionKey(*row[_HISTORY_SIZE:-1]),
                row[-1],
                history_entry_of(row[:_HISTORY_SIZE]),
            )
            for row in self._ended_rows(_statement(scope, wanted, job_id), what)
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
            "is_retried": int(wanted.outcome is OpenRuns.RETRIED),
            "reason": wanted.reason,
            "host": wanted.host,
            "trigger": wanted.trigger and wanted.trigger.value,
            "limit": limit,
        }
        return [_open_run_of(row) for row in self._run("open_runs", what)]

    def runs_to_retry(
        self,
        scope: Scope,
        wanted: RunFilter,
        *,
        now: Instant,
        job_id: JobId | None = None,
        limit: int = 100,
    ) -> Sequence[OpenRun]:
        """Return runs that failed and are retried later than now, the next ones first."""
        what = {
            **scope_parameters(scope),
            "job_id": job_id,
            "now": now,
            "reason": wanted.reason,
            "host": wanted.host,
            "trigger": wanted.trigger and wanted.trigger.value,
            "limit": limit,
        }
        return [_open_run_of(row) for row in self._run("runs_to_retry", what)]

    def attempts_of(self, ended: Sequence[HistoryEntry]) -> Sequence[Sequence[HistoryEntry]]:
        """Return the attempts of each ended run at its action and at its error action, in order."""
        runs = [(each.job_id, each.run_id, each.expected_at, each.repeat_count) for each in ended]
        others = self._attempts(runs)
        return [_in_order([each, *more]) for each, more in zip(ended, others, strict=True)]

    def later_runs(self, failed: Sequence[HistoryEntry]) -> Sequence[LaterRun | None]:
        """Return, for each failed run, the open run that repeats it, or else the last that did."""
        found: list[LaterRun | None] = [None] * len(failed)
        rows = [
            (place, each.job_id, each.expected_at, each.number) for place, each in enumerate(failed)
        ]
        for _, cursor in self._dialect.run_many("later_runs", rows):
            for place, open_id, number, outcome in cursor:
                if open_id is not None:
                    found[place] = LaterRun(open_id, None)
                elif number is not None:
                    found[place] = LaterRun(number, RunOutcome(outcome))
        return found

    def attempts_beside(self, attempt: HistoryEntry) -> Sequence[HistoryEntry]:
        """Return all attempts of the run of an attempt, which may be open, in order."""
        run = (attempt.job_id, attempt.run_id, attempt.expected_at, attempt.repeat_count)
        if attempt.run_id is None:
            return [attempt]
        if attempt.outcome is not None:
            return self.attempts_of([attempt])[0]
        names = ("job_id", "run_id", "expected_at", "repeat_count")
        end = self._row("end_of_run", dict(zip(names, run, strict=True)))
        ended_by = [] if end is None else [history_entry_of(end)]
        return _in_order([*ended_by, *self._attempts([run])[0]])

    def attempts_so_far(self, runs: Sequence[Run]) -> Sequence[Sequence[HistoryEntry]]:
        """Return the attempts of each open run, in order."""
        asked = [(each.job_id, each.id, each.expected_at, each.occurrence) for each in runs]
        return [_in_order(each) for each in self._attempts(asked)]

    def _attempts(self, runs: Sequence[Row]) -> Sequence[list[HistoryEntry]]:
        """Return the attempts that did not end their runs."""
        found: list[list[HistoryEntry]] = [[] for _ in runs]
        rows = [(place, *run) for place, run in enumerate(runs)]
        for _, cursor in self._dialect.run_many("attempts_of_runs", rows):
            for row in cursor:
                place: int = row[0]
                found[place].append(history_entry_of(row[1:]))
        return found

    def _ended_rows(self, statement: Statement, what: Parameters) -> Sequence[Row]:
        """Find the runs of a busy collection among the newest of all, before asking job by job."""
        if statement == "ended_runs_of_collection":
            near = {**what, "first": max(what["first"], what["before"] - _NEAR)}
            rows = self._run("ended_runs", near).fetchall()
            if len(rows) == what["limit"]:
                return rows
        return self._run(statement, what).fetchall()

    def filter_parameters(self, wanted: RunFilter, before: int | None) -> Parameters:
        """Return the parameters of a filter: of numbers as well, because these have an index."""
        newest = self._number("newest_number") or 0
        first, end = 0, newest + 1 if before is None else before
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
    if scope.collection is None:
        return "ended_runs" if wanted.allows_success else "notable_runs"
    return "ended_runs_of_collection" if wanted.allows_success else "notable_runs_of_collection"


def _open_run_of(row: Row) -> OpenRun:
    return OpenRun(CollectionKey(*row[RUN_SIZE:-1]), row[-1], run_of(row[:RUN_SIZE]))


def _in_order(entries: Sequence[HistoryEntry]) -> Sequence[HistoryEntry]:
    """Return the attempts among entries; a note about a canceled run is none."""
    attempts = [each for each in entries if each.status is not AttemptStatus.POSTPONED]
    return sorted(attempts, key=lambda each: (each.started_at, each.number))
