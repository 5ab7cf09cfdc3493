"""Incidents: what an alert tells about a job, from the event to its end."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.alert import AlertEvent, AlertId

IncidentId = NewType("IncidentId", int)

# What the text of a message says: instants are written as ISO 8601.
AlertFacts = dict[str, str | int]


class Telling(StrEnum):
    """Whether an incident is told by itself, held back, or was counted in a summary."""

    TOLD = "told"
    HELD = "held"
    SUMMARIZED = "summarized"


class Incident(Struct, frozen=True, kw_only=True):
    """One incident of an alert, a job and an event. An id of 0 is not stored yet.

    `is_resolved` is None while it is open; False if it ended without a recovery, since the job or
    the alert was changed, disabled or deleted.
    """

    id: IncidentId = IncidentId(0)
    alert_id: AlertId
    job_id: JobId
    event: AlertEvent
    opened_at: Instant
    facts: AlertFacts
    telling: Telling = Telling.TOLD
    closed_at: Instant | None = None
    is_resolved: bool | None = None
