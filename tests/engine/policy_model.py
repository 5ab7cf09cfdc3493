"""A model of the policies of runs: what a job does, computed in the plainest way.

It is written from docs/reference/policies.md, schedule.md and retries.md alone, without a look at
the code that it is compared with: a misreading of the documents in one of the two shows as a
difference, and so does a sentence that can be read in two ways. For the same reason it shares
nothing with the code but the calendar. Times and lengths are ticks. Attempts take no time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

MINUTE = 60 * 10_000_000
OPEN_LIMIT = 10
CATCH_UP_PLACES = 5
QUEUE_LIMIT = 10
CATCH_UP_LIMIT = 1000


@dataclass
class Retries:
    """So many more attempts, so long after each failure."""

    interval: int
    count: int


@dataclass
class Rules:
    """What is asked of a job.

    `next_after` is its calendar, whatever `count` says; `jitter_of` how much later the run of a
    planned time begins; `succeeds` tells how an attempt ends, from the planned time, `main` or
    `error` for the action, and its number from 1. Without `error_retries` it has no error action.
    """

    next_after: Callable[[int], int | None]
    succeeds: Callable[[int, str, int], bool]
    retries: Retries
    jitter_of: Callable[[int], int] = lambda _: 0
    error_retries: Retries | None = None
    is_recurring: bool = True
    count: int | None = None
    overlap: str = "allow"
    catch_up: str = "latest"
    catch_up_window: int | None = None
    start_within: int | None = None
    pause_after: int | None = None


@dataclass(eq=False)
class ModelRun:
    """A run, open or ended."""

    planned: int
    due: int
    waits_its_turn: bool = False
    is_manual: bool = False
    is_redrive: bool = False
    is_at_error_action: bool = False
    attempt: int = 1
    began: int | None = None
    main_attempts: int = 0
    error_attempts: int = 0
    outcome: str | None = None

    @property
    def is_of_calendar(self) -> bool:
        return not (self.is_manual or self.is_redrive)


@dataclass
class Look:
    """The occurrences that are due at an instant, and which of them were missed."""

    now: int
    due: list[int]
    missed: list[int] = field(default_factory=list[int])
    has_open: bool = False
    is_at_limit: bool = False


@dataclass
class ModelJob:
    """A job over time. `seen_to` is the latest planned time that was looked at.

    `once_at` is the planned time of a job that runs once and was enabled after its start.
    """

    rules: Rules
    seen_to: int
    once_at: int | None = None
    state: str = "enabled"
    collection_is_enabled: bool = True
    runs: list[ModelRun] = field(default_factory=list[ModelRun])
    open: list[ModelRun] = field(default_factory=list[ModelRun])
    skipped: dict[int, str] = field(default_factory=dict[int, str])
    counted: int = 0
    execution_count: int = 0
    failure_count: int = 0
    faulted_count: int = 0
    consecutive_failures: int = 0
    is_paused: bool = False
    pauses: int = 0

    # What callers do.

    def disable(self) -> None:
        self.state = "disabled"

    def enable(self, now: int) -> None:
        if self.state == "disabled":
            self.state, self.consecutive_failures, self.is_paused = "enabled", 0, False
            self._go_on_from(now)

    def set_collection(self, *, enabled: bool, now: int) -> None:
        was_enabled, self.collection_is_enabled = self.collection_is_enabled, enabled
        if enabled and not was_enabled:
            self._go_on_from(now)

    def may_run_now(self) -> bool:
        active = [run for run in self.open if not run.waits_its_turn]
        return self.collection_is_enabled and len(active) < OPEN_LIMIT

    def run_now(self, now: int) -> None:
        waits = self.rules.overlap != "allow"
        self._add(ModelRun(now, now, waits_its_turn=waits, is_manual=True))

    def redrive(self) -> None:
        """Repeat all runs that were given up, the oldest first."""
        failed = [run for run in self.runs if run.outcome == "failed" and run not in self.open]
        for run in sorted(failed, key=lambda run: run.planned):
            self._add(ModelRun(run.planned, run.planned, waits_its_turn=True, is_redrive=True))

    # What time does.

    def step(self, now: int, order: Callable[[ModelRun], int]) -> None:
        """Do all that is due; `order` is that in which attempts of the same instant end."""
        self._end_if_all_is_done()
        while True:
            begun, planned = self._begin(now), self._look(now)
            # What waits its turn from now on comes after the attempts that are due anyway.
            begun += [run for run in planned if not run.waits_its_turn and run.due <= now]
            for run in sorted(begun, key=order):
                self._attempt(run, now)
            if not (begun or planned):
                return

    def next_due(self) -> int | None:
        """Return when there is something to do, as far as it is known."""
        times = [run.due for run in self.open if not (run.waits_its_turn or self._is_held(run))]
        following = self._next_planned()
        if self._is_on and following is not None:
            times.append(following)
        return min(times, default=None)

    # How due occurrences are decided.

    @property
    def _is_on(self) -> bool:
        return self.state == "enabled" and self.collection_is_enabled

    def _next_planned(self) -> int | None:
        if self.rules.count is not None and self.counted >= self.rules.count:
            return None
        if self.once_at is not None:
            return self.once_at if self.seen_to < self.once_at else None
        return self.rules.next_after(self.seen_to)

    def _look(self, now: int) -> list[ModelRun]:
        """Decide all occurrences that are due, the oldest first; return their runs."""
        planned_runs: list[ModelRun] = []
        look = Look(now, self._due_times(now) if self._is_on else [])
        look.missed = [each for each in look.due if self._is_missed(each, now)]
        look.has_open = bool(self.open)
        look.is_at_limit = sum(not run.waits_its_turn for run in self.open) >= OPEN_LIMIT
        for planned in look.due:
            if self._next_planned() is None:
                break  # As many as `count` says have been started: the calendar is at its end.
            self.seen_to = planned
            reason = (
                self._limit(planned, look)
                or self._late(planned, look)
                or self._overlap(planned, look)
            )
            if reason is None:
                planned_runs.append(self._start(planned, look))
            else:
                self.skipped[planned] = reason
        if look.due:
            self._end_if_all_is_done()
        return planned_runs

    def _due_times(self, now: int) -> list[int]:
        due: list[int] = []
        following = self._next_planned()
        while following is not None and following <= now:
            due.append(following)
            following = self.rules.next_after(following)
        return due

    def _is_missed(self, planned: int, now: int) -> bool:
        following = self.rules.next_after(planned)
        return now - planned > MINUTE or (following is not None and following <= now)

    def _limit(self, planned: int, look: Look) -> str | None:
        if self.rules.overlap != "allow" or not look.is_at_limit:
            return None
        return None if self._fills_in(planned, look) else "limit"

    def _fills_in(self, planned: int, look: Look) -> bool:
        applies = self.rules.is_recurring and self.rules.catch_up == "all"
        return applies and planned in look.missed

    def _late(self, planned: int, look: Look) -> str | None:
        rules, is_missed, window = self.rules, planned in look.missed, self.rules.catch_up_window
        if is_missed and window is not None and look.now - planned > window:
            return "missed"
        is_left_out = {
            "latest": planned != look.due[-1],
            "all": is_missed and planned not in look.missed[-CATCH_UP_LIMIT:],
            "none": is_missed,
        }
        if rules.is_recurring and is_left_out[rules.catch_up]:
            return "missed"
        return "expired" if self._is_too_late(planned, look.now) else None

    def _overlap(self, planned: int, look: Look) -> str | None:
        if self.rules.overlap == "skip" and look.has_open:
            return "overlap"
        if self.rules.overlap == "queue" and self.open:
            most = CATCH_UP_LIMIT if planned in look.missed else QUEUE_LIMIT
            if sum(run.waits_its_turn for run in self.open) >= most:
                return "limit"
        return None

    def _start(self, planned: int, look: Look) -> ModelRun:
        run = ModelRun(planned, self._begin_of(planned, look.now))
        if self.rules.overlap != "allow":
            run.waits_its_turn = bool(self.open)
        elif self._fills_in(planned, look):
            run.waits_its_turn = True
        self.counted += 1
        self.execution_count += 1
        return self._add(run)

    def _begin_of(self, planned: int, now: int) -> int:
        return max(now, planned + self.rules.jitter_of(planned))

    def _is_too_late(self, planned: int, now: int) -> bool:
        most = self.rules.start_within
        return most is not None and now - planned > most

    def _add(self, run: ModelRun) -> ModelRun:
        self.runs.append(run)
        self.open.append(run)
        return run

    # How runs begin.

    def _begin(self, now: int) -> list[ModelRun]:
        """Return all runs with an attempt now, and drop those whose first one comes too late."""
        begun: list[ModelRun] = []
        while (run := self._next_to_begin(now, begun)) is not None:
            is_late = run.is_of_calendar and self._is_too_late(run.planned, now)
            if run.began is None and is_late:
                self._expire(run)
            else:
                begun.append(run)
        return begun

    def _next_to_begin(self, now: int, begun: list[ModelRun]) -> ModelRun | None:
        has_place = self._has_place()
        for run in sorted(self.open, key=lambda run: (run.is_redrive, run.planned)):
            if run in begun or self._is_held(run):
                continue
            if run.waits_its_turn and has_place:
                run.waits_its_turn = False
                run.due = self._begin_of(run.planned, now) if run.is_of_calendar else now
                has_place = self._has_place()
            if not run.waits_its_turn and run.due <= now:
                return run
        return None

    def _is_held(self, run: ModelRun) -> bool:
        is_paused = self.state == "disabled" and not run.is_manual
        return is_paused or not self.collection_is_enabled

    def _has_place(self) -> bool:
        active = [each for each in self.open if not each.waits_its_turn]
        if self.rules.overlap != "allow":
            return not active
        return len(active) < CATCH_UP_PLACES

    def _expire(self, run: ModelRun) -> None:
        self.skipped[run.planned] = "expired"
        self.runs.remove(run)
        self.counted -= 1
        self.execution_count -= 1
        self._end(run)

    # How runs end.

    def _attempt(self, run: ModelRun, now: int) -> None:
        phase = "error" if run.is_at_error_action else "main"
        succeeded = self.rules.succeeds(run.planned, phase, run.attempt)
        if run.began is None:
            run.began = now
            self.execution_count += not run.is_of_calendar
        if run.is_at_error_action:
            run.error_attempts += 1
            retries = self.rules.error_retries
            assert retries is not None
        else:
            run.main_attempts += 1
            retries = self.rules.retries
            self.failure_count += not succeeded
        if not succeeded and run.attempt <= retries.count:
            run.attempt, run.due = run.attempt + 1, now + retries.interval
        elif run.is_at_error_action:
            self._end(run)
        elif succeeded:
            run.outcome = "succeeded" if run.attempt == 1 else "recovered"
            self.consecutive_failures = 0
            self._end(run)
        else:
            self._give_up(run, now)

    def _give_up(self, run: ModelRun, now: int) -> None:
        run.outcome = "failed"
        self.faulted_count += 1
        self.consecutive_failures += 1
        if self.rules.error_retries is not None:
            run.is_at_error_action, run.attempt, run.due = True, 1, now
        else:
            self._end(run)

    def _end(self, run: ModelRun) -> None:
        self.open.remove(run)
        self._end_if_all_is_done()
        most = self.rules.pause_after
        has_reached = most is not None and self.consecutive_failures >= most
        if run.outcome == "failed" and has_reached and self.state == "enabled":
            self.state, self.is_paused, self.pauses = "disabled", True, self.pauses + 1

    def _end_if_all_is_done(self) -> None:
        if self.open or self._next_planned() is not None:
            return
        if self.state == "enabled":
            planned = [run for run in self.runs if run.is_of_calendar]
            last = max(planned, key=lambda run: run.planned, default=None)
            is_well = last is not None and last.outcome != "failed"
            self.state = "completed" if is_well else "faulted"

    def _go_on_from(self, now: int) -> None:
        """Leave out what came due while the job was disabled; a job that runs once runs now."""
        if not self._is_on:
            return
        following = self._next_planned()
        if self.rules.is_recurring:
            self.seen_to = max(self.seen_to, now)
        elif following is not None and following < now:
            self.once_at = now
