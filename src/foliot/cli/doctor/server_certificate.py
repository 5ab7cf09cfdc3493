"""Checks of the server's certificate: its time, its names, its key, and who may read the key."""

import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from cryptography import x509
from msgspec import Struct

from foliot.cli.doctor.finding import CheckResult, ok, problem, warning
from foliot.core.errors import FoliotError
from foliot.core.instant import Wall, reading_of
from foliot.core.networks import is_loopback
from foliot.core.plurals import how_many
from foliot.ports import clock
from foliot.serve.server_tls import TLS_DIRECTORY, own_hosts, public_host
from foliot.serve.settings import AutoTls, NoTls, Settings, TlsFiles
from foliot.web.server.certificate_authority import names_not_covered
from foliot.web.server.tls import certified_names, files_in, load_certificate

_NAME = "certificate"
_DAYS = 30
_NAME_FILES = "let FOLIOT_TLS name a certificate, and the key that belongs to it"
_EVERYBODY, _GROUP_AND_EVERYBODY = 0o007, 0o077


class _Pair(Struct, frozen=True):
    """A certificate with its key, what it must be good for, and what helps if it is not."""

    certificate: Path
    key: Path
    hosts: Sequence[str]
    closed_to: int
    advice: str
    advice_to_load: str


def check_server_certificate(settings: Settings) -> Iterator[CheckResult]:
    """Look at the certificate of the server, and at the authority that has signed its own one."""
    match settings.tls:
        case NoTls():
            return
        case AutoTls():
            yield from _own(settings)
        case TlsFiles(certificate, key):
            advice = "renew it, and restart the server"
            given = _given(settings)
            yield from _judged(_Pair(certificate, key, given, _EVERYBODY, advice, _NAME_FILES))
        case _:
            assert_never(settings.tls)


def _own(settings: Settings) -> Iterator[CheckResult]:
    files = files_in(settings.data_dir / TLS_DIRECTORY)
    if not files.certificate.exists() and not files.authority.exists():
        yield ok(_NAME, "the server makes one at its first start")
        return
    authority = _read(files.authority)
    advice = "remove the directory tls and restart the server; clients must trust anew"
    if authority is None:
        yield problem(_NAME, f"{files.authority} cannot be read", advice)
    else:
        yield from _time_problems(files.authority, authority, advice)
    names = certified_names(own_hosts(settings))
    renew = "restart the server: it makes a new one"
    pair = _Pair(files.certificate, files.key, names, _GROUP_AND_EVERYBODY, renew, renew)
    yield from _judged(pair)


def _given(settings: Settings) -> list[str]:
    """Return the name that the operator has set: nobody else knows how clients reach a server."""
    host = public_host(settings) or settings.host
    is_name = certified_names([host])[-1] == host and not is_loopback(host)
    return [host] if is_name else []


def _judged(pair: _Pair) -> Iterator[CheckResult]:
    """Return what is wrong with a certificate, or how long it is valid."""
    try:
        load_certificate(pair.certificate, pair.key)
    except FoliotError as error:
        yield problem(_NAME, str(error).rstrip("."), pair.advice_to_load)
        return
    certificate = _read(pair.certificate)
    if certificate is None:
        yield problem(_NAME, f"{pair.certificate} cannot be read", pair.advice)
        return
    found = [
        *_time_problems(pair.certificate, certificate, pair.advice),
        *_name_problems(pair, certificate),
        *_open_keys(pair),
    ]
    days = (certificate.not_valid_after_utc - _now()).days
    yield from found or [ok(_NAME, f"{pair.certificate} is valid for {how_many(days, 'day')}")]


def _time_problems(file: Path, certificate: x509.Certificate, advice: str) -> Iterator[CheckResult]:
    now = _now()
    days = (certificate.not_valid_after_utc - now).days
    if certificate.not_valid_before_utc > now:
        begin = f"{certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
        yield problem(_NAME, f"{file} is not valid before {begin}", "check the clock")
    elif days < 0:
        yield problem(_NAME, f"{file} has expired", advice)
    elif days < _DAYS:
        yield warning(_NAME, f"{file} expires in {how_many(days, 'day')}", advice)


def _name_problems(pair: _Pair, certificate: x509.Certificate) -> Iterator[CheckResult]:
    missing = names_not_covered(certificate, pair.hosts)
    if missing:
        found = f"{pair.certificate} is not valid for {', '.join(missing)}"
        yield warning(_NAME, found, pair.advice)


def _open_keys(pair: _Pair) -> Iterator[CheckResult]:
    mode = pair.key.stat().st_mode
    if mode & pair.closed_to:
        found = f"{pair.key} is open to others ({stat.filemode(mode)})"
        yield warning(_NAME, found, f"chmod {stat.S_IMODE(mode) & ~pair.closed_to:o} {pair.key}")


def _read(file: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        return None


def _now() -> datetime:
    return reading_of(Wall(clock.now())).replace(tzinfo=UTC)
