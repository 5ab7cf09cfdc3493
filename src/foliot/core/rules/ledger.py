"""Computes the ledger of a job: what became of each planned time in a stretch of time.

docs/reference/ledger.md describes the lines. A planned time is looked up among the runs and the
skipped stretches that were recorded; without a record, the changes of the job tell why.
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import timedelta
from enum import IntEnum
from heapq import merge
from typing import NamedTuple

from msgspec import structs

from foliot.core.instant import HOUR, SECOND, Instant, tell_instant, to_the_second
from foliot.core.model.history import HistoryEntry, RunOutcome, SkipReason
from foliot.core.model.job import Job
from foliot.core.model.ledger import LedgerFacts, LedgerLine, NotPlanned
from foliot.core.recurrence import Timetable, smallest_gap
from foliot.core.recurrence.clock_changes import instants_of
from foliot.core.recurrence.days_off import DaysOffPattern
from foliot.core.recurrence.dst_policy import DEFAULT_DST
from foliot.core.recurrence.zone import to_instant, to_wall
from foliot.core.rules.calendar_periods import (
    Period,
    periods_of,
    times_of,
    timetable_before,
    timetable_of_calendar,
    why_off_now,
)
from foliot.core.rules.ledger_lines import (
    line_of_ended,
    line_of_open,
    not_planned_line,
    skipped_line,
    unknown_line,
    upcoming_line,
)
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_before, runs_left

# More than a page of lines, and occurrences that come closer when clocks change.
_MANY = 10_000


class _Source(IntEnum):
    """Where a line comes from; of several for one planned time the first counts."""

    PLANNED = 0
    RECORDED = 1
    DAY_OFF = 2
    EARLIER = 3


class _Candidate(NamedTuple):
    at: Instant
    source: _Source
    period: Period | None = None
    moved_to: Instant | None = None


class _Records:
    """What was recorded of planned times; `periods` are those of the job, the current one last."""

    def __init__(self, facts: LedgerFacts) -> None:
        self.job = facts.job
        self.created_at = facts.created_at
        self.now = facts.now
        self.periods = periods_of(facts)
        self.why_off = why_off_now(facts)
        self.open = {run.expected_at: run for run in facts.open_runs if run.is_planned}
        skipped = RunOutcome.SKIPPED
        # An entry that was recorded later takes the place of an earlier one.
        self.ended = {
            entry.expected_at: entry for entry in facts.entries if entry.outcome is not skipped
        }
        self.stretches = [entry for entry in facts.entries if entry.outcome is skipped]
        # The last time that a job with a count will reach, once it is known.
        self.last_upcoming: Instant | None = None

    @property
    def is_off(self) -> bool:
        """Whether the job or its collection is not enabled now."""
        return self.periods[-1].is_off

    def is_upcoming(self, period: Period, at: Instant) -> bool:
        """Tell whether a planned time of a period lies before the job."""
        next_at = self.job.next_at
        return period.is_current and not self.is_off and next_at is not None and at >= next_at

    def is_over(self, at: Instant) -> bool:
        """Tell whether the count of the job is reached before a time."""
        return self.last_upcoming is not None and at > self.last_upcoming

    def is_planned(self, at: Instant) -> bool:
        """Tell whether the calendar that was in force at an instant has it as a planned time."""
        return any(
            at in times_of(period, at, Instant(at + 1))
            for period in self.periods
            if not period.is_replaced
        )

    def stretch_at(self, at: Instant) -> HistoryEntry | None:
        """Return the last entry of skipped occurrences that includes a planned time."""
        for entry in reversed(self.stretches):
            if entry.expected_at <= at <= (entry.last_expected_at or entry.expected_at):
                return entry
        return None


def ledger(facts: LedgerFacts, since: Instant, before: Instant) -> Iterator[LedgerLine]:
    """Yield a line for each planned time from one instant on and before another, in order."""
    records = _Records(facts)
    periods = records.periods
    candidates = merge(
        *(_planned(records, period, since, before) for period in periods),
        *(_days_off(records, period, since, before) for period in periods),
        _recorded(records, since, before),
        _earlier(records, since, before),
        key=lambda each: (each.at, each.source),
    )
    last = None
    for candidate in candidates:
        is_over = candidate.source is _Source.DAY_OFF and records.is_over(candidate.at)
        if candidate.at != last and not is_over:
            last = candidate.at
            yield _line(records, candidate)


def _planned(
    records: _Records, period: Period, since: Instant, before: Instant
) -> Iterator[_Candidate]:
    left = _left_at(records.job, since) if period.is_current else None
    reached = since
    for at in times_of(period, since, before):
        if left is not None and records.is_upcoming(period, at):
            if left <= 0:
                # No other one follows: the calendar itself may go on for thousands of years.
                records.last_upcoming = reached
                return
            left -= 1
        reached = at
        yield _Candidate(at, _Source.PLANNED, period)


def _left_at(job: Job, since: Instant) -> int | None:
    """Return how often a job with a count will still run at an instant, None if very often.

    To count a hundred thousand occurrences in a zone takes seconds.
    """
    left, next_at = runs_left(job), job.next_at
    if left is None or next_at is None or since <= next_at:
        return left
    gap = smallest_gap(timetable_of(job)) or timedelta(minutes=1)
    most = 2 * (since - next_at) // (gap // timedelta(seconds=1) * SECOND)
    return None if left > most + _MANY else left - runs_before(job, since)[0]


def _recorded(records: _Records, since: Instant, before: Instant) -> Iterator[_Candidate]:
    """Yield times that no calendar has: of a job that runs once and was enabled late."""
    job, current = records.job, records.periods[-1]
    is_late = job.definition.recurrence is None and not records.is_off
    late = {job.next_at} if is_late and job.next_at is not None else set[Instant]()
    skipped = {each.expected_at for each in records.stretches}
    for at in sorted({*records.open, *records.ended, *skipped, *late}):
        if since <= at < before:
            yield _Candidate(at, _Source.RECORDED, current if at in late else None)


def _days_off(
    records: _Records, period: Period, since: Instant, before: Instant
) -> Iterator[_Candidate]:
    """Yield the times that the calendar would have without its days off."""
    rule = period.calendar.recurrence
    if rule is None or rule.exclude is None or period.is_replaced:
        return
    pattern = timetable_of_calendar(period.calendar)
    without = structs.replace(
        period,
        calendar=structs.replace(
            period.calendar, recurrence=structs.replace(rule, exclude=None), ended_at=None
        ),
    )
    last = period.calendar.ended_at
    end, reached = before if last is None else min(before, last), since
    while (at := next(times_of(without, reached, end), None)) is not None:
        if (moved := _moved(pattern, at)) != at:
            yield _Candidate(at, _Source.DAY_OFF, period, moved)
            if records.is_over(at):
                return
            reached = Instant(at + 1)
        else:
            reached = max(Instant(at + 1), _next_day_off(pattern, at) or end)


def _moved(timetable: Timetable, at: Instant) -> Instant | None:
    """Return when an occurrence runs that days off may move, None if it is skipped."""
    pattern = timetable.pattern
    if not isinstance(pattern, DaysOffPattern):
        return at
    wall = to_wall(timetable.zone, at)
    moved = pattern.move(wall)
    if moved is None or moved == wall:
        return None if moved is None else at
    return next(iter(instants_of(timetable.zone, timetable.dst or DEFAULT_DST, moved)), None)


def _next_day_off(timetable: Timetable, at: Instant) -> Instant | None:
    """Return when days off begin after an instant, or somewhat earlier: a day may be years away."""
    pattern = timetable.pattern
    if not isinstance(pattern, DaysOffPattern):
        return None
    begins = pattern.begins
    place = bisect_right(begins, to_wall(timetable.zone, at))
    if place == len(begins):
        return None
    # A clock may be changed in the night before.
    return Instant(to_instant(timetable.zone, begins[place]) - 2 * HOUR)


def _earlier(records: _Records, since: Instant, before: Instant) -> Iterator[_Candidate]:
    """Yield the times that today's calendar would have had before it was in force."""
    end = min(before, Instant(records.job.calendar_at + 1))
    calendar = records.periods[-1].calendar
    timetable = timetable_before(calendar, since) if since < end else None
    at = None if timetable is None else timetable.next_after(Instant(since - 1))
    while timetable is not None and at is not None and at < end:
        yield _Candidate(at, _Source.EARLIER)
        at = timetable.next_after(at)


