"""What a thread that only reads SQLite keeps, and when it reads anew."""

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from datetime import timedelta
from pathlib import Path

import pytest

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import JobState
from foliot.ports.store import Reading
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.connection import reading as connected
from foliot.store.sqlite.owner import OwnNode
from foliot.store.sqlite.reading import SqliteReading
from foliot.store.sqlite.store import SqliteStore
from tests.support.store_harness import KEY, stored_job, with_jobs

COLLECTION = CollectionId(1)
KEYRING = Keyring([b"k" * 32])
MOMENT = timedelta(seconds=5)
OWN = OwnNode(None, Instant(0))

View = Callable[[Reading], object]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    async def fill() -> None:
        store = SqliteStore.open(tmp_path / "foliot.db", KEYRING)
        await store.write(lambda to: with_jobs(to, *(f"job{number:03}" for number in range(130))))
        await store.close()

    asyncio.run(fill())
    return tmp_path / "foliot.db"


@pytest.fixture
def connection(database: Path) -> Generator[sqlite3.Connection]:
    with connected(database, MOMENT) as connection:
        yield connection


def seen(connection: sqlite3.Connection, reading: SqliteReading, view: View) -> object:
    """Run a view on a snapshot of its own."""
    reading.begin()
    try:
        return view(reading)
    finally:
        connection.execute("COMMIT")


def change(database: Path, sql: str) -> None:
    """Change the database as another process would."""
    other = sqlite3.connect(database, isolation_level=None)
    other.execute(sql)
    other.close()


VIEWS = {
    "collection": lambda view: view.collection(KEY),
    "job": lambda view: stored_job(view, "job007"),
    "page": lambda view: view.jobs(COLLECTION),
    "page of a state": lambda view: view.jobs(COLLECTION, state=JobState.ENABLED, limit=5),
    "nothing": lambda view: stored_job(view, "unknown"),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_what_was_read_is_kept_while_nothing_changes(
    connection: sqlite3.Connection, view: View
) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)
    first = seen(connection, reading, view)
    statements: list[str] = []
    connection.set_trace_callback(statements.append)

    assert seen(connection, reading, view) is first
    assert statements == ["BEGIN", "PRAGMA data_version", "COMMIT"]


def test_what_another_process_has_changed_is_read(
    database: Path, connection: sqlite3.Connection
) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)

    def states(view: Reading) -> tuple[object, ...]:
        collection, job = view.collection(KEY), stored_job(view, "job007")
        assert collection is not None
        assert job is not None
        return collection.state, job.state, view.jobs(COLLECTION, limit=8)[-1].state

    seen(connection, reading, states)
    change(database, "UPDATE collection SET state = 'Suspended'")
    change(database, "UPDATE job SET state = 'faulted'")

    expected = (CollectionState.SUSPENDED, JobState.FAULTED, JobState.FAULTED)
    assert seen(connection, reading, states) == expected


def test_a_job_that_was_not_there_is_found_once_it_is(
    database: Path, connection: sqlite3.Connection
) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)
    change(database, "UPDATE job SET folded_name = 'moved' WHERE name = 'job007'")
    assert seen(connection, reading, VIEWS["job"]) is None

    change(database, "UPDATE job SET folded_name = 'job007' WHERE name = 'job007'")

    assert seen(connection, reading, VIEWS["job"]) is not None


def test_a_snapshot_does_not_see_what_changes_after_it_began(
    database: Path, connection: sqlite3.Connection
) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)

    def before_and_after(view: Reading) -> bool:
        before = view.jobs(COLLECTION, limit=1)
        change(database, "UPDATE job SET state = 'faulted'")
        return before == [stored_job(view, "job000")] == view.jobs(COLLECTION, limit=1)

    assert seen(connection, reading, before_and_after)


def test_all_jobs_of_a_large_collection_are_not_kept(connection: sqlite3.Connection) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)
    every: View = lambda view: view.jobs(COLLECTION, limit=1000)  # noqa: E731

    first = seen(connection, reading, every)

    assert seen(connection, reading, every) is not first


def test_no_more_than_a_few_pages_are_kept(connection: sqlite3.Connection) -> None:
    reading = SqliteReading(connection, KEYRING, OWN)
    first = seen(connection, reading, VIEWS["page"])

    for skip in range(1, 20):
        seen(connection, reading, lambda view, skip=skip: view.jobs(COLLECTION, skip=skip))

    assert seen(connection, reading, VIEWS["page"]) is not first
