"""Sends the messages of the outbox, at least once, each with the same id at every try.

A node claims some and sends each of them in a task of its own. When one ends, it stores how that
ended, and the next one may begin. If the node is killed in between, the lease of the claim ends and
another node, or this one, sends the message again.
"""

import asyncio

from msgspec import Struct, structs

from foliot.core.errors import FoliotError, origin_of
from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.alert import QuietHours
from foliot.core.model.notification import (
    Delivery,
    DueNotification,
    Notification,
    NotificationState,
    WaitingNotification,
)
from foliot.core.rules.alerts.fair_sending import (
    MESSAGES_OF_A_NODE,
    MESSAGES_TO_A_HOST,
    MessageRoute,
    choose_messages,
    host_of_destination,
)
from foliot.core.rules.alerts.quiet_hours import due_outside
from foliot.core.rules.alerts.retries import put_back, settled
from foliot.ports.alert_sender import AlertSender
from foliot.ports.clock import Clock
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.random_ids import new_id
from foliot.ports.store import Store

# Longer than the sender takes for one message.
LEASE_TICKS = 45 * SECOND
_NO_COLLECTION = CollectionId(0)
_UNREADABLE = "This node was not given the key that the alert was sealed with."

_log = get_logger("foliot.alerts")


class OutboxPace(Struct, frozen=True, kw_only=True):
    """How often a node looks for messages while none ends."""

    poll_seconds: float = 2.0


class Deliveries:
    """Sends what is due. `step` and `drain` are for tests; `run` sends until cancelled."""

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
        self._in_flight: dict[asyncio.Task[None], MessageRoute] = {}

    async def run(self) -> None:
        """Send until cancelled; what goes wrong is tried again later."""
        try:
            while True:
                try:
                    await self.step()
                except FoliotError as error:
                    _log.warning("Messages wait: the store does not answer", error=str(error))
                except Exception as error:  # noqa: BLE001  (messages must go on)
                    _log.error("A round of messages broke down", error=origin_of(error))
                await self._rest()
        finally:
            in_flight = list(self._in_flight)
            for each in in_flight:
                each.cancel()
            await asyncio.gather(*in_flight, return_exceptions=True)

    async def step(self) -> bool:
        """Begin to send the messages that are due and have a slot; tell whether any has begun."""
        now, claim = self._clock.now(), new_id()
        if len(self._in_flight) >= MESSAGES_OF_A_NODE:
            return False
        earliest = await self._store.read(lambda reading: reading.earliest_notification_at())
        if earliest is None or earliest > now:
            return False
        waiting = await self._store.browse(
            lambda reading: reading.waiting_notifications(now, MESSAGES_TO_A_HOST)
        )
        routes, in_flight = [_route(each) for each in waiting], [*self._in_flight.values()]
        chosen = {waiting[at].id: routes[at] for at in choose_messages(routes, in_flight)}
        if not chosen:
            return False
        until = Instant(now + LEASE_TICKS)
        due = await self._store.write(lambda to: to.claim_notifications(chosen, claim, now, until))
        for each in due:
            task = asyncio.create_task(self._deliver(each, claim))
            self._in_flight[task] = chosen[each.notification.id]
            task.add_done_callback(self._in_flight.pop)
        return bool(due)

    @property
    def in_flight(self) -> int:
        """How many messages are being sent."""
        return len(self._in_flight)

    async def drain(self) -> None:
        """Wait until all messages in flight have ended."""
        await asyncio.gather(*self._in_flight)

    async def _rest(self) -> None:
        """Wait until a message ends, since its slot is free then, or for a while."""
        pause = self._pace.poll_seconds
        if self._in_flight:
            await asyncio.wait(self._in_flight, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(pause)

    async def _deliver(self, due: DueNotification, claim: str) -> None:
        try:
            back = _put_back_if_quiet(due, self._now())
            done = back or await self._sent(due)
            tried_at = self._now() if back is None else None
            await self._store.write(lambda to: to.settle_notification(done, claim, tried_at))
        except FoliotError as error:
            # Its lease ends, and it is sent again with the same id.
            _log.warning("The end of a message is not stored", error=str(error))
        except Exception as error:  # noqa: BLE001  (other messages must go on)
            _log.error("A message broke down", error=origin_of(error))

    async def _sent(self, due: DueNotification) -> Notification:
        """Send a message; return it as it is after the try."""
        notification, destination = due.notification, due.destination
        if not due.is_readable:
            return settled(notification, Delivery(error=_UNREADABLE, is_ours=True), self._now())
        if destination is None:
            # The alert, the job or this destination is gone, or the alert is disabled.
            return structs.replace(notification, state=NotificationState.DROPPED)
        delivery = await self._sender.send(destination, notification.message, notification.id)
        done = settled(notification, delivery, self._now(), _quiet_hours(due))
        self._meter.notified(succeeded=delivery.error is None)
        _log_delivery(done)
        return done

    def _now(self) -> Instant:
        return self._clock.now()


def _quiet_hours(due: DueNotification) -> QuietHours | None:
    return None if due.alert is None else due.alert.definition.quiet_hours


def _put_back_if_quiet(due: DueNotification, now: Instant) -> Notification | None:
    """Return a message whose quiet hours have begun since it was due, as it waits for their end."""
    quiet = _quiet_hours(due)
    if due.destination is None or due_outside(quiet, now) == now:
        return None
    return put_back(due.notification, quiet, now)


def _route(waiting: WaitingNotification) -> MessageRoute:
    alert = waiting.alert
    if alert is None:
        return MessageRoute(_NO_COLLECTION, waiting.alert_id, host_of_destination(None))
    destination = alert.definition.destination(waiting.destination)
    return MessageRoute(alert.collection_id, alert.id, host_of_destination(destination))


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
