"""A service bus that speaks AMQP 1.0, made with Qpid Proton: not a line of it is the client's own.

It lets nobody send to an entity before a token for it was put on `$cbs`, whose signature and expiry
it verifies (https://learn.microsoft.com/azure/service-bus-messaging/service-bus-amqp-protocol-guide).
"""

import struct
import sys
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest, digest
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple
from urllib.parse import parse_qsl, quote_plus, urlsplit

from proton import (
    Condition,
    Delivery,
    Endpoint,
    Event,
    Link,
    Message,
    SSLDomain,
    Terminus,
    Transport,
)
from proton.handlers import FlowController
from proton.reactor import ApplicationEvent, Container, EventInjector, Handler

KEY_NAME, KEY = "RootManageSharedAccessKey", "a2V5IG9mIGEgdGVzdA=="
ENTITIES = ("orders", "news", "Buoys/Lights")
DEADLINE = 30

_CBS = "$cbs"
_ACCEPTED, _UNAUTHORIZED = 202, 401
_DATA_SECTION = 0x75


class Arrived(NamedTuple):
    entity: str
    message: Message


# What becomes of a delivery: None accepts it; see the functions below.
Behaviour = Callable[["Peer", Event], None]


class Peer(Handler):
    """The handler of the peer's thread; what tests ask of it is at the top."""

    def __init__(self, port: int, domain: SSLDomain | None) -> None:
        super().__init__()
        self.handlers = [FlowController(1000)]
        self.port = port
        self.arrived: SimpleQueue[Arrived] = SimpleQueue()
        self.behaviours: list[Behaviour] = []
        self.connections = 0
        self.open_connections = 0
        self.all_gone: SimpleQueue[None] = SimpleQueue()
        self.deliveries = 0
        self.delivered: SimpleQueue[None] = SimpleQueue()
        self._domain = domain
        self._listening: SimpleQueue[int] = SimpleQueue()
        self._injector = EventInjector()
        self._transports: list[Transport] = []

    def start(self) -> None:
        self._container = Container(self)
        self._thread = Thread(target=self._container.run, daemon=True)
        self._thread.start()
        self.port = self._listening.get(timeout=DEADLINE)

    def stop(self) -> None:
        self._injector.trigger(ApplicationEvent("end"))
        self._thread.join(DEADLINE)

    def on_reactor_init(self, event: Event) -> None:
        container = event.container
        container.selectable(self._injector)
        self._acceptor = container.listen(f"127.0.0.1:{self.port}", self._domain)
        self._listening.put(self._acceptor._selectable._delegate.getsockname()[1])  # noqa: SLF001

    def on_end(self, _: Event) -> None:
        self._acceptor.close()
        for transport in self._transports:
            _cut(transport)
        self._injector.close()

    def on_connection_remote_open(self, event: Event) -> None:
        self.connections += 1
        self.open_connections += 1
        self._transports.append(event.transport)
        event.connection.granted = set()
        event.connection.open()

    def on_connection_remote_close(self, event: Event) -> None:
        event.connection.close()

    def on_transport_closed(self, event: Event) -> None:
        if hasattr(event.connection, "granted"):
            self.open_connections -= 1
            if not self.open_connections:
                self.all_gone.put(None)

    def on_session_remote_open(self, event: Event) -> None:
        event.session.open()

    def on_session_remote_close(self, event: Event) -> None:
        event.session.close()

    def on_link_remote_open(self, event: Event) -> None:
        link = event.link
        if _CBS in (link.remote_source.address, link.remote_target.address):
            _attach(link)
            if link.is_sender:
                event.connection.replies = link
            return
        problem = self._problem(event, _entity(link.remote_target.address))
        if problem is None:
            _attach(link)
            return
        # A link that is refused is attached without a target, then detached (AMQP 1.0, 2.6.3).
        link.source.type = link.target.type = Terminus.UNSPECIFIED
        link.open()
        link.condition = problem
        link.close()

    def on_link_remote_close(self, event: Event) -> None:
        event.link.close()

    def on_delivery(self, event: Event) -> None:
        link, delivery = event.link, event.delivery
        if not link.is_receiver or delivery.partial or not delivery.readable:
            return
        content = link.recv(delivery.pending)
        link.advance()
        if link.state & Endpoint.LOCAL_CLOSED:
            return
        if link.target.address == _CBS:
            delivery.update(Delivery.ACCEPTED)
            delivery.settle()
            self._put_token(event, _decoded(content))
            return
        self.deliveries += 1
        self.delivered.put(None)
        behave = self.behaviours.pop(0) if self.behaviours else accept
        if behave in (accept, *_ACCEPTING):
            for part in _messages(content):
                self.arrived.put(Arrived(_entity(link.target.address), _decoded(part)))
        behave(self, event)

    def _problem(self, event: Event, entity: str) -> Condition | None:
        if entity not in ENTITIES:
            return Condition(
                "amqp:not-found", f"The messaging entity '{entity}' could not be found."
            )
        audience = f"sb://{event.connection.remote_hostname}/{entity}"
        if audience not in event.connection.granted:
            return Condition("amqp:unauthorized-access", "Unauthorized access. 'Send' is required.")
        return None

    def _put_token(self, event: Event, message: Message) -> None:
        given = message.properties
        code, said = _verdict(given["operation"], given["name"], given["type"], message.body)
        if code == _ACCEPTED:
            event.connection.granted.add(given["name"])
        reply = Message(
            correlation_id=message.id,
            properties={"status-code": code, "status-description": said},
        )
        event.connection.replies.send(reply)


