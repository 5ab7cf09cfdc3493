"""The web server around the application: signals, shutdown, TLS."""

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
from foliot.web.server.connection_limits import Connections
from foliot.web.server.protocol import Protocol

# In seconds. Longer than the proxies' 60 and 75, so that it is they who close a connection.
_KEEP_ALIVE = 90
_GRACE = 30
_BETWEEN_COMPLAINTS = 60
# A look every second, as often as uvicorn takes one ten times.
_TICKS = 10

_log = get_logger("foliot.serve")

Accept = Callable[[Callable[[], Protocol]], Acceptor]


class Watch(NamedTuple):
    """What is to be done when the server answers, is told to end, and is told so again."""

    ready: Callable[[], None]
    told: Callable[[], None]
    hurried: Callable[[], None]


async def serve_until_told(
    app: ASGIApp,
    listener: socket.socket,
    *,
    certificate: ssl.SSLContext | None,
    watch: Watch,
    connections: Connections,
) -> None:
    """Answer requests until SIGTERM or SIGINT, then let those in flight finish."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    config = uvicorn.Config(
        app,
        loop="none",
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        workers=1,
        # The application decides itself which proxies it believes.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    config.load()

    def accept(make_protocol: Callable[[], Protocol]) -> Acceptor:
        return Acceptor(listener, make_protocol, certificate, connections)

    await _Server(config, watch, accept).serve(sockets=[listener])


def _is_news(record: logging.LogRecord) -> bool:
    """Tell whether to log this: a request that is given up at the end is not an error."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, watch: Watch, accept: Accept) -> None:
        super().__init__(config)
        self._watch = watch
        self._accept = accept
        self._loop = asyncio.get_running_loop()
        self._quiet_until = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002  (uvicorn's form)
        self.servers = [self._accept(self._protocol)]  # pyright: ignore[reportAttributeAccessIssue]  (all that uvicorn asks of a server)
        self.started = True
        self._watch.ready()

    def _protocol(self) -> Protocol:
        return Protocol(self.config, self.server_state, {})

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            self._look_for_descriptors()
        return await super().on_tick(counter)

    def _look_for_descriptors(self) -> None:
        """Say when connections cannot be accepted."""
        now = asyncio.get_running_loop().time()
        if now < self._quiet_until:
            return
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            self._quiet_until = now + _BETWEEN_COMPLAINTS
            _log.error("New connections are refused; raise `ulimit -n`", error=error.strerror)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        # uvicorn raises the signal again when it is done, and the process would end as if killed.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  (uvicorn's form)
        is_second = self.force_exit = self.should_exit
        self.should_exit = True
        # A handler may run anywhere; the loop may sleep.
        self._loop.call_soon_threadsafe(self._watch.hurried if is_second else self._watch.told)
