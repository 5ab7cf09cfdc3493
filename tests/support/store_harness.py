"""Runs a test's steps in an event loop, on a store that is closed afterwards."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event
from typing import TypeVar

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.ports.store import Reading, Store, Transaction
from tests.support.builders import a_collection, a_job, a_key

Result = TypeVar("Result")
Open = Callable[[], Store]

KEY = a_key()


def run(open_store: Open, steps: Callable[[Store], Awaitable[Result]]) -> Result:
    """Run steps on an open store."""

    async def session() -> Result:
        store = open_store()
        try:
            return await steps(store)
        finally:
            await store.close()

    return asyncio.run(session())


def written(open_store: Open, change: Callable[[Transaction], Result]) -> Result:
    """Run one change: what it returns is what it has seen or made."""
    return run(open_store, lambda store: store.write(change))


def browsed(open_store: Open, view: Callable[[Reading], Result]) -> Result:
    """Run one view of many rows."""
    return run(open_store, lambda store: store.browse(view))


def with_jobs(transaction: Transaction, *names: str) -> tuple[Collection, list[Job]]:
    """Add a collection with jobs of these names."""
    collection = transaction.add_collection(a_collection())
    return collection, [transaction.add_job(a_job(collection.id, name)) for name in names]


def stored_job(reading: Reading, name: str, key: CollectionKey = KEY) -> Job | None:
    """Return a job as it is stored."""
    found = reading.located_job(key, name)
    return None if found is None else found[1]


class Gate:
    """Holds whoever comes here, the writer say, until it is opened, so that others wait."""

    def __init__(self) -> None:
        self._is_reached = Event()
        self._is_open = Event()

    def __call__(self, _: Reading) -> str:
        self._is_reached.set()
        self._is_open.wait(timeout=30)
        return "passed"

    async def reached(self) -> None:
        """Wait until the writer stands at the gate."""
        await asyncio.to_thread(self._is_reached.wait, 30)

    def open(self) -> None:
        self._is_open.set()
