"""Values of settings in words, without secrets."""

from collections.abc import Mapping
from pathlib import Path

from foliot.core.instant import SECOND, tell_length
from foliot.core.networks import Networks
from foliot.dispatch.egress.rules import Entry
from foliot.serve.settings.values import AutoTls, Database, NoTls, PostgresAddress, Tls, TlsFiles


def database_text(database: Database) -> str:
    """Return which database it is, without user and password."""
    if isinstance(database, PostgresAddress):
        return f"PostgreSQL, {database.shown}"
    return f"SQLite, {database.resolve()}"


def tls_text(tls: Tls) -> str:
    """Return where the certificate comes from."""
    match tls:
        case NoTls():
            return "none"
        case AutoTls():
            return "auto"
        case TlsFiles(certificate, key):
            return f"{certificate}, {key}"


def path_text(path: Path) -> str:
    """Return the absolute path."""
    return str(path.resolve())


def networks_text(networks: Networks) -> str:
    """Return networks with commas between them."""
    return ", ".join(map(str, networks))


def egress_text(entries: tuple[Entry, ...]) -> str:
    """Return entries of an egress list as they were written."""
    return ", ".join(entry.text for entry in entries)


def endpoints_text(endpoints: Mapping[str, str]) -> str:
    """Return the names of services; their addresses are not for everyone who manages jobs."""
    return ", ".join(sorted(endpoints))


def count_text(count: int) -> str:
    """Return a number with commas between thousands."""
    return f"{count:,}"


def seconds_text(seconds: int) -> str:
    """Return a duration in words."""
    return tell_length(seconds * SECOND)


def hidden_text(_: object) -> str:
    """Return only that there is a value."""
    return "set"
