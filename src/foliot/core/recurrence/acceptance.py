"""Refuses calendars of valid parts that never occur, when an enabled job is saved."""

from msgspec import structs

from foliot.core.errors import Invalid, shown
from foliot.core.instant import DAY, LAST_TICK, Instant, Moment, format_instant, to_the_second
from foliot.core.recurrence.exclusion import NO_CALENDAR_DAYS, CalendarDays
from foliot.core.recurrence.rule import Recurrence
from foliot.core.recurrence.sentence import sentence
from foliot.core.recurrence.timetable import Timetable

MAX_START_AHEAD = 548 * DAY  # 18 months
NEVER_AFTER = 7305 * DAY  # 20 years


def accept(
    recurrence: Recurrence | None,
    start: Moment | None,
    now: Instant,
    created: Instant | None = None,
    calendar_days: CalendarDays = NO_CALENDAR_DAYS,
) -> Timetable:
    """Return the timetable of an enabled job saved now, or refuse one that would never run.

    Its calendar begins now, or at `created` if the first occurrence is delayed.
    """
    timetable = Timetable.of(recurrence, start, now if created is None else created, calendar_days)
    for check in (check_start, check_end, _check_that_it_occurs):
        check(timetable, now)
    return timetable


def check_start(timetable: Timetable, now: Instant) -> None:
    """Refuse a start too far ahead."""
    latest = Instant(now + MAX_START_AHEAD)
    if timetable.begin > latest:
        given = shown(format_instant(timetable.begin))
        raise Invalid(
            ("startTime",),
            f"{given} is more than 18 months (548 days) ahead; "
            f"give {format_instant(to_the_second(latest))} or earlier.",
        )


def check_end(timetable: Timetable, now: Instant) -> None:
    """Refuse an end that has passed."""
    if timetable.end < now:
        given = shown(format_instant(timetable.end))
        soonest = format_instant(to_the_second(now, up=True))
        raise Invalid(
            ("recurrence", "endTime"),
            f"{given} is in the past; give {soonest} or later, or leave it out.",
        )


def _check_that_it_occurs(timetable: Timetable, now: Instant) -> None:
    if timetable.pattern is None:
        return
    scheduled = structs.replace(timetable, opening=None)
    endless = structs.replace(scheduled, end=Instant(LAST_TICK)).first()
    if endless is None or endless > now + NEVER_AFTER:
        rule = timetable.recurrence
        is_cron = rule is not None and rule.cron is not None
        raise Invalid(
            ("recurrence", "cron") if is_cron else ("recurrence",),
            f"this schedule never occurs: {shown(sentence(scheduled))} has no time within "
            f"20 years; {_advice(rule)}.",
        )
    if timetable.first() is None:
        given = shown(format_instant(timetable.end))
        raise Invalid(
            ("recurrence", "endTime"),
            f"this schedule never occurs: {given} lies before its first time, "
            f"{format_instant(to_the_second(endless, up=True))}; give a later time.",
        )


def _advice(rule: Recurrence | None) -> str:
    if rule is not None and rule.exclude is not None:
        return "change its days or times, or its days off"
    return "change its days or times, its interval or its start"
