"""Plays a job under each policy on the real engine, and draws what happened: docs/pictures.

`make policy-pictures` writes the pictures. Time is virtual and moves by minutes; attempts take as
long as their scenario says.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from foliot.core.instant import MINUTE, Instant, parse_instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.ledger import LedgerLine
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.api_client import ManualClock
from tests.support.engine_world import KEY, OWNER, Targets, World
from tests.support.timeline_svg import Bar, Lane, Mark, Timeline, draw

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
BEGIN, END = (parse_instant(f"2026-01-10T{clock}:00Z") for clock in ("10:00", "11:16"))
EVERY_TEN_MINUTES: dict[str, Any] = {
    "startTime": "2026-01-10T10:00:00Z",
    "recurrence": {"frequency": "minute", "interval": 10},
}
REQUEST = {"uri": "http://example.com/", "method": "get"}
RETRY = {"retryType": "fixed", "retryInterval": "PT6M", "retryCount": 4}
ATTEMPT_MINUTES = 3


@dataclass(frozen=True)
class Scenario:
    """A job with a policy, attempts that fail, and a time in which no server runs.

    `failures` says how many attempts fail at the occurrence of a minute after the beginning.
    """

    title: str
    told: str
    policy: dict[str, Any]
    failures: dict[int, int]
    down: tuple[int, int] | None = None


def _overlap(policy: str, told: str) -> Scenario:
    # The occurrence of 10:10 needs three attempts, and is open when two others come due.
    return Scenario(f"overlap: {policy}", told, {"overlap": policy}, {10: 2})


def _catch_up(policy: str, told: str) -> Scenario:
    return Scenario(f"catchUp: {policy}", told, {"catchUp": policy}, {}, down=(17, 57))


SCENARIOS = {
    "overlap-allow": _overlap("allow", "each occurrence begins at its planned time"),
    "overlap-skip": _overlap("skip", "nothing begins while another run is open"),
    "overlap-queue": _overlap("queue", "an occurrence waits until the run before it has ended"),
    "catch-up-latest": _catch_up("latest", "after the downtime only the latest one runs, late"),
    "catch-up-all": _catch_up("all", "after the downtime all of them run, late"),
    "catch-up-none": _catch_up("none", "after the downtime none of them runs"),
}


class _Attempt(NamedTuple):
    planned_at: Instant
    began_at: Instant
    ends_at: Instant
    succeeds: bool
    ended: asyncio.Event


class SlowTargets(Targets):
    """Targets whose attempts take some minutes, and fail as often as the scenario says."""

    def __init__(self, clock: ManualClock, failures: dict[int, int]) -> None:
        super().__init__(clock)
        self._now = clock.now
        self._failures = failures
        self.attempts: list[_Attempt] = []

    async def dispatch(self, request: AttemptRequest) -> Outcome:
        """Answer when the attempt has taken its time."""
        now, planned_at = self._now(), request.expected_at
        before = sum(each.planned_at == planned_at for each in self.attempts)
        fails = before < self._failures.get((planned_at - BEGIN) // MINUTE, 0)
        ends_at = Instant(now + ATTEMPT_MINUTES * MINUTE)
        attempt = _Attempt(planned_at, now, ends_at, not fails, asyncio.Event())
        self.attempts.append(attempt)
        await attempt.ended.wait()
        return Outcome(succeeded=attempt.succeeds, message="?")

    def end_attempts(self) -> None:
        """Let attempts end whose time has come."""
        for attempt in self.attempts:
            if attempt.ends_at <= self._now():
                attempt.ended.set()

    def count(self, *, ended: bool) -> int:
        """Return how many attempts have ended, or are open."""
        return sum(each.ended.is_set() is ended for each in self.attempts)


def play(scenario: Scenario, folder: Path) -> Timeline:
    """Play a scenario to its end and return what happened."""
    with World(folder, now="2026-01-10T09:59:00Z") as world:
        targets = SlowTargets(world.clock, scenario.failures)
        world.targets = targets
        world.start_engine()
        action = {"type": "http", "request": REQUEST, "retryPolicy": RETRY}
        policy = {"timeout": "PT5M"} | scenario.policy
        world.add_job(**EVERY_TEN_MINUTES, action=action, policy=policy)
        for minute in range((END - BEGIN) // MINUTE):
            world.clock.at = Instant(BEGIN + minute * MINUTE)
            if scenario.down is not None and scenario.down[1] == minute:
                world.start_engine()
            if scenario.down is None or not scenario.down[0] <= minute < scenario.down[1]:
                world.run(_make_round(world, targets))
        range_ = TimeRange(BEGIN, world.clock.at)
        lines = world.run(world.use_cases.ledger.lines(OWNER, KEY, "job", range_, 100))
        world.kill_engine()
    return _timeline(scenario, lines, targets.attempts)


async def _make_round(world: World, targets: SlowTargets) -> None:
    """Settle the attempts that end now, then begin what is due; open attempts stay open."""
    targets.end_attempts()
    await _until(world, lambda entries: entries == targets.count(ended=True))
    while await _is_due(world):
        await world.engine.tick()
    await _until(world, lambda _: world.engine.load.in_flight == targets.count(ended=False))


async def _is_due(world: World) -> bool:
    due_at = await world.store.read(lambda tx: tx.earliest_due_at())
    return due_at is not None and due_at <= world.clock.at


async def _until(world: World, holds: Callable[[int], bool]) -> None:
    """Ask the store until it holds for the number of attempts in history."""
    job = (await world.use_cases.jobs.get_job(OWNER, KEY, "job")).job
    while True:
        entries = await world.store.read(lambda tx: tx.history(job.id, limit=1000))
        if holds(sum(entry.skipped_count is None for entry in entries)):
            return


def _timeline(scenario: Scenario, lines: list[LedgerLine], attempts: list[_Attempt]) -> Timeline:
    lanes: list[Lane] = []
    for at in sorted({each.planned_at for each in attempts}):
        bars = [
            Bar(_minute(each.began_at), _minute(each.ends_at), each.succeeds)
            for each in attempts
            if each.planned_at == at
        ]
        lanes.append(Lane(_minute(at), bars))
    marks = [Mark(_minute(line.planned_at), line.outcome.value, line.reason) for line in lines]
    return Timeline(scenario.title, scenario.told, marks, lanes, scenario.down)


def _minute(at: Instant) -> int:
    return (at - BEGIN) // MINUTE


def picture(name: str) -> str:
    """Return the picture of a scenario."""
    with TemporaryDirectory() as folder:
        return draw(play(SCENARIOS[name], Path(folder)))


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for each in SCENARIOS:
        (PICTURES / f"{each}.svg").write_text(picture(each))
