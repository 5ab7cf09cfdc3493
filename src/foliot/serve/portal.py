"""The portal of a server, put before its API."""

from importlib import metadata
from socket import gethostname
from typing import NamedTuple

from starlette.types import ASGIApp

from foliot.app.use_cases import UseCases
from foliot.core.instant import SECOND
from foliot.core.model.token import digest
from foliot.core.networks import is_loopback
from foliot.portal.app import Portal
from foliot.portal.context import OneTimeCode, PortalContext, ServerInfo
from foliot.serve.first_token import SignIn
from foliot.serve.open_store import Storage
from foliot.serve.settings import PostgresAddress, Settings, database_text, shown_settings
from foliot.web.auth.gate import Gate, OpenGate
from foliot.web.auth.sessions import Sessions


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
    context = PortalContext(
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
    return Portal(api, context)


def _facts(settings: Settings, storage: Storage) -> ServerInfo:
    return ServerInfo(
        version=metadata.version("foliot"),
        node=gethostname(),
        started_at=storage.clock.now(),
        runs_jobs=not settings.no_engine,
        database=database_text(settings.database),
        time_offset=_offset(settings, storage),
        settings=shown_settings(settings),
    )


def _offset(settings: Settings, storage: Storage) -> str:
    if not isinstance(settings.database, PostgresAddress):
        return "none: the database has the clock of this machine"
    return f"{storage.offset() / SECOND:+.3f} s to the database's clock when the server started"
