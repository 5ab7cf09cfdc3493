"""Reads what alerts ask about a job."""

from collections.abc import Iterable

from foliot.core.instant import Instant
from foliot.core.model.alert import Alert
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.rules.alerts.conditions import JobFacts, WatchedJob
from foliot.core.rules.alerts.deadlines import search_since
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.schedule_changes import last_resumption
from foliot.ports.store import Reading

# Attempts among which the newest begin of an occurrence is searched.
_NEWEST_ATTEMPTS = 20


def watched_job(
    reading: Reading, collection: Collection, job: Job, alerts: Iterable[Alert], now: Instant
) -> WatchedJob:
    """Return a job with what these alerts ask about it, and nothing else."""
    conditions = [alert.definition.conditions for alert in alerts]
    late = any(each.late_by is not None for each in conditions)
    counts = [each.no_success_intervals for each in conditions if each.no_success_intervals]
    facts = JobFacts(
        since=_since(reading, job) if counts else job.calendar_at,
        waiting=tuple(reading.runs(job.id)) if late else (),
        begun=tuple(reading.history(job.id, limit=_NEWEST_ATTEMPTS)) if late else (),
    )
    if not counts or job.definition.recurrence is None:
        return WatchedJob(collection, job, facts)
    return WatchedJob(collection, job, _with_success(reading, job, facts, max(counts), now))


def _since(reading: Reading, job: Job) -> Instant:
    resumed = last_resumption(reading.schedule_changes(job.id))
    return job.calendar_at if resumed is None else max(job.calendar_at, resumed)


def _with_success(
    reading: Reading, job: Job, facts: JobFacts, count: int, now: Instant
) -> JobFacts:
    since = search_since(timetable_of(job), count, now)
    found = reading.last_success(job.id, since)
    return JobFacts(
        since=facts.since,
        waiting=facts.waiting,
        begun=facts.begun,
        success=None if found is None else (found.started_at, found.ended_at - found.started_at),
        success_at=None if found is None else found.ended_at,
        searched_since=since,
    )
