"""A calendar that changes while the engine runs: the jobs that use it run by the new days."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.app.use_cases import UseCases
from foliot.core.instant import format_instant
from foliot.core.model.attempt import Outcome
from foliot.core.model.job import JobState
from foliot.core.recurrence import parse_dates
from foliot.core.rules.repeated_runs import TimeRange
from foliot.ports.store import Reading, Transaction
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World, failing

HOLIDAYS = "holidays"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        save(made)
        yield made


def save(world: World, *dates: str, use_cases: UseCases | None = None) -> None:
    """Store the calendar with these dates."""
    calendars = (use_cases or world.use_cases).calendars
    ranges = tuple(map(parse_dates, dates))
    world.run(calendars.save_calendar(OWNER, KEY, HOLIDAYS, ranges))


def daily(**more: Any) -> dict[str, Any]:
    exclude = {"calendars": [HOLIDAYS], **more.pop("exclude", {})}
    return {"cron": "0 9 * * *", "exclude": exclude, **more}


def add_job(world: World, name: str = "job", **rule: Any) -> None:
    world.add_job(name, startTime="2026-01-10", recurrence=daily(**rule))


def sent(world: World, name: str = "job") -> list[str]:
    return [
        format_instant(each.expected_at)[5:13] for each in world.targets.sent if each.job == name
    ]


def test_a_day_that_becomes_off_is_left_out_and_one_that_is_no_longer_runs(world: World) -> None:
    save(world, "2026-01-12", "2026-01-16")
    add_job(world)

    world.advance_to("2026-01-11T10:00:00Z")
    save(world, "2026-01-13/2026-01-14")
    world.advance_to("2026-01-17T00:00:00Z")

    assert sent(world) == ["01-10T09", "01-11T09", "01-12T09", "01-15T09", "01-16T09"]


def test_the_next_run_moves_at_once_to_an_earlier_day(world: World) -> None:
    save(world, "2026-01-10/2026-01-31")
    add_job(world)
    far = world.job().next_at

    save(world)

    assert far is not None
    assert format_instant(far) == "2026-02-01T09:00:00Z"
    world.advance_to("2026-01-10T09:00:00Z")
    assert sent(world) == ["01-10T09"]


def test_numbers_and_count_go_on(world: World) -> None:
    add_job(world, count=4)

    world.advance_to("2026-01-11T10:00:00Z")
    save(world, "2026-01-12")
    world.advance_to("2026-01-20T00:00:00Z")

    job = world.job()
    assert sent(world) == ["01-10T09", "01-11T09", "01-13T09", "01-14T09"]
    assert [each.repeat_count for each in world.history()] == [1, 2, 3, 4]
    assert (job.state, job.generation, job.execution_count) == (JobState.COMPLETED, 1, 4)


def test_a_run_that_is_due_already_is_not_lost(world: World) -> None:
    add_job(world)
    world.clock.set("2026-01-10T09:00:00.5Z")

    save(world, "2026-01-11")
    world.step()

    assert sent(world) == ["01-10T09"]
    world.advance_to("2026-01-12T10:00:00Z")
    assert sent(world) == ["01-10T09", "01-12T09"]


def test_what_has_run_does_not_run_again_if_the_clock_was_set_back(world: World) -> None:
    add_job(world)
    world.advance_to("2026-01-11T10:00:00Z")
    world.clock.set("2026-01-11T08:00:00Z")

    save(world, "2026-01-12")
    world.advance_to("2026-01-13T10:00:00Z")

    assert sent(world) == ["01-10T09", "01-11T09", "01-13T09"]


def test_times_move_to_the_next_day_that_is_not_off(world: World) -> None:
    world.add_job(
        startTime="2026-01-10",
        recurrence=daily(cron="0 9 * * MON", exclude={"then": "next"}),
    )

    save(world, "2026-01-12/2026-01-13")
    world.advance_to("2026-01-20T00:00:00Z")

    assert sent(world) == ["01-14T09", "01-19T09"]


def test_a_day_that_becomes_off_after_its_run_has_this_run_again_on_the_next_day(
    world: World,
) -> None:
    world.add_job(
        startTime="2026-01-10",
        recurrence=daily(cron="0 9 * * MON", exclude={"then": "next"}),
    )

    world.advance_to("2026-01-12T12:00:00Z")
    save(world, "2026-01-12")
    world.advance_to("2026-01-20T00:00:00Z")

    assert sent(world) == ["01-12T09", "01-13T09", "01-19T09"]


def test_a_day_that_becomes_off_when_the_day_before_is_over_moves_to_no_other(
    world: World,
) -> None:
    rule = daily(cron="0 9 * * MON", exclude={"then": "previous"})
    world.add_job(startTime="2026-01-10", recurrence=rule)
    world.advance_to("2026-01-11T10:00:00Z")

    save(world, "2026-01-12", "2026-01-19")
    world.advance_to("2026-01-20T00:00:00Z")

    assert sent(world) == ["01-18T09"]
    week = TimeRange(at("2026-01-11T00:00:00Z"), at("2026-01-20T00:00:00Z"))
    lines = world.run(world.use_cases.ledger.lines(OWNER, KEY, "job", week, 10))
    assert [
        (format_instant(each.planned_at)[5:10], each.outcome, each.moved_to) for each in lines
    ] == [
        ("01-12", "skipped", None),
        ("01-18", "succeeded", None),
        ("01-19", "skipped", at("2026-01-18T09:00:00Z")),
    ]


def test_a_retry_waits_while_the_calendar_changes_and_its_attempts_stay_counted(
    world: World,
) -> None:
    world.targets.answer = failing()
    add_job(world)
    world.advance_to("2026-01-10T09:00:10Z")
    before = world.job()

    save(world, "2026-01-10/2026-01-11")
    world.targets.answer = lambda _: Outcome(succeeded=True, message="ok")
    world.advance_to("2026-01-12T10:00:00Z")

    assert before.failure_count == 1
    assert world.job().failure_count == 1
    assert sent(world) == ["01-10T09", "01-10T09", "01-12T09"]


class Between:
    """A store in which something happens between a preparation and its transaction."""

    def __init__(self, world: World, meanwhile: Callable[[], Any]) -> None:
        self._store = world.store
        self._meanwhile: Callable[[], Any] | None = meanwhile
        self.opened: list[str] = []

    async def browse(self, view: Callable[[Reading], Any]) -> Any:
        return await self._store.browse(view)

    async def write(self, change: Callable[[Transaction], Any], **how: Any) -> Any:
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            await meanwhile()

        def watched(transaction: Transaction) -> Any:
            return change(Watched(transaction, self.opened))

        return await self._store.write(watched, **how)


class Watched:
    """A transaction that notes which jobs are opened in it."""

    def __init__(self, transaction: Transaction, opened: list[str]) -> None:
        self._transaction = transaction
        self._opened = opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def located_job(self, key: Any, name: str) -> Any:
        self._opened.append(name)
        return self._transaction.located_job(key, name)


def test_only_jobs_that_changed_in_the_meantime_are_opened_in_the_transaction(
    world: World,
) -> None:
    for name in ("a", "b", "c"):
        add_job(world, name)

    async def change_one() -> None:
        rule = daily(cron="0 7 * * *")
        await world.save_job("b", startTime="2026-01-10", recurrence=rule)

    store = Between(world, change_one)
    use_cases = UseCases.of(store, world.clock)

    save(world, "2026-01-10", use_cases=use_cases)

    assert store.opened == ["b"]
    times = [world.job(name).next_at for name in ("a", "b", "c")]
    assert [format_instant(at) for at in times if at is not None] == [
        "2026-01-11T09:00:00Z",
        "2026-01-11T07:00:00Z",
        "2026-01-11T09:00:00Z",
    ]


def test_an_attempt_that_fails_in_the_meantime_stays_counted(world: World) -> None:
    world.targets.answer = failing()
    add_job(world)
    world.advance_to("2026-01-10T09:00:10Z")

    async def fail_again() -> None:
        world.clock.set("2026-01-10T09:00:40Z")
        while await world.engine.tick():
            await world.engine.drain()
        await world.engine.drain()

    use_cases = UseCases.of(Between(world, fail_again), world.clock)

    save(world, "2026-01-11", use_cases=use_cases)

    job = world.job()
    assert (job.failure_count, len(world.history())) == (2, 2)
    assert job.next_at is not None
    assert format_instant(job.next_at) == "2026-01-12T09:00:00Z"
