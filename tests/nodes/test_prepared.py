"""The engine's statements are prepared and sent together, unless there is a pooler in between."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any, cast

import psycopg
import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.model.attempt import Attempt, Outcome
from foliot.core.model.run import DueRun
from foliot.core.recurrence import Frequency, Recurrence
from foliot.engine.claim import Claimant, claim
from foliot.engine.settle import EndedAttempt, settle_attempts
from foliot.ports import clock
from foliot.ports.store import Store, Transaction
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.connection import BEGIN_WRITING, PostgresConnection
from foliot.store.postgres.prepared import PREPARED
from foliot.store.sealing.keyring import Keyring
from tests.nodes.pooler import PGBOUNCER, pooling
from tests.support import postgres
from tests.support.builders import DEFINITION, NOW, a_collection, a_job
from tests.support.store_harness import Gate, run, with_jobs

_NAMES = b"SELECT count(*) FROM pg_prepared_statements"
ANSWER = "what a target answered, maybe with a 'secret'"


def open_at(url: str) -> Callable[[], Store]:
    return lambda: postgres.open_store(url, Keyring([bytes(32)]))


def claimed(to: Transaction) -> Sequence[DueRun]:
    ids = itertools.count(1)
    taken = claim(to, Claimant("node", lambda: f"{next(ids):032x}"), NOW, 10).runs
    to.earliest_due_at()
    return taken


def settled(due: Sequence[DueRun]) -> Callable[[Transaction], int]:
    outcome = Outcome(succeeded=True, message=ANSWER)
    attempt = Attempt(outcome=outcome, started_at=NOW, ended_at=NOW)
    ended = [EndedAttempt(each, attempt) for each in due]
    return lambda to: len(settle_attempts(to, ended).recorded)


def add_due_jobs(to: Transaction) -> None:
    collection = to.add_collection(a_collection())
    for name in ("a", "b'c"):
        to.add_job(a_job(collection.id, name, next_at=NOW))


def connection_of(to: Transaction) -> PostgresConnection:
    return cast("Any", to)._dialect.connection  # noqa: SLF001


def prepared(to: Transaction) -> int:
    return connection_of(to).run(_NAMES).fetchone()[0]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All messages, each of which waits for its answer."""
    messages: list[bytes] = []
    execute = psycopg.Connection.execute

    def recorded(connection: Any, query: Any, *others: Any, **named: Any) -> Any:
        messages.append(query)
        return execute(connection, query, *others, **named)

    monkeypatch.setattr(psycopg.Connection, "execute", recorded)
    return messages


def test_a_claim_and_its_outcomes_take_few_messages(url: str, sent: list[bytes]) -> None:
    async def steps(store: Store) -> tuple[int, int, int]:
        await store.write(add_due_jobs)
        # The first look goes back to the beginning; the next one goes on from there.
        await store.write(lambda to: claim(to, Claimant("n", lambda: "c"), NOW, 0))
        await store.write(claimed)
        await store.write(add_more)
        sent.clear()
        due = await store.write(claimed)
        of_claim = len(sent)
        sent.clear()
        assert await store.write(settled(due)) == 2
        of_outcomes = len(sent)
        sent.clear()
        assert not await store.write(claimed)
        return of_claim, of_outcomes, len(sent)

    def add_more(to: Transaction) -> None:
        collection = to.add_collection(a_collection("Other"))
        hourly = replace(DEFINITION, recurrence=Recurrence(frequency=Frequency.HOUR))
        for name in ("c", "d"):
            to.add_job(a_job(collection.id, name, next_at=NOW, definition=hourly))

    # Find and lock, read, plan, advance; lock and read, history, the rest; and the commits.
    assert run(open_at(url), steps) == (5, 4, 3)


def test_what_a_target_answered_is_no_part_of_a_statement(url: str, sent: list[bytes]) -> None:
    async def steps(store: Store) -> int:
        await store.write(add_due_jobs)
        return await store.write(settled(await store.write(claimed)))

    assert run(open_at(url), steps) == 2
    assert any(b"EXECUTE settle_jobs" in each for each in sent)
    assert [each for each in sent if b"what a target answered" in each] == []


