"""A target that does almost nothing: it notes which job called when, and says ok.

Run as a program it prints its port. `GET /log` gives all that was noted, eight bytes for each job
and eight for its time in nanoseconds, and forgets it; `GET /count` tells how many calls there were.
"""

import asyncio
import time
from array import array
from typing import cast

import uvloop

_OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
_END = b"\r\n\r\n"

_log = array("q")


class Sink(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        now = time.time_ns()
        self._held += data
        answers = b""
        while (size := _size(self._held)) is not None:
            request, self._held = self._held[:size], self._held[size:]
            answers += _answer(request, now)
        if answers:
            self._transport.write(answers)


def _size(data: bytes) -> int | None:
    """Return the length of the first request, if all of it is there."""
    head = data.find(_END)
    if head < 0:
        return None
    lower = data[:head].lower()
    at = lower.find(b"content-length:")
    length = 0 if at < 0 else int(lower[at + 15 :].partition(b"\r\n")[0])
    size = head + len(_END) + length
    return size if len(data) >= size else None


def _answer(request: bytes, now: int) -> bytes:
    job = request.find(b"job=", 0, 200)
    if job >= 0:
        _log.extend((int(request[job + 4 : request.index(b" ", job)]), now))
        return _OK
    path = request.split(b" ", 2)[1]
    if path == b"/count":
        return _with_body(str(len(_log) // 2).encode())
    if path == b"/log":
        body = _log.tobytes()
        del _log[:]
        return _with_body(body)
    return _OK


def _with_body(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
