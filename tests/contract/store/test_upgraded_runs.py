"""A database from before runs were recorded: its first start gives all attempts their runs.

The database has the tables of that version, and more entries than one transaction takes. A start
that is killed between two transactions is continued by the next one.
"""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from foliot.core.instant import MINUTE, SECOND
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Scope
from foliot.ports import clock
from foliot.ports.store import Reading, Store
from foliot.store.migrations import Migration, migrations
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.connection import BEGIN_WRITING, PostgresConnection
from foliot.store.postgres.migrate import migrate as migrate_postgres
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.record_runs import no_progress
from foliot.store.sqlite.migrate import migrate as migrate_sqlite
from foliot.store.sqlite.store import SqliteStore
from tests.support import postgres
from tests.support.builders import NOW

RECORDS_RUNS = 7
KEYRING = Keyring([bytes(32)])
ROUNDS = 1800
ENTRIES_AT_ONCE = 5_000
MESSAGE = "x" * 200
A_COLLECTION = """
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state
)
VALUES ('s', 'g', 'c', 's', 'g', 'c', 'Standard', 'Enabled')
"""
A_JOB = """
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, next_at, calendar_at, occurrence,
    generation, execution_count, failure_count, faulted_count, settled_well
)
VALUES (1, 'j', 'j', 'enabled', 0, 9, 0, 0, 0, 0, 0, 0, 0)
"""
COLUMNS = (
    *("job_id", "started_at", "ended_at", "expected_at", "status", "retry_count"),
    *("repeat_count", "is_error_action", "message"),
)
RECORDED = "SELECT number, run_id, outcome FROM history ORDER BY number"
DONE, FAILED, POSTPONED = (
    AttemptStatus.COMPLETED.value,
    AttemptStatus.FAILED.value,
    AttemptStatus.POSTPONED.value,
)
# Attempts of four occurrences: status, retry count, whether at the error action; and the outcome of
# the run, which its last attempt at the main action has.
OCCURRENCES: list[list[tuple[str, int, int, str | None]]] = [
    [(DONE, 0, 0, "succeeded")],
    [(FAILED, 0, 0, None), (DONE, 1, 0, "recovered")],
    [(FAILED, 0, 0, None), (FAILED, 1, 0, "failed"), (DONE, 0, 1, None)],
    [(POSTPONED, 0, 0, "skipped")],
]
# Opens a store, and ends its process at once when so many entries have been recorded.
KILLED = """
import os, signal, sys
from pathlib import Path
from foliot.ports import clock
from foliot.store.postgres import PostgresStore
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore

def progress(what, done, total):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

kind, where = sys.argv[1:3]
if kind == "sqlite":
    SqliteStore.open(Path(where), Keyring([bytes(32)]), progress=progress)
else:
    PostgresStore.open(where, Keyring([bytes(32)]), clock.now, progress)
"""

Progress = Callable[[str, int, int], None]


class OldDatabase(NamedTuple):
    """A database with the tables of the version before runs were recorded."""

    kind: str
    where: str
    rows: Callable[[str], list[Any]]
    open: Callable[[Progress], Store]

    def kill_after(self, entries: int) -> int:
        """Open it in a process that is killed when so many entries are recorded."""
        command = [sys.executable, "-c", KILLED, self.kind, self.where, str(entries)]
        return subprocess.run(command, check=False, timeout=120).returncode  # noqa: S603  (ours)

    def upgrade(self) -> list[tuple[str, int, int]]:
        """Open it and close it; return what was told about the progress."""
        told: list[tuple[str, int, int]] = []

        def tell(what: str, done: int, total: int) -> None:
            told.append((what, done, total))

        async def steps() -> None:
            await self.open(tell).close()

        asyncio.run(steps())
        return told


def entries() -> Iterator[tuple[Any, ...]]:
    for number in range(ROUNDS * len(OCCURRENCES)):
        expected_at = NOW + number * MINUTE
        for place, attempt in enumerate(OCCURRENCES[number % len(OCCURRENCES)]):
            status, retry_count, is_error_action, _ = attempt
            at = expected_at + place * SECOND
            yield (
                *(1, at, at, expected_at, status, retry_count, number + 1, is_error_action),
                MESSAGE,
            )


