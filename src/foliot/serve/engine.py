"""Runs the engine of a server, with what it needs: slots, a dispatcher, a janitor."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from msgspec import structs

from foliot.core.errors import CannotStart
from foliot.core.instant import SECOND
from foliot.dispatch.alerts.sender import DispatchedAlertSender
from foliot.dispatch.egress.parse_rules import listeners
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.worker.client import WorkerClient
from foliot.dispatch.worker.launcher import WorkerTimeouts
from foliot.engine.alerts.deliveries import Deliveries
from foliot.engine.alerts.watch import AlertWatch
from foliot.engine.claim import Claimant
from foliot.engine.janitor import Janitor
from foliot.engine.loop import Engine
from foliot.engine.parts import Parts
from foliot.engine.search_words import SearchWordsTask
from foliot.engine.settings import EngineSettings
from foliot.engine.supervision import supervised
from foliot.ports.alert_sender import AlertSender
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.random_ids import new_id
from foliot.serve.descriptors import fitting_slots, raise_limit
from foliot.serve.metrics import Metrics
from foliot.serve.open_store import Storage
from foliot.serve.settings import PostgresAddress, Settings
from foliot.serve.tracing import tracing
from foliot.serve.worker_process import SECONDS_TO_KILL, WorkerConfig, WorkerProcess

_GATHER_SECONDS = 0.012
# At 200 runs a second, evenly spread, that halves the number of claims.
_GATHER_DUE = SECOND // 200

_log = get_logger("foliot.engine")


class Controls(NamedTuple):
    """Callbacks of an engine: claim again, stop, stop without waiting for attempts, abort some.

    The dispatcher also makes the tests of jobs, the sender those of alerts; without an engine there
    is neither.
    """

    wake: Callable[[], None]
    stop: Callable[[], None]
    hurry: Callable[[], None]
    abort_runs: Callable[[Sequence[int]], None]
    dispatcher: Dispatcher | None = None
    alert_sender: AlertSender | None = None


class Reporting(NamedTuple):
    """Where the engine reports: counters for Prometheus, and problems for health checks."""

    metrics: Metrics
    health: Health


@asynccontextmanager
async def running_engine(
    storage: Storage, settings: Settings, node: str, own: tuple[str, int], reporting: Reporting
) -> AsyncGenerator[Controls]:
    """Run due jobs until the server ends.

    `own` is the address and port of the server, which no job may call.
    """
    if settings.no_engine:
        yield Controls(_nothing, _nothing, _nothing, _abort_nothing)
        return
    one_process = settings.one_process or _processors() == 1
    slots = fitting_slots(settings.slots, raise_limit(), one_process=one_process)
    settings = structs.replace(settings, slots=slots, one_process=one_process)
    health, metrics = reporting.health, reporting.metrics
    store, clock = storage.store, storage.clock
    janitor = Janitor(store, clock, settings.limits)
    async with (
        tracing(node, is_on=settings.tracing) as tracer,
        _dispatching(settings, own, health) as (dispatcher, can_send),
        supervised("janitor", janitor.run, health),
        supervised("search words", SearchWordsTask(store).run, health),
        _alerting(storage, settings, node, dispatcher, reporting) as sender,
    ):
        claimant = Claimant(node, new_id, settings.max_open_runs)
        parts = Parts(
            *(store, dispatcher, clock, claimant, health, can_send),
            *(settings.limits, tracer, metrics),
        )
        engine = Engine(parts, engine_settings(settings))
        metrics.watch(lambda: engine.load)
        running = asyncio.create_task(engine.run())
        _log.info("Engine started", node=node, slots=slots, one_process=one_process)
        try:
            signals = engine.wake, engine.stop, engine.hurry, engine.abort_runs
            yield Controls(*signals, dispatcher, sender)
        finally:
            engine.stop()
            await running
            _log.info("Engine stopped", node=node)


def engine_settings(settings: Settings) -> EngineSettings:
    """Return the settings that the engine itself takes."""
    # A transaction costs PostgreSQL a millisecond or two of a processor, however little is in it.
    is_postgres = isinstance(settings.database, PostgresAddress)
    # Fewer slots than set, for want of descriptors, must leave some for other hosts too.
    per_host = settings.slots_per_host and min(settings.slots_per_host, settings.slots // 2)
    return EngineSettings(
        slots=settings.slots,
        slots_per_host=per_host,
        batch=settings.claim_batch,
        grace_seconds=settings.grace_seconds,
        gather_seconds=_GATHER_SECONDS if is_postgres else 0.0,
        gather_due=0 if is_postgres else _GATHER_DUE,
    )


def _abort_nothing(_: Sequence[int]) -> None:
    """Abort nothing: there is no engine."""


def _nothing() -> None:
    """Do nothing: the callback where no engine runs."""


@asynccontextmanager
async def _alerting(
    storage: Storage, settings: Settings, node: str, dispatcher: Dispatcher, reporting: Reporting
) -> AsyncGenerator[AlertSender]:
    """Watch jobs for alerts, and send the messages of alerts."""
    store, clock, health = storage.store, storage.clock, reporting.health
    sender = DispatchedAlertSender(
        dispatcher,
        settings.smtp,
        clock.now,
        public_url=settings.public_url,
        ca_file=settings.ca_file,
    )
    # A file has one server: an idle one must not write a lease again and again.
    sharing = node if storage.database is None else None
    deliveries = Deliveries(store, clock, sender, reporting.metrics)
    async with (
        supervised("alerts", AlertWatch(store, clock, sharing).run, health),
        supervised("messages of alerts", deliveries.run, health),
    ):
        yield sender


@asynccontextmanager
async def _dispatching(
    settings: Settings, own: tuple[str, int], health: Health
) -> AsyncGenerator[tuple[Dispatcher, Callable[[], bool]]]:
    """Open a dispatcher: a worker process, or this process where there is one processor only.

    The second value tells whether the dispatcher can send at the moment.
    """
    config = _worker_config(settings, own)
    if settings.one_process:
        # Here, since otherwise the worker process alone needs it.
        from foliot.serve.worker_main import dispatchers  # noqa: PLC0415

        dispatcher = dispatchers(config)
        try:
            yield dispatcher, lambda: True
        finally:
            await dispatcher.close()
        return
    process = WorkerProcess(config)
    seconds = config.http.timeout_seconds + SECONDS_TO_KILL
    timeouts = WorkerTimeouts(attempt_seconds=seconds, seconds_after_timeout=SECONDS_TO_KILL)
    client = WorkerClient(process, health, timeouts)
    try:
        async with supervised("sender heartbeat", client.run, health):
            try:
                yield client, lambda: client.can_send
            finally:
                await client.close()
    finally:
        await process.stop()


def _processors() -> int:
    # A container or cpuset may allow this process fewer than the machine has.
    allowed = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if allowed is None else len(allowed(0))


def _worker_config(settings: Settings, own: tuple[str, int]) -> WorkerConfig:
    if settings.ca_file is not None and not settings.ca_file.is_file():
        raise CannotStart(
            f"FOLIOT_CA_FILE: {settings.ca_file} is not a file; give one with certificates (PEM)."
        )
    http = HttpSettings(
        timeout_seconds=settings.limits.http_timeout_seconds,
        max_timeout_seconds=settings.limits.max_timeout_seconds,
        kept_bytes=settings.limits.max_response_bytes_kept,
        ca_file=settings.ca_file,
        proxy=settings.proxy,
        login_url=settings.login_url,
        max_idle_connections=min(settings.slots, HttpSettings().max_idle_connections),
        slots=settings.slots,
    )
    return WorkerConfig(
        egress=structs.replace(settings.egress, own=listeners([own])),
        http=http,
        storage=settings.storage,
        service_bus=settings.service_bus,
        queue_format=settings.job_defaults.queue_format,
        log_level=settings.log_level,
        log_format=settings.log_format,
    )
