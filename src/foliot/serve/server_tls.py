"""The server's TLS: the files that the operator gives, or a certificate in the data directory."""

import socket
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never
from urllib.parse import urlsplit

from msgspec import Struct

from foliot.core.instant import Wall, reading_of
from foliot.ports import clock
from foliot.serve.settings import AutoTls, NoTls, Settings, TlsFiles

TLS_DIRECTORY = "tls"


class ServerTls(Struct, frozen=True):
    """The context of the listener, and the authority that clients must trust, if it is our own.

    `warning` says why clients will refuse the certificate.
    """

    context: ssl.SSLContext | None = None
    authority: Path | None = None
    warning: str | None = None


def server_tls(settings: Settings) -> ServerTls:
    """Return the TLS of a server that starts now; make or renew its own certificate if needed."""
    if isinstance(settings.tls, NoTls):
        return ServerTls()
    # Here, since it takes a tenth of the time to start, and most servers are behind a proxy.
    from foliot.web.server.tls import certify, load_certificate  # noqa: PLC0415

    match settings.tls:
        case TlsFiles(certificate, key):
            context = load_certificate(certificate, key)
            return ServerTls(context, warning=_out_of_time(certificate, _now()))
        case AutoTls():
            files = certify(settings.data_dir / TLS_DIRECTORY, own_hosts(settings), _now())
            return ServerTls(load_certificate(files.certificate, files.key), files.authority)
        case _:
            assert_never(settings.tls)


def _out_of_time(file: Path, now: datetime) -> str | None:
    """Return what to say of a certificate that is not valid now."""
    # Here, as above.
    from cryptography import x509  # noqa: PLC0415

    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        # OpenSSL has read it, and may know more formats.
        return None
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if end < now:
        return f"the certificate {file} expired on {end:%Y-%m-%d}: clients refuse it, renew it"
    if begin > now:
        return f"the certificate {file} is not valid before {begin:%Y-%m-%d %H:%M} UTC"
    return None


def _now() -> datetime:
    return reading_of(Wall(clock.now())).replace(tzinfo=UTC)


def own_hosts(settings: Settings) -> list[str]:
    """Return the names under which clients may reach the server."""
    public = public_host(settings)
    return [settings.host, socket.gethostname(), *([public] if public else [])]


def public_host(settings: Settings) -> str | None:
    """Return the host of the public address, if the operator has set one."""
    return urlsplit(settings.public_url or "").hostname
