"""Checks jobs and open incidents without a run that has ended.

Readers find what may have changed; the transaction that changes it locks the jobs and decides
again, since somebody may have changed them meanwhile.
"""

from collections.abc import Iterable, Iterator, Sequence

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.model.collection import Collection
from foliot.core.model.incident import AlertFacts, Incident, Telling
from foliot.core.model.job import Job
from foliot.core.rules.alerts.conditions import (
    WatchedJob,
    has_computable_times,
    met_by_job,
    watches,
)
from foliot.core.rules.alerts.flapping import PERIOD_TICKS
from foliot.core.rules.alerts.verdicts import Verdict, verdict
from foliot.engine.alerts.incidents import JobAlert
from foliot.engine.alerts.job_facts import watched_job
from foliot.ports.store import Reading, Transaction


def jobs_to_tell(
    reading: Reading, collection_id: CollectionId, jobs: Sequence[Job], now: Instant
) -> list[JobId]:
    """Return the jobs that meet a condition for which no incident is open."""
    first = [job.id for job in jobs[:1]]
    located = next((each for each in reading.watched_jobs(first).values() if each), None)
    if located is None:
        return []
    alerts = _readable(reading, collection_id)
    return [job.id for job in jobs if _is_news(reading, located[0], job, alerts, now)]


def open_incidents(transaction: Transaction, job_ids: Sequence[JobId], now: Instant) -> None:
    """Open incidents of jobs, as they are now."""
    for located in transaction.watched_jobs(job_ids).values():
        if located is not None:
            collection, job = located
            alerts = _readable(transaction, collection.id)
            for alert, event, facts in _met(transaction, collection, job, alerts, now):
                subject = JobAlert(alert, collection.key, job.name, job)
                subject.open(transaction, event, facts, now)


def incidents_over(reading: Reading, incidents: Iterable[Incident], now: Instant) -> list[Incident]:
    """Return the incidents that are no longer open."""
    return [each for each in incidents if _verdict(reading, each, now)[0] is not Verdict.OPEN]


def close_incidents(transaction: Transaction, incidents: Sequence[Incident], now: Instant) -> None:
    """Close incidents that are over, as they are now."""
    transaction.watched_jobs([each.job_id for each in incidents])
    for each in incidents:
        decided, subject = _verdict(transaction, each, now)
        if decided is Verdict.RESOLVED and subject is not None:
            subject.resolve(transaction, each, now)
        elif decided in (Verdict.ENDED, Verdict.JOB_ENDED):
            transaction.close_incident(each.id, now, is_resolved=False)
        if decided is Verdict.ENDED:
            # What waits for the end of quiet hours would tell about something that is over. That a
            # job has ended does not make its failure good: it is still told.
            transaction.drop_untried(each.id, now)


def summarize_held(transaction: Transaction, now: Instant, limit: int) -> None:
    """Tell about incidents of which the first has been held back for an hour."""
    due = transaction.held_incidents(Instant(now - PERIOD_TICKS), limit)
    transaction.watched_jobs([each.job_id for each in due])
    for each in {(each.alert_id, each.job_id): each for each in due}.values():
        held = transaction.held_incidents_of(each.alert_id, each.job_id)
        _, subject = _verdict(transaction, each, now)
        if subject is None:
            # Nobody wants to know any more.
            transaction.set_telling([one.id for one in held], Telling.SUMMARIZED)
        else:
            subject.summarize(transaction, held, now)


def _readable(reading: Reading, collection_id: CollectionId) -> list[Alert]:
    return [each for each in reading.watching_alerts(collection_id).values() if each is not None]


def _is_news(
    reading: Reading, collection: Collection, job: Job, alerts: Sequence[Alert], now: Instant
) -> bool:
    met = {(alert.id, event) for alert, event, _ in _met(reading, collection, job, alerts, now)}
    return bool(met) and not met <= {
        (each.alert_id, each.event) for each in reading.open_incidents(job.id)
    }


def _met(
    reading: Reading, collection: Collection, job: Job, alerts: Sequence[Alert], now: Instant
) -> Iterator[tuple[Alert, AlertEvent, AlertFacts]]:
    """Yield the conditions that a job meets, of all alerts that watch it."""
    watching = [alert for alert in alerts if watches(alert, job)]
    if watching and has_computable_times(job, now):
        watched = watched_job(reading, collection, job, watching, now)
        for alert in watching:
            for event, facts in met_by_job(alert, watched, now):
                if not (watched.has_ended and _was_told(reading, alert, watched, event)):
                    yield alert, event, facts


def _was_told(reading: Reading, alert: Alert, watched: WatchedJob, event: AlertEvent) -> bool:
    """Tell whether a job that has ended had such an incident since its last success.

    Its incidents are closed, since nothing can resolve them; they are not told again.
    """
    since = max(watched.facts.since, watched.facts.success_at or Instant(0))
    return reading.count_incidents(alert.id, watched.job.id, event, since) > 0


def _verdict(reading: Reading, incident: Incident, now: Instant) -> tuple[Verdict, JobAlert | None]:
    """Decide about an incident; one whose job or alert this node cannot read stays open."""
    jobs = reading.watched_jobs([incident.job_id])
    located = jobs.get(incident.job_id)
    if located is None:
        return (Verdict.OPEN if jobs else Verdict.ENDED), None
    collection, job = located
    alerts = reading.watching_alerts(collection.id)
    alert = alerts.get(incident.alert_id)
    if alert is None:
        return (Verdict.OPEN if incident.alert_id in alerts else Verdict.ENDED), None
    watched = watched_job(reading, collection, job, [alert], now)
    subject = JobAlert(alert, collection.key, job.name, job)
    return verdict(incident, alert, watched, now), subject
