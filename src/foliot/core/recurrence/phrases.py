"""Phrases of the sentences about rules: times of day, days of a month, months, lists."""

from collections.abc import Callable, Iterable, Sequence

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Wall, reading_of
from foliot.core.recurrence.rule import WEEK_DAYS, MonthlyOccurrence

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")
_FEW_TIMES = 6  # a longer list of times is told as minutes of hours
_SHORTEST_RUN = 3  # numbers in a row that are told as "9 to 11"


def date_time(wall: Wall) -> str:
    """Write a reading of a clock, to the second: 2026-01-31 05:15."""
    return f"{reading_of(wall):%Y-%m-%d} {clock(wall % DAY)}"


def clock(ticks: int) -> str:
    """Write a time of day as people say it, to the second: 05:15, 05:15:30."""
    minutes, rest = divmod(ticks, MINUTE)
    seconds = f":{rest // SECOND:02}" if rest >= SECOND else ""
    return f"{minutes // 60:02}:{minutes % 60:02}{seconds}"


def times_of_day(hours: Sequence[int], within: Sequence[int]) -> str:
    """Name the times at which these parts of these hours lie: "09:00 and 17:00"."""
    if len(hours) * len(within) <= _FEW_TIMES:
        return listing(clock(hour * HOUR + rest) for hour in hours for rest in within)
    return f"{minutes_of_hours(within)} past {hours_of_day(hours, 'every hour')}"


def minutes_of_hours(within: Sequence[int]) -> str:
    """Name minutes of an hour: "minutes 0 and 30"."""
    noun = "minute" if len(within) == 1 else "minutes"
    if any(value % MINUTE for value in within):
        return f"{noun} {listing(clock(value).removeprefix('00:') for value in within)}"
    return f"{noun} {listing(in_rows(value // MINUTE for value in within))}"


def hours_of_day(hours: Sequence[int], every: str) -> str:
    """Name hours of a day: "hours 9 to 17"; none and all of them have a name of their own."""
    if len(set(hours)) in (0, 24):
        return every
    return f"{'hour' if len(hours) == 1 else 'hours'} {listing(in_rows(hours))}"


def in_months(months: Iterable[int]) -> str:
    """Say in which months: " in January and July", or nothing for any."""
    named = in_rows(months, lambda month: _MONTHS[month - 1])
    return f" in {listing(named)}" if named else ""


def week_days(days: Iterable[int]) -> str:
    """Name weekdays, Monday being 0: "Monday to Friday"."""
    return listing(in_rows(days, _week_day))


def days_of_month(numbers: Iterable[int], occurrences: Sequence[MonthlyOccurrence]) -> str:
    """Name the days of a month with these numbers that are one of these weekdays."""
    from_end = sorted(number for number in set(numbers) if number < 0)
    from_start = {number for number in numbers if number > 0}
    if not (from_start or from_end):
        return listing(map(_occurrence, occurrences))
    return f"{_numbered(from_start, from_end)}{if_that_is(occurrences)}"


def if_that_is(occurrences: Sequence[MonthlyOccurrence]) -> str:
    """Say which weekdays a day must be: " if that is a Monday", or nothing for any."""
    return f" if that is {listing(map(_condition, occurrences), 'or')}" if occurrences else ""


def in_rows(numbers: Iterable[int], name: Callable[[int], str] = str) -> list[str]:
    """Name the numbers in order, three and more in a row as "9 to 12"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
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


def listing(items: Iterable[str], last: str = "and") -> str:
    """Write a list: "one, two and three"."""
    *head, tail = items
    return f"{', '.join(head)} {last} {tail}" if head else tail


def _numbered(from_start: set[int], from_end: list[int]) -> str:
    named = [f"the {_from_end(-number)} day" for number in from_end]
    if not from_start:
        return listing(named)
    noun = "day" if len(from_start) == 1 else "days"
    return f"{noun} {listing([*in_rows(from_start), *named])}"


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


def _week_day(day: int) -> str:
    return WEEK_DAYS[day].capitalize()
