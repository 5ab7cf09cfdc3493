"""Describes a rule in plain English: "Every 3 weeks on Monday and Friday at 10:00 UTC"."""

from collections.abc import Callable, Iterable

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Wall, reading_of
from foliot.core.recurrence.rule import (
    WEEK_DAYS,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
)
from foliot.core.recurrence.timetable import Timetable

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")

_AT_ONCE = "when it is saved, since it has no start time"
_FEW_TIMES = 6  # a longer list of times is told as minutes of hours
_SHORTEST_RUN = 3  # numbers in a row that are told as "9 to 11"
_SHORTEST_MONTH = 28


def sentence(timetable: Timetable) -> str:
    """Say when a job runs."""
    rule, anchor = timetable.recurrence, timetable.anchor
    if rule is None:
        return f"Once, at {_date_time(anchor)} UTC"
    return "".join((_every(rule), _days(rule, anchor), _times(rule, anchor), *_limits(timetable)))


def _every(rule: Recurrence) -> str:
    if rule.interval == 1:
        return f"Every {rule.frequency}"
    return f"Every {rule.interval} {rule.frequency}s"


def _days(rule: Recurrence, anchor: Wall) -> str:
    months = rule.schedule.months if rule.schedule else ()
    match rule.frequency:
        case Frequency.MINUTE | Frequency.HOUR:
            return ""
        case Frequency.DAY:
            return _in_months(months)
        case Frequency.WEEK:
            chosen = (rule.schedule and rule.schedule.week_days) or (anchor // DAY % 7,)
            return f"{_in_months(months)} on {_listing(_runs(chosen, _week_day))}"
        case Frequency.MONTH:
            return f"{_in_months(months)} on {_days_of_month(rule.schedule, anchor)}"
        case Frequency.YEAR:
            in_months = _in_months_of_year(rule.schedule, anchor)
            return f"{in_months} on {_days_of_month(rule.schedule, anchor)}"


def _in_months(months: tuple[int, ...]) -> str:
    return f" in {_listing(_runs(months, _month))}" if months else ""


def _in_months_of_year(schedule: Schedule | None, anchor: Wall) -> str:
    if schedule and schedule.months:
        return _in_months(schedule.months)
    if schedule and (schedule.month_days or schedule.monthly_occurrences):
        return " in every month"
    return _in_months((reading_of(anchor).month,))


def _days_of_month(schedule: Schedule | None, anchor: Wall) -> str:
    numbers = schedule.month_days if schedule else ()
    occurrences = schedule.monthly_occurrences if schedule else ()
    if numbers and occurrences:
        return f"{_numbered(numbers)} if that is {_listing(map(_condition, occurrences), 'or')}"
    if occurrences:
        return _listing(map(_occurrence, occurrences))
    if numbers:
        return _numbered(numbers)
    day = reading_of(anchor).day
    return f"day {day}" if day <= _SHORTEST_MONTH else f"day {day} or the month's last day"


def _numbered(numbers: tuple[int, ...]) -> str:
    from_start = {number for number in numbers if number > 0}
    from_end = sorted({number for number in numbers if number < 0})
    named = [f"the {_from_end(-number)} day" for number in from_end]
    if not from_start:
        return _listing(named)
    noun = "day" if len(from_start) == 1 else "days"
    return f"{noun} {_listing([*_runs(from_start), *named])}"


def _occurrence(each: MonthlyOccurrence) -> str:
    if each.occurrence is None:
        return f"every {_week_day(each.day)}"
    return f"the {_nth(each.occurrence)} {_week_day(each.day)}"


def _condition(each: MonthlyOccurrence) -> str:
    return f"a {_week_day(each.day)}" if each.occurrence is None else _occurrence(each)


def _nth(number: int) -> str:
    return _ORDINALS[number] if number > 0 else _from_end(-number)


def _from_end(number: int) -> str:
    if number == 1:
        return "last"
    ordinal = _ORDINALS[number] if number < len(_ORDINALS) else f"{number}{_suffix(number)}"
    return f"{ordinal}-to-last"


def _suffix(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _times(rule: Recurrence, anchor: Wall) -> str:
    schedule = rule.schedule
    if rule.frequency in (Frequency.MINUTE, Frequency.HOUR):
        return f"{_filters(rule, schedule, anchor)}{_zone(rule)}" if schedule else ""
    if schedule is None or not (schedule.hours or schedule.minutes):
        return f" at {_clock(anchor % DAY)}{_zone(rule)}"
    hours = sorted(schedule.hours) or range(24)
    within = [minute * MINUTE for minute in sorted(schedule.minutes)] or [anchor % HOUR]
    if len(hours) * len(within) <= _FEW_TIMES:
        times = [_clock(hour * HOUR + rest) for hour in hours for rest in within]
        return f" at {_listing(times)}{_zone(rule)}"
    return f" at {_minutes(within)} past {_hours(schedule.hours, 'every hour')}{_zone(rule)}"


def _filters(rule: Recurrence, schedule: Schedule, anchor: Wall) -> str:
    """Say which minutes and hours a rule of minutes or hours is held to."""
    if not schedule.minutes and rule.frequency is Frequency.MINUTE:
        return f" during {_hours(schedule.hours, 'every hour')}"
    within = [minute * MINUTE for minute in sorted(schedule.minutes)] or [anchor % HOUR]
    return f" at {_minutes(within)} past {_hours(schedule.hours, 'the hour')}"


def _minutes(within: list[int]) -> str:
    noun = "minute" if len(within) == 1 else "minutes"
    if any(value % MINUTE for value in within):
        return f"{noun} {_listing(_clock(value).removeprefix('00:') for value in within)}"
    return f"{noun} {_listing(_runs(value // MINUTE for value in within))}"


def _hours(hours: tuple[int, ...], every: str) -> str:
    if len(set(hours)) in (0, 24):
        return every
    return f"{'hour' if len(hours) == 1 else 'hours'} {_listing(_runs(hours))}"


def _zone(rule: Recurrence) -> str:
    return f" {rule.time_zone} time" if rule.time_zone else " UTC"


def _limits(timetable: Timetable) -> Iterable[str]:
    rule = timetable.recurrence
    # A grid begins with its opening; beside a schedule it is a run more, which counts.
    is_extra = rule is not None and not rule.is_grid and timetable.opening is not None
    if rule is not None and rule.count is not None:
        yield f", {rule.count} times" if rule.count > 1 else ", one time"
        if is_extra:
            yield f", {'the first' if rule.count > 1 else 'namely'} {_AT_ONCE}"
    elif is_extra:
        yield f", and once {_AT_ONCE}"
    if rule is not None and rule.end is not None:
        yield f", until {_date_time(Wall(timetable.end))} UTC"


def _month(month: int) -> str:
    return _MONTHS[month - 1]


def _week_day(day: int) -> str:
    return WEEK_DAYS[day].capitalize()


def _date_time(wall: Wall) -> str:
    return f"{reading_of(wall):%Y-%m-%d} {_clock(wall % DAY)}"


def _clock(ticks: int) -> str:
    """Write a time of day as people say it, to the second: 05:15, 05:15:30."""
    minutes, rest = divmod(ticks, MINUTE)
    seconds = f":{rest // SECOND:02}" if rest >= SECOND else ""
    return f"{minutes // 60:02}:{minutes % 60:02}{seconds}"


def _runs(numbers: Iterable[int], name: Callable[[int], str] = str) -> list[str]:
    """Name the numbers in order, three and more in a row as "9 to 12"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named: list[str] = []
    for run in runs:
        if len(run) < _SHORTEST_RUN:
            named.extend(map(name, run))
        else:
            named.append(f"{name(run[0])} to {name(run[-1])}")
    return named


def _listing(items: Iterable[str], last: str = "and") -> str:
    *head, tail = items
    return f"{', '.join(head)} {last} {tail}" if head else tail
