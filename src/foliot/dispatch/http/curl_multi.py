"""Drives libcurl's multi interface from the event loop: no thread per request, no polling."""

import asyncio
from collections.abc import Callable
from typing import Any

import pycurl as untyped

from foliot.dispatch.http.curl_handle import CurlHandle
from foliot.dispatch.http.socket_events import READ, WRITE, watched_sockets
from foliot.dispatch.http.start_pacing import StartPacing

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
    """Transfers in progress, and the idle connections that libcurl keeps."""

    def __init__(self, max_idle: int, slots: int = 0) -> None:
        self._loop = asyncio.get_running_loop()
        self.time: Callable[[], float] = self._loop.time
        self.pacing = StartPacing(self._loop, slots)
        self._waiting: dict[Any, asyncio.Future[Code]] = {}
        self._sockets = watched_sockets(self._ready)
        self._due_at: float | None = None
        self._timer: asyncio.Handle | None = None
        self._fires_at = 0.0
        self._soon: asyncio.Handle | None = None
        self._is_closing = False
        self._multi: Any = _curl.CurlMulti()
        self._multi.setopt(_curl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(_curl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(_curl.M_MAXCONNECTS, max_idle)

    async def perform(self, handle: CurlHandle, *, drop_idle: bool = False) -> Code:
        """Perform the prepared request, and return libcurl's code and message.

        With `drop_idle`, libcurl closes idle connections first.
        """
        easy = handle.easy
        future = self._waiting[easy] = self._loop.create_future()
        try:
            self._multi.add_handle(easy)
            if drop_idle:
                self._begin_without_idle()
            return await future
        finally:
            if self._waiting.pop(easy, None) is not None:
                self._multi.remove_handle(easy)

    async def close(self) -> None:
        """End all transfers and connections."""
        for easy, future in list(self._waiting.items()):
            self._finish(easy, future, (ABORTED, ""))
        self.pacing.close()
        self._sockets.close()
        self._cancel_timers()
        self._is_closing = True
        # Closing blocks while libcurl still resolves names.
        await asyncio.to_thread(self._multi.close)

    def _begin_without_idle(self) -> None:
        """Let libcurl connect while its limit of connections equals the number of transfers.

        That makes it close idle ones; libcurl has no other way to ask for it.
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
        # libcurl postpones most timers before they fire: one that fires early re-arms itself, which
        # costs less than cancelling and creating a timer for each change.
        if self._due_at is not None and (self._timer is None or self._fires_at > self._due_at):
            self._arm_timer(self._due_at)

    def _arm_timer(self, time: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # Keep the time here: the handle that uvloop returns for a near time has no when().
        self._timer, self._fires_at = self._loop.call_at(time, self._timer_fired), time

    def _timer_fired(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        if self._due_at > self._loop.time():
            self._arm_timer(self._due_at)
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
        """Let libcurl act on its expired timers."""
        self._multi.socket_action(_SOCKET_TIMEOUT, 0)
        self._collect()

    def _collect(self) -> None:
        _, done, failed = self._multi.info_read()
        for easy in done:
            self._finish(easy, self._waiting.pop(easy), (OK, ""))
        for easy, code, text in failed:
            self._finish(easy, self._waiting.pop(easy), (int(code), str(text)))

    def _finish(self, easy: Any, future: asyncio.Future[Code], code: Code) -> None:
        self._waiting.pop(easy, None)
        self._multi.remove_handle(easy)
        if not future.done():
            future.set_result(code)
