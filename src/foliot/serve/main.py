"""Runs a server: what is opened first is closed last."""

import os
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import NamedTuple, assert_never
from urllib.parse import urlsplit

import uvloop
from msgspec import Struct, structs

from foliot.api.app import Surroundings, create_app
from foliot.app.tokens import add_admin_token
from foliot.app.use_cases import UseCases
from foliot.core.errors import Unavailable
from foliot.core.instant import Wall, reading_of
from foliot.core.model.token import RANDOM_BYTES
from foliot.portal.context import OneTimeCode
from foliot.ports import clock
from foliot.ports.health import Health
from foliot.serve.banner import greeting
from foliot.serve.data_dir import node_id, owned, owned_database
from foliot.serve.descriptors import raise_limit
from foliot.serve.engine import Reporting, running_engine
from foliot.serve.first_token import SignIn, make_first_token
from foliot.serve.heartbeat import present
from foliot.serve.lifecycle_log import log_start, log_stopped, logging_signals
from foliot.serve.metrics import Metrics
from foliot.serve.open_store import Storage, open_storage
from foliot.serve.portal import Entry, one_time_code, with_portal
from foliot.serve.process_setup import collect_seldom, set_up_logging
from foliot.serve.settings import AutoTls, NoTls, Settings, TlsFiles
from foliot.web.auth.gate import Gate, OpenGate
from foliot.web.request_log import RequestLog
from foliot.web.server.connection_limits import limited_connections
from foliot.web.server.listen import listen, port_of
from foliot.web.server.run import Watch, serve_until_told
from foliot.web.server.tls import certify, load_certificate

_TLS_DIRECTORY = "tls"


def serve(settings: Settings, announce: Callable[[str], None]) -> None:
    """Run a server until SIGTERM or SIGINT; what prevents it is a FoliotError for the operator."""
    set_up_logging(settings.log_level, settings.log_format)
    raise_limit()
    with owned(settings.data_dir) as lock, owned_database(settings.database) as locks:
        tls = _tls(settings)
        with listen(settings.host, settings.port) as listener:
            collect_seldom()
            uvloop.run(_serve(settings, [lock, *locks], listener, tls, announce))


class _Door(NamedTuple):
    listener: socket.socket
    certificate: ssl.SSLContext | None
    code: OneTimeCode | None


class _Tls(Struct, frozen=True):
    context: ssl.SSLContext | None = None
    authority: Path | None = None


def _tls(settings: Settings) -> _Tls:
    match settings.tls:
        case NoTls():
            return _Tls()
        case TlsFiles(certificate, key):
            return _Tls(load_certificate(certificate, key))
        case AutoTls():
            now = reading_of(Wall(clock.now())).replace(tzinfo=UTC)
            files = certify(settings.data_dir / _TLS_DIRECTORY, _hosts(settings), now)
            return _Tls(load_certificate(files.certificate, files.key), files.authority)
        case _:
            assert_never(settings.tls)


def _hosts(settings: Settings) -> list[str]:
    public = urlsplit(settings.public_url or "").hostname
    return [settings.host, socket.gethostname(), *([public] if public else [])]


async def _serve(
    settings: Settings,
    locks: Sequence[Path],
    listener: socket.socket,
    tls: _Tls,
    announce: Callable[[str], None],
) -> None:
    storage = open_storage(settings, locks)
    try:
        sign_in = SignIn() if settings.no_auth else await _sign_in(storage, settings)
        code = one_time_code(settings, sign_in)
        text = greeting(settings, port_of(listener), sign_in, tls.authority, code and code.reveal())
        door = _Door(listener, tls.context, code)

        def ready() -> None:
            log_start(settings, port_of(listener))
            announce(text)

        await _answer(storage, settings, door, ready)
    finally:
        await storage.store.close()
    announce("Foliot has stopped.")
    log_stopped()


async def _sign_in(storage: Storage, settings: Settings) -> SignIn:
    store, now = storage.store, storage.clock.now()
    older = await add_admin_token(store, settings.admin_token, now)
    made = await make_first_token(store, settings.data_dir, now, os.urandom(RANDOM_BYTES))
    return structs.replace(made, older=older)


async def _answer(
    storage: Storage, settings: Settings, door: _Door, when_ready: Callable[[], None]
) -> None:
    store, shared_clock = storage.store, storage.clock
    gate = OpenGate() if settings.no_auth else Gate(store, shared_clock)
    health = Health()
    metrics = Metrics(store, shared_clock, storage.offset, health)
    surroundings = Surroundings(
        limits=settings.limits,
        public_url=settings.public_url,
        trusted_proxies=settings.trusted_proxies,
        problems=lambda: _problems(storage, health),
        metrics=metrics.text,
        has_api=not settings.no_api,
    )
    own: tuple[str, int] = door.listener.getsockname()[:2]
    node = node_id(settings.data_dir)
    async with (
        present(storage, settings, node, metrics.load, health),
        running_engine(storage, settings, node, own, Reporting(metrics, health)) as engine,
    ):
        use_cases = UseCases.of(
            store, shared_clock, wake_engine=engine.wake, max_open_runs=settings.max_open_runs
        )
        app = create_app(use_cases, gate, surroundings)
        entry = Entry(gate, door.code)
        shown = app if settings.no_api else with_portal(app, settings, storage, use_cases, entry)
        watch = logging_signals(Watch(when_ready, engine.stop, engine.hurry))
        await serve_until_told(
            RequestLog(shown),
            door.listener,
            certificate=door.certificate,
            watch=watch,
            connections=limited_connections(
                most_of_one=settings.max_connections_per_address,
                trusted=settings.trusted_proxies,
            ),
        )
        await gate.close()


async def _problems(storage: Storage, health: Health) -> Mapping[str, str]:
    """Return what keeps the server from working, by part."""
    health.report("data directory", storage.files.problem())
    try:
        await storage.store.read(lambda reading: reading.token(b""))
    except Unavailable:
        return {**health.problems, "store": "does not answer"}
    return health.problems
