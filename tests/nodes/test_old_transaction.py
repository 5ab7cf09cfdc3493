"""A transaction that somebody leaves open keeps every old row, and must not slow down the queue."""

import asyncio
import itertools
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg
import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionId
from foliot.core.instant import MINUTE, SECOND, Instant, Moment
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.run import DueRun
from foliot.core.recurrence import Frequency, Recurrence
from foliot.engine.claim import Claimant, claim
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.ports.store import Transaction
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.postgres.due_window import BEGINNING
from foliot.store.postgres.messages import Later
from foliot.store.postgres.prepared import PREPARED, execution
from foliot.store.postgres.statements import LOCK_DUE_JOBS, LOCK_DUE_RUNS, LOCKS, STATEMENTS
from foliot.store.sealing.keyring import Keyring
from tests.support.builders import DEFINITION, LONG_AGO, NOW, a_collection, a_job, a_lease, a_run

JOBS, MINUTES, BATCH = 2000, 15, 500
LOOKS = (LOCKS[LOCK_DUE_JOBS], LOCKS[LOCK_DUE_RUNS])
ON_RUNS = {
    LOCKS[LOCK_DUE_RUNS],
    STATEMENTS["due_runs"],
    STATEMENTS["earliest_due_at"],
    STATEMENTS["renew_leases"],
    STATEMENTS["due_jobs"],
    STATEMENTS["current_state"],
    STATEMENTS["claimed_runs"],
    STATEMENTS["save_runs"],
    STATEMENTS["delete_runs"],
    STATEMENTS["release_runs"],
    STATEMENTS["count_runs"],
    STATEMENTS["held_ids"],
}
WELL, ILL = Outcome(succeeded=True, message="ok"), Outcome(succeeded=False, message="no")
EVERY_MINUTE = replace(
    DEFINITION, start=Moment.at(NOW), recurrence=Recurrence(frequency=Frequency.MINUTE, interval=1)
)


def test_a_claim_passes_old_rows_of_its_own_jobs_alone(url: str) -> None:
    with an_old_transaction(url):
        last, of_late, from_beginning = asyncio.run(work_for_minutes(url))

    # Each occurrence leaves two of its job; a few buffers more are for the indexes.
    assert last <= BATCH * (2 * MINUTES + 10)
    # Those of all others are there: from the beginning a look that finds nothing would pass them.
    assert from_beginning > of_late * 5


def test_no_statement_reads_all_of_a_queue_that_was_empty_when_it_was_analyzed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: dict[bytes, Any] = {}
    is_analyzed = False
    run, run_later = PostgresConnection.run, PostgresConnection.run_later

    def explain(connection: PostgresConnection, statement: bytes, parameters: Any) -> None:
        if is_analyzed and statement in ON_RUNS:
            asked = statement, parameters
            if statement in PREPARED:
                # Prepared, it has one plan for all values.
                asked = execution(statement, parameters), None
            ((found,),) = run(connection, b"EXPLAIN (FORMAT JSON) " + asked[0], asked[1])
            plans[statement] = found[0]["Plan"]

    def explained(connection: PostgresConnection, statement: bytes, parameters: Any = None) -> Any:
        explain(connection, statement, parameters)
        return run(connection, statement, parameters)

    def explained_later(connection: PostgresConnection, statement: bytes, *others: Any) -> Later:
        explain(connection, statement, others[0])
        return run_later(connection, statement, *others)

    monkeypatch.setattr(PostgresConnection, "run", explained)
    monkeypatch.setattr(PostgresConnection, "run_later", explained_later)

    async def work() -> None:
        nonlocal is_analyzed
        store = PostgresStore.open(url, Keyring([bytes(32)]), lambda: NOW)
        await store.write(add_jobs)
        node = Node()
        await node.work(store, NOW)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("VACUUM (ANALYZE) run")
        is_analyzed = True
        for outcome in (WELL, ILL):
            await node.work(store, NOW, outcome)
        assert await node.work(store, Instant(NOW + 30 * SECOND)) == BATCH
        await store.write(lambda to: to.renew_leases("node", NOW, since=LONG_AGO))
        await store.write(lambda to: to.earliest_due_at())
        await store.write(release_first)
        await store.close()

    with an_old_transaction(url):
        asyncio.run(work())

    assert plans.keys() == ON_RUNS
    for plan in plans.values():
        scans = list(scans_of(plan, "run"))
        assert scans
        assert [scan for scan in scans if "Index Cond" not in scan] == []


