"""Accepts connections on the listening socket, within the limits.

uvicorn would leave this to the event loop, which accepts every connection, drops connections
silently when descriptors run out, and allows a minute for a TLS handshake.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from foliot.web.server.connection_limits import ClientConnection, ConnectionLimits
from foliot.web.server.protocol import HttpProtocol

# Connections accepted in one go, before requests get their turn.
_AT_ONCE = 64
# In seconds.
_HANDSHAKE_TIMEOUT = 10.0
_PAUSE = 0.1


class Acceptor:
    """Accepts connections until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        make_protocol: Callable[[], HttpProtocol],
        certificate: ssl.SSLContext | None,
        limits: ConnectionLimits,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listener = listener
        self._make_protocol = make_protocol
        self._certificate = certificate
        self._limits = limits
        # How to end a connection that is still starting: cancelling its task would leak the socket.
        self._starting: dict[asyncio.Task[None], Callable[[], None]] = {}
        self._pause: asyncio.TimerHandle | None = None
        listener.settimeout(0)
        self._resume()

    def close(self) -> None:
        """Accept no more connections."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._listener)
        for abort in self._starting.values():
            abort()

    async def wait_closed(self) -> None:
        """Return at once: uvicorn itself waits for accepted connections."""

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
                # No descriptor is left: without a pause this would spin.
                self._limits.close_idle()
                self._loop.remove_reader(self._listener)
                self._pause = self._loop.call_later(_PAUSE, self._resume)
                return
            self._take(client, str(address[0]))

    def _take(self, client: socket.socket, peer: str) -> None:
        connection = self._limits.admit(peer)
        if connection is None:
            client.close()
            return
        connection.abort = partial(_shut_down, client)
        start = self._loop.create_task(self._start(client, connection))
        self._starting[start] = connection.abort
        start.add_done_callback(self._starting.pop)

    async def _start(self, client: socket.socket, connection: ClientConnection) -> None:
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
            # The handshake failed, took too long, or was ended.
            connection.mark_closed()
            client.close()


def _shut_down(client: socket.socket) -> None:
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
