"""A store for the benchmark of the API: collections with jobs, and empty ones for new jobs."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, Moment, parse_instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Definition, Job
from foliot.ports.store import Transaction
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sqlite.store import SqliteStore

PER_COLLECTION = 1000
ROOMS = 60  # empty collections that new jobs go into
NOW = parse_instant("2026-01-01T00:00:00Z")
SUBSCRIPTION = "bench"
DEFINITION = Definition(
    start=Moment.at(NOW),
    action=Action(
        kind=ActionKind.HTTPS,
        part=HttpRequest(uri="https://example.com/report?kind=daily", method="POST"),
    ),
)


@contextmanager
def filled(jobs: int) -> Iterator[Path]:
    """Make a store with so many jobs."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_fill(Path(folder), jobs))
        yield Path(folder)


async def _fill(folder: Path, jobs: int) -> None:
    keyring = load_keyring(folder, from_environment=None, database_exists=False)
    store = SqliteStore.open(folder / "foliot.db", keyring)
    for number in range(ROOMS):
        await store.write(partial(_add_collection, name=f"room{number}", jobs=0))
    for number in range(jobs // PER_COLLECTION):
        await store.write(partial(_add_collection, name=f"c{number}", jobs=PER_COLLECTION))
    await store.close()


def _add_collection(transaction: Transaction, name: str, jobs: int) -> None:
    key = CollectionKey(SUBSCRIPTION, "g", name)
    collection = transaction.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM))
    for number in range(jobs):
        transaction.add_job(
            Job(
                collection_id=collection.id,
                name=f"j{number}",
                definition=DEFINITION,
                calendar_at=NOW,
                next_at=Instant(NOW + number),
            )
        )
