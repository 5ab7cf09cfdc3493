"""The engine of a server: made with it, and ended after its last answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from msgspec import structs

from foliot.config import Settings
from foliot.core.model import HttpRequest, QueueMessage, ServiceBusMessage
from foliot.dispatch.egress_entries import listeners
from foliot.dispatch.http import HttpDispatcher
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.sender import HttpSettings
from foliot.dispatch.service_bus import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from foliot.engine import loop
from foliot.engine.claiming import Claimant
from foliot.engine.janitor import Janitor
from foliot.engine.loop import Engine, Parts
from foliot.ports import Clock
from foliot.serve.errors import CannotStart
from foliot.serve.metrics import Metrics
from foliot.serve.storage import Storage
from foliot.unique import new_id


class Controls(NamedTuple):
    """How an engine is told to look again, to end, and to wait for nothing more."""

    wake: Callable[[], None]
    stop: Callable[[], None]
    hurry: Callable[[], None]


@asynccontextmanager
async def running_engine(
    storage: Storage, settings: Settings, node: str, own: tuple[str, int], metrics: Metrics
) -> AsyncGenerator[Controls]:
    """Run what is due until the server ends.

    `own` is where the server listens, which no job may call.
    """
    if settings.no_engine:
        yield Controls(_nothing, _nothing, _nothing)
        return
    store, clock = storage.store, storage.clock
    dispatcher = _dispatcher(settings, own, clock)
    parts = Parts(store, dispatcher, clock, Claimant(node, new_id, metrics))
    engine = Engine(parts, loop.Settings(grace_seconds=settings.grace_seconds))
    metrics.watch(lambda: engine.load)
    tidying = asyncio.create_task(Janitor(store, clock, settings.limits).run())
    running = asyncio.create_task(engine.run())
    try:
        yield Controls(engine.wake, engine.stop, engine.hurry)
    finally:
        tidying.cancel()
        engine.stop()
        await asyncio.wait([tidying])
        await running
        await dispatcher.close()


def _nothing() -> None:
    """Do nothing, where no engine runs."""


def _dispatcher(settings: Settings, own: tuple[str, int], clock: Clock) -> Dispatchers:
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
    )
    egress = structs.replace(settings.egress, own=listeners([own]))
    return Dispatchers(
        {
            HttpRequest: HttpDispatcher(egress, clock.now, http),
            QueueMessage: StorageQueueDispatcher(egress, clock.now, http, settings.storage),
            ServiceBusMessage: ServiceBusDispatcher(egress, clock.now, http, settings.service_bus),
        }
    )
