"""Log lines about the life of a server: it starts, is told to stop, has stopped."""

import os
from collections.abc import Callable
from contextvars import Context
from importlib import metadata

from foliot.ports.logs import get_logger
from foliot.serve.server_tls import ServerTls
from foliot.serve.settings import PostgresAddress, Settings
from foliot.web.server.run import ServerHooks

_log = get_logger("foliot.serve")


def log_start(settings: Settings, port: int) -> None:
    """Log that the server answers; of a database's address, what has no password."""
    kept = settings.database
    _log.info(
        "Server started",
        version=metadata.version("foliot"),
        host=settings.host,
        port=port,
        database=kept.shown if isinstance(kept, PostgresAddress) else str(kept.resolve()),
        pid=os.getpid(),
    )


def log_tls(tls: ServerTls) -> None:
    """Warn of a certificate that clients will refuse."""
    if tls.warning is not None:
        _log.warning("TLS will not work", reason=tls.warning)


def log_stopped() -> None:
    """Log that the server has stopped; nothing follows."""
    _log.info("Server stopped")


def logging_signals(hooks: ServerHooks) -> ServerHooks:
    """Return the same callbacks, those for signals with a log line each."""
    return hooks._replace(
        on_stop=_logged("Server stops", hooks.on_stop),
        on_second_stop=_logged("Server stops without grace", hooks.on_second_stop),
    )


def _logged(event: str, callback: Callable[[], None]) -> Callable[[], None]:
    def logged() -> None:
        # A signal may come in the middle of a request, whose fields are not the server's.
        Context().run(_log.info, event)
        callback()

    return logged
