"""Runs a server: opens its parts, and closes them in reverse order."""

import os
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import uvloop
from msgspec import structs

from foliot.api.app import Api, ApiContext
from foliot.app.engine_access import EngineAccess
from foliot.app.tokens import add_admin_token
from foliot.app.use_cases import UseCases
from foliot.core.errors import Unavailable
from foliot.core.model.token import RANDOM_BYTES
from foliot.ports.health import Health
from foliot.serve.address_file import address_file
from foliot.serve.banner import banner
from foliot.serve.data_dir import locked_data_dir, locked_database, node_id
from foliot.serve.descriptors import raise_limit
from foliot.serve.engine import Controls, Reporting, running_engine
from foliot.serve.first_token import SignIn, make_first_token
from foliot.serve.heartbeat import heartbeats
from foliot.serve.lifecycle_log import log_start, log_stopped, log_tls, logging_signals
from foliot.serve.metrics import Metrics
from foliot.serve.open_store import Storage, open_storage
from foliot.serve.portal import PortalAccess, one_time_code, portal_loader
from foliot.serve.process_setup import reduce_garbage_collection, set_up_logging
from foliot.serve.server_tls import ServerTls, server_tls
from foliot.serve.settings import Settings
from foliot.web.application import WebApplication
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.loopback import LoopbackAuthenticator
from foliot.web.auth.one_time_code import OneTimeCode
from foliot.web.request_log import RequestLog
from foliot.web.server.connection_limits import connection_limits
from foliot.web.server.listen import listen, port_of
from foliot.web.server.run import ServerHooks, serve_until_signal


class Console(NamedTuple):
    """Standard output of a server, and whether a person reads it."""

    announce: Callable[[str], None]
    is_terminal: bool


def serve(settings: Settings, console: Console) -> None:
    """Run a server until SIGTERM or SIGINT; raise a FoliotError if it cannot start."""
    set_up_logging(settings.log_level, settings.log_format)
    raise_limit()
    with locked_data_dir(settings.data_dir) as lock, locked_database(settings.database) as locks:
        tls = server_tls(settings)
        with listen(settings.host, settings.port) as listener:
            reduce_garbage_collection()
            uvloop.run(_serve(settings, [lock, *locks], listener, tls, console))


class _Listening(NamedTuple):
    listener: socket.socket
    certificate: ssl.SSLContext | None
    code: OneTimeCode | None


async def _serve(
    settings: Settings,
    locks: Sequence[Path],
    listener: socket.socket,
    tls: ServerTls,
    console: Console,
) -> None:
    storage = open_storage(settings, locks, has_log=True)
    try:
        sign_in = SignIn() if settings.no_auth else await _sign_in(storage, settings)
        if not console.is_terminal:
            # What is not a terminal is kept: by journald, by a container engine, in a file.
            sign_in = sign_in.without_secret()
        code = one_time_code(settings, sign_in) if console.is_terminal else None
        text = banner(settings, port_of(listener), sign_in, tls, code and code.reveal())
        listening = _Listening(listener, tls.context, code)

        def ready() -> None:
            log_start(settings, port_of(listener))
            log_tls(tls)
            console.announce(text)

        with address_file(settings, port_of(listener), tls.authority):
            await _run(storage, settings, listening, ready)
    finally:
        await storage.store.close()
    console.announce("Foliot has stopped.")
    log_stopped()


async def _sign_in(storage: Storage, settings: Settings) -> SignIn:
    store, now = storage.store, storage.clock.now()
    older = await add_admin_token(store, settings.admin_token, now)
    made = await make_first_token(store, settings.data_dir, now, os.urandom(RANDOM_BYTES))
    return structs.replace(made, older=older)


async def _run(
    storage: Storage, settings: Settings, listening: _Listening, when_ready: Callable[[], None]
) -> None:
    store, shared_clock = storage.store, storage.clock
    authenticator = (
        LoopbackAuthenticator() if settings.no_auth else TokenAuthenticator(store, shared_clock)
    )
    health = Health()
    metrics = Metrics(
        *(store, shared_clock, storage.offset, health),
        max_collections=settings.metrics_collections,
    )
    context = ApiContext(
        limits=settings.limits,
        public_url=settings.public_url,
        trusted_proxies=settings.trusted_proxies,
        problems=lambda: _problems(storage, health),
        metrics=metrics.text,
        has_api=not settings.no_api,
    )
    own: tuple[str, int] = listening.listener.getsockname()[:2]
    node = node_id(settings.data_dir)
    async with (
        heartbeats(storage, settings, node, metrics.load, health),
        running_engine(storage, settings, node, own, Reporting(metrics, health)) as engine,
    ):
        use_cases = UseCases.of(
            store,
            shared_clock,
            engine=_engine_access(engine, settings),
            max_open_runs=settings.max_open_runs,
            defaults=settings.job_defaults,
        )
        api = Api(use_cases, authenticator, context)
        access = PortalAccess(authenticator, listening.code)
        load_portal = (
            None if settings.no_api else portal_loader(api, settings, storage, use_cases, access)
        )
        await serve_until_signal(
            RequestLog(WebApplication(api, load_portal)),
            listening.listener,
            certificate=listening.certificate,
            hooks=logging_signals(ServerHooks(when_ready, engine.stop, engine.hurry)),
            limits=connection_limits(
                most_of_one=settings.max_connections_per_address,
                trusted=settings.trusted_proxies,
            ),
        )
        await authenticator.close()


async def _problems(storage: Storage, health: Health) -> Mapping[str, str]:
    """Return the problems that keep the server from working, by part."""
    health.report("data directory", storage.files.problem())
    try:
        await storage.store.read(lambda reading: reading.token(b""))
    except Unavailable:
        return {**health.problems, "store": "does not answer"}
    return health.problems


def _engine_access(engine: Controls, settings: Settings) -> EngineAccess:
    has_smtp = settings.smtp.host is not None
    return EngineAccess(
        engine.wake,
        engine.abort_runs,
        engine.dispatcher,
        engine.alert_sender,
        can_send_email=has_smtp or engine.alert_sender is None,
    )
