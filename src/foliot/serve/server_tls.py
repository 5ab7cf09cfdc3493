"""The server's TLS: the files that the operator gives, or a certificate in the data directory."""

import socket
import ssl
from datetime import UTC
from pathlib import Path
from typing import assert_never
from urllib.parse import urlsplit

from msgspec import Struct

from foliot.core.instant import Wall, reading_of
from foliot.ports import clock
from foliot.serve.settings import AutoTls, NoTls, Settings, TlsFiles
from foliot.web.server.tls import certify, load_certificate

TLS_DIRECTORY = "tls"


class ServerTls(Struct, frozen=True):
    """The context of the listener, and the authority that clients must trust, if it is our own."""

    context: ssl.SSLContext | None = None
    authority: Path | None = None


def server_tls(settings: Settings) -> ServerTls:
    """Return the TLS of a server that starts now; make or renew its own certificate if needed."""
    match settings.tls:
        case NoTls():
            return ServerTls()
        case TlsFiles(certificate, key):
            return ServerTls(load_certificate(certificate, key))
        case AutoTls():
            now = reading_of(Wall(clock.now())).replace(tzinfo=UTC)
            files = certify(settings.data_dir / TLS_DIRECTORY, own_hosts(settings), now)
            return ServerTls(load_certificate(files.certificate, files.key), files.authority)
        case _:
            assert_never(settings.tls)


def own_hosts(settings: Settings) -> list[str]:
    """Return the names under which clients may reach the server."""
    public = public_host(settings)
    return [settings.host, socket.gethostname(), *([public] if public else [])]


def public_host(settings: Settings) -> str | None:
    """Return the host of the public address, if the operator has set one."""
    return urlsplit(settings.public_url or "").hostname
