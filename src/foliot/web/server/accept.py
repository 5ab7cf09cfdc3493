"""Takes connections from the socket the server listens on, as many as there may be.

uvicorn would have the event loop do so, which takes whoever comes, closes them without a word where
descriptors are lacking, and gives a TLS handshake a minute.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from foliot.web.server.connection_limits import Connection, Connections
from foliot.web.server.protocol import Protocol

# So many are taken before requests get their turn.
_AT_ONCE = 64
# In seconds.
_HANDSHAKE_TIMEOUT = 10.0
_PAUSE = 0.1


class Acceptor:
    """Accepts connections until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        make_protocol: Callable[[], Protocol],
        certificate: ssl.SSLContext | None,
        connections: Connections,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._make_protocol = make_protocol
        self._certificate = certificate
        self._connections = connections
        # How to end what is not a connection yet: to cancel the task would leave half of one.
        self._beginning: dict[asyncio.Task[None], Callable[[], None]] = {}
        self._pause: asyncio.TimerHandle | None = None
        listener.settimeout(0)
        self._resume()

    def close(self) -> None:
        """Accept no more."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._listener)
        for hang_up in self._beginning.values():
            hang_up()

    async def wait_closed(self) -> None:
        """Wait for nothing: what was accepted is waited for by others."""

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, address = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                # No descriptor: it would be tried again at once, for ever.
                self._connections.relieve()
                self._loop.remove_reader(self._listener)
                self._pause = self._loop.call_later(_PAUSE, self._resume)
                return
            self._take(client, str(address[0]))

    def _take(self, client: socket.socket, peer: str) -> None:
        connection = self._connections.admit(peer)
        if connection is None:
            client.close()
            return
        connection.abort = partial(_hang_up, client)
        beginning = self._loop.create_task(self._begin(client, connection))
        self._beginning[beginning] = connection.abort
        beginning.add_done_callback(self._beginning.pop)

    async def _begin(self, client: socket.socket, connection: Connection) -> None:
        client.settimeout(0)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        protocol = self._make_protocol()
        protocol.connection = connection
        try:
            await self._loop.connect_accepted_socket(
                lambda: protocol,
                client,
                ssl=self._certificate,
                ssl_handshake_timeout=self._certificate and _HANDSHAKE_TIMEOUT,
            )
        except OSError:
            # A handshake that failed, was too slow, or had to go.
            connection.end()
            client.close()


def _hang_up(client: socket.socket) -> None:
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
