"""Opens an AMQP connection to a queue or topic, through Microsoft's client.

The client gets an address that has passed the egress rules, never a name, so that it connects to
what was checked. TLS gets the name, to verify the certificate.
"""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from azure.core.credentials import AzureNamedKeyCredential
from azure.servicebus import ServiceBusMessage, TransportType
from azure.servicebus.aio import ServiceBusClient, ServiceBusSender
from msgspec import Struct

from foliot.dispatch.egress.addresses import Address, literal_address
from foliot.dispatch.egress.resolver import Resolver
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.history_messages import Failure, curl_failure, refused
from foliot.dispatch.http.outgoing_request import user_agent
from foliot.dispatch.service_bus.amqp_failures import failure_of, shortage_of
from foliot.dispatch.service_bus.amqp_frame_limits import (
    FrameLimitExceeded,
    bound_frames,
    has_exceeded_limits,
    reset_limit,
)
from foliot.dispatch.service_bus.message import BusSend

_PORTS = {"amqp": 5672, "amqps": 5671}
_NO_SUCH_NAME = 6  # a CURLcode
_CLOSING_SECONDS = 2

bound_frames()
# History has its errors in better words, and its log could hold message texts.
logging.getLogger("azure.servicebus").setLevel(logging.CRITICAL)


class AmqpEndpoint(Struct, frozen=True):
    """The host and port of a namespace."""

    host: str
    port: int
    is_secure: bool


def endpoint_of(base: str) -> AmqpEndpoint:
    """Parse an address such as `amqps://host:port`."""
    parts = urlsplit(base)
    return AmqpEndpoint(
        parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.scheme == "amqps"
    )


class AmqpSender:
    """A connection with a link to one queue or topic, for any number of messages."""

    def __init__(self, client: ServiceBusClient, sender: ServiceBusSender) -> None:
        self._client = client
        self._sender = sender
        self._transport: Any = None

    async def open(self, deadline: float) -> None:
        """Connect, authenticate and attach: creating a batch makes the client do so."""
        opening = asyncio.ensure_future(self._sender.create_message_batch())
        # Keep the transport now, while it connects: after a failure the client drops it.
        await asyncio.sleep(0)
        self._transport = _private(self._sender, "_handler", "_connection", "_transport")
        await self._finished(opening, deadline)

    async def send(self, messages: Sequence[ServiceBusMessage], deadline: float) -> None:
        """Send messages and wait until they are accepted, all or none."""
        reset_limit(self._transport)
        await self._finished(asyncio.ensure_future(self._send_all(messages)), deadline)

    async def close(self) -> None:
        """Close the connection, by force if that takes long."""
        deadline = asyncio.get_running_loop().time() + _CLOSING_SECONDS
        try:
            await _finished(asyncio.ensure_future(self._client.close()), deadline)
        except Exception:  # noqa: BLE001, S110  (nobody waits for the result)
            pass
        finally:
            self._abort()

    async def _finished(self, task: asyncio.Task[Any], deadline: float) -> None:
        try:
            await _finished(task, deadline)
        except Exception:
            # The client may hide the reason, or go on waiting.
            if has_exceeded_limits(self._transport):
                raise FrameLimitExceeded from None
            raise

    async def _send_all(self, messages: Sequence[ServiceBusMessage]) -> None:
        if len(messages) == 1:
            await self._sender.send_messages(messages[0])
            return
        batch = await self._sender.create_message_batch()
        for message in messages:
            batch.add_message(message)
        await self._sender.send_messages(batch)

    def _abort(self) -> None:
        """Close the socket: the client leaves it open if it was cancelled or failed halfway."""
        socket_ = _private(self._transport, "writer", "transport")
        if socket_ is not None:
            socket_.abort()


def _private(whole: Any, *names: str) -> Any:
    """Return a private attribute of the client, or None if another version has none."""
    for name in names:
        whole = getattr(whole, name, None)
    return whole


