"""What the next time of a rule costs, in calls of functions: not in seconds, which vary.

`make bench-calendar` measures the same in seconds.
"""

import sys
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from foliot.core.instant import DAY, Instant
from foliot.core.recurrence import Timetable
from tests.support.builders import at, timetable

START = "2016-01-04"
BEGIN = at(f"{START}T00:00:00Z")
INSTANTS = 200
SPREAD = 400 * DAY
RULES: dict[str, dict[str, Any]] = {
    "every day": {"frequency": "day"},
    "every day in a zone": {"frequency": "day", "timeZone": "Europe/Prague"},
    "every minute": {"frequency": "minute"},
    "every 5 hours": {"frequency": "hour", "interval": 5},
    "every 5 hours in a zone": {"frequency": "hour", "interval": 5, "timeZone": "Europe/Prague"},
    "every week": {"frequency": "week"},
    "every month": {"frequency": "month"},
    "cron": {"cron": "*/15 9-17 * * MON-FRI"},
    "cron every day": {"cron": "0 9 * * *"},
    "cron on the last Friday": {"cron": "15 5 * * 5L"},
    "cron with a policy of clock changes": {
        "cron": "30 2 * * *",
        "timeZone": "Europe/Prague",
        "dst": {"repeated": "both"},
    },
}
_FIRST = date.fromisoformat(START)
# Every other day costs most: no two of them are one run of days off.
DAYS_OFF = {
    "every other day": [_FIRST + timedelta(days=2 * number) for number in range(2000)],
    "days in a row": [_FIRST + timedelta(days=50 + number) for number in range(2000)],
    "any days": [_FIRST + timedelta(days=each) for each in Random(1).sample(range(6000), 2000)],  # noqa: S311
}


def calls(table: Timetable, age: int = 0) -> int:
    """Count the calls that it takes to find the next time after each of some instants."""
    dice = Random(20160104)  # noqa: S311  (the same instants in every run)
    instants = [Instant(BEGIN + age + dice.randrange(SPREAD)) for _ in range(INSTANTS)]
    ask: Callable[[Instant], Instant | None] = table.next_after
    for each in instants:  # what is kept from one call to the next is not counted
        ask(each)
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        for each in instants:
            ask(each)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_next_time_costs_the_same_ten_years_on(rule: dict[str, Any]) -> None:
    table = timetable(rule, start=START, now=START)

    young, old = calls(table), calls(table, age=3653 * DAY)

    assert young > INSTANTS
    assert old == pytest.approx(young, rel=0.05)


@pytest.mark.parametrize("days", DAYS_OFF.values(), ids=DAYS_OFF)
@pytest.mark.parametrize("then", ["skip", "next", "previous"])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_two_thousand_days_off_cost_at_most_as_much_again(
    rule: dict[str, Any], then: str, days: list[date]
) -> None:
    without = calls(timetable(rule, start=START, now=START))
    exclude = {"dates": [str(each) for each in days], "then": then}

    found = calls(timetable({**rule, "exclude": exclude}, start=START, now=START))

    assert len(days) == len({*days}) == 2000
    assert found <= 2 * without
