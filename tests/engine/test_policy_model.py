"""The engine does what the documents say about policies: random histories, beside a model.

The model (`policy_model.py`) is written from the documents alone. Each history is a few jobs with
policies of any kind, over some minutes or hours in which Foliot is punctual, late or away, while
jobs and their collection are disabled and enabled, and runs are asked for. A history is told by
its seed, which a failure names. `make histories` tells 2,000 of them.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foliot.core.errors import Conflict, FoliotError
from foliot.core.instant import DAY, MINUTE, SECOND, Instant, format_instant, parse_instant
from foliot.core.model.action import HttpRequest
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.collection import CollectionState
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.run import Trigger
from foliot.core.recurrence import Timetable
from foliot.core.rules.repeated_runs import TimeRange
from tests.engine.policy_model import ModelJob, ModelRun, Retries, Rules
from tests.support.engine_world import KEY, OWNER, World

# Histories that once differed. In 1868 the next time of a job moves into the past.
CHAINS_OF_EXPIRED_RUNS = [583, 1868, 1997]
HISTORIES = int(os.environ.get("FOLIOT_TEST_POLICY_HISTORIES", "96"))
BLOCKS = 16
BEGIN = parse_instant("2026-01-10T00:00:00Z")
MOST_MANUAL_RUNS = 6

# Each with its smallest gap in seconds.
RECURRENCES: list[tuple[dict[str, Any] | None, int]] = [
    (None, 3600),
    ({"frequency": "minute"}, 60),
    ({"frequency": "minute"}, 60),
    ({"frequency": "minute", "interval": 2}, 120),
    ({"frequency": "minute", "interval": 5}, 300),
    ({"frequency": "hour", "schedule": {"minutes": [0, 1, 2, 4, 30]}}, 60),
    ({"frequency": "hour"}, 3600),
]
RETRIES: list[tuple[dict[str, Any], Retries]] = [
    ({}, Retries(30 * SECOND, 4)),
    ({"retryPolicy": {"retryType": "none"}}, Retries(0, 0)),
    *(
        (
            {"retryPolicy": {"retryInterval": f"PT{seconds}S", "retryCount": count}},
            Retries(seconds * SECOND, count),
        )
        for seconds, count in ((15, 2), (40, 1), (60, 3), (90, 2), (200, 4), (600, 3))
    ),
]

COUNTERS = [
    each
    for each in ("execution_count", "failure_count", "faulted_count", "consecutive_failures")
    if each in Job.__struct_fields__
]

Lines = dict[str, str]


@dataclass
class Sending:
    job: str
    tag: str
    at: Instant
    is_error: bool


@dataclass
class Player:
    """A job of a history: its body, its calendar, and what the model says about it."""

    body: dict[str, Any]
    timetable: Timetable
    model: ModelJob
    manual_runs: int = 0
    is_redriven: bool = False


class Story:
    """A history: its world, its dice, its jobs, and all attempts that were sent."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.seed = seed
        self.dice = Random(seed)  # noqa: S311  (the same story for the same seed)
        self.players: dict[str, Player] = {}
        self.sendings: list[Sending] = []
        self.events: list[str] = []
        self.has_disabling = self.dice.random() < 0.6
        self.success_rate = self.dice.choice([0.1, 0.4, 0.8])
        # Each seed has a day of its own, so that it tells the same story alone.
        world.clock.at = Instant(BEGIN + seed * DAY + self.dice.choice([0, 17, 3599]) * SECOND)
        world.targets.answer = self._answer

    def _answer(self, request: AttemptRequest) -> Outcome:
        part = request.action.part
        assert isinstance(part, HttpRequest)
        phase = "error" if "error" in part.uri else "main"
        sending = Sending(request.job, request.tag, self.world.clock.at, phase == "error")
        attempt = 1 + sum(_is_same_action(each, sending) for each in self.sendings)
        self.sendings.append(sending)
        is_well = self.succeeds(request.job, request.expected_at, phase, attempt)
        return Outcome(succeeded=is_well, message="?")

    def succeeds(self, job: str, planned: int, phase: str, attempt: int) -> bool:
        """Tell how an attempt ends: by what it is, not by what was sent before it."""
        text = f"{self.seed} {job} {planned} {phase} {attempt}"
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        return number < self.success_rate * 2**32

    def add_job(
        self,
        name: str,
        body: dict[str, Any],
        retries: tuple[Retries, Retries],
        state: str = "enabled",
    ) -> None:
        self.world.add_job(name, **body, state=state)
        job = self.world.job(name)
        timetable = Timetable.of(job.definition.recurrence, job.definition.start, job.calendar_at)
        rules = Rules(
            next_after=lambda after: timetable.next_after(Instant(after)),
            succeeds=lambda planned, phase, attempt: self.succeeds(name, planned, phase, attempt),
            retries=retries[0],
            error_retries=retries[1] if "errorAction" in body["action"] else None,
            is_recurring="recurrence" in body,
            count=body.get("recurrence", {}).get("count"),
            **_rules_of(body.get("policy", {}), name),
        )
        first = timetable.first()
        assert first is not None
        self.players[name] = Player(body, timetable, ModelJob(rules, first - 1, state=state))

    def step(self) -> None:
        """Let the engine, and then the model, do what is due now."""
        self.note("")
        before, sent = len(self.sendings), -1
        while sent != len(self.sendings) or self._is_engine_due():
            # An outcome may be stored only after the engine has looked for what is due.
            sent = len(self.sendings)
            self.world.step()
        for name, player in self.players.items():
            attempts = sum(each.job == name for each in self.sendings[before:])
            player.model.step(
                self.world.clock.at, self._order(name) if attempts > 1 else _any_order
            )

    def _is_engine_due(self) -> bool:
        due = self.world.due_at()
        return due is not None and due <= self.world.clock.at

    def note(self, event: str) -> None:
        self.events.append(f"{_time(self.world.clock.at)}{event}")

    def _order(self, name: str) -> Callable[[ModelRun], int]:
        """Return in which order attempts have ended: no document says it for the same instant."""
        keys = [
            (each.expected_at, _kind(each), each.is_error_action, each.retry_count)
            for each in self.world.history(name)
            if _is_attempt(each)
        ]
        places = {key: place for place, key in enumerate(keys)}
        return lambda run: places.get(
            (Instant(run.planned), _kind_of_model(run), run.is_at_error_action, run.attempt - 1), 0
        )

    def next_due(self) -> int | None:
        """Return when the engine or the model has something to do."""
        dues = [player.model.next_due() for player in self.players.values()]
        dues.append(self.world.due_at())
        return min((due for due in dues if due and due > self.world.clock.at), default=None)


