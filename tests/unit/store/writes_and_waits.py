"""Writes to a store, says so, and waits to be killed."""

import asyncio
import sys
from pathlib import Path

from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from tests.support.store_harness import with_jobs


async def main(path: Path) -> None:
    store = SqliteStore.open(path, Keyring([b"o" * 32]))
    await store.write(lambda to: with_jobs(to, *(f"job{n}" for n in range(5))))
    sys.stdout.write("acknowledged\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


asyncio.run(main(Path(sys.argv[1])))
