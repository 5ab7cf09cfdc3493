"""Decides which runs a redrive or a backfill plans: each planned time once, the oldest first."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.core.instant import Instant, tell_instant
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.model.job import Job
from foliot.core.model.run import Phase, Run, Trigger
from foliot.core.rules.calendar_periods import current_calendar, timetable_before

MAX_REPEATED = 1000
_WELL = frozenset({RunOutcome.SUCCEEDED, RunOutcome.RECOVERED})


class TimeRange(Struct, frozen=True):
    """Planned times from `since` on and before another instant."""

    since: Instant
    before: Instant

    def __post_init__(self) -> None:
        if self.since >= self.before:
            given, first = tell_instant(self.before), tell_instant(self.since)
            raise Invalid(("to",), f"{given} is not valid; give a time later than from ({first}).")


def range_around(times: Iterable[Instant]) -> TimeRange:
    """Return the range from the first of some planned times to the last."""
    ordered = sorted(times)
    return TimeRange(ordered[0], Instant(ordered[-1] + 1))


class Repetition(Struct, frozen=True):
    """The runs to store, and how many planned times were left out: those that run or ran well."""

    runs: Sequence[Run]
    left_out: int


class Present(Struct, frozen=True):
    """What is there already: how runs of the job ended, in order, and its open runs."""

    ended: Sequence[HistoryEntry]
    open_runs: Sequence[Run]


def failed_entries(present: Present) -> list[HistoryEntry]:
    """Return the runs that were given up and have not been repeated since, by planned time."""
    latest = {entry.expected_at: entry for entry in present.ended}
    is_open = {run.expected_at for run in present.open_runs}
    return [
        entry
        for at, entry in sorted(latest.items())
        if entry.outcome is RunOutcome.FAILED and at not in is_open
    ]


class Obstacle(StrEnum):
    """Why the run of a planned time is not repeated."""

    NO_RUN = "no run"
    DID_NOT_FAIL = "did not fail"
    ERROR_ACTION = "error action"
    IS_REPEATED = "is repeated"
    WAS_REPEATED = "was repeated"


def obstacle_at(present: Present, at: Instant) -> Obstacle | None:
    """Return why the run of a planned time is not repeated, None if it is."""
    ended = [entry for entry in present.ended if entry.expected_at == at]
    has_failed = any(entry.outcome is RunOutcome.FAILED for entry in ended)
    phases = {run.phase for run in present.open_runs if run.expected_at == at}
    if not ended and not phases:
        return Obstacle.NO_RUN
    if not has_failed:
        return Obstacle.DID_NOT_FAIL
    if phases:
        return Obstacle.IS_REPEATED if Phase.MAIN in phases else Obstacle.ERROR_ACTION
    return None if ended[-1].outcome is RunOutcome.FAILED else Obstacle.WAS_REPEATED


def redrive(job: Job, entries: Iterable[HistoryEntry], new_tag: Callable[[], str]) -> list[Run]:
    """Return runs that repeat failed ones, each with a new tag and its old planned time."""
    return [
        Run(
            job_id=job.id,
            generation=job.generation,
            occurrence=entry.repeat_count,
            expected_at=entry.expected_at,
            due_at=None,
            tag=new_tag(),
            trigger=Trigger.REDRIVE,
        )
        for entry in entries
    ]


def backfill(
    job: Job, range_: TimeRange, present: Present, new_tag: Callable[[], str]
) -> Repetition:
    """Return a run for each occurrence of the calendar that neither runs nor has run well.

    One that has come due and is not planned yet is left to the schedule: it would run twice.
    """
    times = _occurrences(job, range_)
    done = {entry.expected_at for entry in present.ended if entry.outcome in _WELL}
    done |= {run.expected_at for run in present.open_runs}
    next_at = job.next_at
    done |= {at for at in times if next_at is not None and at >= next_at}
    runs = [
        Run(
            job_id=job.id,
            generation=job.generation,
            occurrence=job.occurrence,
            expected_at=at,
            due_at=None,
            tag=new_tag(),
            trigger=Trigger.BACKFILL,
        )
        for at in times
        if at not in done
    ]
    return Repetition(runs, len(times) - len(runs))


def _occurrences(job: Job, range_: TimeRange) -> list[Instant]:
    """Return the times of the calendar in a range, also from before it was in force."""
    timetable = timetable_before(current_calendar(job), range_.since)
    if timetable is None:
        raise Invalid(
            ("properties", "recurrence"),
            "is missing: a job without a recurrence has no occurrences to backfill; run it now.",
        )
    times: list[Instant] = []
    at = timetable.next_after(Instant(range_.since - 1))
    while at is not None and at < range_.before:
        if len(times) == MAX_REPEATED:
            raise Invalid(
                ("to",),
                f"the range has more than {MAX_REPEATED} occurrences; give one that ends at "
                f"{tell_instant(at)} or earlier.",
            )
        times.append(at)
        at = timetable.next_after(at)
    return times
