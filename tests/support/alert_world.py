"""A world with alerts: jobs in virtual time, a watch, and inboxes where messages arrive."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from foliot.core.instant import MINUTE, Instant
from foliot.core.model.action import Duration
from foliot.core.model.alert import (
    Alert,
    AlertConditions,
    AlertDefinition,
    AlertDestination,
    AlertId,
    WebhookDestination,
)
from foliot.core.model.attempt import Outcome
from foliot.core.model.incident import Incident
from foliot.core.model.notification import AlertMessage, Delivery, Notification
from foliot.core.rules.alerts.fair_sending import host_of_destination
from foliot.engine.alerts.deliveries import Deliveries
from foliot.engine.alerts.watch import AlertWatch
from foliot.ports.store import Store
from tests.support.alerts import WEBHOOK, an_alert
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

NO_RETRY_ACTION = {
    "type": "Http",
    "request": {"uri": "http://example.com/", "method": "GET"},
    "retryPolicy": {"retryType": "none"},
}
SECOND_WEBHOOK = WebhookDestination(uri="https://other.example.com/")


class Received(NamedTuple):
    id: str
    message: AlertMessage
    at: Instant
    destination: AlertDestination


class Inboxes:
    """Whatever an alert sends arrives here, unless they are down."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.received: list[Received] = []
        self.error: str | None = None
        self.tries = 0
        self.errors: dict[str, str] = {}
        self.hanging: dict[str, asyncio.Event] = {}
        self.waiting: dict[str, str] = {}
        self._moved = asyncio.Event()

    async def send(
        self, destination: AlertDestination, message: AlertMessage, message_id: str
    ) -> Delivery:
        self.tries += 1
        host = host_of_destination(destination)
        if host in self.hanging:
            self.waiting[message_id] = host
            self._moved.set()
            await self.hanging[host].wait()
            self.waiting.pop(message_id)
            self._moved.set()
            return Delivery(error="no answer within 20 seconds")
        error = self.errors.get(host, self.error)
        if error is not None:
            return Delivery(error=error)
        now = self._world.clock.now()
        self.received.append(Received(message_id, message, now, destination))
        self._moved.set()
        return Delivery()

    async def release(self, host: str) -> None:
        """Let a host that hangs refuse what it has, and take what comes."""
        self.hanging.pop(host).set()
        await self.until(lambda: host not in self.waiting.values())

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for something that is so after a message was tried."""
        while not is_so():
            self._moved.clear()
            await self._moved.wait()

    @property
    def told(self) -> list[str]:
        return [f"{each.message.kind}:{each.message.event or '-'}" for each in self.received]


class AlertWorld(World):
    """A world whose clock also drives the watch and the outbox, once a minute."""

    def __init__(self, folder: Path, now: str = "2026-01-10T00:00:00Z") -> None:
        super().__init__(folder, now)
        self.inboxes = Inboxes(self)
        self.restart_alerts()

    def restart_alerts(self, store: Store | None = None, node: str | None = "node") -> None:
        """Start watch and outbox anew, as a process does that knows nothing."""
        used = store or self.store
        self.watch = AlertWatch(used, self.clock, node)
        self.deliveries = Deliveries(used, self.clock, self.inboxes)

    def add_alert(
        self,
        name: str = "on-call",
        destinations: Iterable[AlertDestination] = (WEBHOOK,),
        **fields: Any,
    ) -> Alert:
        conditions = {
            each: fields.pop(each)
            for each in list(fields)
            if each in AlertConditions.__struct_fields__
        }
        definition = AlertDefinition(
            conditions=AlertConditions(**conditions), destinations=tuple(destinations), **fields
        )
        owner = self.run(self.store.read(lambda view: view.collection(KEY)))
        alert = an_alert(owner.id, name, definition=definition, changed_at=self.clock.now())
        return self.run(self.store.write(lambda to: to.add_alert(alert)))

    def change(self, change: Any) -> Any:
        return self.run(self.store.write(change))

    def tell(self) -> None:
        """Let watch and outbox do what is due now."""
        self.run(self.tell_once())

    async def tell_once(self) -> None:
        await self.watch.step()
        while await self.deliveries.step():
            await self.deliveries.drain()

    def pass_minutes(self, count: int) -> None:
        """Let minutes go by, in which jobs run and alerts are told."""
        for _ in range(count):
            self.clock.at = Instant(self.clock.at + MINUTE)
            self.step()
            self.tell()

    def fail(self) -> None:
        self.targets.answer = failing()

    def succeed(self) -> None:
        self.targets.answer = lambda _: Outcome(succeeded=True, message="ok")

    def incidents(self, alert_id: AlertId) -> list[Incident]:
        """Return the incidents of an alert, the oldest first."""
        found = self.run(self.store.read(lambda view: view.recent_incidents(alert_id)))
        return list(reversed(found))

    def notifications(self, alert_id: AlertId) -> list[Notification]:
        incidents = self.incidents(alert_id)
        return self.run(
            self.store.read(
                lambda view: [one for each in incidents for one in view.notifications(each.id)]
            )
        )

    def save(self, name: str = "job", **properties: Any) -> None:
        self.run(self.save_job(name, **properties))

    def delete_job(self, name: str = "job") -> None:
        self.run(self.use_cases.jobs.delete_job(OWNER, KEY, name))


def duration(text: str, ticks: int) -> Duration:
    return Duration(text, ticks)


def clock_text(moment: Instant) -> str:
    """Return the time of day, to tell when something arrived."""
    ticks = moment - at("2026-01-10")
    minutes = ticks // MINUTE
    return f"{minutes // 60:02}:{minutes % 60:02}"
