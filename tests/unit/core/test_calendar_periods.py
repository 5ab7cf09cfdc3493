"""The times that a calendar would have had before it was in force."""

import pytest

from foliot.core.instant import Instant, format_instant
from foliot.core.model.schedule_change import PastCalendar
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.rules.calendar_periods import timetable_before
from tests.support.builders import at

LEAP_DAY = "2028-02-29T10:00:00Z"


def first_since(frequency: Frequency, since: str, zone: str | None = None) -> str:
    """Return the first time since an instant of a calendar that began on a leap day."""
    rule = Recurrence(frequency=frequency, interval=1, time_zone=zone)
    begin = at(since)
    timetable = timetable_before(PastCalendar(recurrence=rule, calendar_at=at(LEAP_DAY)), begin)
    assert timetable is not None
    found = timetable.next_after(Instant(begin - 1))
    assert found is not None
    return format_instant(found)


@pytest.mark.parametrize(
    ("frequency", "since", "first"),
    [
        (Frequency.YEAR, "2027-01-01", "2027-02-28T10:00:00Z"),
        (Frequency.YEAR, "1901-01-01", "1901-02-28T10:00:00Z"),
        (Frequency.MONTH, "1901-01-01", "1901-01-29T10:00:00Z"),
        (Frequency.MONTH, "1701-02-01", "1701-02-28T10:00:00Z"),
    ],
)
def test_a_calendar_of_a_leap_day_is_known_after_years_without_one(
    frequency: Frequency, since: str, first: str
) -> None:
    assert first_since(frequency, since) == first


@pytest.mark.parametrize("zone", [None, "Pacific/Kiritimati", "America/Los_Angeles"])
@pytest.mark.parametrize("frequency", Frequency)
def test_a_calendar_is_known_from_the_first_years_on(
    frequency: Frequency, zone: str | None
) -> None:
    assert first_since(frequency, "0001-01-01", zone) < "0005"
