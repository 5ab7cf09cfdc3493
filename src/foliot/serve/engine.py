"""The engine of a server: made with it, and ended after its last answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from msgspec import structs

from foliot.config import Settings
from foliot.core.model import HttpRequest
from foliot.dispatch.egress_entries import listeners
from foliot.dispatch.http import HttpDispatcher
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.sender import HttpSettings
from foliot.engine import loop
from foliot.engine.claiming import Claimant
from foliot.engine.janitor import Janitor
from foliot.engine.loop import Engine, Parts
from foliot.ports import Clock
from foliot.serve.errors import CannotStart
from foliot.serve.metrics import Metrics
from foliot.serve.storage import Storage
from foliot.unique import new_id


@asynccontextmanager
async def running_engine(
    storage: Storage, settings: Settings, node: str, own: tuple[str, int], metrics: Metrics
) -> AsyncGenerator[Callable[[], None]]:
    """Run what is due until the server ends; what is given back wakes the engine.

    `own` is where the server listens, which no job may call.
    """
    if settings.no_engine:
        yield lambda: None
        return
    store, clock, _ = storage
    dispatcher = _dispatcher(settings, own, clock)
    parts = Parts(store, dispatcher, clock, Claimant(node, new_id, metrics))
    engine = Engine(parts, loop.Settings(grace_seconds=settings.grace_seconds))
    metrics.watch(lambda: engine.load)
    tidying = asyncio.create_task(Janitor(store, clock, settings.limits).run())
    running = asyncio.create_task(engine.run())
    try:
        yield engine.wake
    finally:
        tidying.cancel()
        engine.stop()
        await asyncio.wait([tidying])
        await running
        await dispatcher.close()


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
    return Dispatchers({HttpRequest: HttpDispatcher(egress, clock.now, http)})
