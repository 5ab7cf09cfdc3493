from typing import Any

import pytest

from foliot.core.recurrence import sentence
from tests.support.builders import times, timetable
from tests.unit.core.schedule_table import ROWS, Row

ids = [f"{number}: {row.sentence}" for number, row in enumerate(ROWS)]
rows = pytest.mark.parametrize("row", ROWS, ids=ids)


@rows
def test_a_schedule_gives_its_times(row: Row) -> None:
    expected = [f"{time}Z" for time in row.times.split()]

    found = times(timetable(row.recurrence, start=row.start, now=row.now), len(expected))

    assert found == expected


@rows
def test_a_schedule_is_described_in_words(row: Row) -> None:
    assert sentence(timetable(row.recurrence, start=row.start, now=row.now)) == row.sentence


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param(
            {}, ", and once when it is saved, since it has no start time", id="without end"
        ),
        pytest.param(
            {"count": 5},
            ", 5 times, the first when it is saved, since it has no start time",
            id="a number of times",
        ),
        pytest.param(
            {"count": 1},
            ", one time, namely when it is saved, since it has no start time",
            id="one time",
        ),
    ],
)
def test_the_sentence_mentions_a_first_run_outside_the_schedule(
    fields: dict[str, Any], told: str
) -> None:
    rule = {"frequency": "week", "schedule": {"weekDays": ["monday"], "hours": [9]}} | fields
    now = "2026-01-13T12:30:00Z"

    assert sentence(timetable(rule, start=None, now=now)) == (
        f"Every week on Monday at 09:30 UTC{told}"
    )


def test_a_grid_without_a_start_begins_with_itself() -> None:
    found = timetable({"frequency": "day"}, start=None, now="2026-01-13T12:30:00Z")

    assert sentence(found) == "Every day at 12:30 UTC"
