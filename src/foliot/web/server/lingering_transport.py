"""A transport that closes late enough for the last response to arrive."""

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl

MAX_DISCARDED_BYTES = 64 * 1024 * 1024
_LINGER_SECONDS = 5


class LingeringTransport(asyncio.Transport):
    """A transport that may be written to at any time, and does not cut off its last response.

    The kernel resets a connection that is closed with bytes unread, and the peer loses a response
    that it has not read yet. So this transport reads and discards bytes for a while first.
    """

    def __init__(self, transport: asyncio.Transport, has_unread: Callable[[], bool]) -> None:
        super().__init__()
        self._transport = transport
        self._has_unread = has_unread
        self._spare_bytes = MAX_DISCARDED_BYTES
        self._timer: asyncio.TimerHandle | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, unless the transport is closing."""
        if self._timer is None and not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Close, at once if no bytes of the peer are unread."""
        if self._has_unread():
            self.linger()
        elif self._timer is None:
            self._transport.close()

    def linger(self) -> None:
        """Close for writing now, and for reading a little later."""
        if self.is_closing():
            return
        self._timer = asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._transport.abort)
        # TLS cannot be closed for writing alone.
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._transport.resume_reading()

    def discard(self, data: bytes) -> None:
        """Discard bytes that come after the last response."""
        self._spare_bytes -= len(data)
        if self._spare_bytes < 0:
            self._transport.abort()

    def note_lost(self) -> None:
        """Note that the connection is lost."""
        if self._timer is not None:
            self._timer.cancel()

    def is_closing(self) -> bool:
        """Tell whether the transport is closed for writing."""
        return self._timer is not None or self._transport.is_closing()

    def pause_reading(self) -> None:
        """Stop reading for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information about the socket."""
        return self._transport.get_extra_info(name, default)


class HoldableFlowControl(FlowControl):
    """Flow control that stays paused while received bytes wait for the parser."""

    is_held = False

    def hold(self) -> None:
        """Pause, and ignore resume_reading."""
        self.is_held = True
        self.pause_reading()

    def release(self) -> None:
        """Read again."""
        self.is_held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Read again, unless held."""
        if not self.is_held:
            super().resume_reading()
