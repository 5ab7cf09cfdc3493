"""A name server whose answers change: libcurl asks it through the resolver of the system."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final, cast

ADDRESS: Final = "127.0.0.53"
PORT: Final = 53

SILENCE: Final = "silence"
UNKNOWN: Final = "unknown"

_HEADER = struct.Struct("!6H")
_ANSWER = struct.Struct("!3HIH4s")  # a pointer to the name, type, class, seconds to live, length
_TO_THE_NAME = 0xC00C
_TYPE_A = 1
_CLASS_IN = 1
_ANSWERS = 0x8180  # a response, recursion desired and available
_NO_SUCH_NAME = 3

# The address of a name at this moment, or UNKNOWN, or SILENCE.
Names = Callable[[str], str]


class NameServer(asyncio.DatagramProtocol):
    """Answers questions for addresses; an answer may be kept for no time at all."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where answers go out."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer a question, or keep silent."""
        name, end = _name(data)
        found = self._names(name)
        if found != SILENCE:
            self._transport.sendto(_response(data, end, found), addr)


async def open_name_server(names: Names) -> asyncio.DatagramTransport:
    """Listen where resolvers ask."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(names), local_addr=(ADDRESS, PORT)
    )
    return transport


def _name(query: bytes) -> tuple[str, int]:
    """Return the name that is asked for, and where the question ends."""
    labels, at = list[str](), _HEADER.size
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels).lower(), at + 5


def _response(query: bytes, end: int, found: str) -> bytes:
    number = _HEADER.unpack_from(query)[0]
    (kind,) = struct.unpack_from("!H", query, end - 4)
    # Only IPv4 is answered: no other kind of address is an answer without records.
    has_address = kind == _TYPE_A and found != UNKNOWN
    flags = _ANSWERS | (_NO_SUCH_NAME if found == UNKNOWN else 0)
    head = _HEADER.pack(number, flags, 1, int(has_address), 0, 0)
    question = query[_HEADER.size : end]
    if not has_address:
        return head + question
    record = _ANSWER.pack(_TO_THE_NAME, _TYPE_A, _CLASS_IN, 0, 4, socket.inet_aton(found))
    return head + question + record
