"""Whatever happens between any two steps, no occurrence is lost: random histories.

Each is a few jobs over some minutes, with attempts that fail and processes that end right before
or right after a change is on disk. In some of them jobs and their collection are disabled and
enabled meanwhile. A history is told by its seed, which a failure names.
`make check` tells thousands; FOLIOT_TEST_HISTORIES=20000 tells more of them.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foliot.core.instant import MINUTE, SECOND, Instant, format_instant
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.turns import MAX_OPEN_RUNS
from tests.support.crashing_store import CrashingStore, round_until_crash
from tests.support.engine_world import KEY, OWNER, World

HISTORIES = int(os.environ.get("FOLIOT_TEST_HISTORIES", "160"))
BLOCKS = 16
MINUTES = 6
RULES: list[dict[str, Any] | None] = [
    None,
    {"frequency": "minute"},
    {"frequency": "minute", "count": 3},
    {"frequency": "minute", "interval": 2},
    {"frequency": "hour", "schedule": {"minutes": [*range(0, 60, 3)]}},
]
RETRIES: list[dict[str, Any]] = [
    {"retryType": "none"},
    {"retryType": "fixed", "retryInterval": "PT15S", "retryCount": 2},
    {"retryType": "fixed", "retryInterval": "PT40S", "retryCount": 1},
]
REQUEST = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_occurrence_is_lost_whenever_the_process_ends(tmp_path: Path, block: int) -> None:
    crashes = 0
    with World(tmp_path) as world:
        for seed in range(block, HISTORIES, BLOCKS):
            try:
                crashes += _history(world, seed)
            except AssertionError as error:
                raise AssertionError(f"history {seed}") from error
    # Or nothing was tried.
    assert crashes > HISTORIES // BLOCKS / 4


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_run_that_has_begun_comes_to_its_end_whatever_is_disabled_meanwhile(
    tmp_path: Path, block: int
) -> None:
    runs = 0
    with World(tmp_path) as world:
        for seed in range(block, HISTORIES // 4, BLOCKS):
            try:
                runs += _history_with_pauses(world, seed)
            except AssertionError as error:
                raise AssertionError(f"history {seed}") from error
    # Or nothing was tried.
    assert runs >= HISTORIES // 4 // BLOCKS


def _history_with_pauses(world: World, seed: int) -> int:
    """Live through a history in which things are disabled; return how many runs had begun."""
    dice = Random(seed)  # noqa: S311  (the same story for the same seed)
    begin = Instant(world.clock.at - world.clock.at % MINUTE + MINUTE)
    jobs = {f"job{number}": _some_job(dice, begin) for number in range(dice.randint(1, 3))}
    for name, properties in jobs.items():
        world.add_job(name, **properties)
    world.targets.sent.clear()
    world.targets.answer = lambda _: Outcome(succeeded=dice.random() < 0.4, message="?")

    crashes = _live_through(
        world, dice, Instant(begin + MINUTES * MINUTE), lambda: _change_a_state(world, dice, jobs)
    )
    _set_collection_state(world, CollectionState.ENABLED)
    for name, properties in jobs.items():
        _set_job_state(world, name, properties, "enabled")
    _heal(world)
    begun = [_check_ends(world, name, properties, crashes) for name, properties in jobs.items()]
    for name in jobs:
        world.run(world.use_cases.jobs.delete_job(OWNER, KEY, name))
    return sum(begun)


def _change_a_state(world: World, dice: Random, jobs: dict[str, dict[str, Any]]) -> None:
    match dice.randrange(8):
        case 0:
            _set_collection_state(world, dice.choice(list(CollectionState)))
        case 1 | 2 | 3:
            name = dice.choice(list(jobs))
            _set_job_state(world, name, jobs[name], dice.choice(["enabled", "disabled"]))
        case _:
            pass


def _set_collection_state(world: World, state: CollectionState) -> None:
    world.run(world.use_cases.collections.set_collection_state(OWNER, KEY, state))


def _set_job_state(world: World, name: str, properties: dict[str, Any], state: str) -> None:
    if world.job(name).state in {JobState.ENABLED, JobState.DISABLED}:
        world.add_job(name, **properties, state=state)


def _check_ends(world: World, name: str, properties: dict[str, Any], crashes: int) -> int:
    """Check that each run has succeeded or was retried as often as it may; return how many."""
    job, history = world.job(name), world.history(name)
    sent = [each for each in world.targets.sent if each.job == name]
    begun = {each.expected_at for each in sent}
    main = [each for each in history if not each.is_error_action]
    ends = Counter(each.expected_at for each in main if each.status is AttemptStatus.COMPLETED)
    failures = Counter(each.expected_at for each in main if each.status is AttemptStatus.FAILED)
    most = 1 + properties["action"]["retryPolicy"].get("retryCount", 0)

    for moment in begun:
        assert (ends[moment], failures[moment]) in {(0, most)} | {(1, n) for n in range(most)}
    assert world.run(world.store.read(lambda view: view.runs(job.id))) == []
    assert (job.execution_count, job.faulted_count) == (len(begun), len(begun) - len(ends))
    assert len({each.tag for each in sent}) == len(begun)
    assert len(sent) - sum(each.status is not AttemptStatus.POSTPONED for each in history) <= (
        crashes * MAX_OPEN_RUNS
    )
    if "recurrence" not in properties:
        # A job that runs once is as well as its run; nothing else may end it.
        assert (len(begun), job.state) == (1, "completed" if ends else "faulted")
    return len(begun)


def _history(world: World, seed: int) -> int:
    """Live through a history and check what is left; return how often the process ended."""
    dice = Random(seed)  # noqa: S311  (the same story for the same seed)
    begin = Instant(world.clock.at - world.clock.at % MINUTE + MINUTE)
    names = [f"job{number}" for number in range(dice.randint(1, 3))]
    for name in names:
        world.add_job(name, **_some_job(dice, begin))
    world.targets.sent.clear()
    world.targets.answer = lambda _: Outcome(succeeded=dice.random() < 0.6, message="?")

    crashes = _live_through(world, dice, Instant(begin + MINUTES * MINUTE))
    _heal(world)
    for name in names:
        _check(world, name, begin, crashes)
        world.run(world.use_cases.jobs.delete_job(OWNER, KEY, name))
    return crashes


def _some_job(dice: Random, begin: Instant) -> dict[str, Any]:
    error = {"errorAction": REQUEST} if dice.random() < 0.3 else {}
    rule = dice.choice(RULES)
    return {
        "startTime": format_instant(begin),
        "action": {**REQUEST, "retryPolicy": dice.choice(RETRIES), **error},
    } | ({} if rule is None else {"recurrence": rule})


def _live_through(
    world: World, dice: Random, end: Instant, between: Callable[[], None] = lambda: None
) -> int:
    """Run with processes that end and begin again, under the old name or another, or much later.

    `between` happens between any two rounds.
    """
    crashes = 0
    store = CrashingStore(world.store, dice)
    world.start_engine(store)
    while world.clock.at < end:
        due = world.due_at()
        world.clock.at = max(world.clock.at, min(end, end if due is None else due))
        world.run(round_until_crash(world))
        world.clock.at = Instant(world.clock.at + SECOND)
        between()
        if store.has_crashed:
            crashes += 1
            world.clock.at = Instant(world.clock.at + dice.choice([0, 1, 20, 200]) * SECOND)
            store = CrashingStore(world.store, dice)
            world.start_engine(store)
    return crashes


def _heal(world: World) -> None:
    """Let whatever is open come to its end: leases run out, and every attempt succeeds."""
    world.targets.answer = lambda _: Outcome(succeeded=True, message="ok")
    world.start_engine()
    for _ in range(4):
        world.clock.at = Instant(world.clock.at + 20 * SECOND)
        world.step()


def _check(world: World, name: str, begin: Instant, crashes: int) -> None:
    job, history = world.job(name), world.history(name)
    main = [entry for entry in history if not entry.is_error_action]
    sent = Counter(each.expected_at for each in world.targets.sent if each.job == name)
    tags = {(each.expected_at, each.tag) for each in world.targets.sent if each.job == name}
    skipped = sum(
        int(entry.message.partition("Skipped: ")[2].split()[0])
        for entry in main
        if entry.status is AttemptStatus.POSTPONED
    )
    attempts = [entry for entry in history if entry.status is not AttemptStatus.POSTPONED]
    failures = [entry for entry in main if entry.status is AttemptStatus.FAILED]

    # Lost means: due, and neither sent nor recorded as skipped.
    assert len(sent) + skipped == _occurrences(job, begin, world.clock.at, sent)
    assert len(tags) == len(sent)
    assert (job.execution_count, job.failure_count) == (len(sent), len(failures))
    assert sent.total() >= len(attempts)
    # An attempt is sent again only if its process ended before it was recorded.
    assert sent.total() - len(attempts) <= crashes * MAX_OPEN_RUNS
    assert all(each.sent_at >= each.expected_at for each in world.targets.sent)


def _occurrences(job: Job, begin: Instant, now: Instant, sent: Counter[Instant]) -> int:
    """Return how many times the calendar has had, computed by itself."""
    end = now if job.state is JobState.ENABLED else max(sent, default=now)
    moment, count = Instant(begin - 1), 0
    while (following := timetable_of(job).next_after(moment)) is not None and following <= end:
        moment, count = following, count + 1
    return count
