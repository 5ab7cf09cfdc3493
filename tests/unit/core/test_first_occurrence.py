"""Where the calendar begins: with and without a start, in the past, now and later."""

from typing import Any

import pytest

from foliot.core.instant import DAY, Instant, Moment
from foliot.core.recurrence import next_occurrence
from tests.support.builders import at, times, timetable

NOW = "2015-04-08T13:00:00Z"
EVERY_2_DAYS = {"frequency": "day", "interval": 2}
AT_14_ON_MONDAYS = {
    "frequency": "week",
    "schedule": {"weekDays": ["monday"], "hours": [14], "minutes": [0]},
}

CELLS = {
    "no start, once": (None, None, ["2015-04-08T13:00:00Z"]),
    "no start, grid": (
        None,
        EVERY_2_DAYS,
        ["2015-04-08T13:00:00Z", "2015-04-10T13:00:00Z", "2015-04-12T13:00:00Z"],
    ),
    "no start, schedule": (
        None,
        AT_14_ON_MONDAYS,
        ["2015-04-08T13:00:00Z", "2015-04-13T14:00:00Z", "2015-04-20T14:00:00Z"],
    ),
    "past, once": ("2015-04-07T14:00:00Z", None, ["2015-04-08T13:00:00Z"]),
    "past, grid": (
        "2015-04-07T14:00:00Z",
        EVERY_2_DAYS,
        ["2015-04-09T14:00:00Z", "2015-04-11T14:00:00Z", "2015-04-13T14:00:00Z"],
    ),
    "past, grid from further back": (
        "2015-04-05T14:00:00Z",
        EVERY_2_DAYS,
        ["2015-04-09T14:00:00Z", "2015-04-11T14:00:00Z", "2015-04-13T14:00:00Z"],
    ),
    "past, grid from long ago": (
        "2015-04-01T14:00:00Z",
        EVERY_2_DAYS,
        ["2015-04-09T14:00:00Z", "2015-04-11T14:00:00Z", "2015-04-13T14:00:00Z"],
    ),
    "past, grid point exactly now": (
        "2015-04-06T13:00:00Z",
        EVERY_2_DAYS,
        ["2015-04-10T13:00:00Z", "2015-04-12T13:00:00Z", "2015-04-14T13:00:00Z"],
    ),
    "past, schedule": (
        "2015-04-06T15:00:00Z",
        AT_14_ON_MONDAYS,
        ["2015-04-13T14:00:00Z", "2015-04-20T14:00:00Z", "2015-04-27T14:00:00Z"],
    ),
    "past, schedule exactly now": (
        "2015-04-01T00:00:00Z",
        {"frequency": "day", "schedule": {"hours": [13], "minutes": [0]}},
        ["2015-04-09T13:00:00Z", "2015-04-10T13:00:00Z", "2015-04-11T13:00:00Z"],
    ),
    "now, once": (NOW, None, [NOW]),
    "now, grid": (
        NOW,
        EVERY_2_DAYS,
        [NOW, "2015-04-10T13:00:00Z", "2015-04-12T13:00:00Z"],
    ),
    "now, schedule that holds now": (
        NOW,
        {"frequency": "day", "schedule": {"hours": [13], "minutes": [0]}},
        [NOW, "2015-04-09T13:00:00Z", "2015-04-10T13:00:00Z"],
    ),
    "later, once": ("2015-05-01T00:00:00Z", None, ["2015-05-01T00:00:00Z"]),
    "later, grid": (
        "2015-05-01T00:00:00Z",
        EVERY_2_DAYS,
        ["2015-05-01T00:00:00Z", "2015-05-03T00:00:00Z", "2015-05-05T00:00:00Z"],
    ),
    "later, schedule": (
        "2015-05-04T14:00:00Z",
        AT_14_ON_MONDAYS,
        ["2015-05-04T14:00:00Z", "2015-05-11T14:00:00Z", "2015-05-18T14:00:00Z"],
    ),
}


@pytest.mark.parametrize(("start", "recurrence", "expected"), CELLS.values(), ids=CELLS)
def test_the_first_occurrences_follow_the_start(
    start: str | None, recurrence: dict[str, Any] | None, expected: list[str]
) -> None:
    assert times(timetable(recurrence, start=start, now=NOW), 3) == expected


def test_occurrences_that_lie_in_the_past_do_not_count() -> None:
    table = timetable(EVERY_2_DAYS | {"count": 2}, start="2015-04-01T14:00:00Z", now=NOW)

    assert times(table, 5) == ["2015-04-09T14:00:00Z", "2015-04-11T14:00:00Z"]


@pytest.mark.parametrize(
    ("count", "end", "expected"),
    [(3, "2015-04-10T13:00:00Z", 2), (2, "2015-04-20", 2), (0, "2015-04-09", 1)],
    ids=["the end comes first", "the count comes first", "a count of 0 is none"],
)
def test_whichever_of_count_and_end_comes_first_wins(count: int, end: str, expected: int) -> None:
    table = timetable(EVERY_2_DAYS | {"count": count, "endTime": end}, now=NOW)

    assert len(times(table, 10)) == expected


def test_an_occurrence_exactly_at_the_end_runs_and_one_a_tick_later_does_not() -> None:
    start = "2015-04-09T00:00:00.0000001Z"
    ends = ["2015-04-11T00:00:00.0000001Z", "2015-04-11T00:00:00Z"]

    rules = [EVERY_2_DAYS | {"endTime": end} for end in ends]
    found = [times(timetable(rule, start=start, now=NOW), 9) for rule in rules]

    assert found == [[start, ends[0]], [start]]


def test_without_a_recurrence_a_job_runs_once_and_never_again() -> None:
    created = at(NOW)
    start = Moment.at(Instant(created + DAY))

    first = next_occurrence(None, start, created, created)

    assert first == created + DAY
    assert next_occurrence(None, start, created, first) is None


def test_a_start_given_with_an_offset_sets_the_calendar_in_utc() -> None:
    rule = {"frequency": "week", "schedule": {"weekDays": ["monday"]}}

    found = times(timetable(rule, start="2015-04-13T00:30:00+02:00", now=NOW), 2)

    assert found == ["2015-04-13T22:30:00Z", "2015-04-20T22:30:00Z"]


def test_a_calendar_ends_with_the_year_9999() -> None:
    rules: list[dict[str, Any]] = [
        {"frequency": "minute"},
        {"frequency": "day"},
        {"frequency": "day", "schedule": {"months": [1]}},
        {"frequency": "month"},
        {"frequency": "year", "timeZone": "Asia/Tokyo"},
        {"frequency": "year", "timeZone": "America/New_York", "schedule": {"hours": 23}},
    ]

    for rule in rules:
        table = timetable(rule, start="2015-04-08T23:59:30")
        assert table.next_after(at("9999-12-31T23:59:59.9999999Z")) is None


def test_a_start_before_all_clocks_is_only_a_very_old_start() -> None:
    rule = {"frequency": "day", "timeZone": "America/New_York"}

    found = times(timetable(rule, start="0001-01-01T00:00:00Z", now=NOW), 1)

    assert found == ["2015-04-09T04:00:00Z"]
