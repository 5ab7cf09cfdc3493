"""A transaction that somebody leaves open keeps every old row, and must not slow down the queue."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from msgspec.structs import replace

from foliot.core.errand import Outcome
from foliot.core.instant import MINUTE, Instant, Moment
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.run import DueRun
from foliot.core.settling import Attempt
from foliot.engine.claiming import Claimant, claim
from foliot.engine.recording import Result, record
from foliot.ports import Transaction
from foliot.store import Keyring
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.statements import LOCKS
from tests.model_builders import DEFINITION, NOW, a_collection, a_job

JOBS, MINUTES, BATCH = 2000, 15, 500
LOOKS = (LOCKS.due_jobs, LOCKS.due_runs)
EVERY_MINUTE = replace(
    DEFINITION, start=Moment.at(NOW), recurrence=Recurrence(frequency=Frequency.MINUTE, interval=1)
)


def test_a_claim_passes_no_more_old_rows_however_many_there_are(url: str) -> None:
    with psycopg.connect(url) as old:
        old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        old.execute("SELECT count(*) FROM job")
        first, last, from_beginning = asyncio.run(work_for_minutes(url))

    assert last <= first * 1.2
    # They are there: from the beginning the look would pass them all.
    assert from_beginning > JOBS * (MINUTES - 1)
    assert from_beginning > last * 5


async def work_for_minutes(url: str) -> tuple[int, int, int]:
    """Run all jobs each minute; return what a claim passed in the third and in the last of them."""
    # No time passes while it is looked, so that a look back takes one step.
    store = PostgresStore.open(url, Keyring([bytes(32)]), lambda: NOW)
    node = Node()
    await store.write(add_jobs)
    passed: list[int] = []
    done = 0
    for minute in range(MINUTES):
        now = Instant(NOW + minute * MINUTE)
        # The first claim of a minute has also looked back to the beginning.
        done += await node.work(store, now)
        done += await node.work(store, now)
        passed.append(node.passed)
        while worked := await node.work(store, now):
            done += worked
    all_of_it = {"floor": 0, "now": now, "limit": BATCH, "crowding": None}
    from_beginning = await store.write(lambda to: buffers(to._run, LOCKS.due_jobs, all_of_it))  # noqa: SLF001
    await store.close()
    assert done == JOBS * MINUTES
    return passed[2], passed[-1], from_beginning


class Node:
    """Claims and settles; knows how many buffers the looks of its last claim have touched."""

    def __init__(self) -> None:
        ids = itertools.count(1)
        self._claimant = Claimant("node", lambda: f"{next(ids):032x}")
        self.passed = 0

    async def work(self, store: PostgresStore, now: Instant) -> int:
        taken = await store.write(lambda to: self._claim(to, now))
        attempt = Attempt(
            outcome=Outcome(succeeded=True, message="ok"), started_at=now, ended_at=now
        )
        late = await store.write(lambda to: record(to, [Result(due, attempt) for due in taken]))
        assert late == 0
        return len(taken)

    def _claim(self, to: Any, now: Instant) -> Sequence[DueRun]:
        run, self.passed = to._run, 0  # noqa: SLF001

        def counted(statement: bytes, parameters: Any = None) -> Any:
            if statement in LOOKS:
                self.passed += buffers(run, statement, parameters)
            return run(statement, parameters)

        to._run = counted  # noqa: SLF001
        try:
            return claim(to, self._claimant, now, BATCH)
        finally:
            to._run = run  # noqa: SLF001


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
