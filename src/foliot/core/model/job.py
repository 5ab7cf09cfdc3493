"""Jobs: the definition that a client gave, the state, and the counters."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import CollectionId, JobId
from foliot.core.instant import Instant, Moment
from foliot.core.model.action import Action
from foliot.core.model.policy import NO_POLICY, Policy
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.recurrence import NO_CALENDAR_DAYS, CalendarDays, Recurrence


class Definition(Struct, frozen=True, kw_only=True):
    """The definition that a client gave: the part of a job that is stored encrypted.

    `calendar_days` are the days of the calendars that the recurrence names, as they are now: no
    client gives or gets them, and a change of such a calendar changes them.
    """

    start: Moment | None = None
    action: Action
    recurrence: Recurrence | None = None
    policy: Policy | None = None
    calendar_days: CalendarDays = NO_CALENDAR_DAYS
    description: str | None = None
    tags: dict[str, str] | None = None

    @property
    def run_policy(self) -> Policy:
        """The policy, with no field set if none was given."""
        return self.policy or NO_POLICY


class JobState(StrEnum):
    """The state of a job; the last two are final."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    COMPLETED = "completed"
    FAULTED = "faulted"


class Job(Struct, frozen=True, kw_only=True):
    """A job with its definition, its place in the calendar and its counters.

    `calendar_at` is the moment the calendar was accepted, or a little later if the first run is
    delayed; `occurrence` is how many occurrences have run since then; `generation` grows with every
    change of the calendar. `settled_at` is the planned time of the latest occurrence that has
    ended, `settled_well` whether it succeeded: they decide how the job ends. `planned_at` is the
    latest occurrence of the calendar that was planned or skipped. `last_outcome` is how the run
    ended that ended last, `consecutive_failures` how many were given up since one succeeded;
    `paused_because` says why the policy of the job has disabled it. `ended_at` is when the job came
    to a final state, None in the others. An id of 0 is not stored yet.
    """

    id: JobId = JobId(0)
    collection_id: CollectionId
    name: str
    definition: Definition
    state: JobState = JobState.ENABLED
    calendar_at: Instant
    next_at: Instant | None = None
    occurrence: int = 0
    generation: int = 1
    last_execution_at: Instant | None = None
    execution_count: int = 0
    failure_count: int = 0
    faulted_count: int = 0
    settled_at: Instant | None = None
    settled_well: bool = True
    planned_at: Instant | None = None
    last_outcome: RunOutcome | None = None
    consecutive_failures: int = 0
    paused_because: str | None = None
    ended_at: Instant | None = None


class JobRecord(NamedTuple):
    """When a job was created and last changed, and by whom.

    Runs change nothing here. What an earlier version of Foliot stored has no time and no caller.
    """

    created_at: Instant | None
    changed_at: Instant | None
    changed_by: str | None