def _any_order(_: ModelRun) -> int:
    return 0


def _is_same_action(one: Sending, other: Sending) -> bool:
    return (one.job, one.tag, one.is_error) == (other.job, other.tag, other.is_error)


def _rules_of(policy: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the policy of a body in the words of the model."""
    words = {"overlap": "overlap", "catchUp": "catch_up", "pauseAfter": "pause_after"}
    lengths = {"catchUpWindow": "catch_up_window", "startWithin": "start_within"}
    rules = {words[each]: value for each, value in policy.items() if each in words}
    rules |= {lengths[each]: _ticks(text) for each, text in policy.items() if each in lengths}
    if "jitter" in policy:
        rules["jitter_of"] = _jitter_of(name, _ticks(policy["jitter"]))
    return rules


def _jitter_of(name: str, most: int) -> Callable[[int], int]:
    """Return the jitter of planned times: any part of it is right, if it is always the same."""
    jitter_ticks = import_module("foliot.core.rules.jitter").jitter_ticks

    def jitter_of(planned: int) -> int:
        part = jitter_ticks(KEY, name, Instant(planned), most)
        assert 0 <= part <= most
        assert part == jitter_ticks(KEY, name, Instant(planned), most)
        return part

    return jitter_of


def _ticks(text: str) -> int:
    return int(text.removeprefix("PT").removesuffix("S")) * SECOND


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_engine_keeps_to_the_policies_as_they_are_documented(
    tmp_path: Path, block: int
) -> None:
    told = 0
    with World(tmp_path) as world:
        for seed in range(block, HISTORIES, BLOCKS):
            story = Story(world, seed)
            try:
                _live_through(story)
            except FoliotError:
                # What was refused is a consequence: tell where it began.
                _compare(story)
                raise
            told += _compare(story)
    # Or nothing was tried.
    assert told > HISTORIES // BLOCKS * 10


@pytest.mark.parametrize("seed", CHAINS_OF_EXPIRED_RUNS)
def test_runs_that_expire_one_behind_the_other_are_not_open_for_what_is_planned_next(
    tmp_path: Path, seed: int
) -> None:
    with World(tmp_path) as world:
        story = Story(world, seed)
        _live_through(story)
        assert _compare(story) > 0


@pytest.mark.parametrize("overlap", ["allow", "skip", "queue"])
@pytest.mark.parametrize("success_rate", [1.0, 0.0], ids=["runs end", "runs stay open"])
def test_of_more_than_a_thousand_missed_occurrences_the_documented_ones_run(
    tmp_path: Path, overlap: str, success_rate: float
) -> None:
    retries = Retries(1 * DAY, 1)
    with World(tmp_path) as world:
        story = Story(world, seed=0)
        story.success_rate = success_rate
        retry_policy = {"retryInterval": "P1D", "retryCount": 1}
        body = {
            "action": {**_request("main"), "retryPolicy": retry_policy},
            "recurrence": {"frequency": "minute"},
            "policy": {"overlap": overlap, "catchUp": "all"},
        }
        story.add_job("job", body, (retries, retries))
        for minutes in (0, 3, 1005, 1):
            world.clock.at = Instant(world.clock.at + minutes * MINUTE)
            story.step()
        assert _compare(story) > 10


def _add_some_job(story: Story, name: str) -> None:
    dice = story.dice
    recurrence, gap = dice.choice(RECURRENCES)
    retry_policy, retries = dice.choice(RETRIES)
    action = {**_request("main"), **retry_policy}
    error_retries = retries
    if dice.random() < 0.3:
        error_retry_policy, own = dice.choice(RETRIES)
        error_retries = own if error_retry_policy else retries
        action["errorAction"] = {**_request("error"), **error_retry_policy}
    body: dict[str, Any] = {"action": action}
    if dice.random() < 0.5:
        start = story.world.clock.at + dice.choice([0, 30, 60, 200]) * SECOND
        body["startTime"] = format_instant(Instant(start))
    policy = _some_policy(dice, gap)
    if recurrence is not None:
        body["recurrence"] = recurrence | _some_end(story, policy)
    if policy:
        body["policy"] = policy
    is_disabled = story.has_disabling and dice.random() < 0.2
    state = "disabled" if is_disabled else "enabled"
    story.add_job(name, body, (retries, error_retries), state)


def _request(target: str) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": f"http://127.0.0.1/{target}", "method": "GET"}}


def _some_policy(dice: Random, gap: int) -> dict[str, Any]:
    has_jitter = dice.random() < 0.3
    jitter = dice.choice([each for each in (1, 20, 59, 240, 1800) if each < gap]) * has_jitter
    within = dice.choice([each for each in (1, 30, 60, 61, 180, 1200, 3600) if each > jitter])
    policy = {
        "overlap": dice.choice(["allow", "skip", "queue", "queue"]),
        "catchUp": dice.choice(["latest", "all", "all", "none"]),
        "catchUpWindow": f"PT{dice.choice([60, 120, 300, 3600])}S",
        "startWithin": f"PT{within}S",
        **({"jitter": f"PT{jitter}S"} if has_jitter else {}),
        "pauseAfter": dice.choice([1, 2, 3]),
    }
    likely = {"overlap": 0.8, "catchUp": 0.8, "jitter": 1}
    return {each: policy[each] for each in policy if dice.random() < likely.get(each, 0.3)}


def _some_end(story: Story, policy: dict[str, Any]) -> dict[str, Any]:
    match story.dice.randrange(6):
        case 0 | 1:
            count = story.dice.choice([1, 2, 3, 5, 12])
            return {"count": count}
        case 2 if not story.has_disabling and "pauseAfter" not in policy:
            # What is disabled cannot be enabled after its end.
            end = story.world.clock.at + story.dice.choice([300, 900, 4000]) * SECOND
            return {"endTime": format_instant(Instant(end))}
        case _:
            return {}


def _live_through(story: Story) -> None:
    for number in range(story.dice.randint(1, 3)):
        _add_some_job(story, f"job{number}")
    for _ in range(story.dice.choice([10, 25, 60])):
        _go_on(story)


def _go_on(story: Story) -> None:
    """Go to the next instant that matters, or a little or much later, and do what is due then."""
    dice, clock = story.dice, story.world.clock
    due = story.next_due()
    if due is None or dice.random() < 0.05:
        clock.at = Instant(clock.at + dice.choice([1, 7, 45, 300]) * SECOND)
    else:
        late = dice.choice([0] * 12 + [1, 30, 59, 60, 61, 90, 130, 200, 310, 700, 2500, 4000])
        clock.at = Instant(due + late * SECOND)
    if dice.random() < 0.05:
        story.world.start_engine()
    story.step()
    if dice.random() < 0.25:
        # No document says whether what is due at the instant of a change comes before it.
        clock.at = Instant(clock.at + SECOND // 4)
        story.step()
        _change_something(story)


def _change_something(story: Story) -> None:
    dice, now = story.dice, story.world.clock.at
    name = dice.choice(list(story.players))
    model = story.players[name].model
    if not model.collection_is_enabled and dice.random() < 0.5:
        _set_collection(story, CollectionState.ENABLED)
    elif model.state == "disabled" and dice.random() < 0.5:
        _set_job(story, name, "enabled")
    elif story.has_disabling and dice.random() < 0.1:
        _set_collection(story, dice.choice(list(CollectionState)))
    elif story.has_disabling and dice.random() < 0.2:
        _set_job(story, name, dice.choice(["enabled", "disabled"]))
    elif dice.random() < 0.3:
        _redrive(story, name)
    elif dice.random() < 0.7:
        _run_now(story, name, now)
    else:
        _change_action(story, name)


def _set_collection(story: Story, state: CollectionState) -> None:
    story.note(f" collection {state.value}")
    story.world.run(story.world.use_cases.collections.set_collection_state(OWNER, KEY, state))
    for player in story.players.values():
        is_enabled = state is CollectionState.ENABLED
        player.model.set_collection(enabled=is_enabled, now=story.world.clock.at)


def _set_job(story: Story, name: str, state: str) -> None:
    player = story.players[name]
    if player.model.state not in {"enabled", "disabled"}:
        return
    story.note(f" {name} {state}")
    story.world.add_job(name, **player.body, state=state)
    if state == "enabled":
        player.model.enable(story.world.clock.at)
    else:
        player.model.disable()


def _run_now(story: Story, name: str, now: Instant) -> None:
    player = story.players[name]
    if player.manual_runs >= MOST_MANUAL_RUNS:
        return
    story.note(f" {name} run now")
    tag = f"manual {player.manual_runs + 1}"
    request = story.world.use_cases.runs.run_job(OWNER, KEY, name, tag)
    if not player.model.may_run_now():
        with pytest.raises(Conflict):
            story.world.run(request)
        return
    story.world.run(request)
    player.manual_runs += 1
    player.model.run_now(now)


def _redrive(story: Story, name: str) -> None:
    """Repeat what was given up, once: a second time the lines of a planned time would be alike."""
    player = story.players[name]
    is_at_error_action = any(run.is_at_error_action for run in player.model.open)
    if player.is_redriven or is_at_error_action or not player.model.collection_is_enabled:
        return
    story.note(f" {name} redrive")
    player.is_redriven = True
    tags = (f"{name} redrive {number}" for number in count(1))
    everything = TimeRange(BEGIN, Instant(story.world.clock.at + SECOND))
    repeated_runs = story.world.use_cases.repeated_runs
    story.world.run(repeated_runs.redrive(OWNER, KEY, name, everything, lambda: next(tags)))
    player.model.redrive()


def _change_action(story: Story, name: str) -> None:
    player = story.players[name]
    if player.model.state in {"enabled", "disabled"}:
        place = story.dice.randrange(1000)
        player.body["action"] |= {"request": _request(f"main/{place}")["request"]}
        story.world.add_job(name, **player.body, state=player.model.state)


def _compare(story: Story) -> int:
    """Compare engine and model job by job, and remove all; return how many lines they have."""
    world, told = story.world, 0
    for name, player in story.players.items():
        model, engine = _lines_of_model(player.model), _lines_of_engine(story, name, player)
        if model != engine:
            pytest.fail(_table(story, name, model, engine))
        told += len(model)
    _set_collection(story, CollectionState.ENABLED)
    for name in story.players:
        world.run(world.use_cases.jobs.delete_job(OWNER, KEY, name))
    return told


def _lines_of_model(model: ModelJob) -> Lines:
    lines = {_label(each, "skipped"): reason for each, reason in model.skipped.items()}
    for run in model.runs:
        if run.began is not None:
            kind = _kind_of_model(run)
            counts = (run.main_attempts, run.error_attempts)
            lines[_label(run.planned, kind)] = _told(run.began, counts, run.outcome)
    return lines | {
        "state": model.state,
        **{each: f"{getattr(model, each)}" for each in COUNTERS},
        "is paused": f"{model.is_paused}",
        "entries about pauses": f"{model.pauses}",
        "open runs": f"{len(model.open)}",
    }


def _lines_of_engine(story: Story, name: str, player: Player) -> Lines:
    job, history = story.world.job(name), story.world.history(name)
    lines: Lines = {}
    for entry in history:
        if _is_skip(entry):
            lines |= {
                _label(each, "skipped"): f"{entry.reason}" for each in _stretch(player, entry)
            }
    for tag in dict.fromkeys(each.tag for each in story.sendings if each.job == name):
        lines |= _line_of_run(story, [each for each in history if each.tag == tag], name, tag)
    others = [each for each in history if not (_is_attempt(each) or _is_skip(each))]
    open_runs = story.world.run(story.world.store.read(lambda view: view.runs(job.id)))
    return lines | {
        "state": job.state.value,
        **{each: f"{getattr(job, each)}" for each in COUNTERS},
        "is paused": f"{bool(getattr(job, 'paused_because', None))}",
        "entries about pauses": f"{len(others)}",
        "open runs": f"{len(open_runs)}",
    }


def _kind(entry: HistoryEntry) -> str:
    kinds = {Trigger.MANUAL: "manual", Trigger.REDRIVE: "redrive"}
    return kinds.get(entry.trigger or Trigger.SCHEDULE, "run")


def _kind_of_model(run: ModelRun) -> str:
    return "manual" if run.is_manual else "redrive" if run.is_redrive else "run"


def _is_attempt(entry: HistoryEntry) -> bool:
    return entry.status is not AttemptStatus.POSTPONED and entry.tag is not None


def _is_skip(entry: HistoryEntry) -> bool:
    return entry.outcome is RunOutcome.SKIPPED


def _stretch(player: Player, entry: HistoryEntry) -> list[Instant]:
    """Return the planned times of a stretch of skipped occurrences."""
    times = [entry.expected_at]
    while times[-1] < (entry.last_expected_at or entry.expected_at):
        following = player.timetable.next_after(times[-1])
        assert following is not None
        times.append(following)
    assert len(times) == (entry.skipped_count or 1), entry
    return times


def _line_of_run(story: Story, entries: list[HistoryEntry], name: str, tag: str) -> Lines:
    sent = [each for each in story.sendings if (each.job, each.tag) == (name, tag)]
    at_error_action = [each for each in sent if each.is_error]
    made = [each for each in entries if _is_attempt(each)]
    assert Counter(each.is_error for each in sent) == Counter(
        each.is_error_action for each in made
    ), f"history {story.seed}, {name}: history does not have what was sent: {sent} {made}"
    outcome = next((each.outcome for each in made if each.outcome), None)
    kind = _kind(made[0])
    counts = (len(sent) - len(at_error_action), len(at_error_action))
    text = _told(sent[0].at, counts, outcome and outcome.value)
    return {_label(made[0].expected_at, kind): text}


def _label(planned: int, kind: str) -> str:
    return f"{format_instant(Instant(planned))} {kind}"


def _time(at: int) -> str:
    return format_instant(Instant(at)).partition("T")[2]


def _told(began: int, attempts: tuple[int, int], outcome: str | None) -> str:
    return f"{_time(began)} {attempts[0]}+{attempts[1]} {outcome or 'open'}"


def _table(story: Story, name: str, model: Lines, engine: Lines) -> str:
    """Return where engine and model differ: begin, attempts + error action, outcome."""
    rows = [
        f"{each:42} {model.get(each, '-'):34} {engine.get(each, '-')}"
        for each in sorted(model | engine)
        if model.get(each) != engine.get(each)
    ]
    told = f"history {story.seed}, {name}: {story.players[name].body}"
    events = f"steps and changes: {', '.join(story.events)}"
    return "\n".join([told, f"{'':42} {'model':34} engine", *rows[:40], events])
