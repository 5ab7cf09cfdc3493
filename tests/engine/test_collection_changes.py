"""What concerns all jobs of a collection is done beside the writer."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.app.use_cases import UseCases
from foliot.core.errors import Conflict
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.collection import Collection, CollectionState, MaxRecurrence, Quota
from foliot.core.model.job import JobState
from foliot.core.recurrence import Frequency
from foliot.ports.store import Reading, Transaction
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

MINUTELY = {"frequency": "minute"}
HOURLY = {"frequency": "hour"}
SLOW = Quota(max_recurrence=MaxRecurrence(Frequency.HOUR))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


class Watched:
    """A transaction that counts how many jobs are opened in it."""

    def __init__(self, transaction: Transaction, opened: list[str]) -> None:
        self._transaction = transaction
        self._opened = opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def jobs(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("all jobs are opened in a transaction")

    def located_job(self, key: Any, name: str) -> Any:
        self._opened.append(name)
        return self._transaction.located_job(key, name)


class Between:
    """A store in which something happens between a preparation and its transaction."""

    def __init__(self, world: World, meanwhile: Callable[[], Any] | None = None) -> None:
        self._store = world.store
        self._meanwhile = meanwhile
        self.opened: list[str] = []

    async def read(self, view: Callable[[Reading], Any]) -> Any:
        return await self._store.read(view)

    async def browse(self, view: Callable[[Reading], Any]) -> Any:
        found = await self._store.browse(view)
        if self._meanwhile is not None:
            await self._meanwhile()
        return found

    async def write(self, change: Callable[[Transaction], Any], **how: Any) -> Any:
        return await self._store.write(lambda to: change(Watched(to, self.opened)), **how)

    async def close(self) -> None:
        """Leave the store to its owner."""


def save(world: World, store: Between, **fields: Any) -> None:
    def revise(old: Collection | None) -> Collection:
        assert old is not None
        return replace(old, **fields)

    collections = UseCases.of(store, world.clock).collections
    world.run(collections.save_collection(OWNER, KEY, revise, must_exist=True))


def collection(world: World) -> Collection:
    return world.run(world.use_cases.collections.get_collection(OWNER, KEY))


def disable(world: World) -> None:
    world.run(
        world.use_cases.collections.set_collection_state(OWNER, KEY, CollectionState.DISABLED)
    )


def test_new_limits_are_checked_without_opening_a_job_in_the_transaction(world: World) -> None:
    for number in range(5):
        world.add_job(f"job{number}", recurrence=HOURLY)
    store = Between(world)

    save(world, store, quota=SLOW)

    assert store.opened == []
    assert collection(world).quota == SLOW


@pytest.mark.parametrize("name", ["new", "changed"])
def test_a_job_that_breaks_new_limits_is_found_though_it_comes_meanwhile(
    world: World, name: str
) -> None:
    world.add_job("changed", recurrence=HOURLY)
    world.add_job("same", recurrence=HOURLY)
    store = Between(world, lambda: world.save_job(name, recurrence=MINUTELY))

    with pytest.raises(Conflict, match=f"would go over its limits: '{name}'"):
        save(world, store, quota=SLOW)

    assert store.opened == [name]
    assert collection(world).quota is None


def test_a_job_too_many_is_found_though_it_comes_meanwhile(world: World) -> None:
    world.add_job("a")
    store = Between(world, lambda: world.save_job("b"))

    with pytest.raises(Conflict, match="has 2 jobs, but its quota maxJobCount is 1"):
        save(world, store, quota=Quota(max_job_count=1))


def test_limits_that_were_changed_meanwhile_are_checked_anew(world: World) -> None:
    world.add_job("a", recurrence=HOURLY)

    async def meanwhile() -> None:
        def slower(old: Collection | None) -> Collection:
            assert old is not None
            return replace(old, quota=Quota(max_job_occurrence=9, max_job_count=5))

        await world.store.write(lambda to: to.save_collection(slower(to.collection(KEY))))

    store = Between(world, meanwhile)

    def revise(old: Collection | None) -> Collection:
        assert old is not None
        return replace(old, quota=replace(old.quota or Quota(), max_recurrence=SLOW.max_recurrence))

    with pytest.raises(Conflict, match="maxJobOccurrence is 9"):
        world.run(
            UseCases.of(store, world.clock).collections.save_collection(
                OWNER, KEY, revise, must_exist=True
            )
        )


def test_jobs_go_on_without_being_opened_in_the_transaction(world: World) -> None:
    world.targets.answer = failing()
    world.add_job("once")
    for number in range(5):
        world.add_job(f"job{number}", recurrence=HOURLY)
    world.add_job("ended", recurrence=HOURLY | {"endTime": "2026-01-10T01:30:00Z"})
    world.add_job("off", recurrence=HOURLY, state="disabled")
    world.advance_to("2026-01-10T00:50:00Z")
    disable(world)
    world.clock.set("2026-01-10T05:30:00Z")
    store = Between(world)

    save(world, store, state=CollectionState.ENABLED)

    assert store.opened == []
    for number in range(5):
        assert world.job(f"job{number}").next_at == at("2026-01-10T06:00:00Z")
    ended = world.job("ended")
    assert (ended.state, ended.ended_at) == (JobState.FAULTED, world.clock.at)
    assert world.job("off").state is JobState.DISABLED
    assert world.job("once").state is JobState.FAULTED


def test_a_job_that_is_changed_while_the_others_are_prepared_goes_on_as_it_is(
    world: World,
) -> None:
    world.add_job("a", recurrence=HOURLY)
    world.add_job("b", recurrence=HOURLY)
    disable(world)
    world.clock.set("2026-01-10T05:30:00Z")
    store = Between(world, lambda: world.save_job("b", recurrence=HOURLY, state="disabled"))

    save(world, store, state=CollectionState.ENABLED)

    assert store.opened == []
    assert world.job("a").next_at == at("2026-01-10T06:00:00Z")
    assert (world.job("b").state, world.job("b").next_at) == (JobState.DISABLED, None)


def test_an_attempt_that_ends_while_jobs_are_prepared_is_not_undone(world: World) -> None:
    world.add_job("once")

    async def under_way() -> None:
        await world.engine.tick()

    async def meanwhile() -> None:
        await world.engine.drain()

    world.run(under_way())
    disable(world)
    store = Between(world, meanwhile)
    world.clock.at = Instant(world.clock.at + MINUTE)

    save(world, store, state=CollectionState.ENABLED)

    assert (world.job("once").state, len(world.history("once"))) == (JobState.COMPLETED, 1)


def test_a_job_whose_calendar_is_changed_meanwhile_goes_on_by_the_new_one(world: World) -> None:
    world.add_job("a", recurrence=HOURLY)
    world.add_job("b", recurrence=HOURLY)
    disable(world)
    world.clock.set("2026-01-10T05:30:30Z")
    store = Between(world, lambda: world.save_job("b", recurrence=MINUTELY))

    save(world, store, state=CollectionState.ENABLED)

    assert store.opened == ["b"]
    assert world.job("a").next_at == at("2026-01-10T06:00:00Z")
    assert world.job("b").next_at == at("2026-01-10T05:31:30Z")


def test_a_job_that_is_damaged_and_over_does_not_keep_its_collection_disabled(
    world: World,
) -> None:
    world.add_job("bad", recurrence=MINUTELY)
    world.add_job("good", recurrence=MINUTELY)
    unchanged = {"changed_at": None, "changed_by": None}
    damaged = {"sealed": b"junk", "id": world.job("bad").id, **unchanged}
    world.run(
        world.store.write(lambda to: to._change("save_definition", damaged))  # noqa: SLF001
    )
    world.step()
    states = (CollectionState.DISABLED, CollectionState.ENABLED)

    for state in states:
        world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, state))
    world.advance_to("2026-01-10T00:02:00Z")

    assert world.history("good")
