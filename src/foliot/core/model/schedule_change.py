"""Changes of when a job runs: the ledger is computed from them."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant, Moment
from foliot.core.recurrence import NO_CALENDAR_DAYS, CalendarDays, Recurrence


class ScheduleChangeKind(StrEnum):
    """What has changed: the calendar or the state of a job, or the state of its collection."""

    CALENDAR = "calendar"
    DISABLED = "disabled"
    ENABLED = "enabled"
    HALTED = "halted"
    RESUMED = "resumed"


class PastCalendar(Struct, frozen=True, kw_only=True):
    """A calendar that was in force: what a timetable is made of.

    `ended_at` is its latest planned time if it had no other one left.
    """

    start: Moment | None = None
    recurrence: Recurrence | None = None
    calendar_days: CalendarDays = NO_CALENDAR_DAYS
    calendar_at: Instant
    ended_at: Instant | None = None


class ScheduleChange(Struct, frozen=True, kw_only=True):
    """A change of when a job runs; `from_at` is the first planned time that it concerns.

    A change of the calendar has the calendar that was in force before.
    """

    job_id: JobId
    at: Instant
    from_at: Instant
    kind: ScheduleChangeKind
    calendar: PastCalendar | None = None
