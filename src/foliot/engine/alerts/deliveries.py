"""Sends the messages of the outbox, at least once, each with the same id at every try.

A node claims some, sends them and stores how that ended. If it is killed in between, the lease of
the claim ends and another node, or this one, sends them again.
"""

import asyncio

from msgspec import Struct, structs

from foliot.core.errors import FoliotError, origin_of
from foliot.core.instant import SECOND, Instant
from foliot.core.model.notification import (
    Delivery,
    DueNotification,
    Notification,
    NotificationState,
)
from foliot.core.rules.alerts.retries import settled
from foliot.ports.alert_sender import AlertSender
from foliot.ports.clock import Clock
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.random_ids import new_id
from foliot.ports.store import Store

# Longer than the sender takes for one message.
LEASE_TICKS = 45 * SECOND
_UNREADABLE = "This node was not given the key that the alert was sealed with."

_log = get_logger("foliot.alerts")


class OutboxPace(Struct, frozen=True, kw_only=True):
    """How many messages are sent at a time, and how often a node looks for some."""

    batch: int = 100
    poll_seconds: float = 2.0


class Deliveries:
    """Sends what is due. `step` sends some, for tests; `run` sends until cancelled."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        sender: AlertSender,
        meter: Meter = NO_METER,
        pace: OutboxPace | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._sender = sender
        self._meter = meter
        self._pace = pace or OutboxPace()

    async def run(self) -> None:
        """Send until cancelled; what goes wrong is tried again later."""
        while True:
            is_more = False
            try:
                is_more = await self.step()
            except FoliotError as error:
                _log.warning("Messages wait: the store does not answer", error=str(error))
            except Exception as error:  # noqa: BLE001  (messages must go on)
                _log.error("A round of messages broke down", error=origin_of(error))
            if not is_more:
                await asyncio.sleep(self._pace.poll_seconds)

    async def step(self) -> bool:
        """Send the messages that are due, a batch of them; tell whether there may be more."""
        now, claim, limit = self._clock.now(), new_id(), self._pace.batch
        earliest = await self._store.read(lambda reading: reading.earliest_notification_at())
        if earliest is None or earliest > now:
            return False
        until = Instant(now + LEASE_TICKS)
        due = await self._store.write(lambda to: to.claim_notifications(claim, now, until, limit))
        await asyncio.gather(*(self._deliver(each, claim) for each in due))
        return len(due) == limit

    async def _deliver(self, due: DueNotification, claim: str) -> None:
        notification, destination = due.notification, due.destination
        if not due.is_readable:
            done = settled(notification, Delivery(error=_UNREADABLE, is_ours=True), self._now())
        elif destination is None:
            # The alert, the job or this destination is gone, or the alert is disabled.
            done = structs.replace(notification, state=NotificationState.DROPPED)
        else:
            delivery = await self._sender.send(destination, notification.message, notification.id)
            quiet = None if due.alert is None else due.alert.definition.quiet_hours
            done = settled(notification, delivery, self._now(), quiet)
            self._meter.notified(succeeded=delivery.error is None)
            _log_delivery(done)
        at = self._now()
        await self._store.write(lambda to: to.settle_notification(done, claim, at))

    def _now(self) -> Instant:
        return self._clock.now()


def _log_delivery(done: Notification) -> None:
    message = done.message
    about = {
        "collection": collection_text(message.collection),
        "alert": message.alert,
        "job": message.job,
        "id": done.id,
        "attempt": done.attempt,
    }
    match done.state:
        case NotificationState.SENT:
            _log.info("Message of an alert sent", kind=message.kind.value, **about)
        case NotificationState.FAILED:
            _log.error("Message of an alert given up", error=done.error, **about)
        case _:
            _log.warning("Message of an alert not sent, tried again", error=done.error, **about)
