"""The engine of a server: made with it, and ended after its last answer."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from msgspec import structs

from foliot.core.errors import CannotStart
from foliot.dispatch.egress.parse_rules import listeners
from foliot.dispatch.http.client import HttpSettings
from foliot.dispatch.worker.client import Courier, Patience
from foliot.engine import loop
from foliot.engine.claim import Claimant
from foliot.engine.janitor import Janitor
from foliot.engine.loop import Engine, Parts
from foliot.engine.supervision import supervised
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.random_ids import new_id
from foliot.serve.descriptors import fitting_slots, raise_limit
from foliot.serve.metrics import Metrics
from foliot.serve.open_store import Storage
from foliot.serve.settings import PostgresAddress, Settings
from foliot.serve.worker_process import SECONDS_TO_KILL, Outfit, OutpostProcess, dispatchers

_GATHER_SECONDS = 0.02

_log = get_logger("foliot.engine")


class Controls(NamedTuple):
    """How an engine is told to look again, to end, and to wait for nothing more."""

    wake: Callable[[], None]
    stop: Callable[[], None]
    hurry: Callable[[], None]


class Reporting(NamedTuple):
    """Who hears how the engine does: those who count, and those who ask whether it works."""

    metrics: Metrics
    health: Health


@asynccontextmanager
async def running_engine(
    storage: Storage, settings: Settings, node: str, own: tuple[str, int], reporting: Reporting
) -> AsyncGenerator[Controls]:
    """Run what is due until the server ends.

    `own` is where the server listens, which no job may call.
    """
    if settings.no_engine:
        yield Controls(_nothing, _nothing, _nothing)
        return
    one_process = settings.one_process or _processors() == 1
    slots = fitting_slots(settings.slots, raise_limit(), one_process=one_process)
    settings = structs.replace(settings, slots=slots, one_process=one_process)
    health, metrics = reporting.health, reporting.metrics
    store, clock = storage.store, storage.clock
    janitor = Janitor(store, clock, settings.limits)
    async with (
        _dispatching(settings, own, health) as (dispatcher, can_send),
        supervised("janitor", janitor.run, health),
    ):
        claimant = Claimant(node, new_id, metrics, settings.max_open_runs)
        parts = Parts(store, dispatcher, clock, claimant, health, can_send)
        engine = Engine(parts, _pace(settings))
        metrics.watch(lambda: engine.load)
        running = asyncio.create_task(engine.run())
        _log.info("Engine started", node=node, slots=slots, one_process=one_process)
        try:
            yield Controls(engine.wake, engine.stop, engine.hurry)
        finally:
            engine.stop()
            await running
            _log.info("Engine stopped", node=node)


def _pace(settings: Settings) -> loop.Settings:
    # A transaction costs PostgreSQL a millisecond or two of a processor, however little is in it.
    gather = _GATHER_SECONDS if isinstance(settings.database, PostgresAddress) else 0.0
    return loop.Settings(
        slots=settings.slots, grace_seconds=settings.grace_seconds, gather_seconds=gather
    )


def _nothing() -> None:
    """Do nothing, where no engine runs."""


@asynccontextmanager
async def _dispatching(
    settings: Settings, own: tuple[str, int], health: Health
) -> AsyncGenerator[tuple[Dispatcher, Callable[[], bool]]]:
    """Have requests sent, by another process unless there is only one processor for both.

    With the dispatcher comes a way to ask whether it can send at the moment.
    """
    outfit = _outfit(settings, own)
    if settings.one_process:
        dispatcher = dispatchers(outfit)
        yield dispatcher, lambda: True
        await dispatcher.close()
        return
    process = OutpostProcess(outfit)
    seconds = outfit.http.timeout_seconds + SECONDS_TO_KILL
    courier = Courier(process, health, Patience(attempt_seconds=seconds))
    async with supervised("sender heartbeat", courier.run, health):
        yield courier, lambda: courier.can_send
        await courier.close()
    await process.stop()


def _processors() -> int:
    # Of those a machine has, this process may be allowed some only.
    allowed = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if allowed is None else len(allowed(0))


def _outfit(settings: Settings, own: tuple[str, int]) -> Outfit:
    if settings.ca_file is not None and not settings.ca_file.is_file():
        raise CannotStart(
            f"FOLIOT_CA_FILE: {settings.ca_file} is not a file; give one with certificates (PEM)."
        )
    http = HttpSettings(
        timeout_seconds=settings.limits.http_timeout_seconds,
        kept_bytes=settings.limits.max_response_bytes_kept,
        ca_file=settings.ca_file,
        proxy=settings.proxy,
        login_url=settings.login_url,
        max_idle_connections=min(settings.slots, HttpSettings().max_idle_connections),
        slots=settings.slots,
    )
    return Outfit(
        egress=structs.replace(settings.egress, own=listeners([own])),
        http=http,
        storage=settings.storage,
        service_bus=settings.service_bus,
        log_level=settings.log_level,
        log_format=settings.log_format,
    )
