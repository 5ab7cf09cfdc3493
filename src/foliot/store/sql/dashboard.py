"""The port's readings for those who watch, as named queries on a connection."""

from collections.abc import Mapping, Sequence

from msgspec import json

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.dashboard import (
    AttemptSample,
    ComingJob,
    CountedCollection,
    FailingJob,
    FailurePage,
    OpenRun,
    Totals,
)
from foliot.core.model.history import AttemptStatus
from foliot.core.model.run import Run
from foliot.core.model.token import Scope
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.database import Connection
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.rows import (
    ENTRY_SIZE,
    JOB_SIZE,
    Parameters,
    Row,
    collection_of,
    history_entry_of,
    job_of,
)
from foliot.store.sql.run_rows import RUN_SIZE, run_of

_STATUSES = {status.value[0]: status for status in AttemptStatus}
_BEFORE_THE_FIRST = CollectionKey("", "", "")


class SqlWatching:
    """What those who watch see through a connection; satisfies `ports.Watching`."""

    def __init__(self, connection: Connection, keyring: Keyring) -> None:
        self._keyring = keyring
        self._execute = connection.execute

    def collections_seen(
        self,
        scope: Scope,
        *,
        search: str = "",
        after: CollectionKey | None = None,
        limit: int = 100,
    ) -> Sequence[CountedCollection]:
        """Return the collections whose name holds a text, by folded key."""
        subscription, group, name = (after or _BEFORE_THE_FIRST).folded
        page = _places(scope) | {
            "pattern": _containing(search),
            "after_subscription": subscription,
            "after_group": group,
            "after_name": name,
            "limit": limit,
        }
        rows = self._execute(QUERIES.collections_seen, page)
        return [CountedCollection(collection_of(row[:-1]), row[-1]) for row in rows]

    def runs(self, job_id: JobId) -> Sequence[Run]:
        """Return the open runs of a job, in the order they were made."""
        return [run_of(row) for row in self._execute(QUERIES.runs_of_job, {"job_id": job_id})]

    def held_runs(self, scope: Scope, *, limit: int) -> Sequence[OpenRun]:
        """Return runs that a node holds, the longest due first."""
        rows = self._execute(QUERIES.held_runs, _places(scope) | {"limit": limit})
        return [
            OpenRun(CollectionKey(*row[RUN_SIZE:-1]), row[-1], run_of(row[:RUN_SIZE]))
            for row in rows
        ]

    def failing_jobs(self, scope: Scope, since: Instant, page: FailurePage) -> Sequence[FailingJob]:
        """Return jobs with attempts that failed since then, the last to fail first."""
        what = _places(scope) | {
            "since": since,
            "pattern": _containing(page.search),
            "sample": page.sample,
            "skip": page.skip,
            "limit": page.limit,
        }
        return [_failing_job_of(row) for row in self._execute(QUERIES.failing_jobs, what)]

    def coming_jobs(self, scope: Scope, until: Instant, *, limit: int) -> Sequence[ComingJob]:
        """Return enabled jobs of enabled collections that will run by then, the earliest first."""
        what = _places(scope) | {"until": until, "limit": limit}
        return [
            ComingJob(collection_of(row[JOB_SIZE:]), job_of(row[:JOB_SIZE], self._keyring))
            for row in self._execute(QUERIES.coming_jobs, what)
        ]

    def tally(self, scope: Scope, since: Instant, until: Instant, *, limit: int) -> Totals:
        """Count runs, failures since a time and jobs that run until a time, each to a limit."""
        what = _places(scope) | {"since": since, "until": until, "limit": limit}
        query = QUERIES.tally_of_all if scope == Scope() else QUERIES.tally
        return Totals(*(self._row(query, what) or ()))

    def outcomes(
        self, job_ids: Sequence[JobId], *, limit: int, with_postponed: bool = True
    ) -> Mapping[JobId, Sequence[AttemptStatus]]:
        """Return how the last attempts of each job's main action ended, the newest first."""
        what = {
            "job_ids": json.encode(job_ids).decode(),
            "limit": limit,
            "with_postponed": int(with_postponed),
        }
        return {
            job_id: [_STATUSES[letter] for letter in letters or ""]
            for job_id, letters in self._execute(QUERIES.outcomes, what)
        }

    def beats(self, since: Instant, *, points: int) -> Sequence[AttemptSample]:
        """Return attempts recorded since then, all or an even sample of them, the oldest first."""
        newest = self._number(QUERIES.newest_number, {}) or 0
        first = self._first_since(since, newest)
        step = -(-(newest + 1 - first) // points)
        if step == 0:
            return []
        # From the newest back, so that what was just recorded is there.
        numbers = json.encode(list(range(newest, first - 1, -step))).decode()
        rows = self._execute(QUERIES.beats, {"numbers": numbers})
        return [
            AttemptSample(started, ended, expected, AttemptStatus(status), bool(is_first), step)
            for started, ended, expected, status, is_first in rows
        ]

    def _first_since(self, since: Instant, newest: int) -> int:
        """Search for the first number recorded since then: they grow with the time of recording."""
        low, high = 1, newest + 1
        while low < high:
            middle = (low + high) // 2
            row = self._row(QUERIES.recorded_from, {"number": middle})
            if row is None or row[1] >= since:
                high = middle
            else:
                low = row[0] + 1
        return low

    def _row(self, query: str, parameters: Parameters | Row) -> Row | None:
        return self._execute(query, parameters).fetchone()

    def _number(self, query: str, parameters: Parameters | Row) -> int:
        row = self._row(query, parameters)
        return 0 if row is None else row[0]


def _places(scope: Scope) -> Parameters:
    return {
        "subscription": scope.subscription or "",
        "group": scope.group or "",
        "collection": scope.collection or "",
    }


def _containing(text: str) -> str:
    """Return the pattern of names that hold a text, taken for what it is."""
    folded = text.lower()
    for special in ("\\", "%", "_"):
        folded = folded.replace(special, f"\\{special}")
    return f"%{folded}%"


def _failing_job_of(row: Row) -> FailingJob:
    *place, job = row[ENTRY_SIZE + 1 :]
    return FailingJob(
        CollectionKey(*place), job, row[ENTRY_SIZE], history_entry_of(row[:ENTRY_SIZE])
    )
