"""The web server around the application: signals, shutdown, TLS."""

import logging
import signal
import socket
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from foliot.serve.protocol import Protocol

# In seconds. Longer than the proxies' 60 and 75, so that it is they who close a connection.
_KEEP_ALIVE = 90
_GRACE = 30


async def serve_until_told(
    app: ASGIApp,
    listener: socket.socket,
    *,
    certificate: ssl.SSLContext | None,
    when_ready: Callable[[], None],
) -> None:
    """Answer requests until SIGTERM or SIGINT, then let those in flight finish."""
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
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
        ssl_context_factory=None if certificate is None else lambda _config, _default: certificate,
    )
    await _Server(config, when_ready).serve(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._when_ready()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        # uvicorn raises the signal again when it is done, and the process would end as if killed.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  (uvicorn's form)
        self.force_exit = self.should_exit
        self.should_exit = True