def test_a_check_that_fails_fails_its_own_change_alone(url: str) -> None:
    """What waits to be sent is sent, and checked, with the change that it belongs to."""
    gate = Gate()

    async def steps(store: Store) -> list[object]:
        def add(name: str) -> Callable[[Transaction], str]:
            return lambda to: to.add_collection(a_collection(name)).key.name

        def settle_missing(to: Transaction) -> None:
            to.add_collection(a_collection("undone"))
            to.settle_jobs([a_job(missing.collection_id, id=JobId(99))])

        _, (missing,) = await store.write(lambda to: with_jobs(to, "a"))
        held = asyncio.create_task(store.write(gate))
        await gate.reached()
        together = [
            asyncio.create_task(store.write(each))
            for each in (add("one"), settle_missing, add("two"))
        ]
        await asyncio.sleep(0)
        gate.open()
        await held
        results: list[object] = await asyncio.gather(*together, return_exceptions=True)
        found = await store.read(lambda view: view.collections(a_collection().key.subscription))
        return [*results, sorted(each.key.name for each in found)]

    first, refused, last, names = run(open_at(url), steps)

    assert (first, last) == ("one", "two")
    assert isinstance(refused, Conflict)
    assert names == ["Billing", "one", "two"]


def test_statements_that_are_gone_are_sent_in_full(url: str) -> None:
    """As behind a pooler that calls itself by the number of the server."""

    async def steps(store: Store) -> tuple[int, int, int]:
        await store.write(add_due_jobs)
        before = await store.write(prepared)
        await store.write(lambda to: connection_of(to).run(b"DEALLOCATE ALL"))
        due = await store.write(claimed)
        done = await store.write(settled(due))
        return before, done, await store.write(prepared)

    before, done, after = run(open_at(url), steps)

    assert before >= len(PREPARED)
    assert (done, after) == (2, 0)


@pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")
def test_nothing_is_prepared_behind_a_pooler(url: str) -> None:
    async def steps(store: Store) -> tuple[int, int]:
        await store.write(add_due_jobs)
        done = await store.write(settled(await store.write(claimed)))
        return done, await store.write(prepared)

    with pooling(url) as pooled:
        assert run(open_at(pooled), steps) == (2, 0)


def test_a_claim_reconnects_and_prepares_again(url: str) -> None:
    end = (
        b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'foliot'"
    )

    async def steps(store: Store) -> tuple[int, int]:
        await store.write(add_due_jobs)
        await store.write(lambda _: None)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute(end + b" AND datname = current_database()")
        due = await store.write(claimed)
        return len(due), await store.write(prepared)

    found, again = run(open_at(url), steps)

    assert found == 2
    assert again >= len(PREPARED)


def test_settings_are_those_of_the_transaction_or_of_the_connection(url: str) -> None:
    connection = PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset())
    with connection.transaction():
        found = connection.run(b"SELECT current_setting('enable_seqscan')").fetchone()
        limit = connection.run(b"SELECT current_setting('lock_timeout')").fetchone()
    connection.close()

    assert (found, limit) == (("off",), ("5s",))


def test_the_values_of_prepared_statements_have_the_types_of_the_columns(url: str) -> None:
    connection = PostgresConnection(url, BEGIN_WRITING, clock.now, ClockOffset(), prepares=True)
    with connection.transaction():
        query = b"SELECT name, parameter_types::text[] FROM pg_prepared_statements"
        found = dict(connection.run(query).fetchall())
    connection.close()

    assert found.keys() == {each.name.decode() for each in PREPARED.values()}
    # A value without a type would be taken for a text, and compared as one.
    types = {each for types in found.values() for each in types}
    assert types <= {"bigint", "bigint[]", "integer[]", "text[]"}
