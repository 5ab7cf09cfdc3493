"""Daylight saving: expected instants written out, checked by hand against each zone's rules."""

from datetime import date, timedelta
from typing import Any

import pytest

from tests.support.builders import at, times, timetable

NEW_YORK, LONDON = "America/New_York", "Europe/London"
LORD_HOWE, CAIRO, APIA = "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia"


def daily(hour: int, minute: int) -> dict[str, Any]:
    return {"frequency": "day", "schedule": {"hours": hour, "minutes": minute}}


def weekly(day: str, hour: int, minute: int) -> dict[str, Any]:
    return {"frequency": "week", "schedule": {"weekDays": day, "hours": hour, "minutes": minute}}


def monthly(occurrence: dict[str, Any], hour: int, minute: int) -> dict[str, Any]:
    schedule = {"monthlyOccurrences": [occurrence], "hours": hour, "minutes": minute}
    return {"frequency": "month", "schedule": schedule}


CASES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    # New York goes from 2:00 to 3:00 on 2026-03-08 and from 2:00 back to 1:00 on 2026-11-01.
    "New York, daily, in the gap": (
        NEW_YORK,
        daily(2, 30),
        "2026-03-07",
        "2026-03-07T07:30:00Z 2026-03-08T07:00:00Z 2026-03-09T06:30:00Z",
    ),
    "New York, daily, in the hour that happens twice": (
        NEW_YORK,
        daily(1, 30),
        "2026-10-31",
        "2026-10-31T05:30:00Z 2026-11-01T05:30:00Z 2026-11-02T06:30:00Z",
    ),
    "New York, weekly, in the gap": (
        NEW_YORK,
        weekly("sunday", 2, 15),
        "2026-03-01",
        "2026-03-01T07:15:00Z 2026-03-08T07:00:00Z 2026-03-15T06:15:00Z",
    ),
    "New York, monthly, in the gap": (
        NEW_YORK,
        monthly({"day": "sunday", "occurrence": 2}, 2, 30),
        "2026-02-01",
        "2026-02-08T07:30:00Z 2026-03-08T07:00:00Z 2026-04-12T06:30:00Z",
    ),
    "New York, hourly, over the gap": (
        NEW_YORK,
        {"frequency": "hour", "schedule": {"minutes": [0]}},
        "2026-03-08T00:00",
        "2026-03-08T05:00:00Z 2026-03-08T06:00:00Z 2026-03-08T07:00:00Z 2026-03-08T08:00:00Z",
    ),
    "New York, hourly, over the hour that happens twice": (
        NEW_YORK,
        {"frequency": "hour", "schedule": {"minutes": [0]}},
        "2026-11-01T00:00",
        "2026-11-01T04:00:00Z 2026-11-01T05:00:00Z 2026-11-01T07:00:00Z 2026-11-01T08:00:00Z",
    ),
    "New York, grid of hours, absolute": (
        NEW_YORK,
        {"frequency": "hour", "interval": 1},
        "2026-11-01T00:00",
        "2026-11-01T04:00:00Z 2026-11-01T05:00:00Z 2026-11-01T06:00:00Z 2026-11-01T07:00:00Z",
    ),
    # London goes from 1:00 to 2:00 on 2026-03-29 and from 2:00 back to 1:00 on 2026-10-25.
    "London, daily, in the gap": (
        LONDON,
        daily(1, 59),
        "2026-03-28",
        "2026-03-28T01:59:00Z 2026-03-29T01:00:00Z 2026-03-30T00:59:00Z",
    ),
    "London, weekly, in the hour that happens twice": (
        LONDON,
        weekly("sunday", 1, 0),
        "2026-10-18",
        "2026-10-18T00:00:00Z 2026-10-25T00:00:00Z 2026-11-01T01:00:00Z",
    ),
    "London, monthly, in the hour that happens twice": (
        LONDON,
        monthly({"day": "sunday", "occurrence": -1}, 1, 30),
        "2026-09-01",
        "2026-09-27T00:30:00Z 2026-10-25T00:30:00Z 2026-11-29T01:30:00Z",
    ),
    # Lord Howe moves by half an hour: 2:00 to 2:30 on 2026-10-04, 2:00 to 1:30 on 2026-04-05.
    "Lord Howe, daily, in the gap": (
        LORD_HOWE,
        daily(2, 15),
        "2026-10-03",
        "2026-10-02T15:45:00Z 2026-10-03T15:30:00Z 2026-10-04T15:15:00Z",
    ),
    "Lord Howe, daily, in the half hour that happens twice": (
        LORD_HOWE,
        daily(1, 45),
        "2026-04-04",
        "2026-04-03T14:45:00Z 2026-04-04T14:45:00Z 2026-04-05T15:15:00Z",
    ),
    "Lord Howe, weekly, in the gap": (
        LORD_HOWE,
        weekly("sunday", 2, 0),
        "2026-09-27",
        "2026-09-26T15:30:00Z 2026-10-03T15:30:00Z 2026-10-10T15:00:00Z",
    ),
    "Lord Howe, monthly, after the gap": (
        LORD_HOWE,
        monthly({"day": "sunday", "occurrence": 1}, 2, 30),
        "2026-09-01",
        "2026-09-05T16:00:00Z 2026-10-03T15:30:00Z 2026-10-31T15:30:00Z",
    ),
    # Cairo skips midnight: 0:00 to 1:00 on Friday 2023-04-28; back at 24:00 on 2023-10-26.
    "Cairo, daily, midnight": (
        CAIRO,
        daily(0, 0),
        "2023-04-27",
        "2023-04-26T22:00:00Z 2023-04-27T22:00:00Z 2023-04-28T21:00:00Z",
    ),
    "Cairo, weekly, midnight": (
        CAIRO,
        weekly("friday", 0, 30),
        "2023-04-21",
        "2023-04-20T22:30:00Z 2023-04-27T22:00:00Z 2023-05-04T21:30:00Z",
    ),
    "Cairo, monthly, midnight": (
        CAIRO,
        monthly({"day": "friday", "occurrence": -1}, 0, 0),
        "2023-03-01",
        "2023-03-30T22:00:00Z 2023-04-27T22:00:00Z 2023-05-25T21:00:00Z",
    ),
    "Cairo, daily, the hour before midnight that happens twice": (
        CAIRO,
        daily(23, 30),
        "2023-10-25T12:00",
        "2023-10-25T20:30:00Z 2023-10-26T20:30:00Z 2023-10-27T21:30:00Z",
    ),
    # Apia had no 2011-12-30: the 29th ended at UTC-10 and the 31st began at UTC+14.
    "Apia, daily, over the day that does not exist": (
        APIA,
        daily(10, 0),
        "2011-12-29",
        "2011-12-29T20:00:00Z 2011-12-30T10:00:00Z 2011-12-30T20:00:00Z 2011-12-31T20:00:00Z",
    ),
    "Apia, weekly, on the day that does not exist": (
        APIA,
        weekly("friday", 10, 0),
        "2011-12-23",
        "2011-12-23T20:00:00Z 2011-12-30T10:00:00Z 2012-01-05T20:00:00Z",
    ),
    "Apia, monthly, on the day that does not exist": (
        APIA,
        {"frequency": "month", "schedule": {"monthDays": [30], "hours": 10, "minutes": 0}},
        "2011-11-01",
        "2011-11-30T20:00:00Z 2011-12-30T10:00:00Z 2012-01-29T20:00:00Z",
    ),
    "Apia, daily grid, midnight: the lost day and the next are one instant": (
        APIA,
        {"frequency": "day"},
        "2011-12-29T00:00",
        "2011-12-29T10:00:00Z 2011-12-30T10:00:00Z 2011-12-31T10:00:00Z",
    ),
    "New York, monthly grid, clamped and local": (
        NEW_YORK,
        {"frequency": "month"},
        "2026-01-31T09:00",
        "2026-01-31T14:00:00Z 2026-02-28T14:00:00Z 2026-03-31T13:00:00Z",
    ),
}


