"""Drives libcurl's transfers from the event loop: no thread for a request, and no polling."""

import asyncio
from typing import Any

import pycurl as untyped

from foliot.dispatch.http.curl_handle import Line
from foliot.dispatch.http.socket_events import READ, WRITE, watched_sockets

_curl: Any = untyped

OK: int = 0
ABORTED: int = _curl.E_ABORTED_BY_CALLBACK

_MILLISECONDS = 1000
_WATCHED: dict[int, int] = {
    _curl.POLL_NONE: 0,
    _curl.POLL_REMOVE: 0,
    _curl.POLL_IN: READ,
    _curl.POLL_OUT: WRITE,
    _curl.POLL_INOUT: READ | WRITE,
}
_ACTIONS: dict[int, int] = {
    READ: _curl.CSELECT_IN,
    WRITE: _curl.CSELECT_OUT,
    READ | WRITE: _curl.CSELECT_IN | _curl.CSELECT_OUT,
}
_SOCKET_TIMEOUT: int = _curl.SOCKET_TIMEOUT

Code = tuple[int, str]


class Transfers:
    """Transfers under way, and the connections that are kept for the next."""

    def __init__(self, max_idle: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[Any, asyncio.Future[Code]] = {}
        self._sockets = watched_sockets(self._ready)
        self._due_at: float | None = None
        self._timer: asyncio.Handle | None = None
        self._rings_at = 0.0
        self._soon: asyncio.Handle | None = None
        self._is_closing = False
        self._multi: Any = _curl.CurlMulti()
        self._multi.setopt(_curl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(_curl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(_curl.M_MAXCONNECTS, max_idle)

    async def perform(self, line: Line, *, drop_idle: bool = False) -> Code:
        """Carry out what was dialled, and return libcurl's verdict.

        With `drop_idle`, the connections that are kept for later are closed first.
        """
        handle = line.handle
        future = self._waiting[handle] = self._loop.create_future()
        try:
            self._multi.add_handle(handle)
            if drop_idle:
                self._begin_without_idle()
            return await future
        finally:
            if self._waiting.pop(handle, None) is not None:
                self._multi.remove_handle(handle)

    async def close(self) -> None:
        """End all transfers and connections."""
        for handle, future in list(self._waiting.items()):
            self._finish(handle, future, (ABORTED, ""))
        self._sockets.close()
        self._cancel_timers()
        self._is_closing = True
        # Libcurl waits here for names that are still being resolved.
        await asyncio.to_thread(self._multi.close)

    def _begin_without_idle(self) -> None:
        """Let libcurl connect while it may have no more connections than there are transfers.

        It closes idle ones as far as that takes; there is no other way to ask for it.
        """
        self._multi.setopt(_curl.M_MAX_TOTAL_CONNECTIONS, len(self._waiting))
        try:
            self._act()
        finally:
            self._multi.setopt(_curl.M_MAX_TOTAL_CONNECTIONS, 0)

    def _watch(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        if not self._is_closing:
            self._sockets.watch(fd, _WATCHED[what])

    def _ready(self, found: list[tuple[int, int]]) -> None:
        for fd, what in found:
            self._multi.socket_action(fd, _ACTIONS[what])
        self._collect()

    def _set_timer(self, milliseconds: int) -> None:
        if self._is_closing:
            return
        if milliseconds == 0:
            if self._soon is None:
                self._soon = self._loop.call_soon(self._act_soon)
            return
        self._due_at = (
            self._loop.time() + milliseconds / _MILLISECONDS if milliseconds > 0 else None
        )
        # A timer that rings too early sets itself again: most are moved on before they ring.
        if self._due_at is not None and (self._timer is None or self._rings_at > self._due_at):
            self._ring_at(self._due_at)

    def _ring_at(self, time: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # Of a time that has almost come, uvloop makes a handle that cannot say when it is.
        self._timer, self._rings_at = self._loop.call_at(time, self._ring), time

    def _ring(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        if self._due_at > self._loop.time():
            self._ring_at(self._due_at)
        else:
            self._act()

    def _act_soon(self) -> None:
        self._soon = None
        self._act()

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._soon):
            if timer is not None:
                timer.cancel()
        self._timer = self._soon = None

    def _act(self) -> None:
        """Let libcurl do what it wanted to do by now."""
        self._multi.socket_action(_SOCKET_TIMEOUT, 0)
        self._collect()

    def _collect(self) -> None:
        _, done, failed = self._multi.info_read()
        for handle in done:
            self._finish(handle, self._waiting.pop(handle), (OK, ""))
        for handle, code, text in failed:
            self._finish(handle, self._waiting.pop(handle), (int(code), str(text)))

    def _finish(self, handle: Any, future: asyncio.Future[Code], code: Code) -> None:
        self._waiting.pop(handle, None)
        self._multi.remove_handle(handle)
        if not future.done():
            future.set_result(code)
