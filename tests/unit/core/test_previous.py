"""The occurrence before an instant."""

from itertools import pairwise
from typing import Any

import pytest

from foliot.core.instant import Instant, format_instant
from foliot.core.recurrence import Timetable, previous_before
from tests.support.builders import at, times, timetable

EVERY_MINUTE_OF_JANUARY = {
    "frequency": "year",
    "schedule": {
        "months": [1],
        "monthDays": [*range(1, 32)],
        "hours": [*range(24)],
        "minutes": [*range(60)],
    },
}


@pytest.mark.parametrize(
    "recurrence",
    [
        pytest.param({"frequency": "minute"}, id="every minute"),
        pytest.param({"frequency": "month", "interval": 2}, id="every second month"),
        pytest.param({"frequency": "week", "schedule": {"weekDays": ["Monday"]}}, id="Mondays"),
        pytest.param(
            {"frequency": "day", "timeZone": "Europe/Prague", "schedule": {"hours": [2, 3]}},
            id="over changes of the clock",
        ),
    ],
)
def test_the_previous_occurrence_of_each_is_the_one_before_it(recurrence: Any) -> None:
    table = timetable(recurrence, start="2026-01-31T00:30:00.5Z")
    found = [at(text) for text in times(table, 200)]

    assert [previous_before(table, each) for each in found] == [None, *found[:-1]]


def test_between_two_occurrences_the_earlier_one_is_the_previous() -> None:
    table = timetable({"frequency": "hour"}, start="2026-01-10T00:00:00Z")

    assert previous_before(table, at("2026-01-10T05:59:59Z")) == at("2026-01-10T05:00:00Z")


def test_a_job_that_runs_once_has_no_previous_occurrence_until_it_was_due() -> None:
    table = timetable(start="2026-01-11T00:00:00Z")

    assert previous_before(table, at("2026-01-11T00:00:00Z")) is None
    assert previous_before(table, at("2026-01-12T00:00:00Z")) == at("2026-01-11T00:00:00Z")


class CountedTimetable(Timetable, frozen=True, kw_only=True):
    """A timetable that counts how often it is asked."""

    asked: list[Instant]

    def next_after(self, after: Instant) -> Instant | None:
        self.asked.append(after)
        return super().next_after(after)


@pytest.mark.parametrize(
    ("recurrence", "instant"),
    [
        pytest.param(EVERY_MINUTE_OF_JANUARY, "2029-01-01T00:00:00Z", id="after a long gap"),
        pytest.param(EVERY_MINUTE_OF_JANUARY, "2029-01-31T23:59:00Z", id="after a short one"),
        pytest.param({"frequency": "minute"}, "2049-01-01T00:00:00Z", id="after many years"),
    ],
)
def test_the_search_takes_few_steps(recurrence: Any, instant: str) -> None:
    table = timetable(recurrence, start="2026-01-10T00:00:00Z")
    fields = {name: getattr(table, name) for name in table.__struct_fields__}
    counted = CountedTimetable(**fields, asked=[])

    found = previous_before(counted, at(instant))

    assert found is not None
    assert table.next_after(found) == at(instant), format_instant(found)
    assert len(counted.asked) < 120


def test_pairs_of_neighbours_agree_with_the_next_occurrence() -> None:
    table = timetable(EVERY_MINUTE_OF_JANUARY, start="2026-01-31T23:50:00Z")
    found = [at(text) for text in times(table, 30)]

    assert all(previous_before(table, later) == earlier for earlier, later in pairwise(found))
