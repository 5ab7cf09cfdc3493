"""Decides which runs of a job wait their turn, and how many may be in progress at a time."""

from typing import Final

from foliot.core.errors import Conflict
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobState
from foliot.core.model.policy import Policy
from foliot.core.model.run import REPEATED, DueRun, Run, Trigger, is_first_attempt
from foliot.core.plurals import how_many

MAX_OPEN_RUNS: Final = 10
# Runs that may wait their turn: those on schedule, and missed ones that are caught up.
MAX_QUEUED: Final = 10
MAX_CAUGHT_UP: Final = 1000
# Those that somebody asked for: of a job alone, they would grow without an end.
MAX_WAITING: Final = 2000


def most_in_progress(policy: Policy, max_open_runs: int) -> int:
    """Return how many runs may be in progress for a run that waits its turn to begin.

    Runs that wait beside a job that may overlap take half of its limit: occurrences on schedule
    would be skipped if they took all of it.
    """
    return 1 if policy.runs_one_at_a_time else max(1, max_open_runs // 2)


def check_waiting(collection: Collection, job: Job, waiting: int, more: int) -> None:
    """Refuse runs that somebody asks for if too many of the job wait their turn already."""
    if more and waiting + more > MAX_WAITING:
        raise Conflict(
            f"{how_many(waiting, 'run')} of the job '{job.name}' in the collection "
            f"'{collection.key.name}' wait already, and {MAX_WAITING:,} may; "
            "wait for them, or cancel them."
        )


def waits_until_enabled(job: Job, run: Run) -> bool:
    """Tell whether a run begins only when its job is enabled; one by hand begins anyway."""
    return job.state is JobState.DISABLED and run.trigger is not Trigger.MANUAL


def order_of_turns(run: Run) -> tuple[bool, Instant, int]:
    """Return what waiting runs are sorted by: those of the calendar and by hand come first."""
    return run.trigger in REPEATED, run.expected_at, run.id


def is_expired(due: DueRun, now: Instant) -> bool:
    """Tell whether a run is too late for its first attempt by the policy of its job."""
    run, within = due.run, due.job.definition.run_policy.start_within
    if within is None or due.may_have_begun:
        return False
    return run.is_planned and is_first_attempt(run) and now - run.expected_at > within.ticks
