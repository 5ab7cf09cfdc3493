"""How long a connection waits for a request, in virtual time."""

import asyncio
import re
from collections.abc import Iterable
from selectors import DefaultSelector, SelectorKey
from typing import Any, NamedTuple, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from foliot.web.server.protocol import HttpProtocol

HEALTH = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
LENGTH = b"Content-Length: 3145728"
CHUNKED = b"Transfer-Encoding: chunked"
KEEP_ALIVE = 90
KIB = b"x" * 1024


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that waits for nothing: where it would sleep, its clock goes on instead."""

    def __init__(self) -> None:
        self._clock = SkippingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.seconds


class SkippingSelector(DefaultSelector):
    seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        self.seconds += timeout or 0
        return super().select(0)


class Pipe(asyncio.Transport):
    """A transport in memory."""

    def __init__(self, protocol: HttpProtocol) -> None:
        super().__init__()
        self._protocol = protocol
        self.sent = b""
        self.closed_at: float | None = None
        self.closed = asyncio.Event()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += data

    def close(self) -> None:
        if self.closed_at is None:
            self.closed_at = asyncio.get_running_loop().time()
            self.closed.set()
            self._protocol.connection_lost(None)

    def abort(self) -> None:
        self.close()

    def is_closing(self) -> bool:
        return self.closed_at is not None

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def get_extra_info(self, name: str, default: Any = None) -> Any:  # noqa: ARG002  (asyncio's)
        return default


class Outcome(NamedTuple):
    statuses: list[int]
    closed_at: float | None


Packets = Iterable[tuple[float, bytes]]


def converse(*packets: tuple[float, bytes]) -> Outcome:
    """Send packets, each so many seconds after the last, and wait until the server closes."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_converse(packets))


async def _converse(packets: Packets) -> Outcome:
    config = uvicorn.Config(cast("Any", _answer), log_config=None, timeout_keep_alive=KEEP_ALIVE)
    protocol = HttpProtocol(config, ServerState(), {})
    pipe = Pipe(protocol)
    protocol.connection_made(pipe)
    for seconds, packet in packets:
        await asyncio.sleep(seconds)
        if pipe.is_closing():
            break
        protocol.data_received(packet)
    await pipe.closed.wait()
    found = re.findall(rb"HTTP/1\.1 (\d{3}) ", pipe.sent)
    return Outcome([int(code) for code in found], pipe.closed_at)


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    """Read a body as fast as the address says, and answer."""
    if scope["path"] == "/busy":
        await asyncio.sleep(40)
    while scope["path"] != "/unread":
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        if not part["more_body"]:
            break
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body"})


def post(*fields: bytes, path: bytes = b"/") -> bytes:
    return b"\r\n".join([b"POST " + path + b" HTTP/1.1", b"Host: h", *fields, b"", b""])


# What is refused is closed five seconds later, so that the answer arrives.
@pytest.mark.parametrize(
    ("packets", "statuses", "closed_at"),
    [
        ([], [], 15),
        ([(1, b"GET / HTTP/1.1\r\nHo")], [408], 15 + 5),
        ([(1, bytes([byte])) for byte in HEALTH[:-1]], [408], 15 + 5),
        ([(0, HEALTH), (50, b"GET")], [204, 408], 50 + 15 + 5),
        ([(0, HEALTH), (50, HEALTH + b"GET")], [204, 204, 408], 50 + 15 + 5),
        ([(0, HEALTH)], [204], KEEP_ALIVE),
    ],
    ids=["nothing", "half a head", "a slow head", "half the next", "half of a third", "no more"],
)
def test_a_head_that_does_not_come_ends_the_connection(
    packets: list[tuple[float, bytes]], statuses: list[int], closed_at: float
) -> None:
    assert converse(*packets) == (statuses, closed_at)


@pytest.mark.parametrize(
    ("packets", "statuses", "closed_at"),
    [
        ([(0, post(LENGTH))], [408], 10 + 5),
        ([(0, post(LENGTH)), *[(1, b"x")] * 20], [408], 10 + 5),
        ([(0, post(CHUNKED)), *[(1, b"1;xx=y\r\nz\r\n")] * 20], [408], 10 + 5),
        ([(0, post(CHUNKED)), (0, b"1;"), *[(1, KIB)] * 20], [408], 10 + 5),
        ([(0, post(LENGTH)), *[(2, KIB)] * 30], [408], 18 + 5),
        ([(0, post(LENGTH)), *[(1, KIB * 2)] * 90], [408], 60 + 5),
        ([(0, post(LENGTH)), (50, b"x" * 2**20)], [408], 10 + 5),
        ([(0, post(LENGTH)), *[(9, KIB * 256)] * 12], [204], 9 * 12 + KEEP_ALIVE),
        ([(0, post(LENGTH, path=b"/unread")), *[(1, KIB)] * 99], [204], 60 + 5),
        ([(0, post(LENGTH, path=b"/busy") + KIB * 65), (41, KIB)], [408], 40 + 60 + 5),
        ([(0, post(LENGTH, b"Expect: 100-continue", path=b"/busy"))], [100, 408], 50 + 5),
    ],
    ids=[
        *("nothing", "byte by byte", "small chunks", "an extension", "half the least rate"),
        *("the least rate and no end", "a pause", "three megabytes in two minutes"),
        *("what nobody reads", "what nobody reads for a while", "nothing after the go-ahead"),
    ],
)
def test_a_body_that_comes_too_slowly_ends_the_connection(
    packets: list[tuple[float, bytes]], statuses: list[int], closed_at: float
) -> None:
    found = converse(*packets)

    assert found.statuses == statuses
    assert found.closed_at == pytest.approx(closed_at, abs=1)
