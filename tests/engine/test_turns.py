"""Runs that wait their turn begin when a change of their job lets them."""

from pathlib import Path

from foliot.app.use_cases import UseCases
from foliot.core.instant import Instant
from foliot.core.model.run import Run
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World


def test_half_of_the_operators_limit_begins_when_runs_may_overlap_again(tmp_path: Path) -> None:
    calendar = {"frequency": "minute"}
    with World(tmp_path) as world:
        world.use_cases = UseCases.of(world.store, world.clock, max_open_runs=4)
        world.add_job(recurrence=calendar, policy={"overlap": "queue"})
        numbers = iter(range(100))
        past = TimeRange(at("2026-01-09T00:00:00Z"), at("2026-01-09T00:20:00Z"))
        world.run(
            world.use_cases.repeated_runs.backfill(
                OWNER, KEY, "job", past, lambda: f"{next(numbers)}"
            )
        )
        assert _in_progress(world) == 1

        world.clock.at = Instant(world.clock.at + 1)
        world.add_job(recurrence=calendar, policy={"overlap": "allow"})

        assert _in_progress(world) == 2


def _in_progress(world: World) -> int:
    job = world.job()
    runs: list[Run] = world.run(world.store.read(lambda view: view.runs(job.id)))
    return sum(run.due_at is not None for run in runs)
