"""Incidents of alerts, and duties: the port's readings and changes, as named statements."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.alert import AlertEvent, AlertId
from foliot.core.model.incident import AlertFacts, Incident, IncidentId, Telling
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Parameters, Row

_write_facts = msgspec.json.Encoder().encode
_read_facts = msgspec.json.Decoder(AlertFacts).decode


class SqlIncidentReading(SqlAccess):
    """Satisfies `ports.store.incidents.IncidentReading`."""

    def open_incidents(self, job_id: JobId) -> Sequence[Incident]:
        """Return the open incidents of a job."""
        return [_incident_of(row) for row in self._run("open_incidents", {"job_id": job_id})]

    def open_incidents_after(self, after: IncidentId, limit: int) -> Sequence[Incident]:
        """Return open incidents of all jobs by id."""
        page = {"after": after, "limit": limit}
        return [_incident_of(row) for row in self._run("open_incidents_after", page)]

    def recent_incidents(self, alert_id: AlertId, *, limit: int = 100) -> Sequence[Incident]:
        """Return incidents of an alert, the newest first."""
        page = {"alert_id": alert_id, "limit": limit}
        return [_incident_of(row) for row in self._run("recent_incidents", page)]

    def held_incidents(self, opened_before: Instant, limit: int) -> Sequence[Incident]:
        """Return incidents that are held back and were opened before an instant."""
        page = {"before": opened_before, "limit": limit}
        return [_incident_of(row) for row in self._run("held_incidents", page)]

    def held_incidents_of(self, alert_id: AlertId, job_id: JobId) -> Sequence[Incident]:
        """Return the incidents of an alert and a job that are held back, the oldest first."""
        what = {"alert_id": alert_id, "job_id": job_id}
        return [_incident_of(row) for row in self._run("held_incidents_of", what)]

    def count_told(self, alert_id: AlertId, job_id: JobId, since: Instant) -> int:
        """Return how many incidents that are told were opened since an instant."""
        what = {"alert_id": alert_id, "job_id": job_id, "since": since}
        return self._number("count_told", what)

    def count_incidents(
        self, alert_id: AlertId, job_id: JobId, event: AlertEvent, since: Instant
    ) -> int:
        """Return how many incidents of an event were opened since an instant, told or not."""
        what = {"alert_id": alert_id, "job_id": job_id, "event": event.value, "since": since}
        return self._number("count_incidents", what)

    def count_open_incidents(self) -> int:
        """Return how many incidents are open."""
        return self._number("count_open_incidents")


class SqlIncidentChanges(SqlAccess):
    """Satisfies `ports.store.incidents.IncidentChanges`."""

    def open_incident(self, incident: Incident) -> Incident | None:
        """Store a new incident and return it with its id; None if one like it is open."""
        try:
            number = self._dialect.insert("open_incident", _row_of(incident), taken="open")
        except Conflict:
            return None
        return replace(incident, id=IncidentId(number))

    def close_incident(self, incident_id: IncidentId, at: Instant, *, is_resolved: bool) -> bool:
        """Close an incident; tell whether it was open."""
        what = {"id": incident_id, "at": at, "is_resolved": int(is_resolved)}
        return self._change("close_incident", what) > 0

    def set_telling(self, incident_ids: Iterable[IncidentId], telling: Telling) -> None:
        """Store whether incidents are told."""
        for each in incident_ids:
            self._change("set_telling", {"id": each, "telling": telling.value})

    def trim_incidents(self, closed_before: Instant, limit: int) -> int:
        """Remove incidents that were closed before an instant, with their notifications."""
        return self._change("trim_incidents", {"before": closed_before, "limit": limit})

    def trim_incidents_of_job(self, job_id: JobId, limit: int) -> int:
        """Remove incidents of a job, with their notifications."""
        return self._change("trim_incidents_of_job", {"job_id": job_id, "limit": limit})

    def trim_incidents_without_alert(self, limit: int) -> int:
        """Remove incidents of alerts that are deleted, with their notifications."""
        return self._change("trim_incidents_without_alert", {"limit": limit})

    def claim_duty(self, name: str, node: str, now: Instant, until: Instant) -> bool:
        """Take on work that one node does for all, or go on with it; tell whether it is ours."""
        what = {"name": name, "node": node, "until": until}
        if self._change("claim_duty", what | {"now": now}):
            return True
        return self._change("take_duty", what) > 0


def _incident_of(row: Row) -> Incident:
    id_, alert_id, job_id, event, opened_at, facts, telling, closed_at, is_resolved = row
    return Incident(
        id=id_,
        alert_id=alert_id,
        job_id=job_id,
        event=AlertEvent(event),
        opened_at=opened_at,
        facts=_read_facts(facts),
        telling=Telling(telling),
        closed_at=closed_at,
        is_resolved=None if is_resolved is None else bool(is_resolved),
    )


def _row_of(incident: Incident) -> Parameters:
    return {
        "alert_id": incident.alert_id,
        "job_id": incident.job_id,
        "event": incident.event.value,
        "opened_at": incident.opened_at,
        "facts": _write_facts(incident.facts).decode(),
        "telling": incident.telling.value,
    }
