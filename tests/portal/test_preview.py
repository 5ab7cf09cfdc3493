"""The preview of a schedule."""

from typing import Any

import pytest

from foliot.portal.preview import preview
from tests.portal.coming_jobs import NOW, a_coming_job


@pytest.mark.parametrize(
    ("start", "rule", "days"),
    [
        pytest.param("2026-01-12T10:00:00Z", {}, {2}, id="once"),
        pytest.param(
            "2026-01-11T00:00:00Z",
            {"frequency": "day", "interval": 2, "count": 3},
            {1, 3, 5},
            id="three times",
        ),
        pytest.param(
            "2026-01-01T00:00:00Z",
            {"frequency": "month", "schedule": {"monthDays": [-1]}},
            {21, 49, 80, 110, 141, 171, 202, 233, 263, 294, 324, 355},
            id="the last day of each month",
        ),
        pytest.param(
            "2026-01-01T00:00:00Z",
            {
                "frequency": "week",
                "schedule": {"weekDays": ["monday"], "hours": [23], "minutes": [0]},
                "timeZone": "America/New_York",
                "endTime": "2026-01-21T00:00:00Z",
            },
            {3, 10},
            id="days of its own clock",
        ),
        pytest.param(
            "2026-01-11T00:00:00Z",
            {"frequency": "minute", "count": 100_000},
            set(range(1, 71)),
            id="very many",
        ),
    ],
)
def test_a_preview_marks_the_days_of_a_year(
    start: str, rule: dict[str, Any], days: set[int]
) -> None:
    shown = preview(a_coming_job(start, **rule).job, NOW)

    assert len(shown.runs) <= 10
    assert shown.days == days
