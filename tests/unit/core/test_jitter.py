"""Jitter spreads runs that are due together, in the same way everywhere."""

from collections import Counter

import pytest

from foliot.core.ids import CollectionKey
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.rules.jitter import jitter_ticks
from tests.support.builders import at

KEY = CollectionKey("me", "home", "Billing")
MIDNIGHT = at("2026-03-01T00:00:00Z")
# The value that a chi-squared sum with 59 degrees of freedom exceeds once in 100,000 samples.
UNLIKELY = 119.0


def test_the_jitter_of_an_occurrence_is_known_by_heart() -> None:
    assert jitter_ticks(KEY, "nightly", MIDNIGHT, HOUR) == 32_000_330_030


@pytest.mark.parametrize(
    ("key", "job"),
    [
        pytest.param(CollectionKey("ME", "Home", "billing"), "Nightly", id="letter case"),
        pytest.param(CollectionKey("me", "home", "Billing"), "nightly", id="the same names"),
    ],
)
def test_the_same_job_has_the_same_jitter(key: CollectionKey, job: str) -> None:
    assert jitter_ticks(key, job, MIDNIGHT, HOUR) == jitter_ticks(KEY, "nightly", MIDNIGHT, HOUR)


def test_ten_thousand_jobs_that_are_due_at_midnight_are_spread_evenly() -> None:
    found = [jitter_ticks(KEY, f"job{number}", MIDNIGHT, HOUR) for number in range(10_000)]
    by_minute = Counter(ticks // MINUTE for ticks in found)

    assert min(found) >= 0
    assert max(found) < HOUR
    assert _chi_squared(by_minute, 60, len(found)) < UNLIKELY


def test_the_occurrences_of_a_job_are_spread_evenly() -> None:
    times = (Instant(MIDNIGHT + number * 24 * HOUR) for number in range(10_000))
    found = [jitter_ticks(KEY, "nightly", each, MINUTE) for each in times]

    assert _chi_squared(Counter(ticks // SECOND for ticks in found), 60, len(found)) < UNLIKELY


def _chi_squared(counts: Counter[int], bins: int, total: int) -> float:
    expected = total / bins
    return sum((counts[each] - expected) ** 2 / expected for each in range(bins))
