"""Sends messages to service bus queues and topics: over HTTPS, or over AMQP if the job says so.

Where an operator has set the address of a namespace, its scheme decides instead: an emulator may
speak only one of the two.
"""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foliot.core.model.action import ActionKind, ServiceBusMessage
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.exchange import Exchange, ShownRequest
from foliot.core.model.reason import Reason
from foliot.dispatch.exchange_recorder import with_exchange
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import CANCELED, Failure, secret_missing
from foliot.dispatch.http.shown_request import shown_headers
from foliot.dispatch.message_dispatcher import MessageDispatcher
from foliot.dispatch.queue_endpoints import bus_endpoints
from foliot.dispatch.queue_outcomes import (
    delivered,
    of_another_kind,
    undelivered,
    without_exception,
)
from foliot.dispatch.redaction import without
from foliot.dispatch.service_bus.https import not_found, send_over_http
from foliot.dispatch.service_bus.message import BusSend, message_id, properties_of

if TYPE_CHECKING:
    from foliot.dispatch.service_bus.amqp_pool import AmqpPool

# The names of the parts in the API: a message about a missing secret says where it goes.
_PARTS = {
    ActionKind.SERVICE_BUS_QUEUE: "serviceBusQueueMessage",
    ActionKind.SERVICE_BUS_TOPIC: "serviceBusTopicMessage",
}


class ServiceBusDispatcher(MessageDispatcher):
    """Sends the messages of ServiceBusQueue and ServiceBusTopic actions."""

    cloud = bus_endpoints()
    _pool: "AmqpPool | None" = None
    _is_closed = False

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Send a job's message to its queue or topic."""
        message = request.action.part
        if not isinstance(message, ServiceBusMessage):
            text = f"{request.action.kind} is not an action for service bus."
            return of_another_kind(request.action, text)
        host = self._endpoints.host_of(message.namespace)
        attempt = with_exchange(
            request, self._sender, lambda send: self._attempt(request, message, send)
        )
        return await without_exception(request, attempt, host)

    async def close(self) -> None:
        """Close all connections; open attempts fail."""
        self._is_closed = True
        await super().close()
        if self._pool is not None:
            await self._pool.close()

    async def _attempt(
        self, request: AttemptRequest, message: ServiceBusMessage, send: Send
    ) -> Outcome:
        bus_send = self._bus_send(request, message)
        if isinstance(bus_send, Failure):
            return undelivered(request.action, bus_send)
        if not bus_send.base.startswith("amqp"):
            return await send_over_http(send, bus_send, self._now)
        if self._settings.proxy is not None:
            text = "AMQP does not go through FOLIOT_PROXY; give the transportType netMessaging."
            failure = Failure(Reason.CONNECT_FAILURE, text, "ProxyFailure")
            return undelivered(request.action, failure)
        pool = await self._amqp()
        failure = CANCELED if self._is_closed else await pool.send(bus_send)
        if failure is not None:
            outcome = undelivered(request.action, not_found(failure, bus_send))
        else:
            outcome = delivered(request.action, "Accepted")
        return replace(outcome, exchange=_sent_message(bus_send)) if request.is_test else outcome

    async def _amqp(self) -> "AmqpPool":
        if self._pool is None:
            # Microsoft's client takes half a second to import, and most servers never use it:
            # import it at the first message, in a thread, so that the event loop goes on.
            module = await asyncio.to_thread(import_module, "foliot.dispatch.service_bus.amqp_pool")
            made: AmqpPool = module.AmqpPool(self._egress, self._settings, self._sender.resolver)
            self._pool = self._pool or made
        return self._pool

    def _bus_send(self, request: AttemptRequest, message: ServiceBusMessage) -> BusSend | Failure:
        given = message.authentication
        path = f"{_PARTS[request.action.kind]}.authentication"
        if given is None or not given.sas_key or not given.sas_key.reveal():
            return secret_missing(f"{path}.sasKey")
        if not given.sas_key_name:
            return secret_missing(f"{path}.sasKeyName")
        return BusSend(
            request=request,
            message=message,
            base=self._endpoints.base_of(
                message.namespace, "amqps" if message.transport == "amqp" else "https"
            ),
            key_name=given.sas_key_name,
            key=given.sas_key,
            made_at=self._now(),
            deadline=self._deadline(request),
        )


def _sent_message(bus_send: BusSend) -> Exchange:
    """Return a message over AMQP as it is shown: its properties are shown as headers."""
    request, message, secrets = bus_send.request, bus_send.message, [bus_send.key.reveal()]
    properties = {"message-id": message_id(request, message), **properties_of(request, message)}
    shown = ShownRequest(
        method=None,
        uri=f"{bus_send.base}/{message.entity}",
        headers=shown_headers(iter(properties.items()), secrets),
        body=without(secrets, message.message),
    )
    return Exchange(request=shown)
