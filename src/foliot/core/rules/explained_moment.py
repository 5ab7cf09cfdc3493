"""Explains a moment of a job: the planned times around it, and the calendar that was in force."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from msgspec import Struct

from foliot.core.instant import DAY, HOUR, LAST_TICK, MINUTE, Instant
from foliot.core.model.ledger import LedgerFacts, LedgerLine
from foliot.core.recurrence import sentence
from foliot.core.rules.calendar_periods import (
    Period,
    periods_of,
    timetable_of_calendar,
    why_off_now,
)

# Planned times are looked for in these distances, one after the other, until some are found.
_DISTANCES = (HOUR, DAY, 7 * DAY, 31 * DAY, 366 * DAY)
_SHOWN = 5

LinesBetween = Callable[[Instant, Instant], Iterable[LedgerLine]]


class CalendarThen(Struct, frozen=True):
    """The calendar that was in force at a moment, in words.

    `off`: says that the job or its collection is not enabled, or was not; else empty.
    `is_current`: it is still in force.
    """

    sentence: str
    off: str
    is_current: bool


class ExplainedMoment(Struct, frozen=True, kw_only=True):
    """The planned times in a minute and the nearest ones before and after it, each in order.

    `created_later_at`: the job did not exist at the moment; `calendar` is then that of now.
    `is_past`: the minute has begun.
    """

    at: Instant
    here: Sequence[LedgerLine]
    before: Sequence[LedgerLine]
    after: Sequence[LedgerLine]
    created_later_at: Instant | None
    calendar: CalendarThen
    is_past: bool


def explain_moment(at: Instant, lines: LinesBetween, facts: LedgerFacts) -> ExplainedMoment:
    """Explain the minute in which a moment lies; `lines` are those of the ledger."""
    begin = Instant(at - at % MINUTE)
    end = Instant(begin + MINUTE)
    return ExplainedMoment(
        at=begin,
        here=list(islice(lines(begin, end), _SHOWN)),
        before=_nearest_before(begin, lines),
        after=_nearest_after(end, lines),
        created_later_at=None if _has_existed(begin, facts) else facts.created_at,
        calendar=_calendar_at(begin, facts),
        is_past=begin <= facts.now,
    )


def _nearest_before(at: Instant, lines: LinesBetween) -> Sequence[LedgerLine]:
    reached = at
    for distance in _DISTANCES:
        since = Instant(max(0, at - distance))
        found = deque(lines(since, reached), maxlen=_SHOWN) if since < reached else ()
        if found:
            return list(found)
        reached = since
    return ()


def _nearest_after(at: Instant, lines: LinesBetween) -> Sequence[LedgerLine]:
    reached = at
    for distance in _DISTANCES:
        before = Instant(min(LAST_TICK, at + distance))
        found = list(islice(lines(reached, before), _SHOWN)) if reached < before else ()
        if found:
            return found
        reached = before
    return ()


def _has_existed(at: Instant, facts: LedgerFacts) -> bool:
    return facts.created_at is None or facts.created_at < at + MINUTE


def _calendar_at(at: Instant, facts: LedgerFacts) -> CalendarThen:
    if not _has_existed(at, facts):
        at = facts.now
    # Until it was changed, a calendar was in force for occurrences that the change has replaced.
    periods = [each for each in periods_of(facts) if each.begin <= at < each.end]
    period = next((each for each in periods if each.is_replaced), periods[-1])
    said = sentence(timetable_of_calendar(period.calendar), at)
    return CalendarThen(said, _why_off(period, at, facts), period.is_current)


def _why_off(period: Period, at: Instant, facts: LedgerFacts) -> str:
    if not period.is_off:
        return ""
    now = why_off_now(facts) if at >= facts.now else ""
    return now or "the job or its collection was not enabled"
