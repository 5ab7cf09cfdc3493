"""Failed runs are found with an index of their own, however many runs have succeeded since."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from foliot.core.access import scope_of
from foliot.core.instant import SECOND, Instant
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.run_record import EndedRun, RunFilter
from foliot.core.model.token import Scope
from foliot.ports.store import Store, Transaction
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.dialect import STATEMENTS, SqliteDialect
from foliot.store.sqlite.store import SqliteStore
from tests.support import postgres
from tests.support.builders import NOW, a_key, an_entry
from tests.support.store_harness import with_jobs

KEYRING = Keyring([bytes(32)])
FAILED, SUCCEEDED = 5, 20_000
FEW = 100
CASES = [
    pytest.param(Scope(), RunFilter(outcome=RunOutcome.FAILED), id="all collections"),
    pytest.param(
        Scope(),
        RunFilter(outcome=RunOutcome.FAILED, since=NOW, until=Instant(NOW + 3600 * SECOND)),
        id="by time",
    ),
    pytest.param(Scope(), RunFilter(reason="Timeout"), id="by reason"),
    pytest.param(
        Scope(), RunFilter(outcome=RunOutcome.FAILED, host="api.example.com"), id="by host"
    ),
    pytest.param(scope_of(a_key()), RunFilter(outcome=RunOutcome.FAILED), id="a collection"),
]


def fill(transaction: Transaction) -> None:
    """Let some runs fail, and very many succeed since."""
    _, (job,) = with_jobs(transaction, "a")
    failures = [
        an_entry(
            job.id,
            second=number,
            status=AttemptStatus.FAILED,
            outcome=RunOutcome.FAILED,
            reason="Timeout",
            host="api.example.com",
            run_id=number + 1,
        )
        for number in range(FAILED)
    ]
    successes = [
        an_entry(job.id, second=number, outcome=RunOutcome.SUCCEEDED, run_id=number + 1)
        for number in range(FAILED, FAILED + SUCCEEDED)
    ]
    transaction.add_history(*failures, *successes)


def found(store: Store, prepare: Callable[[], None], scope: Scope, wanted: RunFilter) -> int:
    async def steps() -> Sequence[EndedRun]:
        try:
            await store.write(fill)
            prepare()
            return await store.browse(lambda reading: reading.ended_runs(scope, wanted))
        finally:
            await store.close()

    return len(asyncio.run(steps()))


@pytest.mark.parametrize(("scope", "wanted"), CASES)
def test_sqlite_reads_few_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: Scope, wanted: RunFilter
) -> None:
    path, steps, run = tmp_path / "foliot.db", list[int](), SqliteDialect.run

    def counted(dialect: SqliteDialect, statement: Any, parameters: Any = ()) -> Any:
        if statement.startswith(("notable_runs", "ended_runs")):
            with closing(sqlite3.connect(path)) as other:
                # One step of the database's machine; an entry that is read takes several.
                other.set_progress_handler(lambda: steps.append(1), 1)
                other.execute(STATEMENTS[statement], parameters).fetchall()
        return run(dialect, statement, parameters)

    # Before the store is opened, which keeps it.
    monkeypatch.setattr(SqliteDialect, "run", counted)
    store = SqliteStore.open(path, KEYRING)

    assert found(store, lambda: None, scope, wanted) == FAILED
    assert 0 < len(steps) < SUCCEEDED


@pytest.mark.parametrize(("scope", "wanted"), CASES)
def test_postgres_reads_few_entries(
    monkeypatch: pytest.MonkeyPatch, scope: Scope, wanted: RunFilter
) -> None:
    read, run = list[int](), PostgresConnection.run

    def counted(connection: PostgresConnection, statement: bytes, parameters: Any = None) -> Any:
        if b"outcome <> 'succeeded'" in statement:
            explain = b"EXPLAIN (ANALYZE, FORMAT JSON) "
            ((plan,),) = run(connection, explain + statement, parameters)
            read.extend(_entries_read(plan[0]["Plan"]))
        return run(connection, statement, parameters)

    with postgres.new_database() as url:

        def prepare() -> None:
            with psycopg.connect(url, autocommit=True) as other:
                other.execute("VACUUM (ANALYZE) history")
            monkeypatch.setattr(PostgresConnection, "run", counted)

        store = PostgresStore.open(url, KEYRING, lambda: NOW)

        assert found(store, prepare, scope, wanted) == FAILED
    assert 0 < sum(read) < FEW


def _entries_read(plan: dict[str, Any]) -> Iterator[int]:
    """Return how many entries of history each part of a plan has read, also in vain."""
    if plan.get("Relation Name", "").startswith("history"):
        rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        yield round(rows * plan["Actual Loops"])
    for part in plan.get("Plans", ()):
        yield from _entries_read(part)
