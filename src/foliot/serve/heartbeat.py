"""The heartbeat of a node: it writes its row in the store, and warns of a clock that is off.

On SQLite, where no other node reads it, it is written only if it says something new, or has not
been written for ten minutes: an idle server does not write to its disk. Commands beside it see by
its lock that it is alive.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import metadata

from msgspec import structs

from foliot.app.nodes import check_takes_changes, remove_node, save_heartbeat
from foliot.core.errors import FoliotError
from foliot.core.instant import SECOND
from foliot.core.model.node import Node
from foliot.engine.supervision import supervised
from foliot.ports.health import Health
from foliot.ports.logs import get_logger
from foliot.ports.metrics import Load
from foliot.serve.open_store import Storage
from foliot.serve.settings import Settings
from foliot.store.sqlite.disk import is_writable

_SECONDS_BETWEEN_BEATS = 5.0
_BEATS_BETWEEN_WARNINGS = 60
# A change that a device keeps waiting for so long raises no error: only the time tells.
_SECONDS_UNTIL_STUCK = 10.0
# A write tells what free space does not: a quota that is used up, a device that fails.
_MOST_BEATS_UNWRITTEN = 120

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
    heartbeat = Heartbeat(storage, node, load, health)
    await heartbeat.beat()
    _log.info("Node joined", node=node.id, host=node.name)
    try:
        async with supervised("node heartbeat", heartbeat.keep_beating, health):
            yield
    finally:
        with suppress(FoliotError):
            await remove_node(storage.store, node_id)
            _log.info("Node left", node=node_id)


class Heartbeat:
    """Writes the row of a node, and tells by that whether the store accepts writes."""

    def __init__(
        self, storage: Storage, node: Node, load: Callable[[], Load], health: Health
    ) -> None:
        self._storage = storage
        self._node = node
        self._load = load
        self._health = health
        self._written: Load | None = None
        self._unwritten = 0

    async def keep_beating(self) -> None:
        """Send heartbeats until cancelled."""
        beats = 0
        while True:
            if beats % _BEATS_BETWEEN_WARNINGS == 0:
                warn_of_clock_offset(self._storage.offset())
            beats += 1
            await asyncio.sleep(_SECONDS_BETWEEN_BEATS)
            await self.beat()

    async def beat(self) -> None:
        """Send a heartbeat."""
        self._health.report("data directory", self._storage.files.problem())
        held = self._load()
        stuck = asyncio.get_running_loop().call_later(
            _SECONDS_UNTIL_STUCK, self._health.report, "store", "takes no changes, nor refuses them"
        )
        try:
            if self._says_something_new(held):
                await self._write(held)
            else:
                await check_takes_changes(self._storage.store)
        except FoliotError as error:
            _log.warning("Heartbeat not stored: the store does not answer", error=str(error))
            self._health.report("store", "cannot be written")
            self._written = None
        else:
            self._health.report("store", None)
        finally:
            stuck.cancel()

    def _says_something_new(self, held: Load) -> bool:
        database = self._storage.database
        self._unwritten += 1
        return (
            database is None
            or held != self._written
            or self._unwritten > _MOST_BEATS_UNWRITTEN
            or not is_writable(database)
        )

    async def _write(self, held: Load) -> None:
        now = self._storage.clock.now()
        node = structs.replace(
            self._node, seen_at=now, in_flight=held.in_flight, waiting=held.waiting
        )
        await save_heartbeat(self._storage.store, node)
        self._written, self._unwritten = held, 0


def warn_of_clock_offset(offset: int) -> None:
    """Warn if this machine's clock is off by more than a second; Foliot uses the database's."""
    if abs(offset) > SECOND:
        direction = "behind" if offset > 0 else "ahead of"
        _log.warning(
            f"This machine's clock is {direction} the database's, which is the one that counts",
            seconds=round(abs(offset) / SECOND, 1),
        )