def accept(_: Peer, event: Event) -> None:
    event.delivery.update(Delivery.ACCEPTED)
    event.delivery.settle()


def say_nothing(_: Peer, __: Event) -> None:
    """Never tell what becomes of a message."""


def then_detach(peer: Peer, event: Event) -> None:
    """Accept, and detach the link a moment later, as the service does with idle ones."""
    accept(peer, event)
    event.link.condition = Condition("amqp:link:detach-forced", "The link is detached.")
    event.link.close()


def then_cut(peer: Peer, event: Event) -> None:
    """Accept, and cut the connection a moment later."""
    accept(peer, event)
    event.container.schedule(0, _Cut(event.transport))


def cut(_: Peer, event: Event) -> None:
    """Cut the connection without an answer."""
    event.container.schedule(0, _Cut(event.transport))


def reject(condition: str, description: str = "It was rejected.") -> Behaviour:
    def behave(_: Peer, event: Event) -> None:
        # The client waits for ever for an error without a map of more about it.
        event.delivery.local.condition = Condition(condition, description, {"peer": "test"})
        event.delivery.update(Delivery.REJECTED)
        event.delivery.settle()

    return behave


_ACCEPTING = (then_detach, then_cut)


class _Cut(Handler):
    def __init__(self, transport: Transport) -> None:
        super().__init__()
        self._transport = transport

    def on_timer_task(self, _: Event) -> None:
        _cut(self._transport)


def _cut(transport: Transport) -> None:
    """Close a socket without a word."""
    if transport._selectable is not None and not transport._selectable.is_terminal:  # noqa: SLF001
        transport.close_tail()
        transport.close_head()
        transport._selectable.terminate()  # noqa: SLF001
        transport._selectable.update()  # noqa: SLF001


@contextmanager
def running(port: int = 0, domain: SSLDomain | None = None) -> Generator[Peer]:
    """Run a peer for the length of a block."""
    peer = Peer(port, domain)
    peer.start()
    try:
        yield peer
    finally:
        peer.stop()


def _attach(link: Link) -> None:
    link.source.copy(link.remote_source)
    link.target.copy(link.remote_target)
    link.open()


def _entity(address: str) -> str:
    """Return the path of an address such as `amqps://host/path`."""
    return urlsplit(address).path.removeprefix("/")


def _verdict(operation: str, name: str, kind: str, token: str) -> tuple[int, str]:
    scheme, _, rest = token.partition(" ")
    parts = dict(parse_qsl(rest))
    # The client calls its tokens "jwt" whatever they are, and the service looks for itself.
    if operation != "put-token" or kind not in ("jwt", "servicebus.windows.net:sastoken"):
        return _UNAUTHORIZED, "Not a token of this service."
    if scheme != "SharedAccessSignature" or set(parts) != {"sr", "sig", "se", "skn"}:
        return _UNAUTHORIZED, "MalformedToken: the token is malformed."
    signed = f"{quote_plus(parts['sr'])}\n{parts['se']}".encode()
    expected = b64encode(digest(KEY.encode(), signed, sha256)).decode()
    if not compare_digest(parts["sig"], expected) or parts["skn"] != KEY_NAME:
        return _UNAUTHORIZED, "InvalidSignature: The token has an invalid signature."
    if parts["sr"] != name:
        return _UNAUTHORIZED, "InvalidAudience: the token is not for this entity."
    if int(parts["se"]) <= datetime.now(UTC).timestamp():  # noqa: TID251  (the client's is real)
        return _UNAUTHORIZED, "ExpiredToken: The token is expired."
    return _ACCEPTED, "Accepted"


def _decoded(content: bytes) -> Message:
    message = Message()
    message.decode(content)
    return message


def _messages(content: bytes) -> list[bytes]:
    """Take a delivery apart: a batch holds one message in each of its data sections."""
    sections = list(_data_sections(content))
    return sections if len(sections) > 1 else [content]


def _data_sections(content: bytes) -> Iterator[bytes]:
    """Find the data sections at the end of a message: a descriptor, then a binary value."""
    at = content.rfind(b"\x00\x53\x75") if content.count(b"\x00\x53\x75") == 1 else 0
    at = content.find(bytes([0, 0x53, _DATA_SECTION]), at)
    while 0 <= at < len(content) and content[at : at + 3] == bytes([0, 0x53, _DATA_SECTION]):
        if content[at + 3] == 0xA0:
            size, start = content[at + 4], at + 5
        else:
            size, start = struct.unpack_from(">I", content, at + 4)[0], at + 8
        yield content[start : start + size]
        at = start + size


if __name__ == "__main__":
    with running() as started:
        print(started.port, flush=True)  # noqa: T201  (whoever started it reads this)
        sys.stdin.read()
