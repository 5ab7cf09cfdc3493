"""The engine of a server: made with it, and ended after its last answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

from msgspec import structs

from foliot import clock
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
from foliot.engine.loop import Engine, Parts
from foliot.ports import Store
from foliot.serve.errors import CannotStart


@asynccontextmanager
async def running_engine(
    store: Store, settings: Settings, own: tuple[str, int]
) -> AsyncGenerator[Callable[[], None]]:
    """Run what is due until the server ends; what is given back wakes the engine.

    `own` is where the server listens, which no job may call.
    """
    if settings.no_engine:
        yield lambda: None
        return
    dispatcher = _dispatcher(settings, own)
    parts = Parts(store, dispatcher, clock, Claimant(uuid4().hex, lambda: uuid4().hex))
    engine = Engine(parts, loop.Settings(grace_seconds=settings.grace_seconds))
    running = asyncio.create_task(engine.run())
    try:
        yield engine.wake
    finally:
        engine.stop()
        await running
        await dispatcher.close()


def _dispatcher(settings: Settings, own: tuple[str, int]) -> Dispatchers:
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
