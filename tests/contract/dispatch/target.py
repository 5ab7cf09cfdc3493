"""A target to send requests to: real sockets on loopback, answers as bad as a test wants them."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple


class Received(NamedTuple):
    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return {each.lower(): value for each, value in self.headers}.get(name.lower())


Respond = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Routes = Mapping[str, "bytes | Respond"]


def answer(status: str = "200 OK", body: bytes = b"fine", **headers: str) -> bytes:
    """Write an answer; an underscore in a header's name is a hyphen."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(status, b"", Location=location)


async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Say nothing until the caller goes away."""
    await reader.read()


class Target:
    """A server that answers by path, and remembers what it was sent."""

    def __init__(self, routes: Routes, scheme: str, host: str) -> None:
        self.received: list[Received] = []
        self.connections = 0
        self.peer_certificates: list[object] = []
        self.protocols: list[str | None] = []
        self.routes = dict(routes)
        self.port = 0
        self._scheme, self._host = scheme, host
        self.open_connections: set[asyncio.StreamWriter] = set()
        self._all_gone = asyncio.Event()

    def url(self, path: str = "/", host: str | None = None) -> str:
        return f"{self._scheme}://{host or self._host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [received.path for received in self.received]

    async def all_gone(self) -> None:
        """Wait until every connection has ended."""
        async with asyncio.timeout(5):
            while self.open_connections:
                self._all_gone.clear()
                await self._all_gone.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open_connections.add(writer)
        self._note_tls(writer)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._converse(reader, writer)
        finally:
            self.open_connections.discard(writer)
            self._all_gone.set()
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _note_tls(self, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("ssl_object")
        if connection is not None:
            self.peer_certificates.append(connection.getpeercert())
            self.protocols.append(connection.selected_alpn_protocol())

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            received = await _read(reader)
            self.received.append(received)
            path = received.path.partition("?")[0]
            response = self.routes.get(path, self.routes.get("*", answer()))
            if isinstance(response, bytes):
                writer.write(response)
                await writer.drain()
            else:
                await response(reader, writer)


@asynccontextmanager
async def target(
    routes: Routes | None = None, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncGenerator[Target]:
    """Run a target until the end of a block."""
    shown = f"[{host}]" if ":" in host else host
    running = Target(routes or {}, "http" if tls is None else "https", shown)
    tasks: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.ensure_future(running.serve(reader, writer)))

    server = await asyncio.start_server(begin, host, 0, ssl=tls)
    running.port = server.sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Received:
    beginning = await reader.readexactly(4)
    if beginning == b"AMQP":
        return Received("AMQP", "*", [], beginning)
    head = (beginning + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    received = Received(method, path, headers, b"")
    length = int(received.header("content-length") or 0)
    return received._replace(body=await reader.readexactly(length))
