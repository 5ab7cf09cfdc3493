"""The ledger of jobs with days off: random histories in which calendars and states change.

Beside `test_ledger_histories`, whose jobs have no days off. A failure names its seed.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foliot.core.errors import FoliotError
from foliot.core.instant import DAY, HOUR, SECOND, Instant, format_instant
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.ledger import LedgerLine, LineOutcome
from foliot.core.recurrence import parse_dates
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World

HISTORIES = int(os.environ.get("FOLIOT_TEST_POLICY_HISTORIES", "96"))
BLOCKS = 8
STEPS = 25
FIRST_YEAR = 2026
AHEAD = 12 * DAY
HOLIDAYS = "holidays"
PRAGUE = {"cron": "30 2 * * *", "timeZone": "Europe/Prague"}
RULES: list[dict[str, Any]] = [
    {"cron": "0 9 * * *"},
    {"cron": "0 */6 * * *"},
    {"cron": "0 9 * * MON,THU"},
    PRAGUE,
    {**PRAGUE, "dst": {"skipped": "before", "repeated": "both"}},
    {"frequency": "hour", "interval": 7},
    {"frequency": "day", "interval": 2},
    {"frequency": "week", "schedule": {"weekDays": ["tuesday", "friday"]}},
    {"frequency": "month", "schedule": {"monthDays": [1, 15, -1], "hours": [12]}},
]
POLICIES: list[dict[str, Any]] = [
    {},
    {"catchUp": "all"},
    {"overlap": "queue"},
    {"overlap": "skip", "startWithin": "PT1H"},
]
ENDED = {LineOutcome.SUCCEEDED, LineOutcome.RECOVERED, LineOutcome.FAILED}
OPEN = {LineOutcome.WAITING, LineOutcome.RUNNING}


class Story:
    """A history: its world, its dice and its job."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.dice = Random(seed)  # noqa: S311  (the same story for the same seed)
        self.name = f"job{seed}"
        self.events: list[str] = []
        # Each seed of a block has a year of its own. Clocks in Prague are put forward soon after.
        self.begin = world.clock.at = at(f"{FIRST_YEAR + seed // BLOCKS}-03-20T00:00:00Z")
        world.targets.answer = lambda _: Outcome(succeeded=self.dice.random() < 0.7, message="?")
        self.change_calendar()
        self.body = self._some_body()

    def _some_body(self) -> dict[str, Any]:
        dice = self.dice
        then = dice.choice(["skip", "next", "previous"])
        rule = {**dice.choice(RULES), "exclude": {"calendars": [HOLIDAYS], "then": then}}
        if dice.random() < 0.3:
            rule["count"] = dice.choice([2, 5, 9])
        if dice.random() < 0.2:
            rule["endTime"] = self.day(dice.randrange(8, 18))
        start = {"startTime": self.day(dice.choice([-3, 0, 1, 2]))} if dice.random() < 0.7 else {}
        return {**start, "recurrence": rule, "policy": dice.choice(POLICIES)}

    def save(self, **more: Any) -> bool:
        """Save the job; tell whether it was accepted."""
        try:
            self.world.add_job(self.name, **self.body, **more)
        except FoliotError:
            return False
        self.note(f"saved {more}")
        return True

    def change_calendar(self) -> None:
        today = (self.world.clock.at - self.begin) // DAY
        dates: list[str] = []
        for _ in range(self.dice.randrange(5)):
            first = today + self.dice.randrange(-3, 9)
            dates.append(f"{self.day(first)}/{self.day(first + self.dice.randrange(3))}")
        self.note(f"calendar {dates}")
        calendars = self.world.use_cases.calendars
        # It is refused if the job would not run again.
        with suppress(FoliotError):
            ranges = tuple(map(parse_dates, dates))
            self.world.run(calendars.save_calendar(OWNER, KEY, HOLIDAYS, ranges))

    def set_collection(self, state: CollectionState) -> None:
        self.note(f"collection {state}")
        collections = self.world.use_cases.collections
        self.world.run(collections.set_collection_state(OWNER, KEY, state))

    def go_on(self) -> None:
        """Let the engine do what is due at the next instant that matters, and change something."""
        world, dice, due = self.world, self.dice, self.world.due_at()
        if due is None or dice.random() < 0.3:
            pause = dice.choice([1, 3, 10, 26]) * HOUR
            world.clock.at = Instant(world.clock.at + pause + dice.randrange(1000))
        else:
            world.clock.at = max(world.clock.at, due)
        world.step()
        world.clock.at = Instant(world.clock.at + SECOND + dice.randrange(1000))
        what = dice.random()
        if what < 0.2:
            self.change_calendar()
        elif what < 0.27:
            self.save(state=dice.choice(["enabled", "disabled"]))
        elif what < 0.33:
            self.set_collection(dice.choice(list(CollectionState)))

    def lines(self) -> Sequence[LedgerLine]:
        range_ = TimeRange(Instant(self.begin - 5 * DAY), Instant(self.world.clock.at + AHEAD))
        ledger = self.world.use_cases.ledger
        return self.world.run(ledger.lines(OWNER, KEY, self.name, range_, 100_000))

    def day(self, number: int) -> str:
        """Return the date so many days after the begin."""
        return format_instant(Instant(self.begin + number * DAY))[:10]

    def note(self, event: str) -> None:
        self.events.append(f"{format_instant(self.world.clock.at)} {event}")


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_ledger_of_a_job_with_days_off_is_true_whatever_changes(
    tmp_path: Path, block: int
) -> None:
    lines = 0
    with World(tmp_path) as world:
        for seed in range(block, HISTORIES, BLOCKS):
            story = Story(world, seed)
            if not story.save():
                continue
            for _ in range(STEPS):
                story.go_on()
            try:
                lines += _check(story)
            except AssertionError as error:
                told = "\n".join([*story.events, *map(_text, story.lines())])
                raise AssertionError(f"history {seed}: {error}\n{story.body}\n{told}") from error
            story.set_collection(CollectionState.ENABLED)
            world.run(world.use_cases.jobs.delete_job(OWNER, KEY, story.name))
    # Or nothing was tried.
    assert lines > HISTORIES // BLOCKS * 10


def _check(story: Story) -> int:
    """Compare the ledger with what was sent, and its moves with its lines."""
    lines = story.lines()
    sent = {
        (each.expected_at, each.tag) for each in story.world.targets.sent if each.job == story.name
    }
    by_time = {each.planned_at: each for each in lines}
    until = story.world.clock.at + AHEAD

    assert all(one.planned_at < other.planned_at for one, other in pairwise(lines))
    assert [_text(each) for each in lines if each.outcome is LineOutcome.UNKNOWN] == []
    ended = {(each.planned_at, each.tag) for each in lines if each.outcome in ENDED}
    begun = {(each.planned_at, each.tag) for each in lines if each.outcome in OPEN}
    assert ended <= sent <= ended | begun
    for line in lines:
        if line.moved_to is not None and story.begin < line.moved_to < until:
            target = by_time.get(line.moved_to)
            is_planned = target is not None and target.outcome is not LineOutcome.NOT_PLANNED
            assert is_planned, f"moves to where nothing is planned: {_text(line)}"
    return len(lines)


def _text(line: LedgerLine) -> str:
    return f"{format_instant(line.planned_at)} {line.outcome} {line.explanation}"
