"""Bounds what a peer can make Microsoft's client allocate and decode.

The client allocates a frame of whatever size is announced (up to 4 GB), and an array of whatever
number of elements that take no bytes. Whoever accepts messages has little to say: what is larger
than these limits is not read.
"""

from typing import Any, Final

import azure.servicebus._pyamqp._decode as untyped_decode
from azure.servicebus._pyamqp.aio import (
    _transport_async as untyped_transport,  # pyright: ignore[reportPrivateUsage]
)

MAX_FRAME_BYTES: Final = 64 * 1024
# All frames together, while a connection is opened or a load of messages is sent.
MAX_BYTES: Final = 256 * 1024

_FRAME_TYPES: Final = (0, 1)  # AMQP, SASL
# Small frames take time, if not memory: each counts for so many bytes at least.
_SMALLEST: Final = 256
_PROTOCOL: Final = b"AMQP"
_ROOM: Final = "foliot_room"
_SMALL_ARRAY, _LARGE_ARRAY = 0xE0, 0xF0
# Where the constructor of an array's elements stands, after its size and count.
_CONSTRUCTOR_AT: Final = {_SMALL_ARRAY: 2, _LARGE_ARRAY: 8}
# Elements that are described, and those that take no bytes: null, true, false, 0, an empty list.
_REFUSED_ELEMENTS: Final = frozenset({0x00, *range(0x40, 0x50)})

_decode: Any = untyped_decode
_transport: Any = untyped_transport


class TooMuchSaid(ConnectionError):
    """A peer announces or sends more than is read."""


def bound_frames() -> None:
    """Put the limits into the client, once for the whole process."""
    transport, decoders = _transport.AsyncTransport, _decode._DECODE_BY_CONSTRUCTOR  # noqa: SLF001
    read = transport._read  # noqa: SLF001  (the client has no other place for limits)
    if getattr(read, "is_bounded", False):
        return
    transport._read = _bounded(read)  # noqa: SLF001
    for kind, at in _CONSTRUCTOR_AT.items():
        decoders[kind] = _checked(decoders[kind], at)


def allow_more(transport: Any) -> None:
    """Let a peer send as much again, because more was asked of it."""
    if transport is not None:
        setattr(transport, _ROOM, MAX_BYTES)


def said_too_much(transport: Any) -> bool:
    """Tell whether a peer has exceeded the limits; the client may keep that to itself."""
    return getattr(transport, _ROOM, MAX_BYTES) < 0


def _bounded(read: Any) -> Any:
    async def bounded(self: Any, toread: int, initial: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002  (as it is called)
        view = await read(self, toread, initial=initial, **options)
        if initial and bytes(view[:4]) != _PROTOCOL:
            _check_header(self, bytes(view))
        return view

    bounded.is_bounded = True  # pyright: ignore[reportFunctionMemberAccess]
    return bounded


def _check_header(transport: Any, header: bytes) -> None:
    """Look at a frame's size and type before it is allocated."""
    if header[5] not in _FRAME_TYPES:
        raise ValueError("this is not a frame of AMQP")
    size = int.from_bytes(header[:4], "big")
    room = getattr(transport, _ROOM, MAX_BYTES) - max(size, _SMALLEST)
    setattr(transport, _ROOM, room)
    if size > MAX_FRAME_BYTES or room < 0:
        raise TooMuchSaid


def _checked(decode: Any, at: int) -> Any:
    def checked(buffer: memoryview, depth: int = 0) -> Any:
        if buffer[at] in _REFUSED_ELEMENTS and any(buffer[at // 2 : at]):
            raise ValueError("an array of elements without bytes was announced")
        return decode(buffer, depth)

    return checked
