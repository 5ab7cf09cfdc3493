"""Cuts time into periods in which one calendar was in force and the job ran, or did not.

The periods are found backwards, from what the job is now: each change tells what was before it.
"""

from calendar import isleap
from collections.abc import Iterator
from math import ceil

from msgspec import Struct

from foliot.core.instant import (
    DAY,
    HOUR,
    LAST_TICK,
    MINUTE,
    Instant,
    Moment,
    Wall,
    reading_of,
    tell_instant,
)
from foliot.core.instant import wall_of as wall_of_reading
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import Job, JobState
from foliot.core.model.ledger import LedgerFacts
from foliot.core.model.schedule_change import PastCalendar, ScheduleChange, ScheduleChangeKind
from foliot.core.recurrence import Cron, Frequency, Recurrence, Timetable, zone_of
from foliot.core.recurrence.compile import is_absolute
from foliot.core.recurrence.zone import to_instant, to_wall
from foliot.core.rules.lifecycle import FINAL, has_run_out

_PERIOD_TICKS = {
    Frequency.MINUTE: MINUTE,
    Frequency.HOUR: HOUR,
    Frequency.DAY: DAY,
    Frequency.WEEK: 7 * DAY,
}
# After so many years the same days of February exist.
_LEAP_YEARS = 4


class Period(Struct, frozen=True, kw_only=True):
    """Planned times from `begin` on and before `end`, by one calendar.

    `is_off`: the job or its collection was not enabled. `is_replaced`: another calendar came before
    they were planned. `is_current`: the calendar is the one that is in force now.
    """

    begin: Instant
    end: Instant
    calendar: PastCalendar
    is_off: bool
    is_replaced: bool = False
    is_current: bool = False


def current_calendar(job: Job) -> PastCalendar:
    """Return the calendar of a job that is in force; it has ended if no occurrence can follow."""
    has_ended = job.state in FINAL or has_run_out(job)
    has_ended = has_ended or (job.state is JobState.ENABLED and job.next_at is None)
    return PastCalendar(
        start=job.definition.start,
        recurrence=job.definition.recurrence,
        calendar_days=job.definition.calendar_days,
        calendar_at=job.calendar_at,
        ended_at=(job.planned_at or Instant(0)) if has_ended else None,
    )


def timetable_of_calendar(calendar: PastCalendar) -> Timetable:
    """Return the timetable of a calendar."""
    rule, start = calendar.recurrence, calendar.start
    return Timetable.of(rule, start, calendar.calendar_at, calendar.calendar_days)


def periods_of(facts: LedgerFacts) -> list[Period]:
    """Return all periods of a job, the earliest first."""
    calendar, is_current = current_calendar(facts.job), True
    is_disabled = facts.job.state is JobState.DISABLED
    is_halted = facts.collection.state is not CollectionState.ENABLED
    found: list[Period] = []
    end = Instant(LAST_TICK)
    for change in reversed(facts.changes):
        begin = _begin_after(change, is_disabled=is_disabled, is_halted=is_halted)
        begin = min(begin, end)
        found.append(
            Period(
                begin=begin,
                end=end,
                calendar=calendar,
                is_off=is_disabled or is_halted,
                is_current=is_current,
            )
        )
        end = begin
        match change.kind:
            case ScheduleChangeKind.CALENDAR:
                found.append(_replaced(change, begin))
                calendar, is_current = change.calendar or calendar, False
            case ScheduleChangeKind.DISABLED | ScheduleChangeKind.ENABLED:
                is_disabled = change.kind is ScheduleChangeKind.ENABLED
            case ScheduleChangeKind.HALTED | ScheduleChangeKind.RESUMED:
                is_halted = change.kind is ScheduleChangeKind.RESUMED
    found.append(
        Period(
            begin=Instant(0),
            end=end,
            calendar=calendar,
            is_off=is_disabled or is_halted,
            is_current=is_current,
        )
    )
    return found[::-1]


