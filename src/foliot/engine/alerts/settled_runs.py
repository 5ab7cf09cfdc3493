"""Opens and closes incidents when runs have ended, in the transaction that settles them.

So an incident exists if and only if history has the run that is its cause. Nearly all runs are not
notable and cost nothing; of the others, those of collections without alerts cost one query.
"""

from collections.abc import Sequence

from foliot.core.errors import origin_of
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.rules.alerts.conditions import SettledRun, met_by_run, watches
from foliot.engine.alerts.incidents import JobAlert
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.store import Transaction

_log = get_logger("foliot.alerts")


def tell_settled_runs(transaction: Transaction, settled: Sequence[SettledRun]) -> None:
    """Open and close the incidents that follow from runs."""
    notable = [each for each in settled if each.is_notable]
    if not notable:
        return
    watched = transaction.watched_collections()
    alerts = {
        each: transaction.watching_alerts(each)
        for each in {run.job.collection_id for run in notable}
        if each in watched
    }
    for run in notable:
        for alert in alerts.get(run.job.collection_id, {}).values():
            if alert is not None and watches(alert, run.job):
                _tell(transaction, alert, run)


def _tell(transaction: Transaction, alert: Alert, run: SettledRun) -> None:
    at, key = run.attempt.ended_at, run.before.collection.key
    subject = JobAlert(alert, key, run.job.name, run.job)
    try:
        met = list(met_by_run(alert, run))
    except Exception as error:  # noqa: BLE001  (an alert must not keep a run from being settled)
        _log.error(
            "An alert cannot be evaluated",
            collection=collection_text(key),
            alert=alert.name,
            job=run.job.name,
            error=origin_of(error),
        )
        return
    for event, facts in met:
        subject.open(transaction, event, facts, at)
    if run.has_recovered:
        for incident in transaction.open_incidents(run.job.id):
            if incident.alert_id == alert.id and incident.event is AlertEvent.FAILED:
                subject.resolve(transaction, incident, at)