def _line(records: _Records, candidate: _Candidate) -> LedgerLine:
    at, period = candidate.at, candidate.period
    if (run := records.open.get(at)) is not None:
        return line_of_open(run, records.ended.get(at))
    if (entry := records.ended.get(at)) is not None:
        return line_of_ended(entry)
    if candidate.source is _Source.DAY_OFF:
        return _day_off_line(records, at, candidate.moved_to)
    if candidate.source is _Source.EARLIER:
        return _line_before(records, at)
    if (stretch := records.stretch_at(at)) is not None or period is None:
        reason = None if stretch is None else stretch.reason
        return skipped_line(at, SkipReason(reason or SkipReason.MISSED))
    return _line_without_record(records, period, at)


def _day_off_line(records: _Records, at: Instant, moved_to: Instant | None) -> LedgerLine:
    is_coming, why = at > records.now, ""
    if moved_to is not None and not records.is_planned(moved_to):
        # It lies before the start, behind the end, or where the day was not off yet.
        when, moved_to = tell_instant(moved_to), None
        why = f"the day is a day off, and {when}, to which it would move, is not a planned time"
    return skipped_line(at, SkipReason.DAY_OFF, moved_to, is_coming=is_coming, why=why)


def _line_without_record(records: _Records, period: Period, at: Instant) -> LedgerLine:
    if period.is_replaced:
        why = "the calendar was changed before the occurrence began"
        return not_planned_line(at, NotPlanned.CALENDAR_CHANGED, why)
    if records.is_upcoming(period, at):
        return upcoming_line(at, records.now)
    if period.is_off and at > records.now and records.why_off:
        return skipped_line(at, SkipReason.DISABLED, is_coming=True, why=records.why_off)
    if period.is_off:
        return skipped_line(at, SkipReason.DISABLED)
    return unknown_line(at)


def _line_before(records: _Records, at: Instant) -> LedgerLine:
    created_at = records.created_at
    if created_at is None or at <= created_at:
        when = "" if created_at is None else f" before {tell_instant(created_at)}"
        return not_planned_line(at, NotPlanned.NOT_CREATED, f"the job did not exist{when}")
    when = tell_instant(to_the_second(records.job.calendar_at))
    return not_planned_line(
        at, NotPlanned.OTHER_CALENDAR, f"another calendar was in force until {when}"
    )
