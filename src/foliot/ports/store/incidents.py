"""Incidents of alerts, and the jobs that alerts watch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.alert import Alert, AlertEvent, AlertId
from foliot.core.model.collection import Collection
from foliot.core.model.incident import Incident, IncidentId, Telling
from foliot.core.model.job import Job


class Success(NamedTuple):
    """The attempt with which a run succeeded."""

    started_at: Instant
    ended_at: Instant


class WatchReading(Protocol):
    """Finds what alerts watch."""

    def watched_collections(self) -> Mapping[CollectionId, Instant]:
        """Return the collections that have enabled alerts, and when one was last changed."""
        ...

    def watching_alerts(self, collection_id: CollectionId) -> Mapping[AlertId, Alert | None]:
        """Return the enabled alerts of a collection; None for one that does not open here."""
        ...

    def watched_jobs(
        self, job_ids: Sequence[JobId]
    ) -> Mapping[JobId, tuple[Collection, Job] | None]:
        """Return jobs with their collections, without deleted ones; None for unreadable ones.

        In a transaction nobody else changes them until it ends.
        """
        ...

    def jobs_to_check(
        self,
        collection_id: CollectionId,
        now: Instant,
        *,
        after: str = "",
        limit: int,
        is_full: bool,
    ) -> Sequence[tuple[str, Job | None]]:
        """Return jobs that may be late, without success or paused, by folded name.

        These are all but those that wait for their next time after a success; `is_full` returns
        these as well. Of the jobs that have ended it returns those of the last two days. A job that
        does not open is None.
        """
        ...

    def last_success(self, job_id: JobId, since: Instant) -> Success | None:
        """Return the newest success of a job that ended since an instant and took a day at most."""
        ...


class IncidentReading(Protocol):
    """Finds incidents."""

    def open_incidents(self, job_id: JobId) -> Sequence[Incident]:
        """Return the open incidents of a job."""
        ...

    def open_incidents_after(self, after: IncidentId, limit: int) -> Sequence[Incident]:
        """Return open incidents of all jobs by id."""
        ...

    def recent_incidents(self, alert_id: AlertId, *, limit: int = 100) -> Sequence[Incident]:
        """Return incidents of an alert, the newest first."""
        ...

    def held_incidents(self, opened_before: Instant, limit: int) -> Sequence[Incident]:
        """Return incidents that are held back and were opened before an instant."""
        ...

    def held_incidents_of(self, alert_id: AlertId, job_id: JobId) -> Sequence[Incident]:
        """Return the incidents of an alert and a job that are held back, the oldest first."""
        ...

    def count_told(self, alert_id: AlertId, job_id: JobId, since: Instant) -> int:
        """Return how many incidents that are told were opened since an instant."""
        ...

    def count_incidents(
        self, alert_id: AlertId, job_id: JobId, event: AlertEvent, since: Instant
    ) -> int:
        """Return how many incidents of an event were opened since an instant, told or not."""
        ...

    def count_open_incidents(self) -> int:
        """Return how many incidents are open."""
        ...


class IncidentChanges(Protocol):
    """Changes incidents; they go with their job."""

    def open_incident(self, incident: Incident) -> Incident | None:
        """Store a new incident and return it with its id; None if one like it is open."""
        ...

    def close_incident(self, incident_id: IncidentId, at: Instant, *, is_resolved: bool) -> bool:
        """Close an incident; tell whether it was open."""
        ...

    def set_telling(self, incident_ids: Iterable[IncidentId], telling: Telling) -> None:
        """Store whether incidents are told."""
        ...

    def trim_incidents(self, closed_before: Instant, limit: int) -> int:
        """Remove incidents that were closed before an instant, with their notifications."""
        ...

    def trim_incidents_of_job(self, job_id: JobId, limit: int) -> int:
        """Remove incidents of a job, with their notifications."""
        ...

    def trim_incidents_without_alert(self, limit: int) -> int:
        """Remove incidents of alerts that are deleted, with their notifications."""
        ...

    def claim_duty(self, name: str, node: str, now: Instant, until: Instant) -> bool:
        """Take on work that one node does for all, or go on with it; tell whether it is ours."""
        ...
