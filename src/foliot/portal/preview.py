"""The preview of a schedule: a sentence, the next ten runs, the days of a year."""

from collections.abc import Iterator
from datetime import date

from msgspec import Struct

from foliot.core.instant import DAY, Instant, Wall, reading_of
from foliot.core.model.job import Job
from foliot.core.recurrence import ExplainedTime, Timetable, zone_of
from foliot.core.recurrence.zone import to_instant, to_wall
from foliot.core.rules.coming_runs import coming_runs
from foliot.core.rules.job_sentence import job_sentence
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_before, runs_left

_RUNS = 10
DAYS = 366


class Preview(Struct, frozen=True, kw_only=True):
    """The coming runs of a job; days are in its own time zone, as numbers from today."""

    sentence: str
    runs: tuple[ExplainedTime, ...]
    first_day: date
    days: frozenset[int]
    zone: str


def preview(job: Job, now: Instant) -> Preview:
    """Return the preview of an enabled job."""
    timetable, rule = timetable_of(job), job.definition.recurrence
    today = to_wall(zone_of(rule), now) // DAY
    return Preview(
        sentence=job_sentence(job, now),
        runs=tuple(coming_runs(job, now, _RUNS)),
        first_day=reading_of(Wall(today * DAY)).date(),
        days=frozenset(_days(job, timetable, today)),
        zone=(rule and rule.time_zone) or "UTC",
    )


def _days(job: Job, timetable: Timetable, today: int) -> Iterator[int]:
    """Yield the days with runs, as numbers from today; jumps from day to day, not run to run."""
    zone, left = zone_of(job.definition.recurrence), runs_left(job)
    at = job.next_at
    while at is not None:
        day = to_wall(zone, at) // DAY
        if day - today >= DAYS or (left is not None and runs_before(job, at)[0] >= left):
            return
        yield day - today
        at = timetable.next_after(Instant(to_instant(zone, Wall((day + 1) * DAY)) - 1))
