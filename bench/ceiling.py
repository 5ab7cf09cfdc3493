"""The ceiling: how fast a bare loop around libcurl sends the same requests, 256 in flight.

Run as a program: `ceiling.py PORT COUNT` prints requests per second. No job, no calendar, no
record of anything: whatever schedules can only be slower.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import Any

import pycurl as untyped
import uvloop

curl: Any = untyped

IN_FLIGHT = 256
BODY = b'{"hello":"schedule"}'


class Bare:
    """Handles that send one request after the other, driven by the event loop."""

    def __init__(self, urls: Iterator[str]) -> None:
        self._urls = urls
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._left = 0
        self._done = self._loop.create_future()
        self._multi = curl.CurlMulti()
        self._multi.setopt(curl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(curl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(curl.M_MAXCONNECTS, IN_FLIGHT)

    async def run(self) -> None:
        for _ in range(IN_FLIGHT):
            handle = curl.Curl()
            handle.setopt(curl.NOSIGNAL, 1)
            handle.setopt(curl.POSTFIELDS, BODY)
            handle.setopt(curl.HTTPHEADER, ["content-type: application/json", "Expect:"])
            handle.setopt(curl.WRITEFUNCTION, len)
            self._left += 1
            self._next(handle)
        await self._done

    def _next(self, handle: Any) -> None:
        url = next(self._urls, None)
        if url is not None:
            handle.setopt(curl.URL, url)
            self._multi.add_handle(handle)
            return
        self._left -= 1
        if self._left == 0:
            self._done.set_result(None)

    def _watch(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        self._loop.remove_reader(fd)
        self._loop.remove_writer(fd)
        if what != curl.POLL_REMOVE and what & curl.POLL_IN:
            self._loop.add_reader(fd, self._act, fd, curl.CSELECT_IN)
        if what != curl.POLL_REMOVE and what & curl.POLL_OUT:
            self._loop.add_writer(fd, self._act, fd, curl.CSELECT_OUT)

    def _set_timer(self, milliseconds: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if milliseconds >= 0:
            self._timer = self._loop.call_later(
                milliseconds / 1000, self._act, curl.SOCKET_TIMEOUT, 0
            )

    def _act(self, fd: int, events: int) -> None:
        self._multi.socket_action(fd, events)
        _, done, failed = self._multi.info_read()
        for handle, _, text in failed:
            raise RuntimeError(text, handle)
        for handle in done:
            self._multi.remove_handle(handle)
            self._next(handle)


async def main(port: int, count: int) -> None:
    urls = (f"http://127.0.0.1:{port}/fire?job={number}" for number in range(count))
    begin = time.perf_counter()
    await Bare(urls).run()
    print(count / (time.perf_counter() - begin), flush=True)


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
