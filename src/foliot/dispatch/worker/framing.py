"""Messages on a stream between two processes: how many bytes there are, then those bytes."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

_SIZE = 4
_ORDER = "big"


class Frames(asyncio.Protocol):
    """One end of the stream: tells of each message that has come, and once of the end."""

    def __init__(self, received: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._received = received
        self._ended = ended
        self._held = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where messages go out."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def send(self, message: bytes) -> None:
        """Send a message; what is sent to nobody is dropped."""
        if self._transport is not None:
            self._transport.write(len(message).to_bytes(_SIZE, _ORDER) + message)

    def abort(self) -> None:
        """End the stream at once: who does not read would be waited for."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take the messages out of what has come so far."""
        held, start = self._held, 0
        held += data
        while (end := start + _SIZE) <= len(held):
            end += int.from_bytes(held[start : start + _SIZE], _ORDER)
            if end > len(held):
                break
            self._received(bytes(held[start + _SIZE : end]))
            start = end
        del held[:start]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (either way it is over)
        """Tell that nobody is there any more."""
        self._transport = None
        self._ended()


async def open_frames(
    sock: Any, received: Callable[[bytes], None], ended: Callable[[], None]
) -> Frames:
    """Speak through a socket in the running event loop."""
    loop = asyncio.get_running_loop()
    _, frames = await loop.create_unix_connection(lambda: Frames(received, ended), sock=sock)
    return frames
