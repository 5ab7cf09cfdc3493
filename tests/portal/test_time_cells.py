"""Cells of a timeline: days and weeks of the clock of the viewer, also when it changes."""

from datetime import date
from itertools import pairwise

import pytest

from foliot.core.instant import DAY, HOUR, Instant, parse_instant
from foliot.core.recurrence.zone import find_zone
from foliot.portal.charts.time_cells import Zoom, window_of


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        pytest.param(None, "2026-03-29", 24, id="UTC"),
        pytest.param("Europe/Berlin", "2026-03-29", 23, id="put forward"),
        pytest.param("Europe/Berlin", "2026-10-25", 25, id="put back"),
        pytest.param("Asia/Kathmandu", "2026-03-29", 24, id="a quarter of an hour off"),
        pytest.param("Australia/Lord_Howe", "2026-04-05", 24.5, id="half an hour back"),
        pytest.param("Australia/Lord_Howe", "2026-10-04", 23.5, id="half an hour on"),
        pytest.param("America/Havana", "2026-03-08", 23, id="midnight is skipped"),
        pytest.param("America/Havana", "2026-11-01", 25, id="midnight comes twice"),
    ],
)
@pytest.mark.parametrize("zoom", list(Zoom))
def test_cells_cover_each_day_without_gaps(
    zone: str | None, day: str, hours: float, zoom: Zoom
) -> None:
    window = window_of(zone and find_zone(zone), zoom, date.fromisoformat(day))

    lengths = [later - earlier for earlier, later in pairwise(window.edges)]
    extra = sum(lengths) - (7 * DAY if zoom is Zoom.WEEK else DAY)
    assert extra == round((hours - 24) * HOUR)
    assert all(0 < length <= (3 * HOUR if zoom is Zoom.WEEK else HOUR) for length in lengths)
    assert [cell.start for cell in window.cells] == [*window.edges[:-1]]


def test_an_hour_that_comes_twice_is_named_twice() -> None:
    window = window_of(find_zone("Europe/Berlin"), Zoom.DAY, date(2026, 10, 25))

    named = [f"{cell.begins:%H:%M}" for cell in window.cells if cell.begins.hour == 2]
    again = [cell for cell in window.cells if cell.is_repeated]
    assert named == ["02:00", "02:00"]
    assert [cell.words.replace("\N{EN DASH}", "-") for cell in again] == [
        "Sun 25 Oct 02:00-03:00 (second time)"
    ]


def test_a_week_begins_on_monday() -> None:
    window = window_of(None, Zoom.WEEK, date(2026, 3, 1))

    assert window.days[0] == date(2026, 2, 23)
    assert window.days[-1] == date(2026, 3, 1)
    assert window.shifted(1) == date(2026, 3, 2)


def test_an_instant_has_its_cell_and_its_place() -> None:
    window = window_of(find_zone("Asia/Kolkata"), Zoom.DAY, date(2026, 1, 10))
    at = parse_instant("2026-01-10T06:30:00Z")

    found = window.cell_at(at)

    assert found is not None
    assert f"{found.begins:%H:%M}" == "12:00"
    assert window.place_of(at) == 50
    assert window.cell_at(Instant(window.edges[-1])) is None
