"""Nodes that share a database take turns: their rounds move apart."""

import heapq

import pytest

from foliot.core.instant import SECOND, Instant
from foliot.core.model.run import DueRun
from foliot.engine.round_pause import round_seconds
from tests.support.builders import NOW, a_collection, a_job, a_run

MILLISECOND = SECOND // 1000


def found(*milliseconds: int) -> list[DueRun]:
    """Return runs that were due so many milliseconds ago."""
    job, collection = a_job(a_collection().id), a_collection()
    times = [Instant(NOW - each * MILLISECOND) for each in milliseconds]
    return [DueRun(a_run(job, expected_at=at, due_at=at), job, collection) for at in times]


@pytest.mark.parametrize(
    ("ages", "milliseconds"),
    [
        pytest.param([], 12, id="nothing was found"),
        pytest.param([0], 12, id="what was found has just become due"),
        pytest.param([2, 8], 8, id="the oldest of the found runs counts"),
        pytest.param([500], 6, id="half of the longest pause at least"),
        pytest.param([-3_600_000], 12, id="the clock was set back by an hour"),
    ],
)
def test_a_round_follows_sooner_the_older_the_found_runs_are(
    ages: list[int], milliseconds: int
) -> None:
    assert round_seconds(0.012, NOW, found(*ages)) == pytest.approx(milliseconds / 1000)


def test_rounds_follow_at_once_where_runs_are_not_gathered() -> None:
    assert round_seconds(0.0, NOW, found(2)) == 0


def test_the_rounds_of_nodes_that_begin_together_are_evenly_spread_in_the_end() -> None:
    nodes, last, gaps = [0.0, 0.0, 0.0], 0.0, list[float]()

    for _ in range(300):
        at = heapq.heappop(nodes)
        gaps.append(at - last)
        # There is always something due: the oldest run became due right after the last claim.
        age = round((at - last) * 1000)
        heapq.heappush(nodes, at + round_seconds(0.012, NOW, found(age)))
        last = at

    assert [round(gap * 1000) for gap in gaps[-30:]] == pytest.approx([3.5] * 30, abs=0.6)