async def _finished(task: asyncio.Task[Any], deadline: float) -> None:
    """Wait for a task until a time of the event loop's clock, and not longer.

    A cancelled task is not awaited: before Python 3.12 the client may swallow the cancellation. The
    end of its socket, which follows, ends it in any case.
    """
    task.add_done_callback(_retrieve_error)
    try:
        await asyncio.wait({task}, timeout=deadline - asyncio.get_running_loop().time())
        if not task.done():
            raise TimeoutError
        task.result()
    finally:
        task.cancel()


def _retrieve_error(task: asyncio.Task[Any]) -> None:
    """Retrieve the error of a task that nobody awaits, so that asyncio does not warn."""
    if not task.cancelled():
        task.exception()


class AmqpSettings(Struct, frozen=True):
    """What a new connection needs: egress rules, a resolver, trusted certificates."""

    egress: EgressRules
    resolver: Resolver
    ca_file: str | None


async def open_sender(bus_send: BusSend, settings: AmqpSettings) -> AmqpSender | Failure:
    """Connect to the first allowed address that answers."""
    endpoint = endpoint_of(bus_send.base)
    deadline = bus_send.deadline
    addresses = await _addresses(endpoint, settings, deadline)
    if isinstance(addresses, Failure):
        return addresses
    failure = curl_failure(_NO_SUCH_NAME, "", host=endpoint.host)
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        now = asyncio.get_running_loop().time()
        sender = _new_sender(bus_send, endpoint, address, settings.ca_file)
        try:
            # Each address gets an equal part of the time that is left.
            await sender.open(now + (deadline - now) / left)
        except Exception as error:  # noqa: BLE001  (any error means that it is not open)
            await sender.close()
            shortage = shortage_of(error)
            if shortage is not None:
                raise shortage from None
            failure = failure_of(error, bus_send, was_open=False)
        except BaseException:
            await sender.close()
            raise
        else:
            return sender
    return failure


async def _addresses(
    endpoint: AmqpEndpoint, settings: AmqpSettings, deadline: float
) -> Sequence[Address] | Failure:
    """Resolve a name, and leave out addresses that the egress rules refuse."""
    egress = settings.egress
    refusal = egress.refusal_of_name(endpoint.host, endpoint.port)
    if refusal is not None:
        return refused(refusal)
    literal = literal_address(endpoint.host)
    addresses = [literal] if literal else await settings.resolver.addresses(endpoint.host, deadline)
    if isinstance(addresses, Failure):
        return addresses
    refusals = [egress.refusal(endpoint.host, endpoint.port, address) for address in addresses]
    allowed = [address for address, why in zip(addresses, refusals, strict=True) if why is None]
    first = next((why for why in refusals if why is not None), None)
    return allowed if allowed or first is None else refused(first)


def _new_sender(
    bus_send: BusSend, endpoint: AmqpEndpoint, address: Address, ca_file: str | None
) -> AmqpSender:
    shown = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004  (IPv6)
    client = ServiceBusClient(
        endpoint.host,
        AzureNamedKeyCredential(bus_send.key_name, bus_send.key.reveal()),
        custom_endpoint_address=f"sb://{shown}:{endpoint.port}",
        transport_type=TransportType.Amqp,
        ssl_context=_context(endpoint.host, ca_file) if endpoint.is_secure else None,
        use_tls=endpoint.is_secure,
        retry_total=0,
        user_agent=user_agent(),
    )
    # No heartbeat: idle links are closed before they need one, and it would delay closing.
    sender = client.get_queue_sender(bus_send.message.entity, keep_alive=None)
    return AmqpSender(client, sender)


class _NamedContext(ssl.SSLContext):
    """Verifies the certificate against a name, though the connection is to an address."""

    name: str = ""

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,  # noqa: FBT001, FBT002  (as it is called)
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Begin TLS."""
        del server_hostname
        return super().wrap_bio(incoming, outgoing, server_side, self.name, session)


@lru_cache(maxsize=256)
def _context(name: str, ca_file: str | None) -> ssl.SSLContext:
    context = _NamedContext(ssl.PROTOCOL_TLS_CLIENT)
    context.name = name
    with contextlib.suppress(OSError):
        if ca_file is None:
            context.load_default_certs()
        else:
            context.load_verify_locations(ca_file)
    return context
