"""Occurrences are counted as if they were gone through."""

from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.core.instant import (
    DAY,
    HOUR,
    LAST_TICK,
    MINUTE,
    Instant,
    format_instant,
    instant_of,
    parse_instant,
)
from foliot.core.recurrence import Timetable, count_between
from tests.property.judged import timetable_of
from tests.property.rules import Job, jobs
from tests.support.builders import timetable

_WALKED = 60


def walk(table: Timetable, start: Instant, end: Instant) -> list[Instant] | None:
    """Go through the occurrences of a stretch; None if there are too many."""
    found: list[Instant] = []
    at = table.next_after(Instant(start - 1))
    while at is not None and at < end:
        found.append(at)
        if len(found) > _WALKED:
            return None
        at = table.next_after(at)
    return found


@given(jobs(), st.data())
def test_a_count_is_what_a_walk_finds(job: Job, data: st.DataObject) -> None:
    table = timetable_of(job)
    created = instant_of(job.created)
    begin = data.draw(st.integers(-3 * DAY, 500 * DAY), label="begin")
    length = data.draw(
        st.sampled_from([0, 1, MINUTE, HOUR, DAY, 3 * DAY, 40 * DAY, 800 * DAY])
        | st.integers(0, 100 * DAY),
        label="length",
    )
    start, end = Instant(created + begin), Instant(created + begin + length)
    walked = walk(table, start, end)
    if walked is None:
        # Too many to go through: their edges are counted instead, against the whole.
        middle = Instant(start + length // 2)
        whole = count_between(table, start, end)
        assert whole == count_between(table, start, middle) + count_between(table, middle, end)
        assert whole > _WALKED
        return

    assert count_between(table, start, end) == len(walked)


@given(jobs(), st.data())
def test_counts_at_the_edges_are_exact(job: Job, data: st.DataObject) -> None:
    table = timetable_of(job)
    found = walk(table, instant_of(job.created), Instant(instant_of(job.created) + 30 * DAY)) or []
    if not found:
        return
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(found) - 1)] * 2)))

    assert count_between(table, found[first], found[last]) == last - first
    assert count_between(table, found[first], Instant(found[last] + 1)) == last - first + 1
    assert count_between(table, Instant(found[first] + 1), found[last]) == max(0, last - first - 1)


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        pytest.param("Europe/Berlin", "2026-03-29", id="23 hours"),
        pytest.param("Europe/Berlin", "2026-10-25", id="25 hours"),
        pytest.param("Australia/Lord_Howe", "2026-04-05", id="half an hour back"),
        pytest.param("Australia/Lord_Howe", "2026-10-04", id="half an hour on"),
        pytest.param("Pacific/Apia", "2011-12-30", id="a day that is skipped"),
        pytest.param("Pacific/Kwajalein", "1969-10-01", id="a day that comes twice"),
    ],
)
def test_counts_are_exact_hour_by_hour_around_a_change_of_the_clock(zone: str, day: str) -> None:
    middle = parse_instant(day)
    rule = {"frequency": "day", "timeZone": zone, "schedule": {"minutes": [7, 37]}}
    table = timetable(rule, now=format_instant(Instant(middle - 9 * DAY)))

    for start in range(middle - 2 * DAY, middle + 2 * DAY, HOUR):
        for end in (start + HOUR // 2, start + 26 * HOUR):
            walked = walk(table, Instant(start), Instant(end))
            assert walked is not None
            assert count_between(table, Instant(start), Instant(end)) == len(walked)


def test_the_end_of_time_is_reached() -> None:
    table = timetable({"frequency": "minute"}, now="2026-01-01T00:00:00Z")

    counted = count_between(table, table.begin, Instant(LAST_TICK + 1))

    assert counted == (LAST_TICK - table.begin) // MINUTE + 1


def test_a_job_that_runs_once_is_counted_once() -> None:
    at = parse_instant("2026-01-01T10:00:00Z")
    table = Timetable.of(None, None, at)

    edges = [Instant(at - 1), at, Instant(at + 1), Instant(at + DAY)]

    assert [count_between(table, edges[0], end) for end in edges] == [0, 0, 1, 1]
    assert list(takewhile(bool, (count_between(table, start, edges[3]) for start in edges))) == [
        *(1, 1)
    ]
