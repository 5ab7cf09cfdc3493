"""The server's TLS certificate: the operator's own, or one made in the data directory."""

import ssl
from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path

from msgspec import Struct

from foliot.core.errors import CannotStart
from foliot.ports.private_files import write_private
from foliot.web.server.certificate_authority import (
    CertifiedKey,
    certificate_text,
    is_fresh,
    is_good_for,
    key_text,
    make_authority,
    make_server,
    read_identity,
)

_ALWAYS = ("localhost", "127.0.0.1", "::1")


class CertificateFiles(Struct, frozen=True):
    """The files of a certificate that was made here, and of its authority, for clients to trust."""

    certificate: Path
    key: Path
    authority: Path


def certify(directory: Path, hosts: Sequence[str], now: datetime) -> CertificateFiles:
    """Return a certificate for these hosts that is valid for weeks; make or renew it if needed."""
    names = certified_names(hosts)
    files = files_in(directory)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        authority = _authority(files.authority, directory / "ca-key.pem", now)
        server = _read(files.certificate, files.key)
        if server is None or not _is_usable(server, authority, names, now):
            made = make_server(authority, names, now)
            _write(made, files.certificate, files.key)
    except OSError as error:
        raise CannotStart(f"cannot keep a certificate in {directory}: {error.strerror}.") from None
    return files


def files_in(directory: Path) -> CertificateFiles:
    """Return where the files of a certificate are that is made in a directory."""
    return CertificateFiles(
        directory / "server.pem", directory / "server-key.pem", directory / "ca.pem"
    )


def certified_names(hosts: Sequence[str]) -> list[str]:
    """Return the names that a certificate for these hosts has."""
    return list(dict.fromkeys((*_ALWAYS, *filter(_is_certifiable, hosts))))


def load_certificate(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the TLS context of a server; the two files must load and belong together."""
    for file in (certificate, key):
        _check_readable(file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except _Encrypted:
        raise CannotStart(f"the key {key} has a password; give one without.") from None
    except ssl.SSLError as error:
        raise CannotStart(
            f"the key {key} does not belong to the certificate {certificate}."
            if error.reason == "KEY_VALUES_MISMATCH"
            else f"cannot use the certificate {certificate} with the key {key}: "
            "give two PEM files, the certificate (its chain after it) and its key."
        ) from None
    return context


class _Encrypted(Exception):
    pass


def _no_password() -> str:
    # Without this OpenSSL would ask for a password at the terminal.
    raise _Encrypted


def _check_readable(file: Path) -> None:
    try:
        file.open("rb").close()
    except OSError as error:
        raise CannotStart(f"cannot read {file}: {error.strerror}.") from None


def _authority(certificate: Path, key: Path, now: datetime) -> CertifiedKey:
    kept = _read(certificate, key)
    if kept is not None and is_fresh(kept.certificate, now):
        return kept
    made = make_authority(now)
    _write(made, certificate, key)
    return made


def _read(certificate: Path, key: Path) -> CertifiedKey | None:
    try:
        return read_identity(certificate.read_bytes(), key.read_bytes())
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _write(made: CertifiedKey, certificate: Path, key: Path) -> None:
    # After a crash in between the two files do not match, and are made again.
    write_private(key, key_text(made.key))
    write_private(certificate, certificate_text(made.certificate))


def _is_usable(
    server: CertifiedKey, authority: CertifiedKey, names: Sequence[str], now: datetime
) -> bool:
    return is_fresh(server.certificate, now) and is_good_for(server, authority, names)


def _is_certifiable(host: str) -> bool:
    try:
        return not ip_address(host).is_unspecified
    except ValueError:
        return host.isascii()