def test_a_change_of_jobs_reads_no_others_of_what_is_due(url: str) -> None:
    async def steps() -> int:
        store = PostgresStore.open(url, Keyring([bytes(32)]), lambda: NOW)
        await store.write(add_jobs)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("VACUUM (ANALYZE) due")
            # As if it had been empty then.
            other.execute("UPDATE pg_class SET reltuples = 0 WHERE relname LIKE 'due%'")
        before = await entries_read(store)
        assert await Node().work(store, NOW) == BATCH
        after = await entries_read(store)
        await store.close()
        return after - before

    # One look, which EXPLAIN makes twice, and one deletion.
    assert asyncio.run(steps()) <= BATCH * 3


def release_first(to: Transaction) -> None:
    """Do with the runs of a job what ends, cancels and plans of runs that wait their turn do."""
    job = to.jobs(CollectionId(1), limit=1)[0]
    run = a_run(job, lease=a_lease())
    to.release_runs(job.id, 5, NOW)
    to.count_runs(job.id)
    to.lost_runs([replace(run, id=1)])


async def entries_read(store: PostgresStore) -> int:
    """Return how many entries of the index of what is due were ever read."""
    await store.write(lambda to: connection_of(to).run(b"SELECT pg_stat_force_next_flush()"))
    query = b"SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'due_pkey'"
    ((found,),) = await store.write(lambda to: connection_of(to).run(query).fetchall())
    return found


def connection_of(to: Transaction) -> PostgresConnection:
    """Return the connection that a transaction runs on."""
    return cast("Any", to)._dialect.connection  # noqa: SLF001


def scans_of(plan: Any, table: str) -> Iterator[Any]:
    """Return the parts of a plan that read a table; a bitmap tells which rows in a part below."""
    within = plan.get("Plans", [])
    if plan.get("Relation Name") == table and plan["Node Type"].endswith("Scan"):
        yield within[0] if plan["Node Type"] == "Bitmap Heap Scan" else plan
    for each in within:
        yield from scans_of(each, table)


@contextmanager
def an_old_transaction(url: str) -> Generator[None]:
    """Have a look at the jobs, and keep looking."""
    with psycopg.connect(url) as old:
        old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        old.execute("SELECT count(*) FROM job")
        yield


async def work_for_minutes(url: str) -> tuple[int, int, int]:
    """Run all jobs each minute; return what was passed by the last claim, and by looks after it."""
    # No time passes while it is looked, so that a look back takes one step.
    store = PostgresStore.open(url, Keyring([bytes(32)]), lambda: NOW)
    node = Node()
    await store.write(add_jobs)
    passed = done = 0
    for minute in range(MINUTES):
        now = Instant(NOW + minute * MINUTE)
        # The first claim of a minute has also looked back to the beginning.
        done += await node.work(store, now)
        done += await node.work(store, now)
        passed = node.passed
        while worked := await node.work(store, now):
            done += worked

    def look(to: Transaction, start: Instant) -> int:
        what = {"start": start, "end": now, "limit": BATCH, "excluded": None}
        return buffers(connection_of(to).run, LOCKS[LOCK_DUE_JOBS], what)

    of_late = await store.write(lambda to: look(to, Instant(now - 5 * SECOND)))
    from_beginning = await store.write(lambda to: look(to, BEGINNING))
    await store.close()
    assert done == JOBS * MINUTES
    return passed, of_late, from_beginning


class Node:
    """Claims and settles; knows how many buffers the looks of its last claim have touched."""

    def __init__(self) -> None:
        ids = itertools.count(1)
        self._claimant = Claimant("node", lambda: f"{next(ids):032x}")
        self.passed = 0

    async def work(self, store: PostgresStore, now: Instant, outcome: Outcome = WELL) -> int:
        taken = await store.write(lambda to: self._claim(to, now))
        attempt = Attempt(outcome=outcome, started_at=now, ended_at=now)
        settled = await store.write(
            lambda to: settle_attempts(to, [EndedAttempt(due, attempt) for due in taken])
        )
        assert settled.late == 0
        return len(taken)

    def _claim(self, to: Transaction, now: Instant) -> Sequence[DueRun]:
        connection = connection_of(to)
        run, self.passed = connection.run, 0

        def counted(statement: bytes, parameters: Any = None) -> Any:
            if statement in LOOKS:
                self.passed += buffers(run, statement, parameters)
            return run(statement, parameters)

        connection.run = counted
        try:
            return claim(to, self._claimant, now, BATCH).runs
        finally:
            del connection.run


def buffers(run: Callable[..., Any], statement: bytes, parameters: Any) -> int:
    """Return how many buffers a statement touches."""
    explain = b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement
    ((found,),) = run(explain, parameters).fetchall()
    plan = found[0]["Plan"]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def add_jobs(to: Transaction) -> None:
    collection = to.add_collection(a_collection())
    for number in range(JOBS):
        to.add_job(a_job(collection.id, f"j{number}", definition=EVERY_MINUTE, next_at=NOW))
