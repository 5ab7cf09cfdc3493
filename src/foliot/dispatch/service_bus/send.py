"""Messages to service bus queues and topics: over HTTPS, or over AMQP where the job says so.

A namespace that an operator has placed is spoken to as its address says, for an emulator may not
understand both.
"""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from foliot.core.instant import Instant
from foliot.core.model.action import ActionKind, ServiceBusMessage
from foliot.core.model.attempt import Errand, NotSent, Outcome
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import HttpSettings, Sender
from foliot.dispatch.http.history_messages import CANCELED, Failure
from foliot.dispatch.queue_endpoints import Endpoints, bus_endpoints
from foliot.dispatch.queue_outcomes import Place, delivered, never_raising, not_set, undelivered
from foliot.dispatch.service_bus.https import not_found, send_over_http
from foliot.dispatch.service_bus.message import Parcel, entity_kind

if TYPE_CHECKING:
    from foliot.dispatch.service_bus.amqp_pool import AmqpLinks

_DEFAULTS = HttpSettings()
_CLOUD = bus_endpoints()
# The names of the parts in the API: a message about a secret that is not set says where it goes.
_PARTS = {
    ActionKind.SERVICE_BUS_QUEUE: "serviceBusQueueMessage",
    ActionKind.SERVICE_BUS_TOPIC: "serviceBusTopicMessage",
}


class ServiceBusDispatcher:
    """Carries out ServiceBusQueue and ServiceBusTopic actions, in one event loop."""

    def __init__(
        self,
        egress: EgressRules,
        now: Callable[[], Instant],
        settings: HttpSettings = _DEFAULTS,
        endpoints: Endpoints = _CLOUD,
    ) -> None:
        self._settings = settings
        self._now = now
        self._endpoints = endpoints
        self._sender = Sender(egress, settings)
        self._egress = egress
        self._links: AmqpLinks | None = None
        self._is_closed = False

    async def dispatch(self, errand: Errand) -> Outcome | NotSent:
        """Send a job's message to its queue or topic."""
        message, kind = errand.action.part, errand.action.kind
        if not isinstance(message, ServiceBusMessage):
            text = f"{kind} is not an action for service bus."
            return undelivered(Place("ServiceBus", "a queue"), Failure("UnknownError", text))
        place = Place(
            kind, f"{entity_kind(kind)} '{message.entity}' of namespace '{message.namespace}'"
        )
        return await never_raising(place, errand.job, self._attempt(errand, message, place))

    async def close(self) -> None:
        """Close all connections; attempts under way fail."""
        self._is_closed = True
        await self._sender.close()
        if self._links is not None:
            await self._links.close()

    async def _attempt(self, errand: Errand, message: ServiceBusMessage, place: Place) -> Outcome:
        parcel = self._parcel(errand, message)
        if isinstance(parcel, Failure):
            return undelivered(place, parcel)
        if not parcel.base.startswith("amqp"):
            return await send_over_http(self._sender, parcel, self._now, place)
        if self._settings.proxy is not None:
            text = "AMQP does not go through FOLIOT_PROXY; give the transportType netMessaging."
            return undelivered(place, Failure("ProxyFailure", text))
        links = await self._amqp()
        failure = CANCELED if self._is_closed else await links.send(parcel)
        if failure is not None:
            return undelivered(place, not_found(failure, parcel))
        return delivered(place, "Accepted")

    async def _amqp(self) -> "AmqpLinks":
        if self._links is None:
            # Imports of half a second, which most servers never need: not at the start, and not
            # while the event loop waits.
            module = await asyncio.to_thread(import_module, "foliot.dispatch.service_bus.amqp_pool")
            made: AmqpLinks = module.AmqpLinks(self._egress, self._settings, self._sender.resolver)
            self._links = self._links or made
        return self._links

    def _parcel(self, errand: Errand, message: ServiceBusMessage) -> Parcel | Failure:
        given = message.authentication
        path = f"{_PARTS[errand.action.kind]}.authentication"
        if given is None or not given.sas_key or not given.sas_key.reveal():
            return not_set(f"{path}.sasKey")
        if not given.sas_key_name:
            return not_set(f"{path}.sasKeyName")
        return Parcel(
            errand=errand,
            message=message,
            base=self._endpoints.base_of(
                message.namespace, "amqps" if message.transport == "amqp" else "https"
            ),
            key_name=given.sas_key_name,
            key=given.sas_key,
            made_at=self._now(),
            deadline=asyncio.get_running_loop().time() + self._settings.timeout_seconds,
        )
