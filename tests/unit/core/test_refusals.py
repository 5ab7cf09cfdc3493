"""Every refusal names the JSON path, the value and what would be right."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.recurrence import (
    Cron,
    DayOffMove,
    Exclusion,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
)
from tests.support.builders import NOW_TEXT, timetable


def day(**fields: Any) -> dict[str, Any]:
    return {"frequency": "day", **fields}


def month(**schedule: Any) -> dict[str, Any]:
    return {"frequency": "month", "schedule": schedule}


REFUSED: dict[str, tuple[Any, str]] = {
    "no object": ([], "recurrence: [] is not valid; give an object {...}."),
    "no frequency": (
        {},
        "recurrence.frequency: is missing; give one of minute, hour, day, week, month, year.",
    ),
    "unknown frequency": (
        {"frequency": "fortnight"},
        'recurrence.frequency: "fortnight" is not valid; '
        "give one of minute, hour, day, week, month, year.",
    ),
    "frequency of another type": (
        {"frequency": 5},
        "recurrence.frequency: 5 is not valid; give one of minute, hour, day, week, month, year.",
    ),
    "interval 0": (
        day(interval=0),
        "recurrence.interval: 0 is not valid; "
        "give a whole number from 1 to 548, the limit with frequency 'day'.",
    ),
    "interval past the limit of a year": (
        {"frequency": "year", "interval": 2},
        "recurrence.interval: 2 is not valid; give 1, the limit with frequency 'year'.",
    ),
    "interval that is no whole number": (
        day(interval=1.5),
        "recurrence.interval: 1.5 is not valid; give a whole number.",
    ),
    "interval that is a boolean": (
        day(interval=True),
        "recurrence.interval: true is not valid; give a whole number.",
    ),
    "interval in words": (
        day(interval="five"),
        'recurrence.interval: "five" is not valid; give a whole number.',
    ),
    "negative count": (
        day(count=-1),
        "recurrence.count: -1 is not valid; give a whole number of at least 1, or leave it out.",
    ),
    "end that is no date": (
        day(endTime="soon"),
        'recurrence.endTime: "soon" is not a date-time; '
        "give ISO 8601 such as 2026-01-31T08:30:00Z.",
    ),
    "end that is no text": (
        day(endTime=20260101),
        "recurrence.endTime: 20260101 is not valid; give an ISO 8601 date-time in quotes.",
    ),
    "end in the past": (
        day(endTime="2026-01-09T23:59:59.9999999Z"),
        'recurrence.endTime: "2026-01-09T23:59:59.9999999Z" is in the past; '
        "give 2026-01-10T00:00:00Z or later, or leave it out.",
    ),
    "unknown property of a recurrence": (
        day(intervall=2),
        "recurrence.intervall: is not known here; did you mean 'interval'?",
    ),
    "unknown property of a schedule": (
        month(monthDay=1),
        "recurrence.schedule.monthDay: is not known here; did you mean 'monthDays'?",
    ),
    "empty schedule": (
        month(),
        "recurrence.schedule: {} selects no time; give a field such as hours, or leave it out.",
    ),
    "schedule of nulls": (
        month(hours=None),
        "recurrence.schedule: {} selects no time; give a field such as hours, or leave it out.",
    ),
    "empty list": (
        month(hours=[]),
        "recurrence.schedule.hours: [] is empty; give at least one value, or leave it out.",
    ),
    "schedule that is no object": (
        day(schedule="daily"),
        'recurrence.schedule: "daily" is not valid; give an object {...}.',
    ),
    "minute out of range": (
        month(minutes=[0, 60]),
        "recurrence.schedule.minutes: 60 is not valid; give a minute from 0 to 59.",
    ),
    "hour out of range": (
        month(hours=24),
        "recurrence.schedule.hours: 24 is not valid; give an hour from 0 to 23.",
    ),
    "hour that is no number": (
        month(hours=[1, "two"]),
        'recurrence.schedule.hours[1]: "two" is not valid; give a whole number.',
    ),
    "hour that is no number, alone": (
        month(hour="two"),
        'recurrence.schedule.hour: "two" is not valid; give a whole number.',
    ),
    "month day 0": (
        month(monthDays=[0]),
        "recurrence.schedule.monthDays: 0 is not valid; give a day from 1 to 31 or from -31 to -1.",
    ),
    "month day 32": (
        month(monthDays=[32]),
        "recurrence.schedule.monthDays: 32 is not valid; "
        "give a day from 1 to 31 or from -31 to -1.",
    ),
    "month 13": (
        month(months=[13]),
        "recurrence.schedule.months: 13 is not valid; give a month from 1 to 12.",
    ),
    "unknown weekday": (
        {"frequency": "week", "schedule": {"weekDays": ["mon"]}},
        'recurrence.schedule.weekDays[0]: "mon" is not valid; '
        "give one of monday, tuesday, wednesday, thursday, friday, saturday, sunday.",
    ),
    "more than 7 weekdays": (
        {"frequency": "week", "schedule": {"weekDays": ["monday"] * 8}},
        "recurrence.schedule.weekDays: 8 values are too many; give at most 7.",
    ),
    "weekdays with another frequency": (
        day(schedule={"weekDays": "friday"}),
        "recurrence.schedule.weekDays: Cannot set days of week with recurrence unit 'Day'. "
        "[\"friday\"] goes with frequency 'week' only; leave it out.",
    ),
    "month days with another frequency": (
        {"frequency": "week", "schedule": {"monthDays": [1, 15]}},
        "recurrence.schedule.monthDays: Cannot set days of month with recurrence unit 'Week'. "
        "[1, 15] goes with frequency 'month' or 'year' only; leave it out.",
    ),
    "monthly occurrences with another frequency": (
        day(
            schedule={"monthlyOccurrences": [{"day": "friday"}, {"day": "monday", "occurrence": 2}]}
        ),
        "recurrence.schedule.monthlyOccurrences: Cannot set monthly occurrences with recurrence "
        'unit \'Day\'. [{"day": "friday"}, {"day": "monday", "occurrence": 2}] goes with frequency '
        "'month' or 'year' only; leave it out.",
    ),
    "months with hours": (
        {"frequency": "hour", "schedule": {"months": [1]}},
        "recurrence.schedule.months: Cannot set months with recurrence unit 'Hour'. "
        "[1] goes with frequency 'day' or 'week' or 'month' or 'year' only; leave it out.",
    ),
    "monthly occurrence 0": (
        month(monthlyOccurrences=[{"day": "friday", "occurrence": 0}]),
        "recurrence.schedule.monthlyOccurrences[0].occurrence: 0 is not valid; "
        "give a whole number from -5 to 5 but not 0, or leave it out for every one.",
    ),
    "monthly occurrence without a day": (
        month(monthlyOccurrences=[{"occurrence": 1}]),
        "recurrence.schedule.monthlyOccurrences[0].day: is missing; "
        "give one of monday, tuesday, wednesday, thursday, friday, saturday, sunday.",
    ),
    "monthly occurrence with something else": (
        month(monthlyOccurrences=[{"day": "friday", "week": 1}]),
        "recurrence.schedule.monthlyOccurrences[0].week: is not known here; "
        "the known properties are day, occurrence.",
    ),
    "monthly occurrences that are no list": (
        month(monthlyOccurrences={"day": "friday"}),
        'recurrence.schedule.monthlyOccurrences: {"day": "friday"} is not valid; '
        "give a list [...].",
    ),
    "the same property twice": (
        month(hours=1, Hours=2),
        'recurrence.schedule.Hours: is given twice, also as "hours"; give it once.',
    ),
    "the same property under its old name": (
        month(hours=1, hour=2),
        'recurrence.schedule.hour: is given twice, also as "hours"; give it once.',
    ),
    "unknown time zone": (
        day(timeZone="Europe/Prag"),
        'recurrence.timeZone: "Europe/Prag" is not an IANA time zone; '
        'did you mean "Europe/Prague"?',
    ),
    "time zone like nothing": (
        day(timeZone="../../etc/passwd"),
        'recurrence.timeZone: "../../etc/passwd" is not an IANA time zone; '
        'give a name such as "Europe/Prague".',
    ),
    "time zone of the machine": (
        day(timeZone="localtime"),
        'recurrence.timeZone: "localtime" is not an IANA time zone; '
        'give a name such as "Europe/Prague".',
    ),
    "time zone that is no text": (
        day(timeZone=1),
        "recurrence.timeZone: 1 is not valid; give a string.",
    ),
    "cron with a frequency": (
        day(cron="0 9 * * *"),
        "recurrence.frequency: does not go with cron, which selects all times itself; "
        "leave it out.",
    ),
    "cron with an interval": (
        {"cron": "0 9 * * *", "interval": 1},
        "recurrence.interval: does not go with cron, which selects all times itself; leave it out.",
    ),
    "cron with a schedule": (
        {"cron": "0 9 * * *", "schedule": {"hours": 9}},
        "recurrence.schedule: does not go with cron, which selects all times itself; leave it out.",
    ),
    "cron that is no text": (
        {"cron": 5},
        'recurrence.cron: 5 is not valid; give a cron expression such as "0 9 * * MON-FRI".',
    ),
    "misspelt cron": (
        {"corn": "0 9 * * *"},
        "recurrence.corn: is not known here; did you mean 'cron'?",
    ),
    "clock changes without a time zone": (
        day(dst={"skipped": "skip"}),
        "recurrence.dst: goes with a timeZone only: UTC has no clock changes; leave it out.",
    ),
    "clock changes without a choice": (
        day(timeZone="Europe/Prague", dst={}),
        "recurrence.dst: {} chooses nothing; give skipped or repeated, or leave it out.",
    ),
    "an unknown choice for skipped times": (
        day(timeZone="Europe/Prague", dst={"skipped": "never"}),
        'recurrence.dst.skipped: "never" is not valid; give one of after, skip, before.',
    ),
    "an unknown choice for repeated times": (
        day(timeZone="Europe/Prague", dst={"repeated": 2}),
        "recurrence.dst.repeated: 2 is not valid; give one of first, second, both.",
    ),
    "an unknown property of clock changes": (
        day(timeZone="Europe/Prague", dst={"skiped": "skip"}),
        "recurrence.dst.skiped: is not known here; did you mean 'skipped'?",
    ),
    "days off without a date": (
        day(exclude={"then": "next"}),
        "recurrence.exclude: names no day; give dates or calendars, or leave it out.",
    ),
    "days off that are no object": (
        day(exclude=["2026-12-25"]),
        'recurrence.exclude: ["2026-12-25"] is not valid; give an object {...}.',
    ),
    "a day off that is no date": (
        day(exclude={"dates": ["2026-12-25", "2026-02-30"]}),
        'recurrence.exclude.dates[1]: "2026-02-30" is not a date; '
        "give one such as 2026-12-25, or a range such as 2026-12-24/2027-01-01.",
    ),
    "a day off in another notation": (
        day(exclude={"dates": "20261225"}),
        'recurrence.exclude.dates: "20261225" is not a date; '
        "give one such as 2026-12-25, or a range such as 2026-12-24/2027-01-01.",
    ),
    "a day off that is no text": (
        day(exclude={"dates": [20261225]}),
        'recurrence.exclude.dates[0]: 20261225 is not valid; give a date such as "2026-12-25".',
    ),
    "a range of days off that ends too early": (
        day(exclude={"dates": ["2027-01-01/2026-12-24"]}),
        'recurrence.exclude.dates[0]: "2027-01-01/2026-12-24" ends before it begins; '
        "give the earlier date first.",
    ),
    "a range of days off that is too long": (
        day(exclude={"dates": ["2026-01-01/2031-06-23", "2040-01-01"]}),
        "recurrence.exclude.dates: 2001 days are too many, each day of a range counted; "
        "give at most 2000.",
    ),
    "too many days off": (
        day(exclude={"dates": ["2026-12-25"] * 2001}),
        "recurrence.exclude.dates: 2001 values are too many; give at most 2000.",
    ),
    "an unknown move": (
        day(exclude={"dates": "2026-12-25", "then": "later"}),
        'recurrence.exclude.then: "later" is not valid; give one of skip, next, previous.',
    ),
    "too many calendars of days off": (
        day(exclude={"calendars": [f"c{number}" for number in range(11)]}),
        "recurrence.exclude.calendars: 11 values are too many; give at most 10.",
    ),
    "a calendar whose name is none": (
        day(exclude={"calendars": ["de", "1st of May"]}),
        'recurrence.exclude.calendars[1]: "1st of May" is not valid; '
        "give 1 to 100 letters, digits, - and _ that begin with a letter.",
    ),
    "never: February 30": (
        month(months=[2], monthDays=[30]),
        'recurrence: this schedule never occurs: "Every month in February on day 30 at 00:00 UTC" '
        "has no time within 20 years; change its days or times, its interval or its start.",
    ),
    "never: the hours lie between the steps": (
        {"frequency": "hour", "interval": 12, "schedule": {"hours": [1]}},
        'recurrence: this schedule never occurs: "Every 12 hours at minute 0 past hour 1 UTC" has '
        "no time within 20 years; change its days or times, its interval or its start.",
    ),
    "never: the months lie between the steps": (
        {"frequency": "month", "interval": 12, "schedule": {"months": [2]}},
        "recurrence: this schedule never occurs: "
        '"Every 12 months in February on day 10 at 00:00 UTC" has '
        "no time within 20 years; change its days or times, its interval or its start.",
    ),
    "an object where a list or a value goes": (
        month(hours={}),
        "recurrence.schedule.hours: {} is not valid; give a value or a list [...].",
    ),
}


@pytest.mark.parametrize(("recurrence", "message"), REFUSED.values(), ids=REFUSED)
def test_a_recurrence_is_refused_with_the_reason(recurrence: Any, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        timetable(recurrence)

    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (5, "startTime: 5 is not valid; give an ISO 8601 date-time in quotes."),
        (
            "next week",
            'startTime: "next week" is not a date-time; '
            "give ISO 8601 such as 2026-01-31T08:30:00Z.",
        ),
        (
            "2027-07-12T00:00:00.0000001Z",
            'startTime: "2027-07-12T00:00:00.0000001Z" is more than 18 months (548 days) ahead; '
            "give 2027-07-12T00:00:00Z or earlier.",
        ),
    ],
    ids=["no text", "no date", "too far ahead"],
)
def test_a_start_is_refused_with_the_reason(start: Any, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        timetable(start=start)

    assert str(refusal.value) == message


def test_a_start_exactly_18_months_ahead_is_accepted() -> None:
    assert timetable(start="2027-07-12T00:00:00Z").first() is not None


def test_an_end_before_the_first_time_is_refused() -> None:
    with pytest.raises(Invalid) as refusal:
        timetable(day(endTime="2026-01-19"), start="2026-01-20T00:00:00Z")

    assert str(refusal.value) == (
        'recurrence.endTime: this schedule never occurs: "2026-01-19T00:00:00Z" lies before its '
        "first time, 2026-01-20T00:00:00Z; give a later time."
    )


def test_a_schedule_that_occurs_only_after_20_years_is_refused() -> None:
    leap_monday = month(months=2, monthDays=29, monthlyOccurrences=[{"day": "monday"}])

    assert timetable(leap_monday, start="2024-03-01T00:00:00Z", now="2024-03-01")
    with pytest.raises(Invalid, match="this schedule never occurs"):
        timetable(leap_monday, start="2016-03-01T00:00:00Z", now="2016-03-01")


def test_a_schedule_that_never_occurs_is_refused_although_its_first_run_would_be_at_once() -> None:
    with pytest.raises(Invalid, match="this schedule never occurs"):
        timetable(month(months=[2], monthDays=[30]), start=None)


def test_a_schedule_that_holds_the_present_but_no_later_time_is_refused() -> None:
    leap_friday = month(months=2, monthDays=29, monthlyOccurrences=[{"day": "friday"}])

    with pytest.raises(Invalid, match="this schedule never occurs"):
        timetable(leap_friday, start=None, now="2008-02-29T10:00:00Z")


def test_an_end_before_the_schedule_is_fine_if_the_job_runs_at_once() -> None:
    table = timetable(day(schedule={"hours": 23, "minutes": 0}, endTime=NOW_TEXT))

    assert table.first() is not None


@pytest.mark.parametrize("interval", [1.0, 2])
def test_a_whole_number_may_be_written_with_a_point(interval: float) -> None:
    assert timetable(day(interval=interval)).recurrence is not None


def test_values_are_checked_however_they_are_made() -> None:
    for make in (
        lambda: Cron("60 * * * *"),
        lambda: Recurrence(cron=Cron("@daily"), interval=2),
        lambda: Recurrence(cron=Cron("@daily"), frequency=Frequency.DAY),
        lambda: Exclusion(then=DayOffMove.NEXT),
        lambda: Schedule(week_days=(7,)),
        lambda: MonthlyOccurrence(-1),
        lambda: MonthlyOccurrence(0, 6),
        Schedule,
    ):
        with pytest.raises(Invalid):
            make()


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(Invalid) as refusal:
        timetable({"frequency": "x" * 1000})

    assert "(1000 characters)" in str(refusal.value)
    assert len(str(refusal.value)) < 250


def test_a_local_start_at_the_end_of_time_is_refused_like_any_late_one() -> None:
    rule = day(timeZone="America/Nuuk")

    with pytest.raises(Invalid, match=r"startTime: .*is more than 18 months"):
        timetable(rule, start="9999-12-31T23:59:59.9999999")
    with pytest.raises(Invalid, match=r"recurrence\.endTime: .*is in the past"):
        timetable(day(timeZone="Asia/Tokyo", endTime="0001-01-01"))
