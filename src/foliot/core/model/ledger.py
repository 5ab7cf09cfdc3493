"""The ledger of a job: one line for each planned time."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.history import HistoryEntry
from foliot.core.model.job import Job
from foliot.core.model.run import Run, Trigger
from foliot.core.model.schedule_change import ScheduleChange


class LineOutcome(StrEnum):
    """What became of a planned time, or will."""

    UPCOMING = "upcoming"
    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    RECOVERED = "recovered"
    FAILED = "failed"
    CANCELED = "canceled"
    SKIPPED = "skipped"
    NOT_PLANNED = "notPlanned"
    UNKNOWN = "unknown"


class NotPlanned(StrEnum):
    """Why a time was not planned, or why nothing is known of it."""

    NOT_CREATED = "notCreated"
    OTHER_CALENDAR = "otherCalendar"
    CALENDAR_CHANGED = "calendarChanged"
    NOT_KEPT = "notKept"


class LedgerLine(Struct, frozen=True, kw_only=True):
    """A planned time of a job and what became of it; `explanation` is a sentence.

    `attempts` are those of the run at its main action, `moved_to` is where a day off has moved the
    occurrence.
    """

    planned_at: Instant
    outcome: LineOutcome
    reason: str | None = None
    explanation: str = ""
    trigger: Trigger | None = None
    tag: str | None = None
    attempts: int | None = None
    ended_at: Instant | None = None
    moved_to: Instant | None = None


class LedgerFacts(Struct, frozen=True, kw_only=True):
    """What the ledger of a job is computed from.

    `created_at` is None for a job of an older version of Foliot. The entries are those of runs of
    the calendar, and of skipped occurrences, in the order they were recorded.
    """

    job: Job
    collection: Collection
    created_at: Instant | None
    changes: Sequence[ScheduleChange]
    open_runs: Sequence[Run]
    entries: Sequence[HistoryEntry]
    now: Instant
