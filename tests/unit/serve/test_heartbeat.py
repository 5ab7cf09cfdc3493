"""What a node says of its store, by whether it could write that it is there."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from foliot.core.instant import HOUR, Instant, parse_instant
from foliot.core.model.node import Node
from foliot.ports import clock
from foliot.ports.health import Health
from foliot.ports.metrics import Load
from foliot.ports.store import Transaction
from foliot.serve.heartbeat import Heartbeat, heartbeats
from foliot.serve.open_store import Storage
from foliot.serve.settings import Settings
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite import disk
from foliot.store.sqlite.file_watch import FilesInPlace
from foliot.store.sqlite.store import SqliteStore
from tests.support.api_client import ManualClock

KEYRING = Keyring([b"k" * 32])
NODE = Node(id="node", name="host", version="1", started_at=Instant(1), seen_at=Instant(1))
NOON_TEXT = "2026-01-10T12:00:00Z"
NOON = parse_instant(NOON_TEXT)
BEATS_IN_TEN_MINUTES = 120


def test_a_store_that_cannot_be_written_is_a_problem_until_it_can(tmp_path: Path) -> None:
    health = Health()

    async def join(*, can_write: bool) -> None:
        store = SqliteStore.open(tmp_path / "foliot.db", KEYRING)
        storage = Storage(store, clock, lambda: 0, KEYRING, FilesInPlace([]))
        if not can_write:
            await store.close()
        async with heartbeats(storage, Settings(), "node", Load, health):
            expected = {} if can_write else {"store": "cannot be written"}
            assert health.problems == expected
        if can_write:
            await store.close()

    asyncio.run(join(can_write=True))
    asyncio.run(join(can_write=False))
    asyncio.run(join(can_write=True))


class Beating:
    """A node that has sent its first heartbeat, an hour ago."""

    def __init__(self, storage: Storage, time: ManualClock) -> None:
        self.load = Load()
        self.health = Health()
        self._storage = storage
        self._time = time
        self._heartbeat = Heartbeat(storage, NODE, lambda: self.load, self.health)

    async def begin(self) -> None:
        await self._heartbeat.beat()
        self._time.at = Instant(NOON + HOUR)

    async def close_store(self) -> None:
        await self._storage.store.close()

    async def write(self, change: Callable[[Transaction], object]) -> None:
        await self._storage.store.write(change)

    async def beat(self) -> None:
        await self._heartbeat.beat()

    async def is_written(self) -> bool:
        """Send another heartbeat, and tell whether it was written."""
        await self.beat()
        (node,) = await self._storage.store.read(lambda reading: reading.nodes())
        return node.seen_at == self._time.at


def beating(
    folder: Path, use: Callable[[Beating], Coroutine[Any, Any, None]], **shared: Any
) -> None:
    async def run() -> None:
        path, time = folder / "foliot.db", ManualClock(NOON_TEXT)
        store = SqliteStore.open(path, KEYRING)
        own = {"database": path} | shared
        node = Beating(Storage(store, time, lambda: 0, KEYRING, FilesInPlace([]), **own), time)
        await node.begin()
        await use(node)
        await store.close()

    asyncio.run(run())


def test_an_idle_node_with_a_file_of_its_own_writes_once_in_ten_minutes(tmp_path: Path) -> None:
    async def use(node: Beating) -> None:
        written = [await node.is_written() for _ in range(BEATS_IN_TEN_MINUTES + 1)]
        assert written == [False] * BEATS_IN_TEN_MINUTES + [True]

    beating(tmp_path, use)


def test_a_node_with_other_work_than_before_writes(tmp_path: Path) -> None:
    async def use(node: Beating) -> None:
        node.load = Load(in_flight=1)
        assert await node.is_written()

    beating(tmp_path, use)


def test_a_node_among_others_always_writes(tmp_path: Path) -> None:
    async def use(node: Beating) -> None:
        assert await node.is_written()

    beating(tmp_path, use, database=None)


def test_an_idle_node_writes_when_the_disk_has_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_AMPLE", 10**18)

    async def use(node: Beating) -> None:
        assert await node.is_written()

    beating(tmp_path, use)


def test_an_idle_node_tells_that_its_store_takes_no_changes(tmp_path: Path) -> None:
    async def use(node: Beating) -> None:
        assert node.health.problems == {}
        await node.close_store()
        await node.beat()
        assert node.health.problems == {"store": "cannot be written"}

    beating(tmp_path, use)


def test_a_change_that_a_device_keeps_waiting_is_a_problem_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.serve.heartbeat._SECONDS_UNTIL_STUCK", 0.0)
    is_over = threading.Event()

    async def use(node: Beating) -> None:
        writing = asyncio.create_task(node.write(lambda _: is_over.wait(30)))
        beat = asyncio.create_task(node.beat())
        while not node.health.problems:  # noqa: ASYNC110  (each turn of the loop is one of the task's)
            await asyncio.sleep(0)
        stuck = dict(node.health.problems)
        is_over.set()
        await writing
        await beat

        assert stuck == {"store": "takes no changes, nor refuses them"}
        assert node.health.problems == {}

    beating(tmp_path, use)