def outcomes() -> list[str | None]:
    one_round = [attempt[-1] for occurrence in OCCURRENCES for attempt in occurrence]
    return one_round * ROUNDS


def old_steps(kind: str) -> list[Migration]:
    steps = migrations(f"foliot.store.{kind}")
    return [step for step in steps if step.version < RECORDS_RUNS]


def insertion(mark: str) -> str:
    marks = ", ".join([mark] * len(COLUMNS))
    return f"INSERT INTO history ({', '.join(COLUMNS)}) VALUES ({marks})"  # noqa: S608


@contextmanager
def on_sqlite(folder: Path) -> Generator[OldDatabase]:
    path = folder / "foliot.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate_sqlite(connection, old_steps("sqlite"))
        connection.execute(A_COLLECTION)
        connection.execute(A_JOB)
        connection.execute("BEGIN")
        connection.executemany(insertion("?"), entries())
        connection.execute("COMMIT")

    def rows(query: str) -> list[Any]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query).fetchall()

    def opened(progress: Progress) -> Store:
        return SqliteStore.open(path, KEYRING, progress=progress)

    yield OldDatabase("sqlite", str(path), rows, opened)


@contextmanager
def on_postgres(_: Path) -> Generator[OldDatabase]:
    with postgres.new_database(is_empty=True) as url:
        with closing(PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset())) as old:
            migrate_postgres(old, old_steps("postgres"), NOW)
        with psycopg.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(A_COLLECTION)
            cursor.execute(A_JOB)
            cursor.executemany(insertion("%s").encode(), list(entries()))

        def rows(query: str) -> list[Any]:
            with psycopg.connect(url) as connection:
                return connection.execute(query.encode()).fetchall()

        def opened(progress: Progress) -> Store:
            return PostgresStore.open(url, KEYRING, clock.now, progress)

        yield OldDatabase("postgres", url, rows, opened)


@pytest.fixture(params=[on_sqlite, on_postgres], ids=["sqlite", "postgres"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[OldDatabase]:
    with request.param(tmp_path) as database:
        yield database


def test_all_attempts_get_their_runs_and_the_progress_is_told(old: OldDatabase) -> None:
    told = old.upgrade()

    total = len(outcomes())
    assert total > 2 * ENTRIES_AT_ONCE
    assert told == [
        ("Recording runs", done, total) for done in (*range(5_000, total, 5_000), total)
    ]
    assert old.rows(RECORDED) == recorded()
    assert old.upgrade() == []


def recorded(count: int | None = None) -> list[tuple[int, int | None, str | None]]:
    """Return the number, the run and the outcome of all entries, if so many are recorded."""
    found = outcomes()
    count = len(found) if count is None else count
    return [
        (number, 0, outcome) if number <= count else (number, None, None)
        for number, outcome in enumerate(found, 1)
    ]


def test_a_start_that_is_killed_in_its_midst_is_continued_by_the_next(old: OldDatabase) -> None:
    assert old.kill_after(2 * ENTRIES_AT_ONCE) == -signal.SIGKILL
    assert old.rows(RECORDED) == recorded(2 * ENTRIES_AT_ONCE)

    rest = len(outcomes()) - 2 * ENTRIES_AT_ONCE
    assert old.upgrade() == [("Recording runs", rest, rest)]
    assert old.rows(RECORDED) == recorded()


def test_failed_runs_are_found_with_their_attempts(old: OldDatabase) -> None:
    old.upgrade()

    async def steps() -> tuple[int, Sequence[str]]:
        store = old.open(no_progress)
        try:
            return await store.browse(view)
        finally:
            await store.close()

    def view(reading: Reading) -> tuple[int, Sequence[str]]:
        wanted = RunFilter(outcome=RunOutcome.FAILED)
        runs = reading.ended_runs(Scope(), wanted, limit=ROUNDS + 1)
        (attempts,) = reading.attempts_of([runs[0].entry])
        return len(runs), [each.status.value for each in attempts]

    assert asyncio.run(steps()) == (ROUNDS, [FAILED, FAILED, DONE])


def test_no_more_memory_is_taken_than_for_a_few_entries(old: OldDatabase) -> None:
    tracemalloc.start()
    try:
        old.upgrade()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    # The messages of one transaction alone are a megabyte.
    assert peak < ENTRIES_AT_ONCE * len(MESSAGE)
