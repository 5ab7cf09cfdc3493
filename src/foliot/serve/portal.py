"""The portal of a server: its context, its facts, and the one-time code to sign in."""

from collections.abc import Callable
from importlib import metadata
from socket import gethostname
from typing import TYPE_CHECKING, NamedTuple

from foliot.api.app import Api
from foliot.app.use_cases import UseCases
from foliot.core.instant import SECOND
from foliot.core.model.token import digest
from foliot.core.networks import is_loopback
from foliot.portal.context import PortalContext, ServerInfo
from foliot.serve.first_token import SignIn
from foliot.serve.open_store import Storage
from foliot.serve.settings import PostgresAddress, Settings, database_text, shown_settings
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.loopback import LoopbackAuthenticator
from foliot.web.auth.one_time_code import OneTimeCode
from foliot.web.auth.sessions import Sessions

if TYPE_CHECKING:
    from foliot.portal.app import Portal


def one_time_code(settings: Settings, sign_in: SignIn) -> OneTimeCode | None:
    """Return a sign-in code if only this machine can use it and the Owner token is known."""
    if settings.no_auth or not is_loopback(settings.host):
        return None
    if settings.admin_token is not None:
        return OneTimeCode(digest(settings.admin_token.reveal()))
    return None if sign_in.digest is None else OneTimeCode(sign_in.digest)


class PortalAccess(NamedTuple):
    """How people sign in to the portal."""

    authenticator: TokenAuthenticator | LoopbackAuthenticator
    code: OneTimeCode | None = None


def portal_loader(
    api: Api, settings: Settings, storage: Storage, use_cases: UseCases, access: PortalAccess
) -> "Callable[[], Portal]":
    """Return what loads the portal, which knows how this server has started."""
    store, clock = storage.store, storage.clock
    authenticator = access.authenticator
    context = PortalContext(
        use_cases=use_cases,
        authenticator=authenticator if isinstance(authenticator, TokenAuthenticator) else None,
        sessions=Sessions(storage.keyring, store),
        clock=clock,
        limits=settings.limits,
        facts=_facts(settings, storage),
        public_url=settings.public_url,
        trusted_proxies=settings.trusted_proxies,
        code=access.code,
        storage=settings.storage,
        service_bus=settings.service_bus,
    )

    def load() -> "Portal":
        # Here, since a server that nobody visits does not need it.
        from foliot.portal.app import Portal  # noqa: PLC0415

        return Portal(api, context)

    return load


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
