"""The preview of a schedule: a sentence, the next ten runs, the days of a year."""

from collections.abc import Iterator
from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.core.instant import DAY, MINUTE, Instant, Wall, reading_of, tell_length
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import ExplainedTime, Timetable, zone_of
from foliot.core.recurrence.zone import find_zone, offset_at, offset_changes, to_instant, to_wall
from foliot.core.rules.coming_runs import coming_runs
from foliot.core.rules.job_sentence import job_sentence
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_before, runs_left

_RUNS = 10
DAYS = 366


class PreviewedRun(Struct, frozen=True, kw_only=True):
    """A coming run: its time, what the job's clock shows then, and what was done to it."""

    at: Instant
    local: str
    notes: tuple[str, ...]
    is_on_clock_change: bool


class ClockChange(Struct, frozen=True, kw_only=True):
    """A day on which the job's clock is put forward or back."""

    day: int
    words: str


class Preview(Struct, frozen=True, kw_only=True):
    """The coming runs of a job; days are in its own time zone, as numbers from today."""

    sentence: str
    runs: tuple[PreviewedRun, ...]
    first_day: date
    days: frozenset[int]
    days_off: frozenset[int]
    clock_changes: tuple[ClockChange, ...]
    zone: str


def preview(job: Job, now: Instant) -> Preview:
    """Return the preview of an enabled job."""
    timetable, rule = timetable_of(job), job.definition.recurrence
    zone = zone_of(rule)
    today = to_wall(zone, now) // DAY
    changes = tuple(_clock_changes(zone, now, today))
    changed = frozenset(each.day for each in changes)
    return Preview(
        sentence=job_sentence(job, now),
        runs=tuple(_run(each, zone, today, changed) for each in coming_runs(job, now, _RUNS)),
        first_day=reading_of(Wall(today * DAY)).date(),
        days=frozenset(_days(job, timetable, today)),
        days_off=frozenset(_days_off(job.definition, today)),
        clock_changes=changes,
        zone=(rule and rule.time_zone) or "UTC",
    )


def is_time_of(shown: Preview, viewer: ZoneInfo | None) -> bool:
    """Tell whether the clock of a viewer shows the same as that of the job at each run."""
    zone = find_zone(shown.zone)
    return all(offset_at(zone, each.at) == offset_at(viewer, each.at) for each in shown.runs)


def _run(
    explained: ExplainedTime, zone: ZoneInfo | None, today: int, changed: frozenset[int]
) -> PreviewedRun:
    wall = to_wall(zone, explained.at)
    form = "%a %Y-%m-%d %H:%M:%S" if wall % MINUTE else "%a %Y-%m-%d %H:%M"
    return PreviewedRun(
        at=explained.at,
        local=f"{reading_of(wall):{form}}",
        notes=explained.notes,
        is_on_clock_change=wall // DAY - today in changed,
    )


def _clock_changes(zone: ZoneInfo | None, now: Instant, today: int) -> Iterator[ClockChange]:
    """Yield the clock changes of a year; a day in the zone begins before or after that of UTC."""
    for at in offset_changes(zone, Instant(now - DAY), Instant(now + DAYS * DAY)):
        moved = offset_at(zone, at) - offset_at(zone, at - 1)
        wall = Wall(at + offset_at(zone, at - 1))
        direction = "forward" if moved > 0 else "back"
        words = f"{reading_of(wall):%Y-%m-%d}: {direction} {tell_length(abs(moved))}"
        if 0 <= wall // DAY - today < DAYS:
            yield ClockChange(day=wall // DAY - today, words=words)


def _days_off(definition: Definition, today: int) -> Iterator[int]:
    rule = definition.recurrence
    own = () if rule is None or rule.exclude is None else rule.exclude.dates
    for each in (*own, *definition.calendar_days.ranges):
        yield from range(max(each.first - today, 0), min(each.last - today, DAYS - 1) + 1)


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
