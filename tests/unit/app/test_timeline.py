"""The timeline: what it keeps, what it counts again, and what it says while it counts."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from foliot.app.background import Background
from foliot.app.timeline import LanePage, Timeline, TimelineView
from foliot.core.access import Principal
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant, format_instant
from foliot.core.model.history import RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.timeline import CountedRuns
from foliot.core.model.token import Role, Scope
from foliot.core.recurrence import Frequency, Recurrence
from foliot.ports.store import Store, Transaction
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from tests.support.api_client import ManualClock
from tests.support.builders import NOW, a_collection, a_job, an_entry

WHO = Principal(name="x", role=Role.READER, scope=Scope())
EDGES = (Instant(NOW - HOUR), NOW, Instant(NOW + HOUR))
PAGE = LanePage()

Result = TypeVar("Result")


class Scene:
    """A store with one job that runs each hour, and a clock that can be set."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = ManualClock(format_instant(NOW))

    async def add(self) -> Job:
        def change(to: Transaction) -> Job:
            collection = to.add_collection(a_collection())
            job = replace(a_job(collection.id), next_at=Instant(NOW + MINUTE))
            return to.add_job(every(job, Frequency.HOUR))

        return await self.store.write(change)

    async def end_run(self, job: Job, second: int = -60) -> None:
        entry = an_entry(job.id, second=second, outcome=RunOutcome.SUCCEEDED)
        await self.store.write(lambda to: to.add_history(entry))


class HeldBackground(Background):
    """Work that takes longer than any page waits: none of it begins before the test says so."""

    def __init__(self, patience_seconds: float) -> None:
        super().__init__(patience_seconds)
        self._held: list[Coroutine[Any, Any, None]] = []

    async def work(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._held.append(coroutine)

    async def finish(self) -> None:
        while self._held:
            await self._held.pop()


def every(job: Job, frequency: Frequency) -> Job:
    definition = replace(job.definition, recurrence=Recurrence(frequency=frequency))
    return replace(job, definition=definition)


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Callable[[Scene], Awaitable[Result]]], Result]:
    """Return what runs the steps of a test on a store."""

    def run(steps: Callable[[Scene], Awaitable[Result]]) -> Result:
        async def session() -> Result:
            store = SqliteStore.open(tmp_path / "foliot.db", Keyring([bytes(32)]))
            try:
                return await steps(Scene(store))
            finally:
                await store.close()

        return asyncio.run(session())

    return run


Play = Callable[[Callable[[Scene], Awaitable[None]]], None]


async def seen(timeline: Timeline, edges: tuple[Instant, ...] = EDGES) -> TimelineView:
    return await timeline.view(WHO, Scope(), edges, PAGE)


def test_ended_and_coming_runs_are_counted_by_collection(play: Play) -> None:
    async def steps(scene: Scene) -> None:
        await scene.end_run(await scene.add())

        found = await seen(Timeline(scene.store, scene.clock, Background(60)))

        cells = [CountedRuns(succeeded=1), CountedRuns(coming=1)]
        assert [*found.total] == cells
        assert [[*lane.cells] for lane in found.lanes] == [cells]
        assert (found.uncounted_minutes, found.unread_jobs) == (0, 0)

    play(steps)


def test_a_page_that_does_not_wait_says_what_is_missing_and_the_next_has_it(play: Play) -> None:
    async def steps(scene: Scene) -> None:
        await scene.end_run(await scene.add())
        background = HeldBackground(60)
        timeline = Timeline(scene.store, scene.clock, background)

        first = await seen(timeline)
        await background.finish()
        later = await seen(timeline)

        assert first.uncounted_minutes > 0
        assert first.unread_jobs == 1
        assert (later.uncounted_minutes, later.unread_jobs) == (0, 0)
        assert later.total[0].succeeded == 1
        assert later.total[1].coming == 1

    play(steps)


def test_a_changed_schedule_is_read_again(play: Play) -> None:
    async def steps(scene: Scene) -> None:
        job = await scene.add()
        timeline = Timeline(scene.store, scene.clock, Background(60))
        before = await seen(timeline)

        await scene.store.write(lambda to: to.save_job(every(job, Frequency.MINUTE)))
        after = await seen(timeline)

        assert before.total[1].coming == 1
        assert after.total[1].coming == 59

    play(steps)


@pytest.mark.parametrize(
    ("later", "counted"),
    [
        pytest.param(SECOND, 1, id="kept for some seconds"),
        pytest.param(10 * SECOND, 2, id="counted again"),
    ],
)
def test_the_current_quarter_is_counted_again_after_some_seconds(
    play: Play, later: int, counted: int
) -> None:
    async def steps(scene: Scene) -> None:
        job = await scene.add()
        await scene.end_run(job)
        timeline = Timeline(scene.store, scene.clock, Background(60))
        await seen(timeline)

        await scene.end_run(job, second=-30)
        scene.clock.at = Instant(NOW + later)
        found = await seen(timeline)

        assert found.total[0].succeeded == counted

    play(steps)


def test_runs_of_a_deleted_job_leave_the_counts_within_an_hour(play: Play) -> None:
    async def steps(scene: Scene) -> None:
        job = await scene.add()
        await scene.end_run(job, second=-3000)
        timeline = Timeline(scene.store, scene.clock, Background(60))
        edges = (Instant(NOW - DAY), NOW)
        before = await seen(timeline, edges)

        await scene.store.write(lambda to: to.delete_job(job.id))
        scene.clock.at = Instant(NOW + HOUR)
        after = await seen(timeline, edges)

        assert before.total[0].succeeded == 1
        assert after.total[0].succeeded == 0

    play(steps)


def test_jobs_that_run_alike_are_all_counted(play: Play) -> None:
    async def steps(scene: Scene) -> None:
        job = await scene.add()
        timeline = Timeline(scene.store, scene.clock, Background(60))
        for number in range(5):
            other = replace(job, name=f"other-{number}")
            await scene.store.write(lambda to, other=other: to.add_job(other))

        found = await seen(timeline)

        assert found.total[1].coming == 6

    play(steps)


def test_what_was_read_of_many_jobs_serves_for_some_seconds(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.app.timeline._FEW_JOBS", 0)

    async def steps(scene: Scene) -> None:
        job = await scene.add()
        timeline = Timeline(scene.store, scene.clock, Background(60))
        await seen(timeline)

        await scene.store.write(lambda to: to.delete_job(job.id))
        kept = await seen(timeline)
        scene.clock.at = Instant(NOW + 20 * SECOND)
        later = await seen(timeline)

        assert kept.total[1].coming == 1
        assert later.total[1].coming == 0

    play(steps)
