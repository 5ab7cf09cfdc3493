"""The charts: counts per minute, and the SVG that shows them."""

from datetime import date

import pytest

from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.dashboard import AttemptSample
from foliot.core.model.history import AttemptStatus
from foliot.portal.charts import svg
from foliot.portal.charts.last_hour import MINUTES, per_minute
from tests.portal.coming_jobs import NOW
from tests.support.builders import an_entry


def test_minutes_have_counts_and_start_delays() -> None:
    def sample(
        ago: float, late: int, status: AttemptStatus, *, tells_delay: bool = True
    ) -> AttemptSample:
        ended = Instant(NOW - int(ago * MINUTE))
        started = Instant(ended - SECOND)
        return AttemptSample(started, ended, Instant(started - late), status, tells_delay, 3)

    samples = [
        sample(60.5, 1, AttemptStatus.COMPLETED),
        sample(1.5, 10, AttemptStatus.COMPLETED),
        sample(1.4, 30, AttemptStatus.FAILED),
        sample(1.3, 20, AttemptStatus.COMPLETED),
        sample(1.2, 99, AttemptStatus.COMPLETED, tells_delay=False),
        sample(0.5, 99, AttemptStatus.POSTPONED),
    ]

    minutes = per_minute(samples, NOW)

    assert len(minutes) == MINUTES
    busy, quiet = minutes[-2], minutes[-1]
    assert (busy.completed, busy.failed, busy.total) == (9, 3, 12)
    assert (busy.median, busy.percentile_95) == (20, 30)
    assert (quiet.total, quiet.median) == (0, None)
    assert sum(minute.total for minute in minutes) == 12


@pytest.mark.parametrize(
    ("delays", "median", "percentile_95"),
    [
        ([7], 7, 7),
        ([3, 6], 3, 6),
        ([9 * SECOND, 593 * SECOND], 9 * SECOND, 593 * SECOND),
        (list(range(1, 101)), 50, 95),
    ],
    ids=["one", "two", "far apart", "a hundred"],
)
def test_percentiles_are_values_by_nearest_rank(
    delays: list[int], median: int, percentile_95: int
) -> None:
    samples = [
        AttemptSample(
            NOW, NOW, Instant(NOW - delay), AttemptStatus.COMPLETED, tells_delay=True, weight=1
        )
        for delay in delays
    ]

    last = per_minute(samples, NOW)[-1]

    assert (last.median, last.percentile_95) == (median, percentile_95)


def test_a_minute_of_reruns_alone_has_no_start_delay() -> None:
    rerun = AttemptSample(
        NOW, NOW, Instant(NOW - MINUTE), AttemptStatus.COMPLETED, tells_delay=False, weight=1
    )

    minutes = per_minute([rerun], NOW)

    assert minutes[-1].total == 1
    assert "this minute: no planned runs" in svg.start_delay(minutes)


@pytest.mark.parametrize(
    ("used", "most", "level"),
    [(0, 10, "fair"), (8, 10, "high"), (10, 10, "full"), (3, 0, "full")],
)
def test_a_gauge_shows_how_much_is_used(used: int, most: int, level: str) -> None:
    assert f'class="used {level}"' in svg.gauge(used, most, "jobs")


def test_charts_without_data_are_drawn() -> None:
    assert "No runs yet" in svg.strip([])
    assert "the last 0 attempts" in svg.durations([])
    assert "<svg" in svg.throughput(per_minute([], NOW))
    assert "<svg" in svg.start_delay(per_minute([], NOW))


def test_a_strip_shows_the_newest_thirty_at_the_right() -> None:
    drawn = svg.strip([AttemptStatus.FAILED, *[AttemptStatus.COMPLETED] * 40])

    assert "Last 30: 29 completed, 1 failed" in drawn
    assert 'class="failed" d="M118 0v16"' in drawn


def test_durations_are_bars_by_outcome() -> None:
    entries = [an_entry(1, second=2, status=AttemptStatus.FAILED), an_entry(1)]

    drawn = svg.durations(entries)

    assert drawn.index("completed, 1.0 s") < drawn.index("failed, 1.0 s")


def test_the_days_of_a_year_are_marked() -> None:
    drawn = svg.year(date(2026, 1, 10), frozenset({0, 2}), 366)

    assert drawn.count('class="runs"') == 2
    assert "<title>Sat 10 Jan 2026</title>" in drawn
    assert "<title>Mon 12 Jan 2026</title>" in drawn
    assert "2 of the coming 366 days have a run" in drawn