@pytest.mark.parametrize(("zone", "rule", "start", "expected"), CASES.values(), ids=CASES)
def test_local_times_follow_the_zone(
    zone: str, rule: dict[str, Any], start: str, expected: str
) -> None:
    day_before = f"{date.fromisoformat(start[:10]) - timedelta(days=1)}"

    table = timetable(rule | {"timeZone": zone}, start=start, now=day_before)

    assert times(table, len(expected.split())) == expected.split()


def test_a_start_in_a_gap_runs_after_it_and_keeps_its_own_time_of_day() -> None:
    table = timetable(
        {"frequency": "day", "timeZone": NEW_YORK}, start="2026-03-08T02:30", now="2026-03-01"
    )

    assert times(table, 2) == ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]


def test_a_grid_that_starts_the_second_time_an_hour_happens_starts_there() -> None:
    table = timetable(
        {"frequency": "day", "timeZone": NEW_YORK}, start="2026-11-01T01:30-05:00", now="2026-11-01"
    )

    assert times(table, 2) == ["2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"]


def test_asked_within_a_repeated_hour_the_calendar_goes_on_after_it() -> None:
    every_minute = {"frequency": "minute", "schedule": {"hours": [1, 2]}, "timeZone": NEW_YORK}
    table = timetable(every_minute, start="2026-11-01T00:00", now="2026-11-01")

    assert table.next_after(at("2026-11-01T06:30:00Z")) == at("2026-11-01T07:00:00Z")


@pytest.mark.parametrize(
    ("zone", "interval", "expected"),
    [
        (NEW_YORK, {"frequency": "hour", "interval": 6}, ["15:00", "21:00"]),
        ("Asia/Kathmandu", {"frequency": "minute", "interval": 10}, ["04:15", "04:25"]),
    ],
    ids=["hours", "minutes"],
)
def test_a_grid_of_absolute_time_counts_from_a_local_start(
    zone: str, interval: dict[str, Any], expected: list[str]
) -> None:
    table = timetable(interval | {"timeZone": zone}, start="2026-01-13T10:00", now="2026-01-10")

    assert times(table, 2) == [f"2026-01-13T{time}:00Z" for time in expected]


def test_a_gap_does_not_carry_times_of_an_earlier_period_over_to_the_start() -> None:
    on_the_day_before = timetable(
        daily(5, 0) | {"timeZone": APIA}, start="2011-12-31T00:00", now="2011-12-30T09:00Z"
    )
    in_the_hour_before = timetable(
        {"frequency": "hour", "schedule": {"minutes": [29]}, "timeZone": LONDON},
        start="2026-03-29T01:00:00Z",
        now="2026-03-29",
    )

    assert times(on_the_day_before, 1) == ["2011-12-30T15:00:00Z"]
    assert times(in_the_hour_before, 1) == ["2026-03-29T01:29:00Z"]


def test_an_end_without_an_offset_is_local() -> None:
    rule = {"frequency": "day", "timeZone": NEW_YORK, "endTime": "2026-07-02T09:00"}

    found = times(timetable(rule, start="2026-07-01T09:00", now="2026-06-01"), 9)

    assert found == ["2026-07-01T13:00:00Z", "2026-07-02T13:00:00Z"]
