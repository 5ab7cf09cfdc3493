"""The heartbeat of a node: it writes its row in the store, and warns of a clock that is off."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import metadata

from msgspec import structs

from foliot.app.nodes import remove_node, save_heartbeat
from foliot.core.errors import FoliotError
from foliot.core.instant import SECOND
from foliot.core.model.node import Node
from foliot.engine.supervision import supervised
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Load
from foliot.serve.open_store import Storage
from foliot.serve.settings import Settings

_SECONDS_BETWEEN_BEATS = 5.0
_BEATS_BETWEEN_WARNINGS = 60

_log = get_logger("foliot.serve")


@asynccontextmanager
async def heartbeats(
    storage: Storage, settings: Settings, node_id: str, load: Callable[[], Load], health: Health
) -> AsyncGenerator[None]:
    """Register this node, write its heartbeat while the server runs, and remove it at the end."""
    now = storage.clock.now()
    node = Node(
        id=node_id,
        name=socket.gethostname(),
        version=metadata.version("foliot"),
        started_at=now,
        seen_at=now,
        has_api=not settings.no_api,
        has_engine=not settings.no_engine,
        keys=storage.keyring.names,
    )
    await _write_heartbeat(storage, node, load(), health)
    _log.info("Node joined", node=node.id, host=node.name)
    try:
        async with supervised("node heartbeat", lambda: _beat(storage, node, load, health), health):
            yield
    finally:
        with suppress(FoliotError):
            await remove_node(storage.store, node_id)
            _log.info("Node left", node=node_id)


async def _beat(storage: Storage, node: Node, load: Callable[[], Load], health: Health) -> None:
    beats = 0
    while True:
        if beats % _BEATS_BETWEEN_WARNINGS == 0:
            warn_of_clock_offset(storage.offset())
        beats += 1
        await asyncio.sleep(_SECONDS_BETWEEN_BEATS)
        await _write_heartbeat(storage, node, load(), health)


async def _write_heartbeat(storage: Storage, node: Node, held: Load, health: Health) -> None:
    """Write the heartbeat; its success also tells whether the store accepts writes (full disk)."""
    health.report("data directory", storage.files.problem())
    now = storage.clock.now()
    seen = structs.replace(node, seen_at=now, in_flight=held.in_flight, waiting=held.waiting)
    try:
        await save_heartbeat(storage.store, seen)
    except FoliotError as error:
        _log.warning("Heartbeat not stored: the store does not answer", error=str(error))
        health.report("store", "cannot be written")
    else:
        health.report("store", None)


def warn_of_clock_offset(offset: int) -> None:
    """Warn if this machine's clock is off by more than a second; Foliot uses the database's."""
    if abs(offset) > SECOND:
        direction = "behind" if offset > 0 else "ahead of"
        _log.warning(
            f"This machine's clock is {direction} the database's, which is the one that counts",
            seconds=round(abs(offset) / SECOND, 1),
        )
