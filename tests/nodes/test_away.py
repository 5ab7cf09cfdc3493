"""A database that goes away and comes back, and commits whose answer is lost."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from threading import Event

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from foliot.core.errors import Unavailable
from foliot.ports import clock
from foliot.ports.store import Reading, Store, Transaction
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.commit_status import was_committed
from foliot.store.sealing.keyring import Keyring
from tests.nodes.proxy import Proxy
from tests.support import postgres
from tests.support.builders import SUBSCRIPTION, a_collection
from tests.support.store_harness import run

KEYRING = Keyring([bytes(32)])


@pytest.fixture
def proxy(url: str) -> Generator[Proxy]:
    if postgres.GIVEN:
        pytest.skip("the proxy leads to the socket of the tests' own server")
    opened = Proxy(Path(str(conninfo_to_dict(url)["host"])) / ".s.PGSQL.5432")
    yield opened
    opened.close()


def through(proxy: Proxy, url: str) -> str:
    return make_conninfo(url, host="127.0.0.1", port=proxy.port, sslmode="disable")


def names(view: Reading) -> list[str]:
    return [each.key.name for each in view.collections(SUBSCRIPTION)]


def add(name: str) -> object:
    return lambda to: to.add_collection(a_collection(name))


def says(word: bytes) -> object:
    return lambda data: word in data


async def outcome(call: object) -> object:
    return (await asyncio.gather(call, return_exceptions=True))[0]


def test_a_connection_that_broke_while_nobody_used_it_is_made_anew(url: str, proxy: Proxy) -> None:
    async def steps(store: Store) -> list[str]:
        await store.write(add("a"))
        await store.read(names)
        proxy.cut()
        await store.write(add("b"))
        return await store.read(names)

    assert run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps) == ["a", "b"]


def test_while_the_database_is_away_all_is_unavailable_and_then_it_is_back(
    url: str, proxy: Proxy
) -> None:
    async def steps(store: Store) -> list[object]:
        await store.write(add("a"))
        proxy.is_away = True
        proxy.cut()
        away = [
            await outcome(store.write(add("never"))),
            await outcome(store.read(names)),
            await outcome(store.browse(names)),
        ]
        proxy.is_away = False
        await store.write(add("b"))
        return [*away, await store.read(names)]

    found = run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps)

    assert [type(each) for each in found[:3]] == [Unavailable] * 3
    assert str(found[0]).startswith("The store cannot answer at the moment: the database cannot be")
    assert found[3] == ["a", "b"]


def test_a_connection_that_breaks_in_the_middle_of_a_change_keeps_nothing_of_it(
    url: str, proxy: Proxy
) -> None:
    async def steps(store: Store) -> tuple[object, list[str]]:
        def change(to: Transaction) -> None:
            to.add_collection(a_collection("half"))
            proxy.cut()
            to.add_collection(a_collection("other half"))

        return await outcome(store.write(change)), await store.read(names)

    refused, left = run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps)

    assert isinstance(refused, Unavailable)
    assert left == []


def test_a_commit_whose_answer_is_lost_is_looked_up_and_acknowledged(
    url: str, proxy: Proxy
) -> None:
    async def steps(store: Store) -> tuple[object, list[str]]:
        await store.read(names)
        proxy.cut_before = lambda data: data.startswith(b"C\0\0\0\x0bCOMMIT\0")
        return await outcome(store.write(add("kept"))), await store.read(names)

    answered, left = run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps)

    assert not isinstance(answered, Exception)
    assert left == ["kept"]


def test_a_commit_that_never_arrived_is_looked_up_and_refused(url: str, proxy: Proxy) -> None:
    async def steps(store: Store) -> tuple[object, list[str]]:
        await store.read(names)
        proxy.cut_before = says(b"COMMIT\0")
        return await outcome(store.write(add("lost"))), await store.read(names)

    refused, left = run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps)

    assert isinstance(refused, Unavailable)
    assert left == []


def test_while_a_commit_is_looked_up_others_are_told_at_once(url: str, proxy: Proxy) -> None:
    arrived = Event()

    async def steps(store: Store) -> tuple[object, object, list[str]]:
        await store.read(names)

        def is_commit(data: bytes) -> bool:
            proxy.is_away = b"COMMIT\0" in data
            if proxy.is_away:
                arrived.set()
            return proxy.is_away

        proxy.cut_before = is_commit
        first = asyncio.create_task(outcome(store.write(add("lost"))))
        await asyncio.to_thread(arrived.wait, 30)
        second = await outcome(store.write(add("refused")))
        proxy.is_away = False
        return await first, second, await store.read(names)

    first, second, left = run(lambda: postgres.open_store(through(proxy, url), KEYRING), steps)

    assert isinstance(first, Unavailable)
    assert isinstance(second, Unavailable)
    assert left == []


def test_the_status_of_a_commit_is_what_the_database_says(url: str) -> None:
    with psycopg.connect(url) as connection:
        query = b"SELECT pg_current_xact_id()::text"
        (kept,) = connection.execute(query).fetchone() or ("",)
        connection.commit()
        (undone,) = connection.execute(query).fetchone() or ("",)
        connection.rollback()
        (open_,) = connection.execute(query).fetchone() or ("",)
        pauses = iter([True, False])

        assert was_committed(url, kept, lambda: False) is True
        assert was_committed(url, undone, lambda: False) is False
        assert was_committed(url, open_, lambda: next(pauses)) is None
        # A server that was promoted without it has not come so far.
        assert was_committed(url, str(int(open_) + 10**6), lambda: False) is False


def test_a_clock_that_is_off_is_measured(url: str) -> None:
    def ahead() -> int:
        return clock.now() + 300_000_000

    async def steps(store: PostgresStore) -> int:
        await store.write(lambda _: None)
        return store.offset.ticks

    offset = run(lambda: PostgresStore.open(url, KEYRING, ahead), steps)

    assert abs(offset + 300_000_000) < 10_000_000
