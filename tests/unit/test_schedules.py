import pytest

from foliot.core.recurrence import sentence
from tests.builders import times, timetable
from tests.unit.schedule_table import ROWS, Row

ids = [f"{number}: {row.sentence}" for number, row in enumerate(ROWS)]
rows = pytest.mark.parametrize("row", ROWS, ids=ids)


@rows
def test_a_schedule_gives_its_times(row: Row) -> None:
    expected = [f"{time}Z" for time in row.times.split()]

    found = times(timetable(row.recurrence, start=row.start, now=row.now), len(expected))

    assert found == expected


@rows
def test_a_schedule_is_told_in_words(row: Row) -> None:
    assert sentence(timetable(row.recurrence, start=row.start, now=row.now)) == row.sentence
