"""Drives libcurl's transfers from the event loop: no thread for a request, and no polling."""

import asyncio
from typing import Any

import pycurl as untyped

from foliot.dispatch.curl import Line

_curl: Any = untyped

OK: int = 0
ABORTED: int = _curl.E_ABORTED_BY_CALLBACK

_MILLISECONDS = 1000
_POLL_IN: int = _curl.POLL_IN
_POLL_OUT: int = _curl.POLL_OUT
_POLL_REMOVE: int = _curl.POLL_REMOVE
_CSELECT_IN: int = _curl.CSELECT_IN
_CSELECT_OUT: int = _curl.CSELECT_OUT
_SOCKET_TIMEOUT: int = _curl.SOCKET_TIMEOUT

Code = tuple[int, str]


class Transfers:
    """Transfers under way, and the connections that are kept for the next."""

    def __init__(self, max_idle: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[Any, asyncio.Future[Code]] = {}
        self._watched: dict[int, int] = {}
        self._due_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self._is_closing = False
        self._multi: Any = _curl.CurlMulti()
        self._multi.setopt(_curl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(_curl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(_curl.M_MAXCONNECTS, max_idle)

    async def perform(self, line: Line) -> Code:
        """Carry out what was dialled, and return libcurl's verdict."""
        handle = line.handle
        future = self._waiting[handle] = self._loop.create_future()
        try:
            self._multi.add_handle(handle)
            return await future
        finally:
            if self._waiting.pop(handle, None) is not None:
                self._multi.remove_handle(handle)

    async def close(self) -> None:
        """End all transfers and connections."""
        for handle, future in list(self._waiting.items()):
            self._finish(handle, future, (ABORTED, ""))
        for fd in list(self._watched):
            self._watch(_POLL_REMOVE, fd, None, None)
        self._cancel_timers()
        self._is_closing = True
        # Libcurl waits here for names that are still being resolved.
        await asyncio.to_thread(self._multi.close)

    def _watch(self, what: int, fd: int, _multi: Any, _data: Any) -> None:
        if self._is_closing:
            return
        before = self._watched.pop(fd, 0)
        if what == _POLL_REMOVE:
            what = 0
        else:
            self._watched[fd] = what
        changed = what ^ before
        if changed & _POLL_IN:
            if what & _POLL_IN:
                self._loop.add_reader(fd, self._act, fd, _CSELECT_IN)
            else:
                self._loop.remove_reader(fd)
        if changed & _POLL_OUT:
            if what & _POLL_OUT:
                self._loop.add_writer(fd, self._act, fd, _CSELECT_OUT)
            else:
                self._loop.remove_writer(fd)

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
        if self._due_at is not None and (self._timer is None or self._timer.when() > self._due_at):
            self._ring_at(self._due_at)

    def _ring_at(self, time: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(time, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        if self._due_at > self._loop.time():
            self._ring_at(self._due_at)
        else:
            self._act(_SOCKET_TIMEOUT, 0)

    def _act_soon(self) -> None:
        self._soon = None
        self._act(_SOCKET_TIMEOUT, 0)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._soon):
            if timer is not None:
                timer.cancel()
        self._timer = self._soon = None

    def _act(self, fd: int, events: int) -> None:
        self._multi.socket_action(fd, events)
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
