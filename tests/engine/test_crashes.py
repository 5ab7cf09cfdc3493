"""Whatever happens between any two steps, no occurrence is lost."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from foliot.core.errand import Outcome
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.lifecycle import timetable_of
from foliot.core.model import AttemptStatus, JobState
from foliot.ports import Reading, Store, Transaction
from tests.builders import at
from tests.engine.world import World

Result = TypeVar("Result")
JOBS = {
    "minutely": {"frequency": "minute"},
    "sevens": {"frequency": "minute", "interval": 7, "count": 20},
    "quarters": {"frequency": "hour", "schedule": {"minutes": [0, 15, 30, 45]}},
}
BEGIN = "2026-01-10T00:00:00Z"
HOURS = 2


class Crash(BaseException):
    """The process ends here."""


class CrashingStore:
    """A store whose process may end right before or right after a change is on disk."""

    def __init__(self, store: Store, dice: Random) -> None:
        self._store = store
        self._dice = dice
        self.has_crashed = False

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        return await self._store.read(view)

    async def write(self, change: Callable[[Transaction], Result]) -> Result:
        self._maybe_crash()
        result = await self._store.write(change)
        self._maybe_crash()
        return result

    async def close(self) -> None:
        """The store outlives its processes."""

    def _maybe_crash(self) -> None:
        if self.has_crashed or self._dice.random() < 0.05:
            self.has_crashed = True
            raise Crash


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_no_occurrence_is_lost_whenever_the_process_ends(seed: int) -> None:
    dice = Random(seed)  # noqa: S311  (the same story for the same seed)
    with TemporaryDirectory() as folder, World(Path(folder), BEGIN) as world:
        for name, rule in JOBS.items():
            world.add_job(name, startTime=BEGIN, recurrence=rule)
        world.targets.answer = lambda _: Outcome(succeeded=dice.random() < 0.8, message="?")

        crashes = _live_through(world, dice)
        world.start_engine()
        world.targets.answer = lambda _: Outcome(succeeded=True, message="ok")
        world.advance_to("2026-01-10T03:00:00Z")

        for name in JOBS:
            _check(world, name, crashes)


def _live_through(world: World, dice: Random) -> int:
    """Run for some hours with processes that end and begin again, sometimes after a while."""
    crashes, end = 0, Instant(at(BEGIN) + HOURS * 60 * MINUTE)
    store = CrashingStore(world.store, dice)
    world.start_engine(store)
    while world.clock.at < end:
        due = world.due_at()
        world.clock.at = max(world.clock.at, min(end, end if due is None else due))
        world.run(_round(world))
        world.clock.at = Instant(world.clock.at + SECOND)
        if store.has_crashed:
            crashes += 1
            world.clock.at = Instant(world.clock.at + dice.randrange(600) * SECOND)
            store = CrashingStore(world.store, dice)
            world.start_engine(store)
    return crashes


async def _round(world: World) -> None:
    try:
        while await world.engine.tick():
            await world.engine.drain()
        await world.engine.drain()
    except Crash:
        pass
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


def _check(world: World, name: str, crashes: int) -> None:
    job, history = world.job(name), world.history(name)
    sent = Counter(each.expected_at for each in world.targets.sent if each.job == name)
    tags = Counter((each.expected_at, each.tag) for each in world.targets.sent if each.job == name)

    skipped = sum(
        int(entry.message.split()[0])
        for entry in history
        if entry.status is AttemptStatus.POSTPONED
    )
    planned = _occurrences(world, name)
    # Lost means: due, and neither sent nor recorded as skipped.
    assert len(sent) + skipped == planned
    assert set(map(len, [{tag for at_, tag in tags if at_ == one} for one in sent])) <= {1}
    assert job.execution_count == len(sent)
    attempts = [entry for entry in history if entry.status is not AttemptStatus.POSTPONED]
    assert job.failure_count == sum(entry.status is AttemptStatus.FAILED for entry in attempts)
    # An attempt is sent again only if its process ended before it was recorded.
    assert sent.total() - len(attempts) <= crashes * len(JOBS)
    assert all(each.sent_at >= each.expected_at for each in world.targets.sent)


def _occurrences(world: World, name: str) -> int:
    job, count = world.job(name), 0
    moment, end = Instant(at(BEGIN) - 1), world.clock.at
    if job.state is JobState.COMPLETED:
        end = max(each.expected_at for each in world.targets.sent if each.job == name)
    while (following := timetable_of(job).next_after(moment)) is not None and following <= end:
        moment, count = following, count + 1
    return count
