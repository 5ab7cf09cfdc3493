"""Describes a rule in plain English: "Every 3 weeks on Monday and Friday at 10:00 UTC"."""

from collections.abc import Iterator

from foliot.core.instant import DAY, HOUR, MINUTE, Instant, Wall, reading_of
from foliot.core.recurrence.compile import is_absolute
from foliot.core.recurrence.cron import Cron, CronFields, cron_fields
from foliot.core.recurrence.dst_policy import DEFAULT_DST, DstPolicy, RepeatedTime, SkippedTime
from foliot.core.recurrence.exclusion import DateRange, DayOffMove, Exclusion
from foliot.core.recurrence.phrases import (
    clock,
    date_time,
    days_of_month,
    hours_of_day,
    if_that_is,
    in_months,
    listing,
    minutes_of_hours,
    times_of_day,
    week_days,
)
from foliot.core.recurrence.rule import Frequency, MonthlyOccurrence, Recurrence, Schedule
from foliot.core.recurrence.timetable import Timetable

_SHORTEST_MONTH = 28
_FEW_DATES = 3  # more dates are told as a number of days

_SKIPPED = {
    SkippedTime.AFTER: "",
    SkippedTime.SKIP: ", not at times that the clock skips",
    SkippedTime.BEFORE: ", a minute before the gap at times that the clock skips",
}
_REPEATED = {
    RepeatedTime.FIRST: "",
    RepeatedTime.SECOND: ", the second time at times that the clock shows twice",
    RepeatedTime.BOTH: ", both times at times that the clock shows twice",
}


def sentence(timetable: Timetable, now: Instant | None = None) -> str:
    """Say when a job runs; without `now` nobody knows whether a run at once is still to come."""
    rule, anchor = timetable.recurrence, timetable.anchor
    if rule is None:
        return f"Once, at {date_time(anchor)} UTC"
    return "".join((_times(rule, anchor), *_exceptions(rule), *_limits(timetable, now)))


def _times(rule: Recurrence, anchor: Wall) -> str:
    match rule.source:
        case Cron() as cron:
            text = " ".join(cron.text.split())
            return f"{_cron(cron_fields(text))},{_zone(rule)} (cron {text})"
        case Frequency() as frequency:
            schedule = rule.schedule
            every = f"{rule.interval} {frequency}s" if rule.interval > 1 else str(frequency)
            days = _days(frequency, schedule, anchor)
            return f"Every {every}{days}{_at(frequency, schedule, anchor, _zone(rule))}"


