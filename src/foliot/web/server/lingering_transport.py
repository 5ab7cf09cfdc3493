"""The way out of a connection: it ends late enough for the last answer to arrive."""

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl

MAX_DISCARDED_BYTES = 64 * 1024 * 1024
# In seconds.
_LINGER = 5


class Outlet(asyncio.Transport):
    """A transport that may be written to at any time, and does not cut off its last answer.

    A connection that is closed with bytes unread is reset by the kernel, and the peer loses an
    answer that it has not read yet. So what still comes is discarded for a while.
    """

    def __init__(self, transport: asyncio.Transport, has_unread: Callable[[], bool]) -> None:
        super().__init__()
        self._transport = transport
        self._has_unread = has_unread
        self._spare_bytes = MAX_DISCARDED_BYTES
        self._timer: asyncio.TimerHandle | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, unless there is nobody left who reads."""
        if self._timer is None and not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Close, at once if the peer has nothing more to say."""
        if self._has_unread():
            self.linger()
        elif self._timer is None:
            self._transport.close()

    def linger(self) -> None:
        """Close for writing, and for reading a little later."""
        if self.is_closing():
            return
        self._timer = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
        # TLS cannot be closed on one side.
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._transport.resume_reading()

    def discard(self, data: bytes) -> None:
        """Take what comes after the last answer."""
        self._spare_bytes -= len(data)
        if self._spare_bytes < 0:
            self._transport.abort()

    def lost(self) -> None:
        """Note that the connection has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def is_closing(self) -> bool:
        """Tell whether no more is written."""
        return self._timer is not None or self._transport.is_closing()

    def pause_reading(self) -> None:
        """Take nothing for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take bytes again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the socket."""
        return self._transport.get_extra_info(name, default)


class Flow(FlowControl):
    """Flow control that reads no further while bytes wait for their turn."""

    is_held = False

    def hold(self) -> None:
        """Stay paused, whoever asks for more."""
        self.is_held = True
        self.pause_reading()

    def release(self) -> None:
        """Read on."""
        self.is_held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Read on, unless bytes wait."""
        if not self.is_held:
            super().resume_reading()
