import pytest

from foliot.client.holidays import Years, days_of
from foliot.core.errors import Invalid

YEARS = Years(2026, 2028)


def calendar(*events: str) -> str:
    inner = "".join(f"BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n" for event in events)
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{inner}END:VCALENDAR\r\n"


@pytest.mark.parametrize(
    ("event", "days"),
    [
        ("DTSTART;VALUE=DATE:20261225", ["2026-12-25"]),
        ("DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261227", ["2026-12-24/2026-12-26"]),
        ("DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261224", ["2026-12-24"]),
        ("DTSTART:20261231T220000Z\r\nDTEND:20270101T020000Z", ["2026-12-31/2027-01-01"]),
        ("DTSTART:20261231T090000\r\nDTEND:20270101T000000", ["2026-12-31"]),
        ("DTSTART;VALUE=DATE:20261224\r\nDURATION:P1W", ["2026-12-24/2026-12-30"]),
        ("DTSTART;VALUE=DATE:20261224\r\nSTATUS:CANCELLED", []),
        ("DTSTART;VALUE=DATE:2026122\r\n 4\r\nSUMMARY:Folded", ["2026-12-24"]),
        (
            "DTSTART;VALUE=DATE:19500501\r\nRRULE:FREQ=YEARLY",
            ["2026-05-01", "2027-05-01", "2028-05-01"],
        ),
        (
            "DTSTART;VALUE=DATE:20250501\r\nRRULE:FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1;COUNT=3"
            "\r\nEXDATE;VALUE=DATE:20260501",
            ["2027-05-01"],
        ),
        ("DTSTART;VALUE=DATE:20240229\r\nRRULE:FREQ=YEARLY", ["2028-02-29"]),
        (
            "DTSTART;VALUE=DATE:20260501\r\nRRULE:FREQ=YEARLY;INTERVAL=2;UNTIL=20270101T000000Z",
            ["2026-05-01"],
        ),
        (
            "DTSTART;VALUE=DATE:20260501\r\nRDATE;VALUE=DATE:20260502,20260601",
            ["2026-05-01/2026-05-02", "2026-06-01"],
        ),
        (
            "DTSTART;VALUE=DATE:20201126\r\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
            ["2026-11-26", "2027-11-25", "2028-11-23"],
        ),
        (
            "DTSTART;VALUE=DATE:20260525\r\nRRULE:FREQ=YEARLY;BYDAY=-1MO;BYMONTH=5;COUNT=2",
            ["2026-05-25", "2027-05-31"],
        ),
        (
            "DTSTART;VALUE=DATE:20260130\r\nRRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=+5FR",
            ["2026-01-30", "2027-01-29"],
        ),
        (
            "BEGIN:VALARM\r\nDTSTART:19990101\r\nEND:VALARM\r\nDTSTART;VALUE=DATE:20261225",
            ["2026-12-25"],
        ),
    ],
    ids=[
        *("a day", "several days", "no length", "over midnight", "to midnight", "a week"),
        *("canceled", "a folded line", "yearly", "yearly with count and exception"),
        *("a leap day", "every second year until", "more dates"),
        *("a weekday", "the last weekday", "a fifth weekday", "an alarm inside"),
    ],
)
def test_the_days_of_an_event_are_found(event: str, days: list[str]) -> None:
    assert days_of(calendar(event), YEARS) == days


def test_days_of_several_events_are_sorted_and_each_is_there_once() -> None:
    text = calendar(
        "DTSTART;VALUE=DATE:20261226",
        "DTSTART;VALUE=DATE:20260101",
        "DTSTART;VALUE=DATE:20261225",
        "DTSTART;VALUE=DATE:20261226",
    )

    assert days_of(text, YEARS) == ["2026-01-01", "2026-12-25/2026-12-26"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "is not an iCalendar file"),
        (calendar("SUMMARY:No date"), "an event has no DTSTART"),
        (calendar("DTSTART:20261399"), '"20261399" is not a date'),
        (
            calendar("SUMMARY:Easter\r\nDTSTART:20260405\r\nRRULE:FREQ=MONTHLY"),
            '"Easter" repeats by "FREQ=MONTHLY"',
        ),
        (
            calendar("DTSTART:20260405\r\nRRULE:FREQ=YEARLY;BYDAY=1SU"),
            "give only events that repeat each year",
        ),
        (
            calendar("DTSTART:20260405\r\nRRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=SU"),
            "give only events that repeat each year",
        ),
        (calendar("DTSTART:20260405\r\nDURATION:P9999D"), "an event of 9999 days"),
        (calendar("DTSTART:99991231\r\nDURATION:P5D"), "ends after the year 9999"),
        (
            calendar(f"DTSTART:20260405\r\nRRULE:FREQ=YEARLY;COUNT={'9' * 5000}"),
            "characters); give only events",
        ),
        (calendar("DTSTART:20260405\r\nRRULE:FREQ=YEARLY;INTERVAL=٣"), "give only events"),
        (calendar(), "has no events"),
        (calendar("DTSTART:20260405").removesuffix("END:VCALENDAR\r\n"), "is cut off"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260405\nEND:VCALENDAR", "is cut off"),
    ],
    ids=[
        *("no calendar", "no date", "a bad date", "monthly", "a weekday of a year", "each sunday"),
        *("too long", "beyond all years", "a long number", "other digits", "no events"),
        *("no end", "an open event"),
    ],
)
def test_what_cannot_be_taken_over_is_refused(text: str, message: str) -> None:
    with pytest.raises(Invalid) as refused:
        days_of(text, YEARS)

    assert message in str(refused.value)
