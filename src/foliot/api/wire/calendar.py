"""The part of a job that says when it runs: `startTime` and `recurrence`."""

from collections.abc import Callable
from typing import TypeVar

from foliot.api.wire.reader import Json, Properties, read_integer, read_list, read_text
from foliot.core.errors import Invalid, Path, within, wrong
from foliot.core.instant import Moment, parse_moment
from foliot.core.recurrence import WEEK_DAYS, Frequency, MonthlyOccurrence, Recurrence, Schedule

Value = TypeVar("Value", int, MonthlyOccurrence)

_FREQUENCIES = {each.value: each for each in Frequency} | {
    "minutely": Frequency.MINUTE,
    "hourly": Frequency.HOUR,
    "daily": Frequency.DAY,
    "weekly": Frequency.WEEK,
    "monthly": Frequency.MONTH,
    "yearly": Frequency.YEAR,
}
_RECURRENCE = ("frequency", "interval", "count", "endTime", "schedule", "timeZone")
_SCHEDULE = ("minutes", "hours", "weekDays", "monthDays", "monthlyOccurrences", "months")
_OLD_SCHEDULE_NAMES = {"minute": "minutes", "hour": "hours"}
_MAX_WEEK_DAYS = 7


def decode_start(job: Properties) -> Moment | None:
    """Read `startTime` from the properties of a job."""
    return _optional_moment(job, "startTime")


def decode_recurrence(job: Properties) -> Recurrence | None:
    """Read `recurrence` from the properties of a job."""
    value = job.get("recurrence")
    if value is None:
        return None
    given = Properties(value, job.at("recurrence"))
    given.refuse_others(_RECURRENCE)
    frequency = _frequency(given)
    interval, count = _optional_integer(given, "interval"), _optional_integer(given, "count")
    end, schedule = _optional_moment(given, "endTime"), _schedule(given)
    time_zone = given.get("timeZone")
    zone_name = None if time_zone is None else read_text(time_zone, given.at("timeZone"))
    with within(*given.path):
        return Recurrence(
            frequency=frequency,
            interval=1 if interval is None else interval,
            count=count or None,  # some clients send 0 for "no limit"
            end=end,
            schedule=schedule,
            time_zone=zone_name,
        )


def _frequency(given: Properties) -> Frequency:
    value = given.get("frequency")
    known = ", ".join(Frequency)
    if value is None:
        raise Invalid(given.at("frequency"), f"is missing; give one of {known}.")
    if not isinstance(value, str) or value.lower() not in _FREQUENCIES:
        raise wrong(given.at("frequency"), value, f"one of {known}")
    return _FREQUENCIES[value.lower()]


def _schedule(recurrence: Properties) -> Schedule | None:
    value = recurrence.get("schedule")
    if value is None:
        return None
    given = Properties(value, recurrence.at("schedule"), _OLD_SCHEDULE_NAMES)
    given.refuse_others(_SCHEDULE)
    fields = {
        "minutes": _values(given, "minutes", read_integer),
        "hours": _values(given, "hours", read_integer),
        "month_days": _values(given, "monthDays", read_integer),
        "months": _values(given, "months", read_integer),
        "week_days": _values(given, "weekDays", _week_day, most=_MAX_WEEK_DAYS),
    }
    occurrences = _values(given, "monthlyOccurrences", _monthly_occurrence, single=False)
    with within(*given.path):
        return Schedule(**fields, monthly_occurrences=occurrences)


def _values(
    given: Properties,
    name: str,
    read: Callable[[Json, Path], Value],
    *,
    single: bool = True,
    most: int | None = None,
) -> tuple[Value, ...]:
    """Read a list, or a value for a list of one, each value once and in the order given."""
    value = given.get(name)
    if value is None:
        return ()
    path = given.at(name)
    items = read_list(value, path, single=single)
    if most is not None and len(items) > most:
        raise Invalid(path, f"{len(items)} values are too many; give at most {most}.")
    # The place of an item is named only where the client wrote a list.
    paths = [(*path, index) if isinstance(value, list) else path for index in range(len(items))]
    return tuple(dict.fromkeys(map(read, items, paths)))


def _week_day(value: Json, path: Path) -> int:
    if not isinstance(value, str) or value.lower() not in WEEK_DAYS:
        raise wrong(path, value, f"one of {', '.join(WEEK_DAYS)}")
    return WEEK_DAYS.index(value.lower())


def _monthly_occurrence(value: Json, path: Path) -> MonthlyOccurrence:
    given = Properties(value, path)
    given.refuse_others(("day", "occurrence"))
    if given.get("day") is None:
        raise Invalid(given.at("day"), f"is missing; give one of {', '.join(WEEK_DAYS)}.")
    day = _week_day(given.get("day"), given.at("day"))
    occurrence = _optional_integer(given, "occurrence")
    with within(*path):
        return MonthlyOccurrence(day, occurrence)


def _optional_integer(given: Properties, name: str) -> int | None:
    value = given.get(name)
    return None if value is None else read_integer(value, given.at(name))


def _optional_moment(given: Properties, name: str) -> Moment | None:
    value = given.get(name)
    if value is None:
        return None
    text = read_text(value, given.at(name), "an ISO 8601 date-time in quotes")
    with within(*given.at(name)):
        return parse_moment(text)
