"""The part of a job that says when it runs: `startTime` and `recurrence`."""

from collections.abc import Callable
from typing import TypeVar
from zoneinfo import ZoneInfo

from foliot.api.wire.json_reader import (
    Json,
    Properties,
    optional_integer,
    optional_object,
    optional_text,
    read_integer,
    read_list,
    read_text,
    read_word,
    required,
    without_nulls,
)
from foliot.core.errors import Invalid, Path, within, wrong
from foliot.core.instant import Moment, format_instant, parse_moment
from foliot.core.recurrence import (
    WEEK_DAYS,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
    instant_of_moment,
    zone_of,
)

Value = TypeVar("Value", int, MonthlyOccurrence)

_FREQUENCIES = {each.value: each for each in Frequency} | {
    "minutely": Frequency.MINUTE,
    "hourly": Frequency.HOUR,
    "daily": Frequency.DAY,
    "weekly": Frequency.WEEK,
    "monthly": Frequency.MONTH,
    "yearly": Frequency.YEAR,
}
_OLD_SCHEDULE_NAMES = {"minute": "minutes", "hour": "hours"}
_WEEK_DAYS = {name: number for number, name in enumerate(WEEK_DAYS)}
_MAX_WEEK_DAYS = 7


def decode_start(job: Properties) -> Moment | None:
    """Read `startTime` from the properties of a job."""
    return _optional_moment(job, "startTime")


def decode_recurrence(job: Properties) -> Recurrence | None:
    """Read `recurrence` from the properties of a job."""
    given = optional_object(job, "recurrence")
    if given is None:
        return None
    frequency = decode_frequency(given)
    interval, count = optional_integer(given, "interval"), optional_integer(given, "count")
    end, schedule = _optional_moment(given, "endTime"), _schedule(given)
    time_zone = optional_text(given, "timeZone")
    given.refuse_unknown()
    with within(*given.path):
        return Recurrence(
            frequency=frequency,
            interval=1 if interval is None else interval,
            count=count or None,  # some clients send 0 for "no limit"
            end=end,
            schedule=schedule,
            time_zone=time_zone,
        )


def decode_frequency(given: Properties) -> Frequency:
    """Read `frequency`, also by the names old samples have for it."""
    expected = f"one of {', '.join(Frequency)}"
    value = required(given, "frequency", expected)
    if not isinstance(value, str) or value.lower() not in _FREQUENCIES:
        raise wrong(given.at("frequency"), value, expected)
    return _FREQUENCIES[value.lower()]


def _schedule(recurrence: Properties) -> Schedule | None:
    given = recurrence.child("schedule", _OLD_SCHEDULE_NAMES)
    if given is None:
        return None
    fields = {
        "minutes": _values(given, "minutes", read_integer),
        "hours": _values(given, "hours", read_integer),
        "month_days": _values(given, "monthDays", read_integer),
        "months": _values(given, "months", read_integer),
        "week_days": _values(given, "weekDays", _week_day, most=_MAX_WEEK_DAYS),
    }
    occurrences = _values(given, "monthlyOccurrences", _monthly_occurrence, single=False)
    given.refuse_unknown()
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
    return read_word(value, path, _WEEK_DAYS)


def _monthly_occurrence(value: Json, path: Path) -> MonthlyOccurrence:
    given = Properties(value, path)
    day = _week_day(required(given, "day", f"one of {', '.join(WEEK_DAYS)}"), given.at("day"))
    occurrence = optional_integer(given, "occurrence")
    given.refuse_unknown()
    with within(*path):
        return MonthlyOccurrence(day, occurrence)


def encode_start(start: Moment, zone: ZoneInfo | None) -> str:
    """Write a start as the instant it is."""
    return format_instant(instant_of_moment(zone, start))


def encode_recurrence(rule: Recurrence) -> dict[str, Json]:
    """Write a recurrence, with its interval and nothing else that was not given."""
    zone = zone_of(rule)
    fields: dict[str, Json] = {
        "frequency": rule.frequency.value,
        "count": rule.count,
        "endTime": None if rule.end is None else encode_start(rule.end, zone),
        "interval": rule.interval,
        "schedule": None if rule.schedule is None else _encode_schedule(rule.schedule),
        "timeZone": rule.time_zone,
    }
    return without_nulls(fields)


def _encode_schedule(schedule: Schedule) -> dict[str, Json]:
    lists: dict[str, list[Json]] = {
        "minutes": list(schedule.minutes),
        "hours": list(schedule.hours),
        "weekDays": [WEEK_DAYS[day] for day in schedule.week_days],
        "monthDays": list(schedule.month_days),
        "monthlyOccurrences": [
            # With a capital, as the contract has it: Azure's clients look for no other spelling.
            without_nulls({"day": WEEK_DAYS[each.day], "Occurrence": each.occurrence})
            for each in schedule.monthly_occurrences
        ],
        "months": list(schedule.months),
    }
    return {name: values for name, values in lists.items() if values}


def _optional_moment(given: Properties, name: str) -> Moment | None:
    value = given.get(name)
    if value is None:
        return None
    text = read_text(value, given.at(name), "an ISO 8601 date-time in quotes")
    with within(*given.at(name)):
        return parse_moment(text)
