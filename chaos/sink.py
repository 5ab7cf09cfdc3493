"""Targets that write down what arrives before they do anything else.

A behaviour is what a target does with a request once it is written down. The log of all sinks is
the judge of what was sent, and of what was in flight at a kill.
"""

import asyncio
import os
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Self

from chaos.facts import Delivery, now, parse

CHUNK = b"x" * 65536
TEN_GIGABYTES = 10 * 1024**3

_OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
_OK_AND_CLOSE = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"
_FAILED = b"HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno"
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER with no time: closing sends RST

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Sink:
    """A target at an address of its own, with a log that it may share with others."""

    def __init__(self, behaviour: Behaviour, log: list[Delivery], host: str = "127.0.0.1") -> None:
        self.behaviour = behaviour
        self.open: set[Delivery] = set()
        self.port = 0
        self.log = log
        self._host = host
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._host, self.port, backlog=4096)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    @property
    def url(self) -> str:
        """Where requests are sent."""
        return f"http://{self._host}:{self.port}/"

    def forget_open(self) -> int:
        """Return how many requests are in flight, of a client that is dead now."""
        count = len(self.open)
        self.open.clear()
        return count

    def count_open(self, clients: AbstractSet[int]) -> int:
        """Return how many requests are in flight, of a client with these ports."""
        return sum(delivery.client in clients for delivery in self.open)

    def forget(self, clients: AbstractSet[int]) -> None:
        """Take no request of a client that is dead now for one in flight."""
        self.open = {delivery for delivery in self.open if delivery.client not in clients}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = int(writer.get_extra_info("peername")[1])
        # Cancelled at the end of the scenario, which asyncio would take for an error.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                delivery = self._noted(_headers(head), client)
                await reader.readexactly(int(_headers(head).get("content-length", 0)))
                await self.behaviour(writer)
                await writer.drain()
                delivery.answered = now()
                self.open.discard(delivery)
        writer.close()

    def _noted(self, headers: dict[str, str], client: int) -> Delivery:
        delivery = Delivery(
            job=headers["x-ms-scheduler-jobid"],
            expected=parse(headers["x-ms-scheduler-expected-execution-time"]),
            tag=headers["x-ms-execution-tag"],
            request_id=headers["x-ms-client-request-id"],
            arrived=now(),
            sink=self._host,
            client=client,
        )
        self.log.append(delivery)
        self.open.add(delivery)
        return delivery


def holds(dice: random.Random, least: float, most: float) -> Behaviour:
    """Answer well, after a while."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(dice.uniform(least, most))
        writer.write(_OK)

    return behave


def holds_and_fails(dice: random.Random, least: float, most: float, share: float) -> Behaviour:
    """Answer after a while, with 200 or, so often, with 500."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(dice.uniform(least, most))
        writer.write(_FAILED if dice.random() < share else _OK)

    return behave


def fails_at_times(dice: random.Random, share: float) -> Behaviour:
    """Answer with 200 or, so often, with 500."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(_FAILED if dice.random() < share else _OK)

    return behave


async def answers(writer: asyncio.StreamWriter) -> None:
    """Answer well, and at once."""
    writer.write(_OK)


async def answers_and_closes(writer: asyncio.StreamWriter) -> None:
    """Answer well, and want no second request on the connection."""
    writer.write(_OK_AND_CLOSE)
    writer.close()


def hangs_until(released: asyncio.Event) -> Behaviour:
    """Say nothing at all, until the end of the scenario."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.write(_OK)

    return behave


async def resets(writer: asyncio.StreamWriter) -> None:
    """Cut the connection as a machine does that has crashed."""
    # A duplicate, since the loop does not let its own socket be changed.
    with socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno())) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


async def drips(writer: asyncio.StreamWriter) -> None:
    """Promise a body and send a byte of it each second."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1)


class Floods:
    """Answers ten gigabytes, and counts how many bytes anyone took."""

    def __init__(self) -> None:
        self.most = 0

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        """Send until it is all sent, or the other side has had enough."""
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % TEN_GIGABYTES)
        sent = 0
        try:
            while sent < TEN_GIGABYTES and not writer.is_closing():
                writer.write(CHUNK)
                await writer.drain()
                sent += len(CHUNK)
        finally:
            self.most = max(self.most, sent)


def redirects_to(location: Callable[[], str]) -> Behaviour:
    """Send everyone elsewhere."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 307 Go\r\nlocation: {location()}\r\ncontent-length: 0\r\n\r\n"
        writer.write(head.encode())

    return behave


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
