"""Splits a stream between two processes into messages: the length of each, then its bytes."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

_SIZE = 4
_ORDER = "big"


class Frames(asyncio.Protocol):
    """One end of the stream: calls `received` for each message, and `ended` once at its end."""

    def __init__(self, received: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._received = received
        self._ended = ended
        self._held = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for `send`."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def send(self, message: bytes) -> None:
        """Send a message; without a connection it is dropped."""
        if self._transport is not None:
            self._transport.write(len(message).to_bytes(_SIZE, _ORDER) + message)

    def abort(self) -> None:
        """Close the stream without flushing: a peer that does not read would block that."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Pass on the complete messages, and keep the rest."""
        held, start = self._held, 0
        held += data
        while (end := start + _SIZE) <= len(held):
            end += int.from_bytes(held[start : start + _SIZE], _ORDER)
            if end > len(held):
                break
            self._received(bytes(held[start + _SIZE : end]))
            start = end
        del held[:start]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (the end is the end)
        """Report that the stream has ended."""
        self._transport = None
        self._ended()


async def open_frames(
    sock: Any, received: Callable[[bytes], None], ended: Callable[[], None]
) -> Frames:
    """Connect frames to a socket in the running event loop."""
    loop = asyncio.get_running_loop()
    _, frames = await loop.create_unix_connection(lambda: Frames(received, ended), sock=sock)
    return frames
