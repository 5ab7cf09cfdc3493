"""Nodes that work on one database at the same time."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable

from foliot.api.wire.job import Address, decode_job
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection, Quota, Sku
from foliot.core.model.token import Role
from foliot.engine.claim import Claimant
from foliot.engine.loop import Engine
from foliot.engine.parts import Parts
from foliot.engine.settings import EngineSettings
from foliot.ports.health import Health
from foliot.ports.store import Transaction
from foliot.store.postgres import PostgresStore
from foliot.store.sealing.keyring import Keyring
from tests.support import postgres
from tests.support.api_client import ManualClock, http_job
from tests.support.builders import LONG_AGO, NOW, a_collection, a_job, a_key, a_lease, a_run
from tests.support.engine_world import Targets
from tests.support.store_harness import Gate, with_jobs

KEY = CollectionKey("s", "g", "c")
OWNER = Principal(Role.OWNER)
KEYRING = Keyring([bytes(32)])


def together(
    url: str, steps: Callable[[PostgresStore, PostgresStore], Awaitable[object]]
) -> object:
    """Run steps on the stores of two nodes."""

    async def session() -> object:
        stores = [postgres.open_store(url, KEYRING) for _ in range(2)]
        try:
            return await steps(*stores)
        finally:
            for store in stores:
                await store.close()

    return asyncio.run(session())


def revision(name: str, **properties: object) -> object:
    return decode_job(http_job(**properties), Address(KEY, name), Limits())


def test_a_quota_holds_whoever_adds(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> tuple[list[object], int]:
        full = Collection(key=KEY, sku=Sku.P20_PREMIUM, quota=Quota(max_job_count=10))
        added = await one.write(lambda to: to.add_collection(full))
        both = [UseCases.of(store, ManualClock()) for store in (one, two)]
        wanted = revision("j")
        calls = (
            use_cases.jobs.save_job(OWNER, KEY, f"j{n}-{m}", lambda _: wanted)
            for n in range(15)
            for m, use_cases in enumerate(both)
        )
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        return outcomes, await two.read(lambda view: view.count_jobs(added.id))

    outcomes, count = together(url, steps)

    assert count == 10
    assert sum(isinstance(each, Conflict) for each in outcomes) == 20


def test_a_plan_allows_so_many_collections_whoever_adds(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> list[object]:
        free = Collection(key=KEY, sku=Sku.FREE)
        both = [UseCases.of(store, ManualClock()) for store in (one, two)]

        def add(use_cases: UseCases, name: str) -> Awaitable[object]:
            key = CollectionKey("s", "g", name)
            wanted = Collection(key=key, sku=free.sku)
            return use_cases.collections.save_collection(
                OWNER, key, lambda _: wanted, must_exist=False
            )

        calls = [add(use_cases, f"c{n}") for n, use_cases in enumerate(both * 4)]
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = together(url, steps)

    assert sum(not isinstance(each, Exception) for each in outcomes) == 1
    assert all(isinstance(each, tuple | Conflict) for each in outcomes)


def test_what_one_node_is_at_the_other_passes_over(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> tuple[list[str], list[str]]:
        def plan(to: Transaction) -> None:
            collection = to.add_collection(a_collection())
            for name in "abc":
                to.add_job(a_job(collection.id, name, next_at=NOW))

        await one.write(plan)
        gate = Gate()

        def claim_and_wait(to: Transaction) -> list[str]:
            found = [due.job.name for due in to.due_jobs(NOW, 2)]
            gate(to)
            return found

        first = asyncio.create_task(one.write(claim_and_wait))
        await gate.reached()
        second = await two.write(lambda to: [due.job.name for due in to.due_jobs(NOW, 3)])
        gate.open()
        return await first, second

    assert together(url, steps) == (["a", "b"], ["c"])


def test_a_run_whose_lease_is_being_renewed_is_left_to_its_node(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> tuple[list[str], list[str]]:
        def hold(to: Transaction) -> None:
            _, jobs = with_jobs(to, "a", "b")
            for job, node in zip(jobs, ("one", "gone"), strict=True):
                to.add_run(a_run(job, lease=a_lease(second=0, node=node)))

        await one.write(hold)
        gate = Gate()

        def renew_and_wait(to: Transaction) -> None:
            to.renew_leases("one", Instant(NOW + MINUTE), since=LONG_AGO)
            gate(to)

        def take(to: Transaction) -> list[str]:
            return [due.job.name for due in to.due_runs(NOW, 9)]

        renewing = asyncio.create_task(one.write(renew_and_wait))
        await gate.reached()
        meanwhile = await two.write(take)
        gate.open()
        await renewing
        return meanwhile, await two.write(take)

    assert together(url, steps) == (["b"], ["b"])


def test_changes_that_lock_each_other_out_are_both_made(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> list[str | None]:
        await one.write(lambda to: with_jobs(to, "a", "b"))
        gates = [Gate(), Gate()]

        def change(gate: Gate, *names: str) -> Callable[[Transaction], None]:
            def lock(to: Transaction) -> None:
                connection = to._dialect.connection  # noqa: SLF001
                connection.run(b"SELECT 1 FROM job WHERE name = %s FOR UPDATE", names[:1])
                gate(to)
                connection.run(
                    b"UPDATE job SET occurrence = occurrence + 1 WHERE name = %s", names[1:]
                )

            return lock

        tasks = [
            asyncio.create_task(one.write(change(gates[0], "a", "b"))),
            asyncio.create_task(two.write(change(gates[1], "b", "a"))),
        ]
        for gate in gates:
            await gate.reached()
        for gate in gates:
            gate.open()
        await asyncio.gather(*tasks)
        jobs = (
            await one.read(lambda view: view.located_job(a_key(), "a")),
            await one.read(lambda view: view.located_job(a_key(), "b")),
        )
        return [found[1].occurrence for found in jobs]

    assert together(url, steps) == [1, 1]


def test_two_engines_run_every_occurrence_once_and_count_all_of_them(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> None:
        clock = ManualClock()
        targets = Targets(clock)
        ids = itertools.count(1)
        collection = Collection(key=KEY, sku=Sku.P20_PREMIUM)
        await one.write(lambda to: to.add_collection(collection))
        use_cases = UseCases.of(one, clock)
        wanted = revision("j", recurrence={"frequency": "minute"})
        for number in range(40):
            await use_cases.jobs.save_job(OWNER, KEY, f"j{number}", lambda _: wanted)
        engines = [
            Engine(
                Parts(store, targets, clock, Claimant(name, lambda: f"{next(ids):032x}"), Health()),
                EngineSettings(batch=7),
            )
            for name, store in (("one", one), ("two", two))
        ]

        async def round_(engine: Engine) -> None:
            while await engine.tick():
                pass
            await engine.drain()

        for _ in range(5):
            await asyncio.gather(*map(round_, engines))
            await asyncio.gather(*map(round_, engines))
            clock.at = Instant(clock.at + MINUTE)

        sent = Counter((each.job, each.expected_at) for each in targets.sent)
        assert len(sent) == 200
        assert set(sent.values()) == {1}
        for number in range(40):
            saved = await use_cases.jobs.get_job(OWNER, KEY, f"j{number}")
            assert saved.job.execution_count == 5

    together(url, steps)


def test_a_node_that_leaves_hands_over_at_once_and_a_dead_one_after_its_lease(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> list[int]:
        clock = ManualClock()
        targets = Targets(clock)
        targets.are_silent = True
        ids = itertools.count(1)
        await one.write(lambda to: to.add_collection(Collection(key=KEY)))
        use_cases = UseCases.of(one, clock)
        await use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: revision("j"))

        def engine(name: str, store: PostgresStore) -> Engine:
            claimant = Claimant(name, lambda: f"{next(ids):032x}")
            return Engine(
                Parts(store, targets, clock, claimant, Health()), EngineSettings(grace_seconds=0.0)
            )

        leaving, dying, last = engine("a", one), engine("b", two), engine("c", one)
        running = asyncio.create_task(leaving.run())
        await targets.reached.wait()
        leaving.stop()
        await running
        counts = [len(targets.sent)]
        for taker, later in ((dying, 0), (last, 14 * SECOND), (last, 2 * SECOND)):
            clock.at = Instant(clock.at + later)
            await taker.tick()
            await asyncio.sleep(0)
            counts.append(len(targets.sent))
        assert len({each.tag for each in targets.sent}) == 1
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return counts

    assert together(url, steps) == [1, 2, 2, 3]
