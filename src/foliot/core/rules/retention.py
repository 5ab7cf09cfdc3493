"""How long history, ended jobs and the audit log are kept."""

from msgspec import Struct

from foliot.core.instant import DAY, Instant
from foliot.core.limits import Limits

INCIDENT_DAYS = 30


class Retention(Struct, frozen=True, kw_only=True):
    """What is kept, as of one moment.

    Of the history of a job: the newest `history_entries` that began at `history_since` or later. Of
    the jobs in a final state: those that ended at `ended_since` or later. Of the audit log: the
    newest `audit_entries` of `audit_since` or later. Of the incidents of alerts: open ones, and
    those that were closed at `incidents_since` or later.
    """

    history_since: Instant
    history_entries: int
    ended_since: Instant
    audit_since: Instant
    audit_entries: int
    incidents_since: Instant


def retention(limits: Limits, now: Instant) -> Retention:
    """Return what is kept now."""
    return Retention(
        history_since=_days_before(now, limits.history_days),
        history_entries=limits.history_entries,
        ended_since=_days_before(now, limits.finished_job_days),
        audit_since=_days_before(now, limits.audit_days),
        audit_entries=limits.audit_entries,
        incidents_since=_days_before(now, INCIDENT_DAYS),
    )


def _days_before(now: Instant, days: int) -> Instant:
    # To keep everything, an operator may set more days than have passed since year 1.
    return Instant(max(0, now - days * DAY))
