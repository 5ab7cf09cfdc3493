"""Days off, written out by hand; tests/property compares them with a walk over days."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import Instant
from foliot.core.recurrence import (
    CalendarDays,
    Cron,
    DateRange,
    DayOffMove,
    Exclusion,
    Recurrence,
    Timetable,
    accept,
    count_between,
    parse_dates,
    sentence,
    smallest_gap,
)
from tests.support.builders import at, times, timetable

CHRISTMAS = ["2026-12-25", "2026-12-26"]  # a Friday and a Saturday


def daily(**exclude: Any) -> dict[str, Any]:
    rule = {"frequency": "day", "schedule": {"hours": 9, "minutes": 0}}
    return rule | {"exclude": {"dates": CHRISTMAS} | exclude}


def weekly(*days: str, **exclude: Any) -> dict[str, Any]:
    rule = daily(**exclude) | {"frequency": "week"}
    return rule | {"schedule": {"weekDays": list(days), "hours": 9, "minutes": 0}}


CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "skipped by default": (daily(), "2026-12-24", "12-24T09:00 12-27T09:00 12-28T09:00"),
    "a single date": (daily(dates="2026-12-25"), "2026-12-24", "12-24T09:00 12-26T09:00"),
    "a range includes both ends": (
        *(daily(dates=["2026-12-24/2026-12-27"]), "2026-12-23"),
        "12-23T09:00 12-28T09:00",
    ),
    "ranges that overlap": (
        *(daily(dates=["2026-12-26/2026-12-28", "2026-12-24/2026-12-27"]), "2026-12-23"),
        "12-23T09:00 12-29T09:00",
    ),
    "moved to a day that has its own: one": (
        *(daily(then="next"), "2026-12-24"),
        "12-24T09:00 12-27T09:00 12-28T09:00",
    ),
    "moved to the next day": (
        weekly("friday", then="next"),
        "2026-12-18",
        "12-18T09:00 12-27T09:00",
    ),
    "moved to the day before": (
        *(weekly("saturday", then="previous"), "2026-12-19"),
        "12-19T09:00 12-24T09:00",
    ),
    "two that meet are one": (
        *(weekly("friday", "saturday", then="next"), "2026-12-19"),
        "12-19T09:00 12-27T09:00",
    ),
    "moved to other times of a day": (
        *(daily(then="next") | {"frequency": "minute", "interval": 1000, "schedule": None},),
        *("2026-12-24T20:00", "12-24T20:00 12-27T05:20 12-27T12:40 12-27T14:40 12-27T22:00"),
    ),
    "at a grid that starts on a day off": (
        *(daily(then="next") | {"schedule": None}, "2026-12-25T08:00"),
        "12-27T08:00 12-28T08:00",
    ),
    "moved before the start: not there": (
        *(weekly("friday", then="previous"), "2026-12-25"),
        "01-01T09:00",
    ),
    "moved behind the start": (weekly("friday", then="next"), "2026-12-26", "12-27T09:00"),
    "moved by cron": (
        {"cron": "0 9 L,25 * *", "exclude": {"dates": "2026-12-25", "then": "previous"}},
        *("2026-12-01", "12-24T09:00 12-31T09:00"),
    ),
}


@pytest.mark.parametrize(("rule", "start", "expected"), CASES.values(), ids=CASES)
def test_days_off_are_left_out(rule: dict[str, Any], start: str, expected: str) -> None:
    found = times(timetable(rule, start=start, now="2026-12-01"), len(expected.split()))

    assert [each[len("2026-") : len("2026-01-10T00:00")] for each in found] == expected.split()


def test_a_date_is_a_day_in_the_zone_of_the_job() -> None:
    rule = {"frequency": "hour", "interval": 6, "timeZone": "America/New_York"}
    exclude = {"exclude": {"dates": ["2026-12-25"]}}

    found = times(timetable(rule | exclude, start="2026-12-24T20:00", now="2026-12-01"), 3)

    assert found == ["2026-12-25T01:00:00Z", "2026-12-26T07:00:00Z", "2026-12-26T13:00:00Z"]


def test_a_moved_time_is_local() -> None:
    # New York puts its clocks back on Sunday, 2026-11-01.
    rule = {"frequency": "week", "schedule": {"weekDays": "friday", "hours": 9, "minutes": 0}}
    exclude = {"dates": ["2026-10-30/2026-11-01"], "then": "next"}

    table = timetable(
        rule | {"timeZone": "America/New_York", "exclude": exclude},
        start="2026-10-23",
        now="2026-10-01",
    )

    assert times(table, 2) == ["2026-10-23T13:00:00Z", "2026-11-02T14:00:00Z"]


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("skip", "2026-12-27T09:00:00Z"),
        ("next", "2026-12-27T09:00:00Z 2026-12-27T13:30:00Z"),
        ("previous", "2026-12-27T09:00:00Z"),
    ],
)
def test_the_run_at_once_keeps_to_days_off(then: str, expected: str) -> None:
    table = timetable(daily(then=then), now="2026-12-25T13:30:00Z")

    assert times(table, len(expected.split())) == expected.split()


def test_a_moved_run_at_once_that_meets_another_is_one() -> None:
    table = timetable(daily(then="next"), now="2026-12-25T09:00:00Z")

    assert times(table, 2) == ["2026-12-27T09:00:00Z", "2026-12-28T09:00:00Z"]
    assert count_between(table, at("2026-12-25"), at("2026-12-28")) == 1


def test_a_moved_run_at_once_is_counted_in_its_place() -> None:
    table = timetable(daily(then="next"), now="2026-12-25T13:30:00Z")

    assert count_between(table, at("2026-12-25"), at("2026-12-27T13:30:00Z")) == 1
    assert count_between(table, at("2026-12-25"), at("2026-12-28")) == 2


def test_an_end_applies_to_the_moved_time() -> None:
    rule = weekly("friday", then="next") | {"endTime": "2026-12-26T12:00:00Z"}

    assert times(timetable(rule, start="2026-12-18", now="2026-12-01"), 5) == [
        "2026-12-18T09:00:00Z"
    ]


def test_days_of_calendars_are_off_like_dates() -> None:
    rule = Recurrence(cron=Cron("0 9 * * *"), exclude=Exclusion(calendars=("holidays",)))
    start = at("2026-12-24T08:00:00Z")

    table = accept(
        rule, None, start, calendar_days=CalendarDays.of([parse_dates("2026-12-25/2026-12-26")])
    )

    assert times(table, 3)[1:] == ["2026-12-24T09:00:00Z", "2026-12-27T09:00:00Z"]
    assert "except on the days of the calendar 'holidays'" in sentence(table)


@pytest.mark.parametrize("then", DayOffMove)
def test_the_next_time_after_2000_days_off_is_found(then: DayOffMove) -> None:
    first = parse_dates("2026-02-01").first
    sundays = tuple(DateRange(first + 7 * week, first + 7 * week) for week in range(2000))
    rule = Recurrence(cron=Cron("0 9 * * SUN"), exclude=Exclusion(dates=sundays, then=then))

    table = Timetable.of(rule, None, at("2026-01-31"))

    following, in_two_years = {
        DayOffMove.SKIP: ("2064-06-01T09:00:00Z", 0),
        DayOffMove.NEXT: ("2026-02-02T09:00:00Z", 105),
        DayOffMove.PREVIOUS: ("2026-01-31T09:00:00Z", 104),
    }[then]
    assert table.next_after(at("2026-01-31")) == at(following)
    assert count_between(table, at("2026-02-02"), at("2028-02-01")) == in_two_years


def test_days_off_that_leave_no_time_are_refused() -> None:
    rule = {"cron": "0 0 29 2 *", "exclude": {"dates": [f"{year}-02-29" for year in LEAP_YEARS]}}

    with pytest.raises(Invalid) as refusal:
        timetable(rule)

    assert str(refusal.value) == (
        "recurrence.cron: this schedule never occurs: "
        '"At 00:00 in February on day 29 of the month, UTC (cron 0 0 29 2 *), except on 5... '
        "(88 characters) has no time within 20 years; "
        "change its days or times, or its days off."
    )


LEAP_YEARS = (2028, 2032, 2036, 2040, 2044)

SENTENCES = {
    "skip": (daily(), ", except on 2026-12-25 and 2026-12-26"),
    "a range": (daily(dates=["2026-12-24/2027-01-01"]), ", except on 2026-12-24 to 2027-01-01"),
    "next": (
        daily(then="next", dates=["2026-12-25"]),
        ", instead of 2026-12-25 on the next day that is not off",
    ),
    "previous": (
        daily(then="previous", dates=["2026-12-25"]),
        ", instead of 2026-12-25 on the last day before that is not off",
    ),
    "many": (
        daily(dates=["2026-05-01", "2026-05-08", "2026-07-06", "2026-12-24/2026-12-26"]),
        ", except on 6 days off",
    ),
}


@pytest.mark.parametrize(("rule", "words"), SENTENCES.values(), ids=SENTENCES)
def test_days_off_are_told_in_words(rule: dict[str, Any], words: str) -> None:
    assert sentence(timetable(rule, start="2026-02-01")) == f"Every day at 09:00 UTC{words}"


def test_a_sentence_tells_where_the_run_at_once_went() -> None:
    table = timetable(daily(then="next"), now="2026-12-25T13:30:00Z")

    assert sentence(table).endswith(
        ", and once at 2026-12-27 13:30 UTC, since it has no start time"
    )


GAPS = {
    "skipped days": (weekly("friday"), "7 days, 0:00:00"),
    "moved towards the next": (weekly("friday", then="next"), "5 days, 0:00:00"),
    "moved into the past": (
        weekly("friday", then="next", dates="2020-12-25"),
        "7 days, 0:00:00",
    ),
    "late and early times": (
        {
            "frequency": "day",
            "interval": 2,
            "schedule": {"hours": [1, 23], "minutes": 0},
            "exclude": {"dates": "2026-12-25", "then": "next"},
        },
        "2:00:00",
    ),
    "steps that are the same every day": (
        {"frequency": "minute", "interval": 15, "exclude": {"dates": CHRISTMAS, "then": "next"}},
        "0:15:00",
    ),
    "steps that are not": (
        {"frequency": "hour", "interval": 7, "exclude": {"dates": CHRISTMAS, "then": "next"}},
        "1:00:00",
    ),
}


@pytest.mark.parametrize(("rule", "expected"), GAPS.values(), ids=GAPS)
def test_moved_times_count_for_the_smallest_gap(rule: dict[str, Any], expected: str) -> None:
    assert str(smallest_gap(timetable(rule, start="2026-12-19", now="2026-12-01"))) == expected


def test_dates_are_given_back_as_they_were_written() -> None:
    for text in ("2026-12-25", "2026-12-24/2027-01-01", "0001-01-01/9999-12-31"):
        assert str(parse_dates(text)) == text


def test_a_range_cannot_end_before_it_begins() -> None:
    with pytest.raises(Invalid, match="ends before it begins"):
        DateRange(5, 4)


def test_days_off_at_the_ends_of_time_move_nowhere() -> None:
    for then, text in ((DayOffMove.NEXT, "9999-12-31"), (DayOffMove.PREVIOUS, "0001-01-01")):
        exclusion = Exclusion(dates=(parse_dates(text),), then=then)
        rule = Recurrence(cron=Cron("0 9 * * *"), exclude=exclusion)
        table = Timetable.of(rule, None, at("9999-12-30T12:00:00Z"))

        assert table.next_after(at("9999-12-31T12:00:00Z")) is None
        assert table.next_after(Instant(0)) is not None
