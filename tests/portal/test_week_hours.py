"""Runs in each hour of the week, in the viewer's time zone."""

import pytest

from foliot.core.instant import HOUR, Instant, Wall, parse_instant
from foliot.core.model.dashboard import ComingJob
from foliot.core.recurrence.zone import find_zone
from foliot.core.rules.lifecycle import timetable_of
from foliot.core.rules.run_counts import runs_left
from foliot.portal.charts.week_hours import HOURS, Hour, hours_of, jobs_in_hour, runs_per_hour
from foliot.portal.preview import preview
from tests.portal.coming_jobs import NOW, a_coming_job


def walked(each: ComingJob, hours: list[Hour]) -> list[int]:
    """Count by going through every run."""
    counts = [0] * len(hours)
    at, table, left = each.job.next_at, timetable_of(each.job), runs_left(each.job)
    while at is not None and at < hours[-1].end and left != 0:
        for index, hour in enumerate(hours):
            counts[index] += hour.start <= at < hour.end
        at, left = table.next_after(at), None if left is None else left - 1
    return counts


ALL_DAY = {"hours": list(range(24)), "minutes": list(range(60))}


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(a_coming_job(frequency="minute", interval=7), id="every 7 minutes"),
        pytest.param(a_coming_job(frequency="minute", interval=60), id="every 60 minutes"),
        pytest.param(a_coming_job(frequency="minute", interval=61), id="every 61 minutes"),
        pytest.param(a_coming_job(frequency="hour", interval=5), id="every 5 hours"),
        pytest.param(
            a_coming_job(frequency="minute", interval=9, count=400), id="ends within the week"
        ),
        pytest.param(
            a_coming_job("2026-01-12T10:00:00Z", frequency="minute", interval=9), id="from later on"
        ),
        pytest.param(
            a_coming_job("2026-01-10T00:59:59.9999999Z", frequency="minute", interval=13),
            id="at an edge",
        ),
        pytest.param(
            a_coming_job(frequency="minute", interval=11, endTime="2026-01-14T00:00:00Z"),
            id="an end",
        ),
        pytest.param(
            a_coming_job(
                frequency="day", timeZone="Europe/Berlin", schedule={"minutes": [0, 7, 40]}
            ),
            id="a calendar in a zone",
        ),
        pytest.param(a_coming_job("2027-01-10T00:00:00Z", frequency="hour"), id="after the week"),
        pytest.param(a_coming_job("2026-01-11T00:00:00Z"), id="once"),
    ],
)
@pytest.mark.parametrize(
    ("zone", "now"),
    [
        pytest.param(None, NOW, id="UTC"),
        pytest.param("Asia/Kolkata", NOW, id="half an hour off"),
        pytest.param("Asia/Kathmandu", NOW, id="a quarter of an hour off"),
        pytest.param("America/Sao_Paulo", NOW, id="behind"),
    ],
)
def test_counting_runs_equals_listing_them(each: ComingJob, zone: str | None, now: Instant) -> None:
    hours = hours_of(zone and find_zone(zone), now)

    assert runs_per_hour([each], hours) == walked(each, hours)


def test_a_hundred_thousand_runs_are_counted_exactly() -> None:
    often = a_coming_job("2026-01-01", frequency="day", schedule=ALL_DAY)
    hours = hours_of(None, NOW)

    found = runs_per_hour([often] * 10, hours)

    assert found[0] == 10 * 29  # from 00:31 on
    assert found[1:] == [600] * (HOURS - 1)


@pytest.mark.parametrize(
    ("now", "hour", "runs"),
    [
        pytest.param("2026-03-28T12:00:00Z", "2026-03-29T02:00:00Z", 0, id="a skipped hour"),
        pytest.param("2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z", 120, id="a repeated hour"),
    ],
)
def test_a_day_on_which_the_clock_changes_has_all_its_runs(now: str, hour: str, runs: int) -> None:
    often = a_coming_job("2026-01-01", frequency="minute")
    hours = hours_of(find_zone("Europe/Berlin"), parse_instant(now))

    counts = {
        each.reading: count
        for each, count in zip(hours, runs_per_hour([often], hours), strict=True)
    }

    assert counts[Wall(parse_instant(hour))] == runs
    assert set(counts.values()) == {60, runs}


def test_the_runs_of_all_jobs_are_added_up() -> None:
    daily = a_coming_job("2026-01-01", frequency="day", schedule={"hours": [5], "minutes": [0, 30]})
    limited = a_coming_job(frequency="hour", count=3)
    once = a_coming_job("2026-01-10T05:10:00Z")

    found = runs_per_hour([daily, limited, once], hours_of(None, NOW))

    assert found[:6] == [1, 1, 1, 0, 0, 3]
    assert sum(found) == 7 * 2 + 3 + 1


def test_the_jobs_of_an_hour_are_sorted_by_first_run() -> None:
    begin = parse_instant("2026-01-10T05:00:00Z")
    often = a_coming_job("2026-01-10T00:50:00Z", frequency="minute", interval=20)
    at_half = a_coming_job("2026-01-01", frequency="day", schedule={"hours": [5], "minutes": [5]})
    later = a_coming_job("2026-01-10T06:00:00Z")

    found = jobs_in_hour([often, at_half, later], Hour(Wall(begin), begin, Instant(begin + HOUR)))

    assert [(each.coming, each.first - begin, each.count) for each in found] == [
        (at_half, 5 * HOUR // 60, 1),
        (often, 10 * HOUR // 60, 3),
    ]


def test_a_job_after_its_last_run_is_in_no_later_hour() -> None:
    begin = parse_instant("2026-01-10T05:00:00Z")
    ended = a_coming_job(frequency="hour", count=3)

    assert jobs_in_hour([ended], Hour(Wall(begin), begin, Instant(begin + HOUR))) == []


def test_the_days_of_a_job_with_a_count_end_with_its_last_run() -> None:
    few = a_coming_job(frequency="minute", interval=10, count=300)
    many = a_coming_job(frequency="minute", count=1_000_000)

    assert preview(few.job, NOW).days == {0, 1, 2}
    assert len(preview(many.job, NOW).days) == 366
