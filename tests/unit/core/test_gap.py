from datetime import timedelta
from typing import Any

import pytest

from foliot.core.recurrence import Frequency, nominal_length, smallest_gap
from tests.support.builders import timetable

MINUTES, HOURS, DAYS = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

CASES: dict[str, tuple[dict[str, Any], timedelta]] = {
    "every 7 minutes": ({"frequency": "minute", "interval": 7}, 7 * MINUTES),
    "every 2 months": ({"frequency": "month", "interval": 2}, 56 * DAYS),
    "every year": ({"frequency": "year"}, 365 * DAYS),
    "every day at one time": ({"frequency": "day", "schedule": {"hours": 5}}, 1 * DAYS),
    "two times a day": ({"frequency": "day", "schedule": {"hours": [5, 17]}}, 12 * HOURS),
    "late and early": ({"frequency": "day", "schedule": {"hours": [1, 23]}}, 2 * HOURS),
    "twice in an hour": ({"frequency": "day", "schedule": {"minutes": [0, 10]}}, 10 * MINUTES),
    "over the hour": ({"frequency": "hour", "schedule": {"minutes": [5, 58]}}, 7 * MINUTES),
    "over the hour, every other hour": (
        {"frequency": "hour", "interval": 2, "schedule": {"minutes": [5, 45]}},
        40 * MINUTES,
    ),
    "one minute of an hour": (
        {"frequency": "hour", "schedule": {"minutes": [5], "hours": [8]}},
        1 * DAYS,
    ),
    "minutes of an hour": ({"frequency": "minute", "schedule": {"hours": [9]}}, 1 * MINUTES),
    "weekdays": (
        {"frequency": "week", "schedule": {"weekDays": ["monday", "thursday"]}},
        3 * DAYS,
    ),
    "over the week's end": (
        {"frequency": "week", "schedule": {"weekDays": ["sunday", "monday"]}},
        1 * DAYS,
    ),
    "every other week, Sunday and Monday": (
        {"frequency": "week", "interval": 2, "schedule": {"weekDays": ["sunday", "monday"]}},
        6 * DAYS,
    ),
    "days of some months": (
        {"frequency": "day", "interval": 3, "schedule": {"months": [1, 7]}},
        3 * DAYS,
    ),
    "days so far apart that a month holds one": (
        {"frequency": "day", "interval": 40, "schedule": {"months": [1]}},
        360 * DAYS,
    ),
    "days so far apart that years go by": (
        {"frequency": "day", "interval": 548, "schedule": {"months": [1]}},
        1096 * DAYS,
    ),
    "days that come closest after many years": (
        {"frequency": "day", "interval": 152, "schedule": {"months": [1]}},
        760 * DAYS,
    ),
    "month day": ({"frequency": "month", "schedule": {"monthDays": [15]}}, 28 * DAYS),
    "first and last of the month": (
        {"frequency": "month", "schedule": {"monthDays": [1, -1], "hours": 6, "minutes": 0}},
        1 * DAYS,
    ),
    "28th and last, which may be the same day": (
        {"frequency": "month", "schedule": {"monthDays": [28, -1]}},
        1 * DAYS,
    ),
    "first Friday": (
        {
            "frequency": "month",
            "schedule": {"monthlyOccurrences": [{"day": "friday", "occurrence": 1}]},
        },
        28 * DAYS,
    ),
    "first and last Friday": (
        {
            "frequency": "month",
            "schedule": {
                "monthlyOccurrences": [
                    {"day": "friday", "occurrence": 1},
                    {"day": "friday", "occurrence": -1},
                ]
            },
        },
        7 * DAYS,
    ),
    "one day of one month": (
        {"frequency": "year", "schedule": {"months": [3], "monthDays": [1]}},
        365 * DAYS,
    ),
    "leap days": (
        {"frequency": "year", "schedule": {"months": [2], "monthDays": [29]}},
        1461 * DAYS,
    ),
    "through daylight saving": (
        {"frequency": "day", "schedule": {"hours": 2}, "timeZone": "Europe/London"},
        1 * DAYS,
    ),
}


@pytest.mark.parametrize(("recurrence", "expected"), CASES.values(), ids=CASES)
def test_the_smallest_gap_is_nominal(recurrence: dict[str, Any], expected: timedelta) -> None:
    table = timetable(recurrence, start="2026-01-01T00:00:30Z", now="2025-12-01")

    assert smallest_gap(table) == expected


def test_a_job_that_runs_once_has_no_gap() -> None:
    assert smallest_gap(timetable()) is None


def test_a_period_has_a_nominal_length() -> None:
    assert nominal_length(Frequency.WEEK, 3) == timedelta(days=21)
