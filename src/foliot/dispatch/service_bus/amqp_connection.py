"""A connection and a sender for one queue or topic, through Microsoft's client.

The client is told an address that has passed the egress rules, never a name: what it connects to is
what was judged. TLS is told the name.
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
    TooMuchSaid,
    allow_more,
    bound_frames,
    said_too_much,
)
from foliot.dispatch.service_bus.message import Parcel

_PORTS = {"amqp": 5672, "amqps": 5671}
_NO_SUCH_NAME = 6  # a CURLcode
_CLOSING_SECONDS = 2

bound_frames()
# What it says is in history, in better words; what it is sent must not be in a log.
logging.getLogger("azure.servicebus").setLevel(logging.CRITICAL)


class AmqpEndpoint(Struct, frozen=True):
    """Where a namespace is."""

    host: str
    port: int
    is_secure: bool


def route_of(base: str) -> AmqpEndpoint:
    """Take an address such as `amqps://host:port` apart."""
    parts = urlsplit(base)
    return AmqpEndpoint(
        parts.hostname or "", parts.port or _PORTS[parts.scheme], parts.scheme == "amqps"
    )


class OpenSender:
    """A link that messages can be sent over, until it breaks."""

    def __init__(self, client: ServiceBusClient, sender: ServiceBusSender) -> None:
        self._client = client
        self._sender = sender
        self._transport: Any = None

    async def open(self, deadline: float) -> None:
        """Connect, authenticate and attach, which the client does when asked for a batch."""
        opening = asyncio.ensure_future(self._sender.create_message_batch())
        # By now it is connecting; it would forget with what if it failed.
        await asyncio.sleep(0)
        self._transport = _inside(self._sender, "_handler", "_connection", "_transport")
        await self._finished(opening, deadline)

    async def send(self, messages: Sequence[ServiceBusMessage], deadline: float) -> None:
        """Send messages and wait until they are accepted, all or none."""
        allow_more(self._transport)
        await self._finished(asyncio.ensure_future(self._handed_over(messages)), deadline)

    async def close(self) -> None:
        """Say goodbye, and cut the connection if that takes long."""
        deadline = asyncio.get_running_loop().time() + _CLOSING_SECONDS
        try:
            await _finished(asyncio.ensure_future(self._client.close()), deadline)
        except Exception:  # noqa: BLE001, S110  (there is nobody left to care)
            pass
        finally:
            self._cut()

    async def _finished(self, task: asyncio.Task[Any], deadline: float) -> None:
        try:
            await _finished(task, deadline)
        except Exception:
            # The client forgets why it gave up, or waits on.
            if said_too_much(self._transport):
                raise TooMuchSaid from None
            raise

    async def _handed_over(self, messages: Sequence[ServiceBusMessage]) -> None:
        if len(messages) == 1:
            await self._sender.send_messages(messages[0])
            return
        batch = await self._sender.create_message_batch()
        for message in messages:
            batch.add_message(message)
        await self._sender.send_messages(batch)

    def _cut(self) -> None:
        """Close the socket: the client leaves it open if it was stopped, or broke, halfway."""
        socket_ = _inside(self._transport, "writer", "transport")
        if socket_ is not None:
            socket_.abort()


def _inside(whole: Any, *names: str) -> Any:
    """Return what the client does not show, or None if it looks different one day."""
    for name in names:
        whole = getattr(whole, name, None)
    return whole


async def _finished(task: asyncio.Task[Any], deadline: float) -> None:
    """Wait for a task until a time of the event loop's clock, and not longer.

    One that is cancelled is not waited for: before Python 3.12 the client may miss it. Its socket
    will be cut, and that it cannot miss.
    """
    task.add_done_callback(_unheard)
    try:
        await asyncio.wait({task}, timeout=deadline - asyncio.get_running_loop().time())
        if not task.done():
            raise TimeoutError
        task.result()
    finally:
        task.cancel()


def _unheard(task: asyncio.Task[Any]) -> None:
    """Take note of an error that nobody waits for any more, so that nobody warns of it."""
    if not task.cancelled():
        task.exception()


class Ways(Struct, frozen=True):
    """How connections are made: to what they may be, how names are resolved, whom to trust."""

    egress: EgressRules
    resolver: Resolver
    ca_file: str | None


async def open_sender(parcel: Parcel, ways: Ways) -> OpenSender | Failure:
    """Connect to the first address that answers and may be connected to."""
    route = route_of(parcel.base)
    deadline = parcel.deadline
    addresses = await _addresses(route, ways, deadline)
    if isinstance(addresses, Failure):
        return addresses
    failure = curl_failure(_NO_SUCH_NAME, "", host=route.host)
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        now = asyncio.get_running_loop().time()
        made = _made(parcel, route, address, ways.ca_file)
        try:
            # Whoever does not answer leaves time for the others.
            await made.open(now + (deadline - now) / left)
        except Exception as error:  # noqa: BLE001  (whatever it is, it did not open)
            await made.close()
            shortage = shortage_of(error)
            if shortage is not None:
                raise shortage from None
            failure = failure_of(error, parcel, was_open=False)
        except BaseException:
            await made.close()
            raise
        else:
            return made
    return failure


async def _addresses(
    route: AmqpEndpoint, ways: Ways, deadline: float
) -> Sequence[Address] | Failure:
    """Resolve a name, and leave out what the egress rules refuse."""
    egress = ways.egress
    refusal = egress.refusal_of_name(route.host, route.port)
    if refusal is not None:
        return refused(refusal)
    literal = literal_address(route.host)
    addresses = [literal] if literal else await ways.resolver.addresses(route.host, deadline)
    if isinstance(addresses, Failure):
        return addresses
    refusals = [egress.refusal(route.host, route.port, address) for address in addresses]
    allowed = [address for address, why in zip(addresses, refusals, strict=True) if why is None]
    first = next((why for why in refusals if why is not None), None)
    return allowed if allowed or first is None else refused(first)


def _made(parcel: Parcel, route: AmqpEndpoint, address: Address, ca_file: str | None) -> OpenSender:
    shown = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004  (IPv6)
    client = ServiceBusClient(
        route.host,
        AzureNamedKeyCredential(parcel.key_name, parcel.key.reveal()),
        custom_endpoint_address=f"sb://{shown}:{route.port}",
        transport_type=TransportType.Amqp,
        ssl_context=_context(route.host, ca_file) if route.is_secure else None,
        use_tls=route.is_secure,
        retry_total=0,
        user_agent=user_agent(),
    )
    # Links are closed before they need a heartbeat, and one would make closing wait for it.
    sender = client.get_queue_sender(parcel.message.entity, keep_alive=None)
    return OpenSender(client, sender)


class _NamedContext(ssl.SSLContext):
    """Expects the certificate of a name, whichever address it is connected to."""

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