def why_off_now(facts: LedgerFacts) -> str:
    """Say whether the job or its collection is not enabled, and since when; empty if both are."""
    kinds = ScheduleChangeKind
    job, collection = facts.job.state, facts.collection.state
    told: list[str] = []
    if job is JobState.DISABLED:
        told.append(f"the job is disabled{_since(facts, kinds.DISABLED, kinds.ENABLED)}")
    if collection is not CollectionState.ENABLED:
        since = _since(facts, kinds.HALTED, kinds.RESUMED)
        told.append(f"the collection is {collection.lower()}{since}")
    return " and ".join(told)


def _since(facts: LedgerFacts, begun: ScheduleChangeKind, ended: ScheduleChangeKind) -> str:
    """Say since when something is so; empty if it was so from the beginning."""
    last = next((each for each in reversed(facts.changes) if each.kind in (begun, ended)), None)
    return f" since {tell_instant(last.at)}" if last is not None and last.kind is begun else ""


def _begin_after(change: ScheduleChange, *, is_disabled: bool, is_halted: bool) -> Instant:
    """Return from when on a change counts, by what held after it.

    While its collection is not enabled, the next time of a job passes and is not planned. Such
    times were skipped for that reason, whatever came later.
    """
    match change.kind:
        case ScheduleChangeKind.CALENDAR if is_disabled or is_halted:
            return change.at
        case ScheduleChangeKind.DISABLED if is_halted:
            return change.at
        case _:
            return change.from_at


def _replaced(change: ScheduleChange, begin: Instant) -> Period:
    """Return the time between the first occurrence that was not planned and the change."""
    calendar = change.calendar or PastCalendar(calendar_at=change.at)
    return Period(begin=begin, end=change.at, calendar=calendar, is_off=False, is_replaced=True)


def times_of(period: Period, since: Instant, before: Instant) -> Iterator[Instant]:
    """Yield the planned times of a period from one instant on and before another."""
    begin, end = max(period.begin, since), min(period.end, before)
    if period.calendar.ended_at is not None:
        end = min(end, Instant(period.calendar.ended_at + 1))
    timetable = timetable_of_calendar(period.calendar)
    at = timetable.next_after(Instant(begin - 1)) if begin < end else None
    while at is not None and at < end:
        yield at
        at = timetable.next_after(at)


def timetable_before(calendar: PastCalendar, since: Instant) -> Timetable | None:
    """Return the timetable that a calendar would have had from an earlier instant on.

    None for a job that runs once. Without a start the anchor of the calendar is moved back by
    whole periods, so that the same times come out.
    """
    rule, start = calendar.recurrence, calendar.start
    if rule is None:
        return None
    created = Instant(since - 1)
    if start is not None:
        return Timetable.of(rule, start, created, calendar.calendar_days)
    anchor = _moved_back(rule, calendar.calendar_at, since)
    return Timetable.of(rule, Moment.at(anchor), created, calendar.calendar_days)


def _moved_back(rule: Recurrence, anchor: Instant, since: Instant) -> Instant:
    """Return an anchor before an instant, or the earliest there is: time begins with the year 1."""
    if anchor < since:
        return anchor
    match rule.source:
        case Cron():
            return Instant(max(0, since - DAY))
        case Frequency() as frequency:
            zone = None if is_absolute(rule) else zone_of(rule)
            wall = to_wall(zone, anchor)
            ticks = _PERIOD_TICKS.get(frequency)
            if ticks is None:
                moved = _years_back(wall, _LEAP_YEARS * rule.interval, anchor - since)
            else:
                length = ticks * rule.interval
                # A zone may be a day ahead.
                most = max(0, (wall - 2 * DAY) // length)
                moved = wall - min(ceil((anchor - since) / length) + 2, most) * length
            return to_instant(zone, Wall(moved))


def _years_back(wall: Wall, years: int, distance: int) -> Wall:
    """Return the same reading so many years earlier, again and again; 29 February not each time."""
    reading = reading_of(wall)
    is_leap_day = (reading.month, reading.day) == (2, 29)
    found = [
        year for year in range(reading.year, 1, -years) if isleap(year) or not is_leap_day
    ] or [reading.year]
    wanted = reading.year - years * (distance // (365 * DAY * years) + 1)
    year = next((each for each in found if each <= wanted), found[-1])
    # A reading has no tenths of a microsecond.
    return Wall(wall_of_reading(reading.replace(year=year)) + wall % 10)
