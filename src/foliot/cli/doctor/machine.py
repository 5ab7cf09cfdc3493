"""Checks of the configuration, the data directory, the disk, and the server that runs."""

import os
import shlex
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from foliot.cli.doctor.finding import CheckResult, ok, problem, warning
from foliot.client.errors import NoServer
from foliot.client.probe import probe
from foliot.core.errors import FoliotError
from foliot.core.model.token import STRONG_LENGTH
from foliot.core.networks import is_loopback
from foliot.ports.private_files import leftover_drafts
from foliot.serve.settings import NoTls, PostgresAddress, Settings
from foliot.store.sqlite.disk import is_read_only

_MB = 1_000_000
_LOW_DISK, _FULL_DISK = 1000 * _MB, 100 * _MB
_OTHERS = 0o077
_PRIVATE_FILES = ("secret-key", "admin-token", "retired-secret-keys", "foliot.db")
_UNFINISHED = "restore-unfinished"


def check_configuration(settings: Settings) -> Iterator[CheckResult]:
    """Look for settings that work, but should not stay so."""
    name, findings = "configuration", list[CheckResult]()
    is_open = not is_loopback(settings.host) and not settings.trusted_proxies
    if isinstance(settings.tls, NoTls) and is_open:
        findings.append(
            warning(
                name,
                f"FOLIOT_HOST={settings.host} is open to others, without TLS",
                "set FOLIOT_TLS, or FOLIOT_TRUSTED_PROXIES to the proxy that speaks TLS",
            )
        )
    token = settings.admin_token
    if token is not None and len(token.reveal()) < STRONG_LENGTH:
        advice = "use the output of `openssl rand -hex 32`, then revoke the short one"
        findings.append(warning(name, "FOLIOT_ADMIN_TOKEN is short", advice))
    if os.geteuid() == 0:
        advice = "run servers and commands as a user of their own"
        findings.append(warning(name, "this command runs as root", advice))
    yield from findings or [ok(name, "all settings are valid")]


def check_data_dir(settings: Settings) -> Iterator[CheckResult]:
    """Look at the directory and the files in it that must be private."""
    name, place = "data directory", settings.data_dir
    try:
        is_there = place.is_dir()
    except OSError as error:
        advice = "run this command as the user of the server"
        yield problem(name, f"{place} cannot be read: {error.strerror}", advice)
        return
    if not is_there:
        advice = "give --data-dir; a server makes it at its first start"
        yield problem(name, f"{place} is not a directory", advice)
        return
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        yield problem(name, *_unwritable(place))
        return
    if (place / _UNFINISHED).exists():
        yield problem(name, "a restore was interrupted", "run `foliot restore` again")
        return
    left = leftover_drafts(place)
    if left:
        found = "a backup or restore that was interrupted has left files"
        yield warning(name, found, f"rm {shlex.join(map(str, left))}")
    open_to_others = [each for each in _private(place) if each.stat().st_mode & _OTHERS]
    for path in open_to_others:
        mode = stat.filemode(path.stat().st_mode)
        yield warning(name, f"{path} is open to others ({mode})", f"chmod go-rwx {path}")
    if not open_to_others and not left:
        yield ok(name, f"{place} is private")


def _unwritable(place: Path) -> tuple[str, str]:
    if is_read_only(place):
        advice = "see the log of the system: a disk that fails is made read-only; mount it to write"
        return f"{place} is on a read-only file system", advice
    return f"{place} cannot be written", "give it to the user of the server"


def _private(place: Path) -> list[Path]:
    return [place, *(place / each for each in _PRIVATE_FILES if (place / each).exists())]


def check_disk(settings: Settings) -> Iterator[CheckResult]:
    """Look at the free space where data is written."""
    kept = settings.database
    place = settings.data_dir if isinstance(kept, PostgresAddress) else kept.parent
    try:
        is_directory, free = place.is_dir(), shutil.disk_usage(place).free
    except OSError:
        is_directory, free = False, 0
    if not is_directory:
        # The check of the data directory says so.
        return
    text = f"{free / 1e9:.1f} GB free in {place}"
    if free < _FULL_DISK:
        yield problem("disk", text, "make room: a full disk stops all writes")
    elif free < _LOW_DISK:
        yield warning("disk", text, "make room, or move the data directory")
    else:
        yield ok("disk", text)


def check_server(settings: Settings) -> Iterator[CheckResult]:
    """Ask the server of the directory whether it is ready."""
    try:
        url = probe(settings.data_dir, "/readyz", seconds=10)
    except NoServer:
        yield warning("server", "no server runs here", "start `foliot serve`, if one should")
    except FoliotError as error:
        advice = "see its log; `foliot ping --ready` asks again"
        yield problem("server", str(error).rstrip("."), advice)
    else:
        yield ok("server", f"{url} is ready")
