"""The ledger tells of each planned time what became of it: random histories.

Each is two jobs over an hour or so, with processes that end right before or right after a change is
on disk, a clock that is set back and forth, downtime, manual runs, and changes of all that decides
when a job runs. The calendars that were in force are kept here, beside Foliot, and what was sent is
what the targets saw. A history is told by its seed, which a failure names.
`make histories` tells 2,000 of them.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foliot.core.errors import FoliotError
from foliot.core.instant import DAY, LAST_TICK, MINUTE, SECOND, Instant, format_instant
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.ledger import LedgerLine, LineOutcome, NotPlanned
from foliot.core.model.run import Run
from foliot.core.recurrence import Timetable
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import NOW
from tests.support.crashing_store import CrashingStore, round_until_crash
from tests.support.engine_world import KEY, OWNER, Sent, World

HISTORIES = int(os.environ.get("FOLIOT_TEST_POLICY_HISTORIES", "96"))
BLOCKS = 16
JOBS = 2
STEPS = 40
MANUAL = "manual"
RULES: list[dict[str, Any] | None] = [
    None,
    {"frequency": "minute"},
    {"frequency": "minute", "interval": 2},
    {"frequency": "minute", "count": 3},
    {"frequency": "minute", "interval": 3, "count": 7},
    {"frequency": "hour", "schedule": {"minutes": [0, 1, 2, 4, 9, 30, 31, 50]}},
]
RETRIES: list[dict[str, Any]] = [
    {"retryType": "none"},
    {"retryType": "fixed", "retryInterval": "PT15S", "retryCount": 2},
    {"retryType": "fixed", "retryInterval": "PT1M30S", "retryCount": 2},
]
# Every combination has its turn: two jobs in each of 160 histories are more than these.
POLICIES = [
    {key: value for key, value in zip(names, values, strict=True) if value is not None}
    for names in [("overlap", "catchUp", "catchUpWindow", "startWithin", "jitter", "pauseAfter")]
    for values in product(
        (None, "allow", "skip", "queue"),
        (None, "latest", "all", "none"),
        (None, "PT3M"),
        (None, "PT50S"),
        (None, "PT20S"),
        (None, 2),
    )
]
ENDED = {LineOutcome.SUCCEEDED, LineOutcome.RECOVERED, LineOutcome.FAILED}
OPEN = {LineOutcome.WAITING, LineOutcome.RUNNING}
NOT_IN_FORCE = {NotPlanned.NOT_CREATED, NotPlanned.OTHER_CALENDAR}


@dataclass
class Calendar:
    """A calendar from the instant when it was accepted on; `seen_to` is how far clocks had gone.

    `ended_at` is its last planned time, if its count was reached when another one came.
    """

    timetable: Timetable
    accepted_at: Instant
    seen_to: Instant
    count: int | None
    ended_at: Instant | None = None


@dataclass
class Told:
    """A job as it was told: its body, and all its calendars."""

    body: dict[str, Any]
    calendars: list[Calendar] = field(default_factory=list[Calendar])


class Story:
    """A history: its world, its dice and its jobs. `latest` is how far its clock has ever gone."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.dice = Random(seed)  # noqa: S311  (the same story for the same seed)
        # Each seed has a day of its own, so that it tells the same story alone.
        world.clock.at = Instant(NOW + seed * DAY)
        self.begin = self.latest = world.clock.at
        self.jobs: dict[str, Told] = {}
        self.events: list[str] = []
        self.manual_runs = 0
        world.targets.sent.clear()
        rate = self.dice.choice([0.3, 0.7, 1.0])
        world.targets.answer = lambda _: Outcome(succeeded=self.dice.random() < rate, message="?")
        for number in range(JOBS):
            self._add_job(f"job{number}", POLICIES[(JOBS * seed + number) % len(POLICIES)])
        self.crashing = CrashingStore(world.store, self.dice)
        world.start_engine(self.crashing)

    def _add_job(self, name: str, policy: dict[str, Any]) -> None:
        action = {**_request(0), "retryPolicy": self.dice.choice(RETRIES)}
        if self.dice.random() < 0.2:
            action["errorAction"] = _request("error")
        body = {"action": action, "policy": policy, **self.some_calendar()}
        if self.dice.random() < 0.1:
            body["state"] = "disabled"
        self.save(name, body)

    def some_calendar(self) -> dict[str, Any]:
        """Return a calendar: without a start, with one, or with one in the past."""
        rule = self.dice.choice(RULES)
        start = self.world.clock.at + self.dice.choice([-600, 0, 90]) * SECOND
        start -= start % MINUTE
        calendar = {} if self.dice.random() < 0.3 else {"startTime": format_instant(Instant(start))}
        return calendar if rule is None else {**calendar, "recurrence": rule}

    def save(self, name: str, body: dict[str, Any]) -> None:
        """Save a job; keep its calendar if it is a new one, and nothing if it is refused."""
        told = self.jobs.get(name)
        before = None if told is None else self.world.job(name).generation
        try:
            self.world.add_job(name, **body)
        except FoliotError:
            assert told is not None
            return
        job = self.world.job(name)
        told = self.jobs.setdefault(name, Told(body))
        told.body = body
        if job.generation != before:
            told.calendars.append(self._calendar_of(job))

    def _calendar_of(self, job: Job) -> Calendar:
        rule = job.definition.recurrence
        return Calendar(
            timetable=Timetable.of(rule, job.definition.start, job.calendar_at),
            accepted_at=self.world.clock.at,
            seen_to=self.latest,
            count=None if rule is None else rule.count,
        )

    def note_end(self, name: str) -> None:
        """Keep where the calendar of a job has ended: as many runs as its count are there."""
        calendar = self.jobs[name].calendars[-1]
        runs = {each.expected_at for each in self.sent(name)}
        runs |= {run.expected_at for run in self.open_runs(name)}
        runs = {at for at in runs if at >= calendar.accepted_at}
        if calendar.count is not None and len(runs) >= calendar.count:
            calendar.ended_at = max(runs)

    def sent(self, name: str) -> list[Sent]:
        """Return what was sent for the occurrences of a job."""
        found = [each for each in self.world.targets.sent if each.job == name]
        return [each for each in found if not each.tag.startswith(MANUAL)]

    def open_runs(self, name: str) -> list[Run]:
        job = self.world.job(name)
        runs: Sequence[Run] = self.world.run(self.world.store.read(lambda view: view.runs(job.id)))
        return [run for run in runs if not run.tag.startswith(MANUAL)]

    def skipped(self, name: str) -> list[HistoryEntry]:
        """Return the entries of occurrences that were skipped."""
        entries = self.world.history(name)
        return [each for each in entries if each.outcome is RunOutcome.SKIPPED]

    def move(self, ticks: int) -> None:
        self.world.clock.at = Instant(self.world.clock.at + ticks)
        self.latest = max(self.latest, self.world.clock.at)

    def note(self, event: str) -> None:
        self.events.append(f"{format_instant(self.world.clock.at)[11:]} {event}")


