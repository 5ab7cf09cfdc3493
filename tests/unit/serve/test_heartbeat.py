"""What a node says of its store, by whether it could write that it is there."""

import asyncio
from pathlib import Path

from foliot.ports import clock
from foliot.ports.health import Health
from foliot.ports.metrics import Load
from foliot.serve.heartbeat import heartbeats
from foliot.serve.open_store import Storage
from foliot.serve.settings import Settings
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.file_watch import FilesInPlace
from foliot.store.sqlite.store import SqliteStore


def test_a_store_that_cannot_be_written_is_a_problem_until_it_can(tmp_path: Path) -> None:
    health = Health()

    async def join(*, can_write: bool) -> None:
        keyring = Keyring([b"k" * 32])
        store = SqliteStore.open(tmp_path / "foliot.db", keyring)
        storage = Storage(store, clock, lambda: 0, keyring, FilesInPlace([]))
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
