"""Decides whether an open incident goes on, is resolved, or ends without a recovery."""

from enum import StrEnum

from foliot.core.instant import Instant, parse_instant, to_the_second
from foliot.core.model.alert import Alert, AlertConditions, AlertEvent
from foliot.core.model.incident import Incident
from foliot.core.model.job import Job, JobState
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.rules.alerts.conditions import WatchedJob, watches
from foliot.core.rules.alerts.expiry import earliest_expiry
from foliot.core.rules.lifecycle import FINAL

_GOOD = frozenset({RunOutcome.SUCCEEDED, RunOutcome.RECOVERED})


class Verdict(StrEnum):
    """What becomes of an open incident; only a resolved one is told.

    `JOB_ENDED`: the job has ended, so that nothing can resolve it. `ENDED`: a change has ended it.
    """

    OPEN = "open"
    RESOLVED = "resolved"
    JOB_ENDED = "job ended"
    ENDED = "ended"


def is_watched(conditions: AlertConditions, event: AlertEvent) -> bool:
    """Tell whether an alert still watches an event."""
    match event:
        case AlertEvent.FAILED:
            return conditions.failed_in_a_row is not None
        case AlertEvent.LATE:
            return conditions.late_by is not None
        case AlertEvent.NO_SUCCESS:
            return conditions.no_success_intervals is not None
        case AlertEvent.PAUSED:
            return bool(conditions.paused)
        case AlertEvent.EXPIRING:
            return conditions.expiring_within is not None


def verdict(
    incident: Incident, alert: Alert | None, watched: WatchedJob | None, now: Instant
) -> Verdict:
    """Decide about an incident; alert and job are None if they were deleted or disabled."""
    if alert is None or watched is None:
        return Verdict.ENDED
    job, conditions = watched.job, alert.definition.conditions
    if not watches(alert, job) or not is_watched(conditions, incident.event):
        return Verdict.ENDED
    if _is_resolved(incident, conditions, watched, now):
        return Verdict.RESOLVED
    if job.state in FINAL:
        return Verdict.JOB_ENDED
    # A job that its policy has paused may recover; one that somebody has disabled is not watched.
    goes_on = watched.can_run or job.paused_because is not None
    if incident.event is AlertEvent.EXPIRING:
        # Otherwise the limit was changed, or the credential removed: nothing was replaced.
        goes_on = goes_on and _is_expiring(conditions, job, now)
    return Verdict.OPEN if goes_on else Verdict.ENDED


def _is_resolved(
    incident: Incident, conditions: AlertConditions, watched: WatchedJob, now: Instant
) -> bool:
    job, success_at = watched.job, watched.facts.success_at
    match incident.event:
        case AlertEvent.FAILED:
            return job.consecutive_failures == 0 and job.last_outcome in _GOOD
        case AlertEvent.LATE:
            limit = conditions.late_by
            return limit is not None and _is_in_time(incident, watched, now, limit.ticks)
        case AlertEvent.NO_SUCCESS:
            return success_at is not None and success_at > incident.opened_at
        case AlertEvent.PAUSED:
            return job.state is JobState.ENABLED
        case AlertEvent.EXPIRING:
            return _is_replaced(incident, job) and not _is_expiring(conditions, job, now)


def _is_replaced(incident: Incident, job: Job) -> bool:
    """Tell whether the credential of a job is valid for longer than the one that was told."""
    expiry, told = earliest_expiry(job), parse_instant(str(incident.facts["expires"]))
    return expiry is not None and to_the_second(expiry.at) > told


def _is_expiring(conditions: AlertConditions, job: Job, now: Instant) -> bool:
    within, expiry = conditions.expiring_within, earliest_expiry(job)
    return expiry is not None and within is not None and expiry.at - now <= within.ticks


def _is_in_time(incident: Incident, watched: WatchedJob, now: Instant, limit: int) -> bool:
    """Tell whether a later occurrence has begun in time, and none is late."""
    overdue, newest = watched.overdue_since, watched.newest_begin
    if newest is None or (overdue is not None and now - overdue > limit):
        return False
    begin = watched.planned_begin(newest.expected_at)
    is_later = begin > parse_instant(str(incident.facts["planned"]))
    return is_later and newest.started_at - begin <= limit
