"""Compiles a rule and its anchor to the pattern of clock readings at which it fires."""

from datetime import date
from functools import lru_cache
from math import gcd

from foliot.core.instant import DAY, HOUR, MINUTE, Wall
from foliot.core.recurrence.cron import Cron, cron_fields
from foliot.core.recurrence.pattern import (
    DayPattern,
    MonthPattern,
    Pattern,
    StepPattern,
    clamped_day_by_kind,
    days_by_kind,
)
from foliot.core.recurrence.rule import Frequency, MonthlyOccurrence, Recurrence, Schedule

_STEPS = {Frequency.MINUTE: MINUTE, Frequency.HOUR: HOUR}


def is_absolute(rule: Recurrence) -> bool:
    """Tell whether the rule counts elapsed time, so that changes of offset do not move it."""
    return rule.is_grid and rule.frequency in _STEPS


def pattern_of(rule: Recurrence, anchor: Wall) -> Pattern:
    """Return the pattern of a rule; what the rule leaves open comes from the anchor."""
    source = rule.source
    if isinstance(source, Cron):
        return _cron_pattern(source)
    return _schedule_pattern(source, rule.interval, rule.schedule, anchor)


# Some rules take a millisecond to compile, jobs come again, and many share a rule.
@lru_cache(maxsize=4096)
def _schedule_pattern(
    frequency: Frequency, interval: int, schedule: Schedule | None, anchor: Wall
) -> Pattern:
    match frequency:
        case Frequency.MINUTE | Frequency.HOUR:
            return _step_pattern(_STEPS[frequency], interval, schedule, anchor)
        case Frequency.DAY | Frequency.WEEK:
            return _day_pattern(frequency, interval, schedule, anchor)
        case Frequency.MONTH | Frequency.YEAR:
            return _month_pattern(frequency, interval, schedule, anchor)


@lru_cache(maxsize=1024)
def _cron_pattern(cron: Cron) -> MonthPattern:
    fields = cron_fields(cron.text)
    week_days = tuple(MonthlyOccurrence(*each) for each in fields.week_days)
    if fields.is_either:
        by_number = days_by_kind(fields.month_days, (), fields.months)
        by_week_day = days_by_kind((), week_days, fields.months)
        days = tuple(one | other for one, other in zip(by_number, by_week_day, strict=True))
    else:
        days = days_by_kind(fields.month_days, week_days, fields.months)
    times = tuple(
        hour * HOUR + minute * MINUTE for hour in fields.hours for minute in fields.minutes
    )
    return MonthPattern.of(0, 1, days, times)


def _step_pattern(step: int, interval: int, schedule: Schedule | None, anchor: Wall) -> StepPattern:
    if schedule is None:
        return StepPattern(anchor, interval * step, (0,))
    # The cycle after which the same times of day come up again begins with the anchor's period.
    origin = Wall(anchor - anchor % step)
    turns = _turns_per_cycle(interval, DAY // step)
    if step == HOUR:
        allowed = schedule.hours or range(24)
        within = [minute * MINUTE for minute in schedule.minutes] or [anchor % HOUR]
    else:
        allowed = _minutes_of_day(schedule)
        within = [0 if schedule.minutes else anchor % MINUTE]
    active = _active_turns(interval, DAY // step, origin % DAY // step, allowed)
    offsets = sorted({turn * interval * step + rest for turn in active for rest in within})
    return StepPattern(origin, turns * interval * step, tuple(offsets))


def _turns_per_cycle(interval: int, units_per_day: int) -> int:
    return units_per_day // gcd(interval, units_per_day)


def _active_turns(
    interval: int, units_per_day: int, origin: int, allowed: range | tuple[int, ...]
) -> list[int]:
    """Solve `origin + turn * interval = unit (mod units_per_day)` for each allowed unit."""
    common = gcd(interval, units_per_day)
    turns = units_per_day // common
    inverse = pow(interval // common, -1, turns)
    distances = [(unit - origin) % units_per_day for unit in allowed]
    return [
        distance // common * inverse % turns for distance in distances if distance % common == 0
    ]


def _minutes_of_day(schedule: Schedule) -> tuple[int, ...]:
    hours, minutes = schedule.hours or range(24), schedule.minutes or range(60)
    return tuple(hour * 60 + minute for hour in hours for minute in minutes)


def _day_pattern(
    frequency: Frequency, interval: int, schedule: Schedule | None, anchor: Wall
) -> DayPattern:
    day = anchor // DAY
    months = tuple(sorted(set(schedule.months))) if schedule else ()
    times = _times_of_day(schedule, anchor)
    if frequency is Frequency.DAY:
        return DayPattern(day, interval, (0,), times, months)
    monday, week_day = day - day % 7, day % 7
    chosen = (schedule and schedule.week_days) or (week_day,)
    return DayPattern(monday, interval * 7, tuple(sorted(set(chosen))), times, months)


def _month_pattern(
    frequency: Frequency, interval: int, schedule: Schedule | None, anchor: Wall
) -> MonthPattern:
    here = date.fromordinal(anchor // DAY + 1)
    yearly = frequency is Frequency.YEAR
    months = tuple(sorted(set(schedule.months))) if schedule else ()
    if schedule and (schedule.month_days or schedule.monthly_occurrences):
        days = days_by_kind(schedule.month_days, schedule.monthly_occurrences, months)
    else:
        days = clamped_day_by_kind(here.day, months or ((here.month,) if yearly else ()))
    # A yearly rule, its interval always being 1, is one of every month with the months named.
    origin = here.year * 12 + (0 if yearly else here.month - 1)
    return MonthPattern.of(origin, interval, days, _times_of_day(schedule, anchor))


def _times_of_day(schedule: Schedule | None, anchor: Wall) -> tuple[int, ...]:
    if schedule is None or not (schedule.hours or schedule.minutes):
        return (anchor % DAY,)
    hours = schedule.hours or range(24)
    within = [minute * MINUTE for minute in schedule.minutes] or [anchor % HOUR]
    return tuple(sorted({hour * HOUR + rest for hour in hours for rest in within}))
