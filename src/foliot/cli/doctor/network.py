"""Checks of egress rules, names, the proxy, and trusted certificates."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from foliot.cli.doctor.finding import CheckResult, ok, problem, warning
from foliot.core.plurals import how_many
from foliot.serve.settings import Settings

_SECONDS = 5
_RESOLVERS = Path("/etc/resolv.conf")


def check_egress(settings: Settings) -> Iterator[CheckResult]:
    """Tell the rules, and look for entries that contradict each other."""
    rules = settings.egress
    denied = {entry.text for entry in rules.deny}
    both = sorted(entry.text for entry in rules.allow if entry.text in denied)
    if both:
        advice = "remove it from one of the lists: what is denied stays denied"
        yield warning("egress", f"{both[0]} is both allowed and denied", advice)
    else:
        counts = f"{len(rules.allow)} allowed, {len(rules.deny)} denied entries"
        yield ok("egress", f"mode {rules.mode}, {counts}")


def check_names(resolvers: Path = _RESOLVERS) -> Iterator[CheckResult]:
    """Look whether a name server is configured, without asking it."""
    try:
        lines = resolvers.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    # A line without an address names no server.
    servers = [
        found for found in map(str.split, lines) if found[:1] == ["nameserver"] and found[1:]
    ]
    if servers:
        yield ok("names", f"{how_many(len(servers), 'name server')} in {resolvers}")
    else:
        advice = "jobs can call addresses and names of /etc/hosts alone; add a nameserver"
        yield warning("names", f"{resolvers} has no name server", advice)


def check_proxy(settings: Settings) -> Iterator[CheckResult]:
    """Look whether the proxy of actions accepts connections."""
    if settings.proxy is None:
        return
    parts = urlsplit(settings.proxy)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), _SECONDS).close()
    except OSError as error:
        found = f"the proxy does not accept connections: {error.strerror or error}"
        yield problem("proxy", found, "correct FOLIOT_PROXY: no job gets through")
    else:
        yield ok("proxy", "accepts connections")


def check_trusted(settings: Settings) -> Iterator[CheckResult]:
    """Look whether the file of trusted certificates can be read."""
    if settings.ca_file is None:
        return
    try:
        ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError):
        found = f"FOLIOT_CA_FILE={settings.ca_file} has no certificates that can be read"
        yield problem("trusted certificates", found, "give a file with certificates in PEM")
    else:
        yield ok("trusted certificates", f"{settings.ca_file} can be read")
