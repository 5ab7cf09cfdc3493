"""The portal of a server, put before its API."""

from collections.abc import Mapping
from importlib import metadata
from socket import gethostname
from typing import NamedTuple

from starlette.types import ASGIApp

from foliot.app.use_cases import UseCases
from foliot.core.instant import SECOND, tell_length
from foliot.core.model.token import digest
from foliot.dispatch.egress.rules import ALLOW, DENY, MODE
from foliot.portal.app import Portal
from foliot.portal.context import Desk, Facts, OneTimeCode
from foliot.serve.first_token import SignIn
from foliot.serve.open_store import Storage
from foliot.serve.settings import AutoTls, NoTls, PostgresAddress, Settings, TlsFiles
from foliot.web.auth.gate import Gate, OpenGate
from foliot.web.auth.sessions import Sessions
from foliot.web.proxies import is_loopback


def one_time_code(settings: Settings, sign_in: SignIn) -> OneTimeCode | None:
    """Return a code to sign in with, where only this machine can use it and its owner is known."""
    if settings.no_auth or not is_loopback(settings.host):
        return None
    if settings.admin_token is not None:
        return OneTimeCode(digest(settings.admin_token.reveal()))
    return None if sign_in.digest is None else OneTimeCode(sign_in.digest)


class Entry(NamedTuple):
    """How people get in."""

    gate: Gate | OpenGate
    code: OneTimeCode | None = None


def with_portal(
    api: ASGIApp, settings: Settings, storage: Storage, use_cases: UseCases, entry: Entry
) -> Portal:
    """Return the application with pages before it."""
    store, clock = storage.store, storage.clock
    desk = Desk(
        use_cases=use_cases,
        gate=entry.gate if isinstance(entry.gate, Gate) else None,
        sessions=Sessions(storage.keyring, store),
        clock=clock,
        limits=settings.limits,
        facts=_facts(settings, storage),
        public_url=settings.public_url,
        trusted_proxies=settings.trusted_proxies,
        code=entry.code,
    )
    return Portal(api, desk)


def _facts(settings: Settings, storage: Storage) -> Facts:
    return Facts(
        version=metadata.version("foliot"),
        node=gethostname(),
        started_at=storage.clock.now(),
        runs_jobs=not settings.no_engine,
        database=_database(settings),
        time_offset=_offset(settings, storage),
        settings=shown_settings(settings),
    )


def _database(settings: Settings) -> str:
    kept = settings.database
    if isinstance(kept, PostgresAddress):
        return f"PostgreSQL, {kept.shown}"
    return f"SQLite, {kept.resolve()}"


def _offset(settings: Settings, storage: Storage) -> str:
    if not isinstance(settings.database, PostgresAddress):
        return "none: the database has the clock of this machine"
    return f"{storage.offset() / SECOND:+.3f} s to the database's clock when the server started"


def shown_settings(settings: Settings) -> Mapping[str, str]:
    """Return all settings but limits, each under its variable; of a secret, whether it is set."""
    return _listening(settings) | _running(settings) | _sending(settings)


def _listening(settings: Settings) -> dict[str, str]:
    match settings.tls:
        case NoTls():
            tls = "none"
        case AutoTls():
            tls = "auto"
        case TlsFiles(certificate, key):
            tls = f"{certificate}, {key}"
    proxies = ", ".join(map(str, settings.trusted_proxies))
    return {
        "FOLIOT_HOST": settings.host,
        "FOLIOT_PORT": str(settings.port),
        "FOLIOT_DATA_DIR": str(settings.data_dir.resolve()),
        "FOLIOT_DATABASE": _database(settings),
        "FOLIOT_TLS": tls,
        "FOLIOT_PUBLIC_URL": settings.public_url or "as the request came in",
        "FOLIOT_TRUSTED_PROXIES": proxies or "none",
        "FOLIOT_MAX_CONNECTIONS_PER_ADDRESS": f"{settings.max_connections_per_address:,}",
        "FOLIOT_NO_API": "1: this node answers no API" if settings.no_api else "0",
        "FOLIOT_NO_AUTH": "1: nobody has to sign in" if settings.no_auth else "0",
        "FOLIOT_ADMIN_TOKEN": "not set" if settings.admin_token is None else "set",
        "FOLIOT_SECRET_KEYS": "in the data directory" if settings.secret_keys is None else "set",
    }


def _running(settings: Settings) -> dict[str, str]:
    return {
        "FOLIOT_LOG_LEVEL": settings.log_level,
        "FOLIOT_LOG_FORMAT": settings.log_format,
        "FOLIOT_GRACE": tell_length(settings.grace_seconds * SECOND),
        "FOLIOT_NO_ENGINE": "1: jobs are kept but not run" if settings.no_engine else "0",
        "FOLIOT_ONE_PROCESS": "1: actions run in this process" if settings.one_process else "0",
        "FOLIOT_SLOTS": f"{settings.slots:,}",
        "FOLIOT_MAX_OPEN_RUNS": f"{settings.max_open_runs:,}",
    }


def _sending(settings: Settings) -> dict[str, str]:
    """Return where actions may go; addresses of others' services are told by their names alone."""
    egress, storage, bus = settings.egress, settings.storage, settings.service_bus
    return {
        MODE: egress.mode.value,
        ALLOW: ", ".join(each.text for each in egress.allow) or "none",
        DENY: ", ".join(each.text for each in egress.deny) or "none",
        "FOLIOT_CA_FILE": str(settings.ca_file or "the system's"),
        "FOLIOT_PROXY": "none" if settings.proxy is None else "set",
        "FOLIOT_LOGIN_URL": settings.login_url,
        "FOLIOT_STORAGE_SUFFIX": storage.pattern.removeprefix("{}.queue."),
        "FOLIOT_STORAGE_ENDPOINTS": ", ".join(sorted(storage.placed)) or "none",
        "FOLIOT_SERVICEBUS_SUFFIX": bus.pattern.removeprefix("{}."),
        "FOLIOT_SERVICEBUS_ENDPOINTS": ", ".join(sorted(bus.placed)) or "none",
    }
