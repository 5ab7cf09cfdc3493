"""`startTime` and `recurrence`: when a job runs."""

from typing import Any
from zoneinfo import ZoneInfo

from foliot.api.wire.calendar_rules import CRON, DST, EXCLUDE
from foliot.api.wire.clients import WireClient
from foliot.api.wire.field_types import (
    INTEGER,
    TEXT,
    described,
    integer_schema,
    list_of,
    word,
    words_schema,
)
from foliot.api.wire.fields import FieldType, Schema, WireField, WireObject
from foliot.api.wire.json_reader import (
    Properties,
    read_integer,
    read_text,
    read_word,
)
from foliot.core.errors import Invalid, Path, within
from foliot.core.instant import Moment, format_instant, parse_moment
from foliot.core.json_text import Json
from foliot.core.recurrence import (
    MAX_INTERVAL,
    WEEK_DAYS,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
    instant_of_moment,
    zone_of,
)
from foliot.core.recurrence.rule import BESIDE_CRON

_OLD_FREQUENCIES = {
    "minutely": Frequency.MINUTE,
    "hourly": Frequency.HOUR,
    "daily": Frequency.DAY,
    "weekly": Frequency.WEEK,
    "monthly": Frequency.MONTH,
    "yearly": Frequency.YEAR,
}
_FREQUENCIES = {each.value: each for each in Frequency} | _OLD_FREQUENCIES
_WEEK_DAYS = {name: number for number, name in enumerate(WEEK_DAYS)}
_EXPECTED_DAY = f"one of {', '.join(WEEK_DAYS)}"

FREQUENCY = word(_FREQUENCIES, expected=f"one of {', '.join(Frequency)}", old=_OLD_FREQUENCIES)


def _moment(given: Properties, name: str) -> Moment:
    text = read_text(given.get(name), given.at(name), "an ISO 8601 date-time in quotes")
    with within(*given.at(name)):
        return parse_moment(text)


def _week_day(value: Json, path: Path) -> int:
    return read_word(value, path, _WEEK_DAYS, _EXPECTED_DAY)


def _number_from(least: int, most: int) -> Schema:
    not_zero = {"not": {"const": 0}} if least < 0 else {}
    return {**integer_schema(least, most), **not_zero}


def _numbers_from(least: int, most: int) -> FieldType:
    return list_of(read_integer, _number_from(least, most))


def _read_day(given: Properties, name: str) -> int:
    return _week_day(given.get(name), given.at(name))


_DAY = FieldType(
    _read_day,
    words_schema(WEEK_DAYS),
    expected=_EXPECTED_DAY,
)
_MONTHLY_OCCURRENCE = WireObject(
    MonthlyOccurrence,
    WireField("day", "day", _DAY, required=True),
    WireField(
        "occurrence",
        "occurrence",
        described(INTEGER, **_number_from(-5, 5)),
        also_answered_as="Occurrence",
    ),
    checks_itself=True,
)


def _write_monthly_occurrences(items: tuple[MonthlyOccurrence, ...], client: WireClient) -> Json:
    return [_write_monthly_occurrence(each, client) for each in items] or None


def _write_monthly_occurrence(each: MonthlyOccurrence, client: WireClient) -> Json:
    day: dict[str, Json] = {"day": WEEK_DAYS[each.day]}
    return day if each.occurrence is None else {**day, client.occurrence: each.occurrence}


_MONTHLY_OCCURRENCES = list_of(
    lambda value, path: _MONTHLY_OCCURRENCE.decode(Properties(value, path)),
    _MONTHLY_OCCURRENCE.schema(),
    single=False,
)._replace(encode=_write_monthly_occurrences)
_WEEK_DAY_LIST = list_of(
    _week_day, words_schema(WEEK_DAYS), write_item=WEEK_DAYS.__getitem__, most=len(WEEK_DAYS)
)
SCHEDULE = WireObject(
    Schedule,
    WireField("minutes", "minutes", _numbers_from(0, 59), "At these minutes", old_name="minute"),
    WireField("hours", "hours", _numbers_from(0, 23), "At these hours", old_name="hour"),
    WireField("monthDays", "month_days", _numbers_from(-31, 31), "On these days of the month"),
    WireField("months", "months", _numbers_from(1, 12), "Only in these months"),
    WireField("weekDays", "week_days", _WEEK_DAY_LIST, "On these days"),
    WireField(
        "monthlyOccurrences",
        "monthly_occurrences",
        _MONTHLY_OCCURRENCES,
        "On these weekdays of the month",
    ),
    answer=("minutes", "hours", "weekDays", "monthDays", "monthlyOccurrences", "months"),
    checks_itself=True,
)


def _recurrence(*, interval: int | None, count: int | None, **others: Any) -> Recurrence:
    if interval is not None and others["cron"] is not None:
        raise Invalid(("interval",), BESIDE_CRON)
    return Recurrence(
        interval=1 if interval is None else interval,
        count=count or None,  # some clients send 0 for "no limit"
        **others,
    )


_NEVER: Schema = {"not": {}}
MOMENT = FieldType(_moment, {"type": "string", "format": "date-time"})
_INTERVAL = described(INTEGER, minimum=1, maximum=max(MAX_INTERVAL.values()))
RECURRENCE = WireObject(
    _recurrence,
    WireField("frequency", "frequency", FREQUENCY, "Repeat"),
    WireField("interval", "interval", _INTERVAL, "Repeat every"),
    WireField("count", "count", INTEGER, "Stop after"),
    WireField("endTime", "end", MOMENT, "End"),
    WireField("schedule", "schedule", SCHEDULE.type(minProperties=1)),
    WireField("timeZone", "time_zone", described(TEXT, examples=["Europe/Prague"]), "Time zone"),
    WireField("cron", "cron", CRON, "Cron expression"),
    WireField("dst", "dst", DST.type(minProperties=1)),
    WireField(
        "exclude",
        "exclude",
        EXCLUDE.type(anyOf=[{"required": ["dates"]}, {"required": ["calendars"]}]),
    ),
    answer=(
        *("frequency", "count", "endTime", "interval", "schedule", "timeZone"),
        *("cron", "dst", "exclude"),
    ),
    component="Recurrence",
    keywords={
        "oneOf": [
            {"required": ["frequency"]},
            {"required": ["cron"], "properties": dict.fromkeys(("interval", "schedule"), _NEVER)},
        ],
        "dependentRequired": {"dst": ["timeZone"]},
    },
    checks_itself=True,
)


def decode_start(job: Properties) -> Moment | None:
    """Read `startTime` from the properties of a job."""
    return None if job.get("startTime") is None else _moment(job, "startTime")


def decode_recurrence(job: Properties) -> Recurrence | None:
    """Read `recurrence` from the properties of a job."""
    given = job.child("recurrence")
    return None if given is None else RECURRENCE.decode(given)


def encode_start(start: Moment, zone: ZoneInfo | None) -> str:
    """Write a start as the instant it is."""
    return format_instant(instant_of_moment(zone, start))


def encode_recurrence(rule: Recurrence, client: WireClient) -> dict[str, Json]:
    """Write a recurrence, with its interval and nothing else that was not given."""
    end = None if rule.end is None else encode_start(rule.end, zone_of(rule))
    interval = rule.interval if rule.cron is None else None
    return RECURRENCE.encode(rule, client, endTime=end, interval=interval)


RECURRENCE_TYPE = RECURRENCE.type()._replace(encode=encode_recurrence)
