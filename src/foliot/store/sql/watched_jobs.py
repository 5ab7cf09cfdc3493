"""Jobs that alerts watch: the port's readings, as named statements."""

from collections.abc import Mapping, Sequence

from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import DAY, Instant
from foliot.core.model.alert import Alert, AlertId
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.ports.store.incidents import Success
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.alerts import alert_of
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import job_of, located_job_of

# History is kept by begin: without a limit all of it would be searched for a job without success.
_LONGEST_ATTEMPT = DAY
# A job that has ended may be without success: its deadline is a day and an hour after its last
# planned time at the latest.
_ENDED = 2 * DAY


class SqlWatchReading(SqlAccess):
    """Satisfies `ports.store.incidents.WatchReading`.

    What does not open on this node raises nothing: it must not stop the end of a run.
    """

    def watched_collections(self) -> Mapping[CollectionId, Instant]:
        """Return the collections that have enabled alerts, and when one was last changed."""
        return dict(self._run("watched_collections").fetchall())

    def watching_alerts(self, collection_id: CollectionId) -> Mapping[AlertId, Alert | None]:
        """Return the enabled alerts of a collection; None for one that does not open here."""
        rows = self._run("watching_alerts", {"collection_id": collection_id}).fetchall()
        return {row[0]: self._alert(row) for row in rows}

    def watched_jobs(
        self, job_ids: Sequence[JobId]
    ) -> Mapping[JobId, tuple[Collection, Job] | None]:
        """Return jobs with their collections, without deleted ones; None for unreadable ones."""
        self._dialect.lock_jobs(sorted(set(job_ids)))
        rows = {each: self._row("watched_job", {"id": each}) for each in dict.fromkeys(job_ids)}
        return {each: self._located(row) for each, row in rows.items() if row is not None}

    def jobs_to_check(
        self,
        collection_id: CollectionId,
        now: Instant,
        *,
        after: str = "",
        limit: int,
        is_full: bool,
    ) -> Sequence[tuple[str, Job | None]]:
        """Return jobs that may be late, without success or paused, by folded name."""
        page = {"collection_id": collection_id, "after": after, "limit": limit}
        moments = {"now": now, "ended_since": now - _ENDED}
        rows = self._run("jobs_to_check", page | moments | {"is_full": int(is_full)})
        return [(row[0], self._job(row[1:])) for row in rows]

    def last_success(self, job_id: JobId, since: Instant) -> Success | None:
        """Return the newest success of a job that ended since an instant and took a day at most."""
        what = {"job_id": job_id, "since": since, "begun_since": since - _LONGEST_ATTEMPT}
        row = self._row("last_success", what)
        return None if row is None else Success(*row)

    def _alert(self, row: Row) -> Alert | None:
        try:
            return alert_of(row, self._keyring)
        except FoliotError:
            return None

    def _located(self, row: Row) -> tuple[Collection, Job] | None:
        try:
            collection, job = located_job_of(row, self._keyring)
        except FoliotError:
            return None
        return None if job is None else (collection, job)

    def _job(self, row: Row) -> Job | None:
        try:
            return job_of(row, self._keyring)
        except FoliotError:
            return None
