"""Times that a clock skips or shows twice, under every policy, written out by hand."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.recurrence import sentence, smallest_gap
from tests.support.builders import times, timetable

PRAGUE = "Europe/Prague"  # 2:00 to 3:00 on 2027-03-28, and 3:00 back to 2:00 on 2026-10-25
LORD_HOWE = "Australia/Lord_Howe"  # 2:00 to 2:30 on 2026-10-04, and 2:00 back to 1:30 on 2026-04-05
CAIRO = "Africa/Cairo"  # 0:00 to 1:00 on 2023-04-28
APIA = "Pacific/Apia"  # no 2011-12-30


def daily(hours: Any, minutes: Any = 30) -> dict[str, Any]:
    return {"frequency": "day", "schedule": {"hours": hours, "minutes": minutes}}


CASES: dict[str, tuple[str, dict[str, Any], dict[str, str], str, str]] = {
    "skipped: after the gap": (
        *(PRAGUE, daily(2), {"skipped": "after"}, "2027-03-27"),
        "2027-03-27T01:30:00Z 2027-03-28T01:00:00Z 2027-03-29T00:30:00Z",
    ),
    "skipped: not at all": (
        *(PRAGUE, daily(2), {"skipped": "skip"}, "2027-03-27"),
        "2027-03-27T01:30:00Z 2027-03-29T00:30:00Z",
    ),
    "skipped: before the gap": (
        *(PRAGUE, daily(2), {"skipped": "before"}, "2027-03-27"),
        "2027-03-27T01:30:00Z 2027-03-28T00:59:00Z 2027-03-29T00:30:00Z",
    ),
    "skipped, all of them: one run before the gap, at a time that runs anyway": (
        *(PRAGUE, daily([1, 2], [0, 59]), {"skipped": "before"}, "2027-03-28"),
        "2027-03-28T00:00:00Z 2027-03-28T00:59:00Z 2027-03-28T23:00:00Z",
    ),
    "skipped: half an hour": (
        *(LORD_HOWE, daily(2, 15), {"skipped": "before"}, "2026-10-04"),
        "2026-10-03T15:29:00Z 2026-10-04T15:15:00Z",
    ),
    "skipped midnight: the minute before is on the day before": (
        *(CAIRO, daily(0), {"skipped": "before"}, "2023-04-27"),
        "2023-04-26T22:30:00Z 2023-04-27T21:59:00Z 2023-04-28T21:30:00Z",
    ),
    "skipped: a whole day, not at all": (
        *(APIA, daily(10, 0), {"skipped": "skip"}, "2011-12-29"),
        "2011-12-29T20:00:00Z 2011-12-30T20:00:00Z",
    ),
    "skipped: a whole day, before it": (
        *(APIA, daily(10, 0), {"skipped": "before"}, "2011-12-29"),
        "2011-12-29T20:00:00Z 2011-12-30T09:59:00Z 2011-12-30T20:00:00Z",
    ),
    "repeated: the first": (
        *(PRAGUE, daily(2), {"repeated": "first"}, "2026-10-24"),
        "2026-10-24T00:30:00Z 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z",
    ),
    "repeated: the second": (
        *(PRAGUE, daily(2), {"repeated": "second"}, "2026-10-24"),
        "2026-10-24T00:30:00Z 2026-10-25T01:30:00Z 2026-10-26T01:30:00Z",
    ),
    "repeated: both": (
        *(PRAGUE, daily(2), {"repeated": "both"}, "2026-10-24"),
        "2026-10-24T00:30:00Z 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z 2026-10-26T01:30:00Z",
    ),
    "repeated: both, half an hour": (
        *(LORD_HOWE, daily(1, 45), {"repeated": "both"}, "2026-04-05"),
        "2026-04-04T14:45:00Z 2026-04-04T15:15:00Z 2026-04-05T15:15:00Z",
    ),
    "repeated: the first times come before the second ones": (
        *(PRAGUE, daily(2, [0, 59]), {"repeated": "both"}, "2026-10-25"),
        "2026-10-25T00:00:00Z 2026-10-25T00:59:00Z 2026-10-25T01:00:00Z 2026-10-25T01:59:00Z",
    ),
    "cron, elapsed time": (
        *(PRAGUE, {"cron": "0 * * * *"}, {"skipped": "skip", "repeated": "both"}),
        *("2026-10-25T01:00", "2026-10-24T23:00:00Z 2026-10-25T00:00:00Z 2026-10-25T01:00:00Z"),
    ),
    "a grid of days: the anchor is skipped": (
        *(PRAGUE, {"frequency": "day"}, {"skipped": "skip"}, "2027-03-28T02:30"),
        "2027-03-29T00:30:00Z 2027-03-30T00:30:00Z",
    ),
    "a grid of days: the anchor is shown twice": (
        *(PRAGUE, {"frequency": "day"}, {"repeated": "second"}, "2026-10-25T02:30"),
        "2026-10-25T01:30:00Z 2026-10-26T01:30:00Z",
    ),
    "a grid of days that starts at the second of two equal times": (
        *(PRAGUE, {"frequency": "day"}, {"skipped": "skip"}, "2026-10-25T01:30:00Z"),
        "2026-10-25T01:30:00Z 2026-10-26T01:30:00Z",
    ),
    "a grid of hours is elapsed time": (
        *(PRAGUE, {"frequency": "hour"}, {"skipped": "skip", "repeated": "second"}),
        *("2026-10-25T01:30", "2026-10-24T23:30:00Z 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z"),
    ),
}


@pytest.mark.parametrize(("zone", "rule", "dst", "start", "expected"), CASES.values(), ids=CASES)
def test_a_policy_says_when_such_times_run(
    zone: str, rule: dict[str, Any], dst: dict[str, str], start: str, expected: str
) -> None:
    table = timetable(rule | {"timeZone": zone, "dst": dst}, start=start, now=f"{start[:8]}01")

    assert times(table, len(expected.split())) == expected.split()


def test_a_rule_whose_times_are_all_skipped_is_refused() -> None:
    # New York puts its clocks forward from 2:00 to 3:00 on every second Sunday of March.
    rule = {"cron": "30 2 * 3 SUN#2", "timeZone": "America/New_York"}

    with pytest.raises(Invalid, match="this schedule never occurs"):
        timetable(rule | {"dst": {"skipped": "skip"}}, start="2026-02-01")
    assert times(timetable(rule, start="2026-02-01"), 1) == ["2026-03-08T07:00:00Z"]


@pytest.mark.parametrize(
    ("dst", "words"),
    [
        ({"skipped": "after", "repeated": "first"}, ""),
        ({"skipped": "skip"}, ", not at times that the clock skips"),
        ({"skipped": "before"}, ", a minute before the gap at times that the clock skips"),
        ({"repeated": "second"}, ", the second time at times that the clock shows twice"),
        ({"repeated": "both"}, ", both times at times that the clock shows twice"),
    ],
    ids=["default", "skip", "before", "second", "both"],
)
def test_a_policy_is_told_in_words(dst: dict[str, str], words: str) -> None:
    table = timetable(daily(2) | {"timeZone": PRAGUE, "dst": dst}, start="2026-02-01")

    assert sentence(table) == f"Every day at 02:30 Europe/Prague time{words}"


def test_the_smallest_gap_is_nominal_under_every_policy() -> None:
    table = timetable(daily(2) | {"timeZone": PRAGUE, "dst": {"repeated": "both"}})

    assert str(smallest_gap(table)) == "1 day, 0:00:00"
