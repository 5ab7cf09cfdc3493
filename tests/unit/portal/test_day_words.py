"""Days and times as people say them, on the clock of a zone."""

from zoneinfo import ZoneInfo

import pytest

from foliot.core.instant import Instant, parse_instant
from foliot.portal.day_words import said_instant

# A Wednesday; in New York still Tuesday, 20:30.
NOW = parse_instant("2026-01-14T01:30:00Z")
NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("text", "utc", "new_york"),
    [
        pytest.param("today", "2026-01-14T00:00Z", "2026-01-13T05:00Z", id="today"),
        pytest.param("Yesterday", "2026-01-13T00:00Z", "2026-01-12T05:00Z", id="yesterday"),
        pytest.param("saturday", "2026-01-10T00:00Z", "2026-01-10T05:00Z", id="a weekday"),
        pytest.param("wednesday", "2026-01-14T00:00Z", "2026-01-07T05:00Z", id="weekday of today"),
        pytest.param("01:00", "2026-01-14T01:00Z", "2026-01-13T06:00Z", id="a time of today"),
        pytest.param("21:00", "2026-01-13T21:00Z", "2026-01-13T02:00Z", id="of yesterday"),
        pytest.param("saturday 3:05", "2026-01-10T03:05Z", "2026-01-10T08:05Z", id="day and time"),
        pytest.param("tuesday 22:00", "2026-01-13T22:00Z", "2026-01-07T03:00Z", id="a week ago"),
    ],
)
def test_a_day_or_a_time_is_the_last_one_that_has_passed(
    text: str, utc: str, new_york: str
) -> None:
    assert said_instant(text, NOW, None) == parse_instant(utc)
    assert said_instant(text, NOW, NEW_YORK) == parse_instant(new_york)


@pytest.mark.parametrize("text", ["", " ", "soon", "24:00", "3", "03:60", "last saturday", "7d"])
def test_other_texts_are_no_day(text: str) -> None:
    assert said_instant(text, NOW, None) is None


def test_a_day_at_the_begin_of_time_does_not_end_it() -> None:
    assert said_instant("yesterday", Instant(0), None) == Instant(0)
