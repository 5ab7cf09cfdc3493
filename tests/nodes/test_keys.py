"""Nodes on one database that have different keys."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence

import pytest

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import JobNotFound, UnknownKey
from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import Collection
from foliot.core.model.job import JobState
from foliot.core.model.node import Node as HeartbeatNode
from foliot.core.model.token import Role
from foliot.engine.claim import Claimant
from foliot.engine.loop import Engine
from foliot.engine.parts import Parts
from foliot.ports import clock
from foliot.ports.health import Health
from foliot.store.errors import WrongKey
from foliot.store.postgres import PostgresStore
from foliot.store.sealing.keyring import Keyring
from tests.nodes.test_together import revision
from tests.support import postgres
from tests.support.api_client import ManualClock
from tests.support.engine_world import Targets

KEY = CollectionKey("s", "g", "c")
OWNER = Principal(Role.OWNER)
OLD, NEW = bytes(32), bytes([1] * 32)
MINUTELY = {"frequency": "minute"}


class Node:
    """A node with keys of its own, which may be started again with others."""

    def __init__(self, url: str, *keys: bytes) -> None:
        self.clock = ManualClock()
        self.targets = Targets(self.clock)
        self.health = Health()
        self.store = postgres.open_store(url, Keyring(keys))
        self.use_cases = UseCases.of(self.store, self.clock)
        ids = itertools.count(1)
        claimant = Claimant(f"{keys}", lambda: f"{next(ids):032x}")
        parts = Parts(self.store, self.targets, self.clock, claimant, self.health)
        self.engine = Engine(parts)

    async def step(self) -> None:
        await self.engine.tick()
        await self.engine.drain()


async def run_until(node: Node, is_reached: Callable[[], bool]) -> None:
    """Let the loop of a node make rounds until something is so."""
    running = asyncio.create_task(node.engine.run())
    async with asyncio.timeout(30):
        while not is_reached():
            await asyncio.sleep(0)
            node.engine.wake()
    node.engine.stop()
    await running


def story(url: str, steps: Callable[[Node], Awaitable[None]]) -> None:
    """Run steps on a node with the old key, in whose store there is a collection."""

    async def told() -> None:
        old = Node(url, OLD)
        try:
            await old.store.write(lambda to: to.add_collection(Collection(key=KEY)))
            await steps(old)
        finally:
            await old.store.close()

    asyncio.run(told())


def test_a_node_without_the_key_claims_nothing_and_says_so_until_it_can(url: str) -> None:
    async def steps(old: Node) -> None:
        await old.use_cases.jobs.save_job(
            OWNER, KEY, "j", lambda _: revision("j", recurrence=MINUTELY)
        )
        new = Node(url, NEW, OLD)

        await run_until(old, lambda: bool(old.health.problems))
        assert old.targets.sent == []
        assert "a key that this node was not given" in old.health.problems["secret key"]
        with pytest.raises(UnknownKey, match="The definition of job 'j' was sealed with a key"):
            await old.use_cases.jobs.get_job(OWNER, KEY, "j")

        await new.step()
        assert [each.job for each in new.targets.sent] == ["j"]
        job = (await new.use_cases.jobs.get_job(OWNER, KEY, "j")).job
        assert (job.state, job.execution_count, new.health.problems) == (JobState.ENABLED, 1, {})
        await new.store.close()

        back = Node(url, OLD, NEW)
        await back.store.close()
        await old.step()
        assert old.health.problems
        old.clock.at = Instant(old.clock.at + MINUTE)
        await old.step()
        assert [each.job for each in old.targets.sent] == ["j"]
        assert old.health.problems == {}

    story(url, steps)


def test_an_outcome_is_stored_though_its_job_opens_no_more_and_is_retried_by_another(
    url: str,
) -> None:
    async def steps(old: Node) -> None:
        await old.use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: revision("j"))
        old.targets.answer = lambda _: Outcome(succeeded=False, message="no")
        old.targets.gate = asyncio.Event()
        await old.engine.tick()
        new = Node(url, NEW, OLD)
        old.targets.gate.set()
        await old.engine.drain()

        new.clock.at = Instant(new.clock.at + MINUTE)
        await new.step()

        assert [each.tag for each in new.targets.sent] == [old.targets.sent[0].tag]
        job = (await new.use_cases.jobs.get_job(OWNER, KEY, "j")).job
        entries = await new.store.read(lambda view: view.history(job.id))
        assert [each.message for each in entries] == ["ok", "no"]
        assert (job.state, job.execution_count) == (JobState.COMPLETED, 1)
        await new.store.close()

    story(url, steps)


def test_a_node_without_the_key_puts_back_what_it_holds(url: str) -> None:
    async def steps(old: Node) -> None:
        await old.use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: revision("j"))
        old.targets.are_silent = True
        running = asyncio.create_task(old.engine.run())
        await old.targets.reached.wait()
        new = Node(url, NEW, OLD)
        old.engine.stop()
        old.engine.hurry()
        await running

        await new.step()

        assert [each.tag for each in new.targets.sent] == [old.targets.sent[0].tag]
        await new.store.close()

    story(url, steps)


def test_a_job_can_be_deleted_by_a_node_that_cannot_open_it(url: str) -> None:
    async def steps(old: Node) -> None:
        await old.use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: revision("j"))
        new = Node(url, NEW, OLD)

        await old.use_cases.jobs.delete_job(OWNER, KEY, "j")

        with pytest.raises(JobNotFound):
            await new.use_cases.jobs.get_job(OWNER, KEY, "j")
        await new.store.close()

    story(url, steps)


def test_a_node_with_only_the_old_key_does_not_start_when_the_others_have_moved(url: str) -> None:
    for keys in ([OLD], [OLD, NEW], [NEW, OLD]):
        asyncio.run(opened(url, keys).close())

    with pytest.raises(WrongKey, match="The secret key does not fit the database"):
        opened(url, [OLD])
    asyncio.run(opened(url, [NEW]).close())


def opened(url: str, keys: Sequence[bytes]) -> PostgresStore:
    return postgres.open_store(url, Keyring(keys))


# The order that docs/how-to/rotate-the-secret-key.md gives: one node after the other, thrice.
STEPS = [(OLD, NEW), (NEW, OLD), (NEW,)]


def test_in_the_safe_order_every_node_opens_every_job_all_the_time(url: str) -> None:
    async def steps(first: Node) -> None:
        others = [Node(url, OLD) for _ in range(3)]
        collection = await first.use_cases.collections.get_collection(OWNER, KEY)
        count = 0
        for keys, place in itertools.product(STEPS, range(3)):
            await others[place].store.close()
            others[place] = Node(url, *keys)
            for node in others:
                count += 1
                await node.use_cases.jobs.save_job(OWNER, KEY, f"j{count}", lambda _: revision("j"))
            for node in others:
                found = await node.store.read(lambda view: view.jobs(collection.id))
                assert len(found) == count
        await others[0].step()
        assert len(others[0].targets.sent) == count == 27
        for node in others:
            await node.store.close()

    story(url, steps)


@pytest.mark.parametrize(
    ("present", "wanted", "expected"),
    [
        pytest.param([OLD], [NEW, OLD], "was not given the key", id="the new key first"),
        pytest.param([OLD, NEW], [NEW], "does not fit the database", id="the old key dropped"),
        pytest.param([OLD], [OLD, NEW], None, id="round 1"),
        pytest.param([OLD, NEW], [NEW, OLD], None, id="round 2"),
        pytest.param([NEW, OLD], [NEW], None, id="round 3"),
    ],
)
def test_a_node_does_not_start_with_keys_that_a_running_node_cannot_work_with(
    url: str, present: list[bytes], wanted: list[bytes], expected: str | None
) -> None:
    asyncio.run(opened(url, [OLD]).close())
    heartbeat(url, present, seconds_ago=0)

    if expected is None:
        asyncio.run(opened(url, wanted).close())
        return
    with pytest.raises(WrongKey, match=expected):
        opened(url, wanted)
    # Nothing was encrypted again: the node that runs opens everything.
    asyncio.run(opened(url, present).close())


def test_a_node_that_encrypts_with_a_dropped_key_stops_another_from_starting(url: str) -> None:
    asyncio.run(opened(url, [OLD]).close())
    heartbeat(url, [OLD, NEW], seconds_ago=0)
    asyncio.run(opened(url, [NEW, OLD]).close())

    with pytest.raises(WrongKey, match=r"node host encrypts with the key .* not given here"):
        opened(url, [NEW])


def test_a_node_that_is_silent_does_not_stop_another(url: str) -> None:
    asyncio.run(opened(url, [OLD]).close())
    heartbeat(url, [OLD], seconds_ago=60)

    asyncio.run(opened(url, [NEW, OLD]).close())


def heartbeat(url: str, keys: Sequence[bytes], *, seconds_ago: int) -> None:
    """Store the heartbeat of a node with these keys."""

    async def steps() -> None:
        store = opened(url, keys)
        seen = Instant(clock.now() - seconds_ago * SECOND)
        node = HeartbeatNode(
            id="n1",
            name="host",
            version="1",
            started_at=seen,
            seen_at=seen,
            keys=Keyring(keys).names,
        )
        await store.write(lambda to: to.save_node(node))
        await store.close()

    asyncio.run(steps())
