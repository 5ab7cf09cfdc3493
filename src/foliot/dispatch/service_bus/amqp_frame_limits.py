"""Limits the bytes that a peer can make Microsoft's client allocate and decode.

The client allocates a frame of any size that a peer announces (up to 4 GB), and an array of any
number of elements without bytes. A server that accepts messages has little to say, so frames beyond
these limits are not read.
"""

from typing import Any, Final

import azure.servicebus._pyamqp._decode as untyped_decode
from azure.servicebus._pyamqp.aio import (
    _transport_async as untyped_transport,  # pyright: ignore[reportPrivateUsage]
)

MAX_FRAME_BYTES: Final = 64 * 1024
# For all frames together, while a connection is opened or a batch is sent.
MAX_BYTES: Final = 256 * 1024

_FRAME_TYPES: Final = (0, 1)  # AMQP, SASL
# Small frames cost time, if not memory: each counts as at least this many bytes.
_SMALLEST: Final = 256
_PROTOCOL: Final = b"AMQP"
_BYTES_LEFT: Final = "foliot_bytes_left"
_SMALL_ARRAY, _LARGE_ARRAY = 0xE0, 0xF0
# The offset of the constructor of an array's elements, after its size and count.
_CONSTRUCTOR_AT: Final = {_SMALL_ARRAY: 2, _LARGE_ARRAY: 8}
# Described elements, and elements without bytes: null, true, false, 0, an empty list.
_REFUSED_ELEMENTS: Final = frozenset({0x00, *range(0x40, 0x50)})

_decode: Any = untyped_decode
_transport: Any = untyped_transport


class FrameLimitExceeded(ConnectionError):
    """A peer announces or sends more bytes than the limits allow."""


def bound_frames() -> None:
    """Patch the limits into the client, once for the process."""
    transport, decoders = _transport.AsyncTransport, _decode._DECODE_BY_CONSTRUCTOR  # noqa: SLF001
    read = transport._read  # noqa: SLF001  (the client has no other place for limits)
    if getattr(read, "is_bounded", False):
        return
    transport._read = _bounded(read)  # noqa: SLF001
    for kind, at in _CONSTRUCTOR_AT.items():
        decoders[kind] = _checked(decoders[kind], at)


def reset_limit(transport: Any) -> None:
    """Reset the limit of a connection before the next batch."""
    if transport is not None:
        setattr(transport, _BYTES_LEFT, MAX_BYTES)


def has_exceeded_limits(transport: Any) -> bool:
    """Tell whether a peer has exceeded the limits: the client may hide the exception."""
    return getattr(transport, _BYTES_LEFT, MAX_BYTES) < 0


def _bounded(read: Any) -> Any:
    async def bounded(self: Any, toread: int, initial: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002  (as it is called)
        view = await read(self, toread, initial=initial, **options)
        if initial and bytes(view[:4]) != _PROTOCOL:
            _check_header(self, bytes(view))
        return view

    bounded.is_bounded = True  # pyright: ignore[reportFunctionMemberAccess]
    return bounded


def _check_header(transport: Any, header: bytes) -> None:
    """Check the size and type of a frame before the client allocates it."""
    if header[5] not in _FRAME_TYPES:
        raise ValueError("this is not a frame of AMQP")
    size = int.from_bytes(header[:4], "big")
    room = getattr(transport, _BYTES_LEFT, MAX_BYTES) - max(size, _SMALLEST)
    setattr(transport, _BYTES_LEFT, room)
    if size > MAX_FRAME_BYTES or room < 0:
        raise FrameLimitExceeded


def _checked(decode: Any, at: int) -> Any:
    def checked(buffer: memoryview, depth: int = 0) -> Any:
        if buffer[at] in _REFUSED_ELEMENTS and any(buffer[at // 2 : at]):
            raise ValueError("an array of elements without bytes was announced")
        return decode(buffer, depth)

    return checked
