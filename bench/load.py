"""A small HTTP load generator: connections that each send one request after the other."""

import asyncio
from collections.abc import Iterator
from time import perf_counter
from typing import NamedTuple, cast


class Measured(NamedTuple):
    """How fast requests were answered."""

    per_second: float
    p50_ms: float
    p99_ms: float

    def rounded(self) -> dict[str, float]:
        return {
            "per_second": round(self.per_second),
            "p50_ms": round(self.p50_ms, 2),
            "p99_ms": round(self.p99_ms, 2),
        }


class Connection(asyncio.Protocol):
    """Sends the next request when the answer to the last one is complete."""

    def __init__(
        self, requests: Iterator[bytes], times: list[float], done: asyncio.Future[None]
    ) -> None:
        self._requests = requests
        self._times = times
        self._done = done
        self._buffer = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        if len(body) < length:
            return
        self._times.append(perf_counter() - self._sent_at)
        if not lines[0].startswith(b"http/1.1 2"):
            self._finish(RuntimeError(self._buffer.decode(errors="replace")))
            return
        self._buffer = b""
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish(exc or RuntimeError("the server closed the connection"))

    def _send(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._finish(None)
            self._transport.close()
            return
        self._sent_at = perf_counter()
        self._transport.write(request)

    def _finish(self, error: Exception | None) -> None:
        if self._done.done():
            return
        if error is None:
            self._done.set_result(None)
        else:
            self._done.set_exception(error)


async def measure(port: int, requests: list[bytes], connections: int) -> Measured:
    """Send all requests over so many connections."""
    loop = asyncio.get_running_loop()
    waiting, times = iter(requests), list[float]()
    ends = [loop.create_future() for _ in range(connections)]
    begin = perf_counter()
    for end in ends:
        connection = Connection(waiting, times, end)
        await loop.create_connection(lambda made=connection: made, "127.0.0.1", port)
    await asyncio.gather(*ends)
    elapsed = perf_counter() - begin
    times.sort()
    return Measured(
        len(times) / elapsed, times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000
    )
