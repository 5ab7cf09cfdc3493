"""Runs uvicorn around the application: signals, shutdown, TLS."""

import asyncio
import logging
import os
import signal
import socket
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from foliot.ports.logs import get_logger
from foliot.web.server.accept import Acceptor
from foliot.web.server.connection_limits import ConnectionLimits
from foliot.web.server.protocol import HttpProtocol

# Longer than the 60 and 75 of common proxies, so that the proxy closes a connection first.
_KEEP_ALIVE_SECONDS = 90
_GRACE_SECONDS = 30
_SECONDS_BETWEEN_ERRORS = 60
# uvicorn ticks ten times a second.
_TICKS_PER_CHECK = 10

_log = get_logger("foliot.serve")

Accept = Callable[[Callable[[], HttpProtocol]], Acceptor]


class ServerHooks(NamedTuple):
    """Callbacks: the server accepts requests, gets its first signal to stop, and its second."""

    on_ready: Callable[[], None]
    on_stop: Callable[[], None]
    on_second_stop: Callable[[], None]


async def serve_until_signal(
    app: ASGIApp,
    listener: socket.socket,
    *,
    certificate: ssl.SSLContext | None,
    hooks: ServerHooks,
    limits: ConnectionLimits,
) -> None:
    """Answer requests until SIGTERM or SIGINT, then let those in flight finish."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.error").addFilter(_is_relevant)
    config = uvicorn.Config(
        app,
        loop="none",
        http=HttpProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        workers=1,
        # The application itself decides which proxies it trusts.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    config.load()

    def accept(make_protocol: Callable[[], HttpProtocol]) -> Acceptor:
        return Acceptor(listener, make_protocol, certificate, limits)

    await _Server(config, hooks, accept).serve(sockets=[listener])


def _is_relevant(record: logging.LogRecord) -> bool:
    """Tell whether to log this: a request that is cancelled at shutdown is not an error."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, hooks: ServerHooks, accept: Accept) -> None:
        super().__init__(config)
        self._hooks = hooks
        self._accept = accept
        self._loop = asyncio.get_running_loop()
        self._quiet_until = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002  (uvicorn's form)
        self.servers = [self._accept(self._protocol)]  # pyright: ignore[reportAttributeAccessIssue]  (all that uvicorn asks of a server)
        self.started = True
        self._hooks.on_ready()

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, {})

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_PER_CHECK == 0:
            self._check_descriptors()
        return await super().on_tick(counter)

    def _check_descriptors(self) -> None:
        """Log an error when no connection can be accepted."""
        now = asyncio.get_running_loop().time()
        if now < self._quiet_until:
            return
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            self._quiet_until = now + _SECONDS_BETWEEN_ERRORS
            _log.error("New connections are refused; raise `ulimit -n`", error=error.strerror)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        # uvicorn would raise the signal again after shutdown, and end the process as if killed.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  (uvicorn's form)
        is_second = self.force_exit = self.should_exit
        self.should_exit = True
        # The handler may interrupt anything, and the loop may sleep: this call wakes it.
        hooks = self._hooks
        self._loop.call_soon_threadsafe(hooks.on_second_stop if is_second else hooks.on_stop)