def _request(place: object) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": f"http://127.0.0.1/{place}", "method": "GET"}}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_ledger_has_one_line_for_each_planned_time_and_it_is_true(
    tmp_path: Path, block: int
) -> None:
    lines = 0
    with World(tmp_path) as world:
        for seed in range(block, HISTORIES, BLOCKS):
            story = Story(world, seed)
            try:
                lines += _live_through(story)
            except AssertionError as error:
                bodies = {name: told.body for name, told in story.jobs.items()}
                told = f"history {seed}: {error}\n{bodies}\n" + ", ".join(story.events)
                raise AssertionError(told) from error
    # Or nothing was tried.
    assert lines > HISTORIES // BLOCKS * 20


def _live_through(story: Story) -> int:
    """Live through a history, with a look into the ledgers in its midst and at its end."""
    world, lines = story.world, 0
    for step in range(STEPS):
        _go_on(story)
        if step in (STEPS // 2, STEPS - 1):
            lines += sum(_check(story, name) for name in story.jobs)
    _set_collection(story, CollectionState.ENABLED)
    for name in story.jobs:
        world.run(world.use_cases.jobs.delete_job(OWNER, KEY, name))
    return lines


def _go_on(story: Story) -> None:
    """Go to the next instant that matters, let the engine do what is due, and change something."""
    world, dice = story.world, story.dice
    due = world.due_at()
    pause = dice.choice([1, 20, 70]) * SECOND
    if due is not None and dice.random() < 0.8:
        pause = min(max(0, due - world.clock.at), 10 * MINUTE)
    story.move(pause)
    story.note("round")
    world.run(round_until_crash(world))
    # Nobody says whether what is due at the very instant of a change comes before it.
    story.move(SECOND // 4 + dice.randrange(1000))
    if story.crashing.has_crashed:
        story.note("crash")
        story.move(dice.choice([0, 0, 1, 20, 200, 1000]) * SECOND)
        story.crashing = CrashingStore(world.store, dice)
        world.start_engine(story.crashing)
    if dice.random() < 0.3:
        _change_something(story)


def _change_something(story: Story) -> None:
    dice, name = story.dice, story.dice.choice(list(story.jobs))
    told = story.jobs[name]
    match dice.choice(["job", "job", "collection", "calendar", "action", "clock", "run", "away"]):
        case "job":
            state = dice.choice(["enabled", "disabled"])
            story.note(f"{name} {state}")
            story.save(name, {**told.body, "state": state})
        case "collection":
            _set_collection(story, dice.choice(list(CollectionState)))
        case "calendar":
            story.note(f"{name} calendar")
            story.note_end(name)
            kept = {key: told.body[key] for key in ("action", "policy")}
            state = dice.choice([{}, {}, {"state": "enabled"}, {"state": "disabled"}])
            story.save(name, {**kept, **story.some_calendar(), **state})
        case "action":
            story.note(f"{name} action")
            place = _request(dice.randrange(1000))
            story.save(name, {**told.body, "action": {**told.body["action"], **place}})
        case "clock":
            story.move(dice.choice([-300, -130, -59, -20, 40, 100]) * SECOND)
            story.note("clock")
        case "run":
            _run_now(story, name)
        case _:
            story.move(dice.choice([61, 130, 400, 2500]) * SECOND)


def _set_collection(story: Story, state: CollectionState) -> None:
    story.note(f"collection {state}")
    story.world.run(story.world.use_cases.collections.set_collection_state(OWNER, KEY, state))


def _run_now(story: Story, name: str) -> None:
    story.note(f"{name} run now")
    story.manual_runs += 1
    run = story.world.use_cases.runs.run_job(OWNER, KEY, name, f"{MANUAL} {story.manual_runs}")
    # It is refused if its collection is not enabled, or too many runs are open.
    with suppress(FoliotError):
        story.world.run(run)


def _check(story: Story, name: str) -> int:
    """Compare the ledger of a job with its calendars, the targets and history."""
    story.note_end(name)
    before = Instant(story.latest + 5 * MINUTE)
    since = Instant(story.begin - 20 * MINUTE)
    ledger = story.world.use_cases.ledger
    lines: Sequence[LedgerLine] = story.world.run(
        ledger.lines(OWNER, KEY, name, TimeRange(since, before), 100_000)
    )
    calendars = story.jobs[name].calendars
    counted = [each for each in lines if not _is_doubtful(calendars, each.planned_at)]
    try:
        assert all(one.planned_at < other.planned_at for one, other in pairwise(lines))
        assert [_text(each) for each in lines if each.outcome is LineOutcome.UNKNOWN] == []
        _check_calendars(story, name, counted, before)
        _check_targets(story, name, counted)
        _check_open_runs(story, name, lines)
        _check_history(story, name, counted)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}\n" + "\n".join(map(_text, lines))) from error
    return len(counted)


def _is_doubtful(calendars: Sequence[Calendar], at: Instant) -> bool:
    """Tell whether two calendars had a planned time, since the clock was set back between them.

    The first one was in force when clocks had come to it, and so is the second one when they
    come to it again: both may have run then, and the ledger has one line.
    """
    return any(each.accepted_at < each.seen_to and _meets(each, at, at) for each in calendars[1:])


def _meets(calendar: Calendar, first: Instant, last: Instant) -> bool:
    return first <= calendar.seen_to and calendar.accepted_at <= last


def _check_calendars(story: Story, name: str, lines: Sequence[LedgerLine], before: Instant) -> None:
    told, job = story.jobs[name], story.world.job(name)
    planned: set[Instant] = set()
    ends = [*(each.accepted_at for each in told.calendars[1:]), before]
    for calendar, end in zip(told.calendars, ends, strict=True):
        planned |= set(_times(calendar, Instant(end)))
    planned = {at for at in planned if not _is_doubtful(told.calendars, at)}
    planned -= _beyond_count(story, name, planned)
    found = {each.planned_at for each in lines if each.reason not in NOT_IN_FORCE}
    # A job that runs once, and was enabled late, runs at a time that no calendar has.
    late = {each.expected_at for each in (*story.sent(name), *story.open_runs(name))}
    late |= {each.expected_at for each in story.skipped(name)}
    late |= {job.next_at} if job.definition.recurrence is None and job.next_at else set()
    if any(each.timetable.recurrence is None for each in told.calendars):
        found, planned = found - late, planned - late
    assert _told(planned - found) == [], "no line for these times"
    assert _told(found - planned) == [], "these times were not planned"


def _times(calendar: Calendar, before: Instant) -> Iterator[Instant]:
    last = Instant(LAST_TICK) if calendar.ended_at is None else calendar.ended_at
    at = calendar.timetable.first()
    while at is not None and at < before and at <= last:
        yield at
        at = calendar.timetable.next_after(at)


def _beyond_count(story: Story, name: str, planned: set[Instant]) -> set[Instant]:
    """Return coming times that an enabled job will not reach: its count ends before them."""
    job, calendar = story.world.job(name), story.jobs[name].calendars[-1]
    collection = story.world.run(story.world.use_cases.collections.get_collection(OWNER, KEY))
    is_on = job.state is JobState.ENABLED and collection.state is CollectionState.ENABLED
    if calendar.count is None or job.next_at is None or not is_on:
        return set()
    coming = sorted(at for at in planned if at >= job.next_at)
    return set(coming[calendar.count - job.occurrence :])


def _check_targets(story: Story, name: str, lines: Sequence[LedgerLine]) -> None:
    sent = {(each.expected_at, each.tag) for each in story.sent(name)}
    times = {at for at, _ in sent}
    for line in lines:
        if line.outcome in ENDED:
            assert (line.planned_at, line.tag) in sent, f"was not sent: {_text(line)}"
        elif line.outcome not in OPEN:
            assert line.planned_at not in times, f"was sent: {_text(line)}"
    tags = {(line.planned_at, line.tag) for line in lines}
    calendars = story.jobs[name].calendars
    told = {each for each in sent if not _is_doubtful(calendars, each[0])}
    assert told - tags == set(), "what was sent has no line with its tag"


def _check_open_runs(story: Story, name: str, lines: Sequence[LedgerLine]) -> None:
    open_lines = {(each.planned_at, each.tag) for each in lines if each.outcome in OPEN}
    assert open_lines == {(run.expected_at, run.tag) for run in story.open_runs(name)}


def _check_history(story: Story, name: str, lines: Sequence[LedgerLine]) -> None:
    """Compare skipped occurrences: those of disabled jobs have no entry in history."""
    calendars, recorded = story.jobs[name].calendars, Counter[str]()
    for entry in story.skipped(name):
        last = entry.last_expected_at or entry.expected_at
        set_back = [each for each in calendars[1:] if each.accepted_at < each.seen_to]
        if any(_meets(each, entry.expected_at, last) for each in set_back):
            # Some of them may be in doubt.
            return
        recorded[entry.reason or ""] += entry.skipped_count or 0
    found = Counter(
        each.reason for each in lines if each.outcome is LineOutcome.SKIPPED and each.reason
    )
    found.pop("disabled", None)
    assert found == recorded


def _told(times: set[Instant]) -> list[str]:
    return [format_instant(each) for each in sorted(times)]


def _text(line: LedgerLine) -> str:
    return f"{format_instant(line.planned_at)[11:]} {line.outcome} {line.reason} {line.tag}"
