"""Times and durations as pages show them."""

import pytest

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.portal.formatting import away, relative, span, when
from tests.portal.coming_jobs import NOW


@pytest.mark.parametrize(
    ("ticks", "text"),
    [
        (0, "0 ms"),
        (SECOND // 2, "500 ms"),
        (int(1.25 * SECOND), "1.2 s"),
        (14 * SECOND, "14 s"),
        (60 * SECOND, "1 min"),
        (61 * SECOND, "1 min 1 s"),
        (HOUR + 5 * SECOND, "1 h"),
        (2 * DAY + 3 * HOUR + MINUTE, "2 d 3 h"),
        (-3 * SECOND, "\N{MINUS SIGN}3.0 s"),
    ],
)
def test_a_duration_is_formatted_in_its_largest_units(ticks: int, text: str) -> None:
    assert span(ticks) == text


@pytest.mark.parametrize(
    ("ticks", "text"),
    [(0, "now"), (4 * MINUTE + 59 * SECOND, "in 4 min"), (-2 * HOUR, "2 h ago"), (9, "now")],
)
def test_an_instant_is_formatted_relative_to_now(ticks: int, text: str) -> None:
    assert away(Instant(NOW + ticks), NOW) == text


def test_a_time_element_has_text_and_milliseconds() -> None:
    assert when(NOW) == (
        '<time class="at" datetime="2026-01-10T00:30:00Z" data-ms="1768005000000" '
        'title="2026-01-10 00:30:00 UTC">2026-01-10 00:30:00 UTC</time>'
    )
    assert when(None) == relative(None, NOW) == "&ndash;"
