"""The timeline counts coming runs as if each job were gone through, in any zone of the viewer."""

from bisect import bisect_right
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.ids import CollectionId
from foliot.core.instant import DAY, HOUR, Instant, instant_of
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence.zone import find_zone
from foliot.core.rules.coming_by_lane import count_by_lane
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_left
from foliot.core.rules.run_series import (
    ComingSeries,
    coming_runs,
    runs_between,
    runs_in_cells,
    series_of,
)
from foliot.portal.charts.time_cells import TimeWindow, Zoom, day_of, window_of
from tests.portal.coming_jobs import NOW, a_coming_job
from tests.property import rules
from tests.support.builders import DEFINITION

ZONES = (None, *rules.ZONES, "Europe/Berlin", "Asia/Kolkata")
MANY = 400


def walked(job: Job, edges: tuple[Instant, ...]) -> list[int] | None:
    """Count by going through every run; None if there are too many."""
    counts = [0] * (len(edges) - 1)
    at, left, table = job.next_at, runs_left(job), timetable_of(job)
    for _ in range(MANY):
        if at is None or at >= edges[-1] or left == 0:
            return counts
        if at >= edges[0]:
            counts[bisect_right(edges, at) - 1] += 1
        at, left = table.next_after(at), None if left is None else left - 1
    return None


def stored_job(written: rules.Job, count: int | None) -> Job:
    limit = {} if count is None else {"count": count}
    start = None if written.start is None else written.start.isoformat()
    given = Properties({"recurrence": written.recurrence | limit, "startTime": start})
    definition = Definition(
        action=DEFINITION.action, start=decode_start(given), recurrence=decode_recurrence(given)
    )
    job = Job(
        collection_id=CollectionId(1),
        name="a",
        definition=definition,
        calendar_at=instant_of(written.created),
    )
    return structs.replace(job, next_at=timetable_of(job).first())


def runs_of(job: Job) -> ComingSeries:
    assert job.next_at is not None
    return coming_runs(series_of(job), job.next_at, job.occurrence)


@st.composite
def windows(draw: st.DrawFn, around: Instant) -> TimeWindow:
    zone = draw(st.sampled_from(ZONES))
    zoom = draw(st.sampled_from(list(Zoom)))
    day = day_of(zone and find_zone(zone), around) + timedelta(days=draw(st.integers(-2, 40)))
    return window_of(zone and find_zone(zone), zoom, day)


@given(rules.jobs(), st.integers(1, 300) | st.none(), st.data())
def test_counting_equals_going_through_the_runs(
    written: rules.Job, count: int | None, data: st.DataObject
) -> None:
    job = stored_job(written, count)
    if job.next_at is None:
        return
    window = data.draw(windows(job.next_at))
    expected = walked(job, window.edges)
    if expected is None:
        return
    now = Instant(instant_of(written.created) + data.draw(st.integers(0, 10 * DAY)))

    found = count_by_lane([("lane", runs_of(job))] * 3, window.edges, now)

    assert found.get("lane", [0] * len(expected)) == [3 * each for each in expected]
    within = window.edges[0], window.edges[-1]
    between = runs_between(runs_of(job), *within)
    assert (0 if between is None else between[1]) == sum(expected)
    cells = dict(runs_in_cells(runs_of(job), window.edges))
    assert [cells.get(index, 0) for index in range(len(expected))] == expected


@given(st.lists(st.tuples(st.integers(1, 200), st.integers(0, 3000)), max_size=30))
def test_jobs_with_even_steps_are_counted_together(jobs: list[tuple[int, int]]) -> None:
    made = [
        a_coming_job(
            f"2026-01-10T01:{minutes % 60:02}:{minutes % 59:02}Z", frequency="minute", interval=step
        ).job
        for step, minutes in jobs
    ]
    window = window_of(find_zone("Asia/Kathmandu"), Zoom.WEEK, day_of(None, NOW))
    expected = [0] * len(window.cells)
    for job in made:
        for index, count in runs_in_cells(runs_of(job), window.edges):
            expected[index] += count

    found = count_by_lane([("lane", runs_of(job)) for job in made], window.edges, NOW)

    assert found.get("lane", [0] * len(expected)) == expected


@pytest.mark.parametrize("since", [0, HOUR, 26 * HOUR])
def test_the_first_run_of_a_cell_is_found(since: int) -> None:
    job = a_coming_job(frequency="minute", interval=7).job
    at = Instant(NOW + since)
    table = timetable_of(job)

    found = runs_between(runs_of(job), at, Instant(at + HOUR))

    assert found is not None
    assert found[0] == (job.next_at if since == 0 else table.next_after(Instant(at - 1)))


def test_a_first_run_beside_the_schedule_is_counted_beside_it() -> None:
    schedule = {"hours": [1], "minutes": [0]}
    job = a_coming_job(frequency="minute", interval=1, schedule=schedule).job
    window = window_of(None, Zoom.DAY, day_of(None, NOW))

    found = count_by_lane([("lane", runs_of(job))], window.edges, NOW)

    assert found["lane"][:3] == [1, 1, 0]
