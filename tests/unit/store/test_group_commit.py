"""The threads of the store on connections of the test's own, to be watched and broken."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any, cast

import pytest

from foliot.core.errors import Unavailable
from foliot.store.sqlite.reader import SqliteReader
from foliot.store.sqlite.store import CHANGES_AT_ONCE
from foliot.store.sqlite.writer import SqliteWriter
from foliot.store.threads import DatabaseThread
from foliot.store.work_queue import WorkQueue
from tests.support.store_harness import Gate

Change = Callable[[sqlite3.Connection], object]


@pytest.fixture
def connection(tmp_path: Path) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(
        tmp_path / "test.db", isolation_level=None, check_same_thread=False, timeout=0
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("CREATE TABLE item (name TEXT PRIMARY KEY, parent TEXT REFERENCES item)")
    yield connection
    connection.close()


def insert(name: str, parent: str | None = None) -> Change:
    return lambda to: to.execute("INSERT INTO item VALUES (?, ?)", (name, parent)).rowcount


def writer_on(connection: sqlite3.Connection) -> DatabaseThread:
    # The tests' changes are given the connection itself.
    answer = SqliteWriter(connection, cast("Any", connection)).answer
    return DatabaseThread("writer", WorkQueue(CHANGES_AT_ONCE), answer)


def outcomes(connection: sqlite3.Connection, *changes: Change) -> list[Any]:
    """Let the changes wait together, and return how each of them ended."""

    async def steps(ask: Callable[[Change], Awaitable[Any]]) -> list[Any]:
        gate = Gate()
        held = asyncio.create_task(ask(gate))
        await gate.reached()
        waiting = [asyncio.create_task(ask(change)) for change in changes]
        await asyncio.sleep(0)
        gate.open()
        await held
        return await asyncio.gather(*waiting, return_exceptions=True)

    writer = writer_on(connection)
    try:
        return asyncio.run(steps(writer.ask))
    finally:
        writer.stop()


def names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM item ORDER BY name")]


def test_changes_that_wait_together_share_a_flush(connection: sqlite3.Connection) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)

    results = outcomes(connection, *(insert(f"{n}") for n in range(200)))

    assert results == [1] * 200
    # One for the gate, one for all that waited behind it.
    assert statements.count("COMMIT") == 2


def test_a_batch_has_a_limit(connection: sqlite3.Connection) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)

    outcomes(connection, *(insert(f"{n}") for n in range(300)))

    assert statements.count("COMMIT") == 3
    assert len(names(connection)) == 300


def test_a_commit_that_fails_fails_for_all_and_keeps_nothing(
    connection: sqlite3.Connection,
) -> None:
    def orphan(to: sqlite3.Connection) -> None:
        to.execute("PRAGMA defer_foreign_keys = ON")
        insert("orphan", parent="nobody")(to)

    results = outcomes(connection, insert("a"), orphan, insert("b"))

    assert [type(each) for each in results] == [Unavailable] * 3
    assert names(connection) == []
    assert outcomes(connection, insert("later")) == [1]


def failing(*first: Change) -> Change:
    def change(to: sqlite3.Connection) -> None:
        for each in first:
            each(to)
        raise LookupError

    return change


def test_a_change_that_fails_is_undone_and_the_others_are_kept(
    connection: sqlite3.Connection,
) -> None:
    runs: list[str] = []

    def counted(name: str) -> Change:
        return lambda to: (runs.append(name), insert(name)(to))[1]

    results = outcomes(
        connection, counted("a"), failing(insert("half")), counted("b"), failing(), counted("c")
    )

    assert [each if each == 1 else type(each) for each in results] == [
        *(1, LookupError),
        *(1, LookupError),
        1,
    ]
    assert names(connection) == ["a", "b", "c"]
    # Once more than once, however many fail.
    assert runs == ["a", "a", "b", "c"]


def test_a_change_that_fails_alone_is_undone(connection: sqlite3.Connection) -> None:
    (result,) = outcomes(connection, failing(insert("half"), insert("other half")))

    assert isinstance(result, LookupError)
    assert names(connection) == []


def test_a_change_that_fails_before_it_writes_makes_no_other_run_again(
    connection: sqlite3.Connection,
) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)

    def refused(to: sqlite3.Connection) -> None:
        insert("a")(to)

    results = outcomes(connection, insert("a"), failing(), refused, insert("b"))

    assert [type(each) for each in results] == [int, LookupError, Unavailable, int]
    assert names(connection) == ["a", "b"]
    assert not [each for each in statements if "SAVEPOINT" in each or "ROLLBACK" in each]


@pytest.mark.parametrize("has_failed", [False, True], ids=["unnoticed", "with an error"])
def test_nothing_is_written_after_a_transaction_is_lost(
    connection: sqlite3.Connection, *, has_failed: bool
) -> None:
    def lose(to: sqlite3.Connection) -> None:
        to.execute("ROLLBACK")
        if has_failed:
            raise LookupError

    results = outcomes(connection, insert("a"), lose, insert("b"))

    assert [type(each) for each in results] == [Unavailable] * 3
    assert names(connection) == []


def test_a_full_disk_fails_the_batch_and_says_so(connection: sqlite3.Connection) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")

    results = outcomes(connection, insert("small"), insert("x" * 100_000))

    assert [str(each) for each in results] == [
        "The store cannot answer at the moment: the disk is full."
    ] * 2
    assert names(connection) == []
    assert outcomes(connection, insert("small")) == [1]


def test_a_locked_database_is_unavailable_without_a_word_of_sql(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    other = sqlite3.connect(tmp_path / "test.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def steps(ask: Callable[[Change], Awaitable[Any]]) -> list[Any]:
        return await asyncio.gather(ask(insert("a")), ask(insert("b")), return_exceptions=True)

    writer = writer_on(connection)
    results = asyncio.run(steps(writer.ask))
    writer.stop()
    other.close()

    assert {str(each) for each in results} == {
        "The store cannot answer at the moment: another process has locked the database."
    }
    assert outcomes(connection, insert("later")) == [1]


def seen(connection: sqlite3.Connection, *views: Change) -> list[Any]:
    """Return how each of the views ended."""

    async def steps() -> list[Any]:
        return await asyncio.gather(*map(reader.ask, views), return_exceptions=True)

    # The tests' views are given the connection itself.
    answer = SqliteReader(connection, cast("Any", connection)).answer
    reader = DatabaseThread("reader", WorkQueue(1), answer)
    try:
        return asyncio.run(steps())
    finally:
        reader.stop()


def test_a_view_that_the_database_refuses_is_unavailable(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")

    refused, count = seen(connection, insert("a"), names)

    assert str(refused) == "The store cannot answer at the moment: the file is read-only."
    assert count == []


def test_a_view_that_loses_its_transaction_is_unavailable(connection: sqlite3.Connection) -> None:
    lost, after = seen(connection, lambda view: view.execute("ROLLBACK"), names)

    assert isinstance(lost, Unavailable)
    assert after == []


def test_a_connection_that_is_gone_is_unavailable(connection: sqlite3.Connection) -> None:
    connection.close()

    (answer,) = seen(connection, names)

    assert isinstance(answer, Unavailable)


def test_a_change_that_can_wait_shares_the_flush_of_the_next_one(
    connection: sqlite3.Connection,
) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)

    async def steps() -> list[Any]:
        # Far more time than the test takes: only the second change ends the wait.
        answer = SqliteWriter(connection, cast("Any", connection)).answer
        writer = DatabaseThread("writer", WorkQueue(CHANGES_AT_ONCE, gather_seconds=60), answer)
        patient = asyncio.create_task(writer.ask(insert("patient"), can_wait=True))
        await asyncio.sleep(0)
        results = await asyncio.gather(patient, writer.ask(insert("next")))
        await asyncio.to_thread(writer.stop)
        return results

    assert asyncio.run(steps()) == [1, 1]
    assert statements.count("COMMIT") == 1


def test_a_change_that_can_wait_is_made_alone_if_no_other_one_comes(
    connection: sqlite3.Connection,
) -> None:
    async def steps() -> object:
        answer = SqliteWriter(connection, cast("Any", connection)).answer
        writer = DatabaseThread("writer", WorkQueue(CHANGES_AT_ONCE, gather_seconds=0.001), answer)
        result = await writer.ask(insert("alone"), can_wait=True)
        await asyncio.to_thread(writer.stop)
        return result

    assert asyncio.run(steps()) == 1
    assert names(connection) == ["alone"]


def test_a_store_that_closes_makes_the_change_that_waits(connection: sqlite3.Connection) -> None:
    async def steps() -> object:
        answer = SqliteWriter(connection, cast("Any", connection)).answer
        writer = DatabaseThread("writer", WorkQueue(CHANGES_AT_ONCE, gather_seconds=60), answer)
        waiting = asyncio.create_task(writer.ask(insert("last"), can_wait=True))
        await asyncio.sleep(0)
        await asyncio.to_thread(writer.stop)
        return await waiting

    assert asyncio.run(steps()) == 1
    assert names(connection) == ["last"]
