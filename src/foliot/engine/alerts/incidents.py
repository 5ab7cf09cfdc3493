"""Opens and closes incidents, each with its messages in one transaction.

The transaction has locked the job, so that nobody else opens or closes an incident of it.
"""

from collections.abc import Iterator, Sequence

from foliot.core.instant import Instant
from foliot.core.model.alert import AlertEvent
from foliot.core.model.incident import AlertFacts, Incident, Telling
from foliot.core.model.job import Job
from foliot.core.model.notification import MESSAGE_ID_PREFIX, AlertMessage, Notification
from foliot.core.rules.alerts.flapping import begin_of_period, telling
from foliot.core.rules.alerts.messages import (
    Subject,
    raised_message,
    resolved_message,
    summary_message,
)
from foliot.core.rules.alerts.quiet_hours import due_outside
from foliot.core.rules.alerts.retries import GIVE_UP_AFTER
from foliot.ports.random_ids import new_id
from foliot.ports.store import Transaction

# The order of the messages of an incident; a summary may come between them.
_RAISED, _SUMMARY, _RESOLVED = 1, 2, 3


class JobAlert(Subject, frozen=True):
    """An alert and a job that it watches."""

    stored_job: Job

    def open(
        self, to: Transaction, event: AlertEvent, facts: AlertFacts, now: Instant
    ) -> Incident | None:
        """Open an incident and queue its messages; do nothing if one like it is open."""
        new = Incident(
            alert_id=self.alert.id,
            job_id=self.stored_job.id,
            event=event,
            opened_at=now,
            facts=facts,
        )
        incident = to.open_incident(new)
        if incident is None:
            return None
        told = to.count_told(self.alert.id, self.stored_job.id, begin_of_period(now))
        # The new one is among those.
        if telling(told - 1) is Telling.HELD:
            to.set_telling([incident.id], Telling.HELD)
            return incident
        to.add_notifications(self._messages(incident, _RAISED, raised_message(self, incident), now))
        return incident

    def resolve(self, to: Transaction, incident: Incident, now: Instant) -> None:
        """Close an incident and queue the messages of its recovery."""
        if not to.close_incident(incident.id, now, is_resolved=True):
            return
        if incident.telling is not Telling.TOLD:
            return
        is_untold = to.drop_untried(incident.id, now) > 0
        message = resolved_message(self, incident, now, is_untold=is_untold)
        to.add_notifications(self._messages(incident, _RESOLVED, message, now))

    def summarize(self, to: Transaction, held: Sequence[Incident], now: Instant) -> None:
        """Queue one message for all incidents that were held back.

        An incident that is still open is told from now on, so that its recovery is as well.
        """
        message = summary_message(self, held, now)
        to.add_notifications(self._messages(held[-1], _SUMMARY, message, now))
        is_open = {each.id for each in held if each.closed_at is None}
        to.set_telling(is_open, Telling.TOLD)
        to.set_telling({each.id for each in held} - is_open, Telling.SUMMARIZED)

    def _messages(
        self, incident: Incident, number: int, message: AlertMessage, now: Instant
    ) -> Iterator[Notification]:
        due_at = due_outside(self.alert.definition.quiet_hours, now)
        for destination in self.alert.definition.numbers:
            yield Notification(
                id=f"{MESSAGE_ID_PREFIX}{new_id()}",
                incident_id=incident.id,
                alert_id=self.alert.id,
                number=number,
                destination=destination,
                message=message,
                due_at=due_at,
                give_up_at=Instant(due_at + GIVE_UP_AFTER),
            )
