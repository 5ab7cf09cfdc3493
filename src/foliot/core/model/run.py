"""Runs: occurrences in progress, from their plan to their end, and their leases."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job


class Phase(StrEnum):
    """The action of a run: the main one, or the error action after that was given up."""

    MAIN = "main"
    ERROR = "error"


class Trigger(StrEnum):
    """What started a run."""

    SCHEDULE = "schedule"
    CATCH_UP = "catchUp"
    MANUAL = "manual"
    REDRIVE = "redrive"
    BACKFILL = "backfill"


# Runs of the calendar: a planned time has one of them, and they count towards `count`.
PLANNED = frozenset({Trigger.SCHEDULE, Trigger.CATCH_UP})
# Runs of planned times that have passed: since when these have passed tells nothing of lateness.
REPEATED = frozenset({Trigger.REDRIVE, Trigger.BACKFILL})


class Lease(Struct, frozen=True):
    """The node that holds a run, and until when; each claim has a new id, which fences writes."""

    node: str
    claim: str
    until: Instant


class Run(Struct, frozen=True, kw_only=True):
    """One occurrence in progress, or a run that somebody asked for. An id of 0 is not stored yet.

    A retry is the same run, due later. A run that waits its turn has no due time until another run
    of its job has ended. The attempt is the number of the try that is due or under way, from 1 in
    each phase. The tag is the same in all of them.
    """

    id: int = 0
    job_id: JobId
    generation: int
    occurrence: int
    expected_at: Instant
    phase: Phase = Phase.MAIN
    attempt: int = 1
    due_at: Instant | None
    tag: str
    trigger: Trigger = Trigger.SCHEDULE
    lease: Lease | None = None

    @property
    def is_planned(self) -> bool:
        """Whether the run belongs to the calendar."""
        return self.trigger in PLANNED


def is_first_attempt(run: Run) -> bool:
    """Tell whether the attempt that is due or under way is the first one of a run."""
    return run.attempt == 1 and run.phase is Phase.MAIN


def planned_at(run: Run) -> Instant:
    """Return when the present attempt was due: at the time of its occurrence, or of the retry."""
    return run.expected_at if is_first_attempt(run) or run.due_at is None else run.due_at


class RunCounts(NamedTuple):
    """How many runs of a job are open, and how many of these wait their turn."""

    open: int
    queued: int


NO_RUNS = RunCounts(0, 0)


class DueJob(Struct, frozen=True):
    """A job whose next occurrence has come, with its open runs: those that wait their turn apart.

    `queued_runs` is counted only for jobs whose policy needs it.
    """

    job: Job
    collection: Collection
    open_runs: int
    queued_runs: int = 0


class DueRun(Struct, frozen=True):
    """A run that is due or under way, with the job as it is now; its open runs count this one.

    A run that a node has held before may have been sent.
    """

    run: Run
    job: Job
    collection: Collection
    open_runs: int = 1
    may_have_begun: bool = False
