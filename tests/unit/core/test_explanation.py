from typing import Any

import pytest

from foliot.core.instant import Instant, format_instant
from foliot.core.recurrence import explain_next
from tests.support.builders import timetable

PRAGUE = {"timeZone": "Europe/Prague"}


def daily(hours: Any = 2, minutes: Any = 30, **more: Any) -> dict[str, Any]:
    return {"frequency": "day", "schedule": {"hours": hours, "minutes": minutes}} | more


def off(*dates: str, then: str = "skip") -> dict[str, Any]:
    return {"dates": list(dates), "then": then}


CASES: dict[str, tuple[dict[str, Any], str, dict[str, list[str]]]] = {
    "nothing to tell": (daily(exclude=off("2026-12-31")), "2026-12-24", {}),
    "a time that the clock skips": (
        *(daily() | PRAGUE, "2027-03-27"),
        {"2027-03-28T01:00:00Z": ["02:30 does not exist on 2027-03-28: runs at 03:00"]},
    ),
    "times that the clock skips": (
        *(daily(2, [0, 30]) | PRAGUE, "2027-03-27"),
        {"2027-03-28T01:00:00Z": ["2 times do not exist on 2027-03-28: run once, at 03:00"]},
    ),
    "a time that is dropped": (
        *(daily(dst={"skipped": "skip"}) | PRAGUE, "2027-03-27"),
        {"2027-03-29T00:30:00Z": ["02:30 does not exist on 2027-03-28: skipped"]},
    ),
    "a time before the gap": (
        *(daily(dst={"skipped": "before"}) | PRAGUE, "2027-03-27"),
        {"2027-03-28T00:59:00Z": ["02:30 does not exist on 2027-03-28: runs at 01:59"]},
    ),
    "the first of two": (
        *(daily() | PRAGUE, "2026-10-24"),
        {"2026-10-25T00:30:00Z": ["02:30 comes twice on 2026-10-25: runs the first time"]},
    ),
    "the second of two": (
        *(daily(dst={"repeated": "second"}) | PRAGUE, "2026-10-24"),
        {"2026-10-25T01:30:00Z": ["02:30 comes twice on 2026-10-25: runs the second time"]},
    ),
    "both": (
        *(daily(dst={"repeated": "both"}) | PRAGUE, "2026-10-24"),
        {
            "2026-10-25T00:30:00Z": ["02:30 comes twice on 2026-10-25: runs both times"],
            "2026-10-25T01:30:00Z": ["02:30 comes twice on 2026-10-25: runs both times"],
        },
    ),
    "elapsed time": ({"frequency": "hour"} | PRAGUE, "2026-10-24T23:00", {}),
    "a day off": (
        *(daily(exclude=off("2026-12-25")), "2026-12-24"),
        {"2026-12-26T02:30:00Z": ["2026-12-25 is a day off: 02:30 is skipped"]},
    ),
    "days off": (
        *(daily(exclude=off("2026-12-25/2026-12-27")), "2026-12-24"),
        {"2026-12-28T02:30:00Z": ["2026-12-25 to 2026-12-27 are days off: 3 times are skipped"]},
    ),
    "a day off with very many times": (
        {"frequency": "minute", "exclude": off("2026-12-25")},
        "2026-12-24T23:58:00Z",
        {"2026-12-26T00:00:00Z": ["2026-12-25 is a day off: 100 or more times are skipped"]},
    ),
    "moved on": (
        *(daily(exclude=off("2026-12-25", then="next")), "2026-12-25"),
        {"2026-12-26T02:30:00Z": ["2026-12-25 is a day off: 02:30 runs on 2026-12-26"]},
    ),
    "moved back": (
        *(daily(exclude=off("2026-12-25", then="previous")), "2026-12-24"),
        {"2026-12-24T02:30:00Z": ["2026-12-25 is a day off: 02:30 runs on 2026-12-24"]},
    ),
    "elapsed time on a local day off": (
        {"frequency": "hour", "interval": 12, "exclude": off("2026-12-25", then="next")} | PRAGUE,
        "2026-12-24T18:00",
        {
            "2026-12-26T05:00:00Z": ["2026-12-25 is a day off: 06:00 runs on 2026-12-26"],
            "2026-12-26T17:00:00Z": ["2026-12-25 is a day off: 18:00 runs on 2026-12-26"],
        },
    ),
}


@pytest.mark.parametrize(("rule", "start", "expected"), CASES.values(), ids=CASES)
def test_a_note_says_what_was_moved_or_dropped(
    rule: dict[str, Any], start: str, expected: dict[str, list[str]]
) -> None:
    table = timetable(rule, start=start, now=f"{start[:8]}01")

    found = explain_next(table, Instant(table.floor - 1), 4)

    assert {format_instant(each.at): [*each.notes] for each in found if each.notes} == expected


def test_a_moved_run_at_once_has_a_note() -> None:
    rule = daily(exclude=off("2026-12-25", then="next"))

    found = explain_next(timetable(rule, now="2026-12-25T13:30:00Z"), Instant(0), 2)

    assert found[1].notes == ("the first run moves here, since 2026-12-25 is off",)


def test_a_job_that_runs_once_has_no_notes() -> None:
    table = timetable(start="2026-02-01")

    assert [each.notes for each in explain_next(table, Instant(0), 5)] == [()]