def _days(frequency: Frequency, schedule: Schedule | None, anchor: Wall) -> str:
    months = in_months(schedule.months if schedule else ())
    match frequency:
        case Frequency.MINUTE | Frequency.HOUR:
            return ""
        case Frequency.DAY:
            return months
        case Frequency.WEEK:
            chosen = (schedule and schedule.week_days) or (anchor // DAY % 7,)
            return f"{months} on {week_days(chosen)}"
        case Frequency.MONTH:
            return f"{months} on {_days_of_month(schedule, anchor)}"
        case Frequency.YEAR:
            months = months or _months_of_year(schedule, anchor)
            return f"{months} on {_days_of_month(schedule, anchor)}"


def _months_of_year(schedule: Schedule | None, anchor: Wall) -> str:
    if schedule and (schedule.month_days or schedule.monthly_occurrences):
        return " in every month"
    return in_months((reading_of(anchor).month,))


def _days_of_month(schedule: Schedule | None, anchor: Wall) -> str:
    if schedule and (schedule.month_days or schedule.monthly_occurrences):
        return days_of_month(schedule.month_days, schedule.monthly_occurrences)
    day = reading_of(anchor).day
    return f"day {day}" if day <= _SHORTEST_MONTH else f"day {day} or the month's last day"


def _at(frequency: Frequency, schedule: Schedule | None, anchor: Wall, zone: str) -> str:
    if frequency in (Frequency.MINUTE, Frequency.HOUR):
        return f"{_filters(frequency, schedule, anchor)}{zone}" if schedule else ""
    if schedule is None or not (schedule.hours or schedule.minutes):
        return f" at {clock(anchor % DAY)}{zone}"
    hours = sorted(schedule.hours) or range(24)
    return f" at {times_of_day(hours, _within(schedule, anchor))}{zone}"


def _filters(frequency: Frequency, schedule: Schedule, anchor: Wall) -> str:
    """Say which minutes and hours a rule of minutes or hours is held to."""
    if not schedule.minutes and frequency is Frequency.MINUTE:
        return f" during {hours_of_day(schedule.hours, 'every hour')}"
    minutes = minutes_of_hours(_within(schedule, anchor))
    return f" at {minutes} past {hours_of_day(schedule.hours, 'the hour')}"


def _within(schedule: Schedule, anchor: Wall) -> list[int]:
    return [minute * MINUTE for minute in sorted(schedule.minutes)] or [anchor % HOUR]


def _cron(fields: CronFields) -> str:
    days = f"{in_months(fields.months)}{_cron_days(fields)}"
    if len(fields.minutes) == HOUR // MINUTE:
        return f"Every minute of {hours_of_day(fields.hours, 'every hour')}{days}"
    within = [minute * MINUTE for minute in fields.minutes]
    return f"At {times_of_day(fields.hours, within)}{days}"


def _cron_days(fields: CronFields) -> str:
    occurrences = [MonthlyOccurrence(*each) for each in fields.week_days]
    if fields.is_either:
        numbers = f"{days_of_month(fields.month_days, ())} of the month"
        return f" on {numbers} and on {_cron_week_days(occurrences)}"
    if fields.month_days:
        return f" on {days_of_month(fields.month_days, ())} of the month{if_that_is(occurrences)}"
    if occurrences:
        return f" on {_cron_week_days(occurrences)}"
    return " every day" if len(fields.hours) < DAY // HOUR else ""


def _cron_week_days(occurrences: list[MonthlyOccurrence]) -> str:
    if all(each.occurrence is None for each in occurrences):
        return week_days(each.day for each in occurrences)
    return f"{days_of_month((), occurrences)} of the month"


def _zone(rule: Recurrence) -> str:
    return f" {rule.time_zone} time" if rule.time_zone else " UTC"


def _exceptions(rule: Recurrence) -> Iterator[str]:
    dst: DstPolicy = rule.dst or DEFAULT_DST
    yield _SKIPPED[dst.of_skipped]
    yield _REPEATED[dst.of_repeated]
    if rule.exclude is not None:
        yield f"{_days_off(rule.exclude)}{_zone_of_days(rule)}"


def _zone_of_days(rule: Recurrence) -> str:
    """Say whose days they are, where the times of the rule do not."""
    has_times = rule.schedule is not None or not is_absolute(rule)
    return "" if has_times or not rule.time_zone else f" ({rule.time_zone} time)"


def _days_off(exclusion: Exclusion) -> str:
    days = _dates(exclusion)
    match exclusion.move:
        case DayOffMove.SKIP:
            return f", except on {days}"
        case DayOffMove.NEXT:
            return f", instead of {days} on the next day that is not off"
        case DayOffMove.PREVIOUS:
            return f", instead of {days} on the last day before that is not off"


def _dates(exclusion: Exclusion) -> str:
    calendars = [f"the days of the calendar '{name}'" for name in exclusion.calendars]
    dates = exclusion.dates
    if len(dates) > _FEW_DATES:
        count = sum(each.last - each.first + 1 for each in dates)
        return listing([f"{count} days off", *calendars])
    return listing([*map(_range, dates), *calendars])


def _range(dates: DateRange) -> str:
    return str(dates).replace("/", " to ")


def _limits(timetable: Timetable, now: Instant | None) -> Iterator[str]:
    rule = timetable.recurrence
    # A grid begins with its opening; beside a schedule it is a run more, which counts.
    is_extra = rule is not None and not rule.is_grid and timetable.opening is not None
    if rule is not None and rule.count is not None:
        yield f", {rule.count} times" if rule.count > 1 else ", one time"
        if is_extra:
            yield f", {'the first' if rule.count > 1 else 'namely'} {_at_once(timetable, now)}"
    elif is_extra:
        yield f", and once {_at_once(timetable, now)}"
    if rule is not None and rule.end is not None:
        yield f", until {date_time(Wall(timetable.end))} UTC"


def _at_once(timetable: Timetable, now: Instant | None) -> str:
    return f"{_opening_time(timetable, now)}, since it has no start time"


def _opening_time(timetable: Timetable, now: Instant | None) -> str:
    opening = timetable.opening or timetable.begin
    if not timetable.opening_comes_first:
        return f"at {date_time(Wall(opening))} UTC"
    if now is None:
        return "when it is saved"
    return "now" if opening >= now else "when it was saved"
