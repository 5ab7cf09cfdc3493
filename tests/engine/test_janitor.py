"""The janitor, in virtual time, on a real store."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import JobNotFound, Unavailable
from foliot.core.ids import JobId
from foliot.core.instant import DAY, MINUTE, Instant
from foliot.core.limits import Limits
from foliot.core.model.alert import Alert
from foliot.core.model.audit import AuditFilter
from foliot.core.model.collection import Collection, CollectionState, Sku
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import Trigger
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Scope
from foliot.engine.janitor import Janitor, Pace
from foliot.ports.logs import LogEvent
from foliot.ports.store import Transaction
from tests.support.alerts import a_notification, an_alert, an_incident
from tests.support.builders import a_run, an_entry, at
from tests.support.engine_world import KEY, OWNER, World, failing

MINUTELY = {"frequency": "minute"}
DAILY = {"frequency": "day"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


class Counting:
    """The store of a world, which counts how many rows each write removes."""

    def __init__(self, world: World, *tables: str) -> None:
        self._world = world
        self._tables = tables or ("job", "history")
        self.removed: list[int] = []

    async def read(self, view: Callable[[Any], Any]) -> Any:
        return await self._world.store.read(view)

    async def browse(self, view: Callable[[Any], Any]) -> Any:
        return await self._world.store.browse(view)

    async def write(self, change: Callable[[Any], Any], **how: Any) -> Any:
        before = await self._rows()
        result = await self._world.store.write(change, **how)
        self.removed.append(before - await self._rows())
        return result

    async def close(self) -> None:
        """Leave the store to its owner."""

    async def _rows(self) -> int:
        rows = self._world.rows()
        return sum(len(rows[table]) for table in self._tables)


def walk(janitor: Janitor, world: World) -> int:
    """Take all the steps of one walk; return how many there were."""

    async def steps() -> int:
        count = 1
        while await janitor.step():
            count += 1
        return count

    return world.run(steps())


def tidy(world: World, **limits: int) -> None:
    walk(Janitor(world.store, world.clock, Limits(**limits)), world)


def add_history(world: World, name: str, count: int) -> None:
    job = world.job(name)

    def add(to: Transaction) -> None:
        for second in range(count):
            to.add_history(an_entry(job.id, second=second))

    world.run(world.store.write(add))


def is_there(world: World, name: str = "job") -> bool:
    try:
        world.job(name)
    except JobNotFound:
        return False
    return True


def test_history_is_removed_after_sixty_days(world: World) -> None:
    world.add_job(recurrence=DAILY)
    world.advance_to("2026-03-31T12:00:00Z")
    assert len(world.history()) == 81

    tidy(world)

    starts = [entry.started_at for entry in world.history()]
    assert starts == [Instant(at("2026-01-31") + day * DAY) for day in range(60)]


def test_history_is_kept_as_long_as_the_setting_says(world: World) -> None:
    world.add_job(recurrence=DAILY)
    world.advance_to("2026-01-20T00:00:00Z")

    tidy(world, history_days=3)

    assert len(world.history()) == 4


def test_the_newest_entries_of_each_job_are_kept(world: World) -> None:
    world.add_job("busy", recurrence=MINUTELY)
    world.add_job("calm", recurrence=DAILY)
    world.advance_to("2026-01-10T01:00:00Z")

    tidy(world, history_entries=10)

    assert [entry.repeat_count for entry in world.history("busy")] == [*range(52, 62)]
    assert [entry.repeat_count for entry in world.history("calm")] == [1]


@pytest.mark.parametrize("state", [JobState.COMPLETED, JobState.FAULTED])
def test_a_job_is_removed_sixty_days_after_its_end(world: World, state: JobState) -> None:
    if state is JobState.FAULTED:
        world.targets.answer = failing()
    world.add_job()
    world.advance_to("2026-01-10T01:00:00Z")
    assert world.job().state is state
    ended_at = world.job().ended_at
    assert ended_at is not None

    world.clock.at = Instant(ended_at + 60 * DAY)
    tidy(world, history_days=1000)
    assert is_there(world)
    assert world.history()

    world.clock.at = Instant(ended_at + 60 * DAY + 1)
    tidy(world, history_days=1000)
    assert not is_there(world)
    assert world.run(world.store.read(lambda view: view.history(JobId(1)))) == []


def test_jobs_that_have_not_ended_stay_however_old_they_are(world: World) -> None:
    world.add_job("far", startTime="2027-06-01")
    world.add_job("off", state="disabled")
    world.clock.set("2027-05-01T00:00:00Z")

    tidy(world)

    assert is_there(world, "far")
    assert is_there(world, "off")


def test_a_job_that_ended_when_its_collection_was_enabled_is_kept_from_then_on(
    world: World,
) -> None:
    end = {"endTime": "2026-01-12T00:00:00Z"}
    world.add_job(recurrence=DAILY | end)
    world.step()
    world.run(
        world.use_cases.collections.set_collection_state(OWNER, KEY, CollectionState.DISABLED)
    )
    world.clock.set("2026-06-01T00:00:00Z")
    world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, CollectionState.ENABLED))

    tidy(world)

    job: Job = world.job()
    assert (job.state, job.ended_at) == (JobState.COMPLETED, at("2026-06-01T00:00:00Z"))


def test_a_job_that_was_run_by_hand_after_its_end_is_removed(world: World) -> None:
    world.add_job()
    world.step()
    world.clock.set("2026-03-01T00:00:00Z")
    world.run(world.use_cases.runs.run_job(OWNER, KEY, "job", "a" * 32))
    world.step()
    assert len(world.history()) == 2

    world.clock.set("2026-03-12T00:00:00Z")
    tidy(world)

    assert not is_there(world)


def test_removed_jobs_make_room_in_their_collection(world: World) -> None:
    for number in range(3):
        world.add_job(f"job{number}")
    world.step()
    world.add_job("new", recurrence=DAILY)
    world.clock.set("2026-04-01T00:00:00Z")

    tidy(world)

    collection = world.run(world.use_cases.collections.get_collection(OWNER, KEY))
    assert world.run(world.store.read(lambda view: view.count_jobs(collection.id))) == 1


def test_no_step_removes_more_rows_than_it_may(world: World) -> None:
    for name in ("a", "b", "c"):
        world.add_job(name, recurrence=DAILY)
        add_history(world, name, 35)
    for name in ("x", "y"):
        world.add_job(name)
        world.step()
        add_history(world, name, 25)
    world.clock.set("2026-03-20T00:00:00Z")
    store = Counting(world)
    janitor = Janitor(store, world.clock, Limits(), Pace(rows=10, jobs=2))

    walk(janitor, world)

    assert max(store.removed) == 10
    assert sum(store.removed) >= 3 * 35 + 2 * 25
    assert [is_there(world, name) for name in "abcxy"] == [True, True, True, False, False]
    assert [world.history(name) for name in "abc"] == [[], [], []]


def test_a_walk_with_nothing_to_remove_writes_only_once(
    world: World,
) -> None:
    for number in range(5):
        world.add_job(f"job{number}", recurrence=DAILY)
    store = Counting(world)

    steps = walk(Janitor(store, world.clock, Limits(), Pace(jobs=2)), world)

    assert steps == 1 + 3
    assert store.removed == [0]


def test_a_second_walk_removes_history_that_has_expired_since(world: World) -> None:
    world.add_job(recurrence=DAILY)
    janitor = Janitor(world.store, world.clock, Limits(history_days=2))
    world.advance_to("2026-01-20T00:00:00Z")
    walk(janitor, world)
    world.advance_to("2026-01-25T00:00:00Z")

    walk(janitor, world)

    assert len(world.history()) == 3


@pytest.mark.parametrize("whole", [True, False], ids=["a collection", "its jobs"])
def test_deleted_jobs_are_hidden_at_once_and_removed_in_small_steps(
    world: World, *, whole: bool
) -> None:
    world.targets.answer = failing()
    for name in "abc":
        world.add_job(name, recurrence=MINUTELY)
    world.step()
    for name in "abc":
        add_history(world, name, 34)

    if whole:
        world.run(world.use_cases.collections.delete_collection(OWNER, KEY))
        world.run(
            world.use_cases.collections.save_collection(
                OWNER, KEY, new_collection, must_exist=False
            )
        )
    else:
        for name in "abc":
            world.run(world.use_cases.jobs.delete_job(OWNER, KEY, name))
    assert not any(is_there(world, name) for name in "abc")
    assert world.due_at() is None
    rows = world.rows()
    assert (len(rows["history"]), rows["run"], rows["definition"]) == (105, [], [])
    assert world.run(world.store.read(lambda view: view.history(JobId(1)))) == []
    seen = world.run(world.store.read(lambda view: view.search_collections(Scope())))
    assert [(each.collection.key, each.job_count) for each in seen] == [(KEY, 0)]
    failed = world.run(
        world.store.read(lambda view: view.failure_groups(Scope(), RunFilter(), sample=9))
    )
    assert failed == []

    world.add_job("a", recurrence=MINUTELY)
    store = Counting(world)
    for _ in range(4):
        # Each step is another process's: it goes on where the one before ended.
        janitor = Janitor(store, world.clock, Limits(finished_job_days=10**9), Pace(rows=10))
        world.run(janitor.step())
        # Others get in between.
        world.clock.at = Instant(world.clock.at + MINUTE)
        world.step()
    assert store.removed == [10] * 4
    assert len(world.history("a")) > 0
    walk(janitor, world)

    assert max(store.removed) == 10
    assert [row[1] for row in world.rows()["job"]] == [world.job("a").collection_id]
    assert len(world.rows()["history"]) == len(world.history("a"))


def new_collection(_: Collection | None) -> Collection:
    return Collection(key=KEY, sku=Sku.P20_PREMIUM)


class Breaking(Counting):
    """A store that is away for some calls, breaks down in one, and tells when it was asked last."""

    def __init__(self, world: World, failures: list[Exception]) -> None:
        super().__init__(world)
        self._failures = failures
        self.has_ended = asyncio.Event()

    async def write(self, change: Callable[[Any], Any], **how: Any) -> Any:
        if self._failures:
            raise self._failures.pop()
        return await super().write(change, **how)

    async def read(self, view: Callable[[Any], Any]) -> Any:
        found = await super().read(view)
        if getattr(found, "reached", 0) is None:
            self.has_ended.set()
        return found


def test_a_step_that_fails_is_logged_and_tried_again(world: World, caplog: Any) -> None:
    world.add_job()
    world.step()
    world.clock.set("2026-06-01T00:00:00Z")
    unsaid = "hush"
    store = Breaking(world, [ValueError(unsaid), Unavailable("The store is away.")])
    pace = replace(
        Pace(),
        seconds_before_first_walk=0.0,
        seconds_after_failure=0.0,
        seconds_between_steps=0.0,
    )

    async def story() -> None:
        running = asyncio.create_task(Janitor(store, world.clock, Limits(), pace).run())
        async with asyncio.timeout(30):
            await store.has_ended.wait()
        running.cancel()
        await asyncio.wait([running])

    world.run(story())

    assert not is_there(world)
    assert "Nothing is tidied up: the store does not answer error=The store is away." in caplog.text
    assert "ValueError" in caplog.text
    assert unsaid not in caplog.text


@pytest.mark.parametrize("policy", [{"overlap": "queue"}, None])
def test_runs_begin_that_wait_though_none_is_in_progress(world: World, policy: Any) -> None:
    world.add_job(policy=policy)
    world.step()
    job = world.job()

    def add_as_if_an_older_node_had_ended_others(to: Transaction) -> None:
        for second in range(3):
            to.add_run(a_run(job, second=second, due_at=None, trigger=Trigger.BACKFILL))

    world.run(world.store.write(add_as_if_an_older_node_had_ended_others))
    world.targets.sent.clear()
    world.step()
    assert world.targets.sent == []

    tidy(world)
    world.advance_to("2026-01-10T00:01:00Z")

    assert len(world.targets.sent) == 3
    assert world.rows()["run"] == []


def test_runs_of_a_disabled_job_go_on_waiting(world: World) -> None:
    world.add_job(recurrence=DAILY, state="disabled")
    job = world.job()
    world.run(world.store.write(lambda to: to.add_run(a_run(job, due_at=None))))

    tidy(world)
    world.step()

    assert world.targets.sent == []
    assert len(world.rows()["run"]) == 1


def test_entries_of_the_audit_log_are_kept_for_their_days_and_removed_in_small_steps(
    world: World,
) -> None:
    for number in range(25):
        world.add_job(f"job{number}", recurrence=DAILY)
    old = len(world.rows()["audit"])
    world.clock.set("2026-06-01T00:00:00Z")
    world.add_job("newer", recurrence=DAILY)
    world.clock.set("2027-01-20T00:00:00Z")
    store = Counting(world, "audit")

    walk(Janitor(store, world.clock, Limits(), Pace(rows=10, jobs=2)), world)

    assert max(store.removed) == 10
    assert sum(store.removed) == old
    left = world.run(world.store.read(lambda view: view.audit_entries(Scope(), AuditFilter())))
    assert [each.subject.name for each in left] == ["newer"]


def test_the_audit_log_keeps_the_newest_entries_up_to_their_number_and_the_log_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(25):
        world.add_job(f"job{number}", recurrence=DAILY)
    surplus = len(world.rows()["audit"]) - 2
    store = Counting(world, "audit")

    walk(Janitor(store, world.clock, Limits(audit_entries=2), Pace(rows=10, jobs=2)), world)

    assert max(store.removed) == 10
    assert sum(store.removed) == surplus
    left = world.run(world.store.read(lambda view: view.audit_entries(Scope(), AuditFilter())))
    assert [each.subject.name for each in left] == ["job24", "job23"]
    said = [each.msg for each in caplog.records if isinstance(each.msg, LogEvent)]
    assert [dict(each.fields) for each in said] == [{"limit": 2, "removed": surplus}]


def add_incidents(world: World, count: int, prefix: str = "msg") -> Alert:
    """Store incidents of a new alert that are closed, each with a message, and an open one."""
    job = world.job()

    def add(to: Transaction) -> Alert:
        alert = to.add_alert(an_alert(job.collection_id, prefix))
        for number in range(count):
            incident = to.open_incident(an_incident(alert, job))
            assert incident is not None
            to.add_notifications([a_notification(incident, f"{prefix}_{number}")])
            to.close_incident(incident.id, world.clock.now(), is_resolved=True)
        to.open_incident(an_incident(alert, job))
        return alert

    return world.run(world.store.write(add))


def test_incidents_are_removed_thirty_days_after_they_were_closed_in_small_steps(
    world: World,
) -> None:
    world.add_job(recurrence=DAILY)
    add_incidents(world, 1000)
    world.clock.at = Instant(world.clock.now() + 30 * DAY + 1)
    store = Counting(world, "incident")

    walk(Janitor(store, world.clock, Limits()), world)

    assert max(store.removed) == Pace().incidents
    assert (len(world.rows()["incident"]), len(world.rows()["notification"])) == (1, 0)


def test_the_incidents_of_an_alert_that_was_deleted_are_removed_in_small_steps(
    world: World,
) -> None:
    world.add_job(recurrence=DAILY)
    alert = add_incidents(world, 120, "gone")
    add_incidents(world, 5, "kept")
    world.run(world.store.write(lambda to: to.delete_alert(alert.id)))
    assert len(world.rows()["incident"]) == 127
    store = Counting(world, "incident")

    walk(Janitor(store, world.clock, Limits()), world)

    assert max(store.removed) == Pace().incidents
    assert (len(world.rows()["incident"]), len(world.rows()["notification"])) == (6, 5)


def test_a_job_that_was_deleted_goes_after_its_incidents_in_small_steps(world: World) -> None:
    world.add_job(recurrence=DAILY)
    add_incidents(world, 120)
    world.run(world.use_cases.jobs.delete_job(OWNER, KEY, "job"))
    store = Counting(world, "incident")

    walk(Janitor(store, world.clock, Limits()), world)

    assert max(store.removed) == Pace().incidents
    assert len(world.rows()["incident"]) == len(world.rows()["notification"]) == 0
    assert len(world.rows()["job"]) == 0
