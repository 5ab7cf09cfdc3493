"""What jobs of an earlier version are searched by is filled in, step by step, in the background."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from foliot.core.model.job_search import JobSearch
from foliot.core.model.token import Scope
from foliot.core.rules.job_search import parse_search
from foliot.engine.search_words import SearchWordsTask, StepPace
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from tests.support.builders import a_collection, a_job
from tests.support.store_harness import run

KEYRING = Keyring([bytes(32)])


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database with jobs of a version before searches."""
    path = tmp_path / "foliot.db"

    async def fill(store: Any) -> None:
        def steps(to: Any) -> None:
            collection = to.add_collection(a_collection())
            for number in range(5):
                to.add_job(a_job(collection.id, f"job-{number}"))

        await store.write(steps)

    run(lambda: SqliteStore.open(path, KEYRING), fill)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM job_search WHERE folded_name = 'job-0'")
        connection.execute("UPDATE job_search SET host = NULL, words = folded_name")
        connection.execute("UPDATE definition SET sealed = x'00' WHERE job_id = 2")
        connection.commit()
    return path


async def found(store: Any, text: str) -> list[str]:
    search = JobSearch(terms=parse_search(text))
    jobs = await store.browse(lambda reading: reading.search_jobs(Scope(), search, limit=9))
    return [each.name for each in jobs]


def test_jobs_of_an_earlier_version_become_searchable(database: Path) -> None:
    async def steps(store: Any) -> None:
        task = SearchWordsTask(store, StepPace(jobs=2))
        assert await found(store, "example.com") == []

        assert [await task.step() for _ in range(4)] == [True, True, True, False]

        assert await found(store, "example.com") == ["job-0", "job-2", "job-3", "job-4"]
        assert await found(store, "job-1") == ["job-1"]
        assert await task.step() is False

    run(lambda: SqliteStore.open(database, KEYRING), steps)


def test_an_interrupted_task_continues_where_it_stopped(database: Path) -> None:
    async def first(store: Any) -> None:
        await SearchWordsTask(store, StepPace(jobs=2)).step()

    async def second(store: Any) -> None:
        left = await store.read(lambda reading: reading.jobs_without_words(0, 9))
        assert [*left] == [3, 4, 5]

    run(lambda: SqliteStore.open(database, KEYRING), first)
    run(lambda: SqliteStore.open(database, KEYRING), second)


def test_a_definition_that_another_node_can_read_is_left_to_that_node(database: Path) -> None:
    other = Keyring([b"o" * 32, bytes(32)])
    with closing(sqlite3.connect(database)) as connection:
        sealed = other.seal(b"{}", b"job 1 job-2")
        connection.execute("UPDATE definition SET sealed = ? WHERE job_id = 3", (sealed,))
        connection.commit()

    async def steps(store: Any) -> None:
        task = SearchWordsTask(store, StepPace(jobs=9))
        assert [await task.step(), await task.step()] == [True, False]
        left = await store.read(lambda reading: reading.jobs_without_words(0, 9))
        assert [*left] == [3]
        assert await found(store, "job-2") == ["job-2"]

    run(lambda: SqliteStore.open(database, KEYRING), steps)
