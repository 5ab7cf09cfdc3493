"""Periods, intervals, retries and times as people type them."""

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from foliot.client.durations import iso_duration, parse_duration
from foliot.client.every import Every, parse_every
from foliot.client.retries import retry_policy
from foliot.client.typed_times import find_zone, parse_past, parse_time
from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, format_instant, parse_instant
from foliot.portal.day_words import said_instant

# A Tuesday.
NOW = parse_instant("2026-11-17T19:10:05Z")
PRAGUE = ZoneInfo("Europe/Prague")


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("30s", 30 * SECOND),
        ("12h", 12 * HOUR),
        ("1h30m", 90 * MINUTE),
        ("1 h 30 m", 90 * MINUTE),
        ("2W", 14 * DAY),
        ("7d", 7 * DAY),
        ("0s", 0),
        ("PT5M", 5 * MINUTE),
        ("P1DT2H", 26 * HOUR),
    ],
)
def test_a_period_is_read(text: str, ticks: int) -> None:
    assert parse_duration(text) == ticks


@pytest.mark.parametrize("text", ["", "s", "30", "30x", "30m1h", "-5m", "1.5h", "PT", "٣s"])
def test_what_is_no_period_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Invalid, match=r"is not valid; give a period such as 30s, 5m, 12h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "iso"), [("90s", "PT1M30S"), ("2d", "PT48H"), ("0s", "PT0S"), ("PT5M", "PT5M")]
)
def test_a_period_is_written_as_the_api_takes_it(text: str, iso: str) -> None:
    assert iso_duration(text) == iso


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("1m", Every("minute", 1)),
        ("1h30m", Every("minute", 90)),
        ("12h", Every("hour", 12)),
        ("24h", Every("day", 1)),
        ("2w", Every("week", 2)),
        ("month", Every("month", 1)),
        ("2 Years", Every("year", 2)),
        ("3weeks", Every("week", 3)),
    ],
)
def test_an_interval_becomes_a_frequency(text: str, every: Every) -> None:
    assert parse_every(text) == every


@pytest.mark.parametrize("text", ["30s", "0m", "0 days", "often", "", "1m5s", "1 fortnight"])
def test_an_interval_that_no_job_can_have_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="whole minutes such as 5m"):
        parse_every(text)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("none", {"retryType": "none"}),
        ("5x30s", {"retryType": "fixed", "retryInterval": "PT30S", "retryCount": 5}),
        (
            "10 x 5s-10m",
            {
                "retryType": "exponential",
                "retryInterval": "PT5S",
                "retryCount": 10,
                "maxRetryInterval": "PT10M",
            },
        ),
    ],
)
def test_retries_become_a_policy(text: str, policy: dict[str, object]) -> None:
    assert retry_policy(text) == policy


@pytest.mark.parametrize("text", ["5", "x30s", "5x", "5x30", "5x30s-", "fivex30s"])
def test_retries_that_cannot_be_read_are_refused_with_examples(text: str) -> None:
    with pytest.raises(Invalid, match=r"give 5x30s .* or none"):
        retry_policy(text)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("now", "2026-11-17T19:10:05Z"),
        ("in 10m", "2026-11-17T19:20:05Z"),
        ("2h ago", "2026-11-17T17:10:05Z"),
        ("tomorrow 9:00", "2026-11-18T08:00:00Z"),
        ("Tomorrow at 09:00", "2026-11-18T08:00:00Z"),
        ("yesterday", "2026-11-15T23:00:00Z"),
        ("today 8:30", "2026-11-17T07:30:00Z"),
        ("21:00", "2026-11-17T20:00:00Z"),
        ("20:00", "2026-11-18T19:00:00Z"),
        ("monday 17:30", "2026-11-23T16:30:00Z"),
        ("tuesday 21:00", "2026-11-17T20:00:00Z"),
        ("tuesday 8:00", "2026-11-24T07:00:00Z"),
        ("2026-03-01T09:00Z", "2026-03-01T09:00:00Z"),
        ("2026-03-01T09:00+05:00", "2026-03-01T04:00:00Z"),
        ("2026-07-01 09:00", "2026-07-01T07:00:00Z"),
        ("2026-07-01", "2026-06-30T22:00:00Z"),
    ],
)
def test_a_time_is_read_by_the_clock_of_its_zone(text: str, instant: str) -> None:
    assert format_instant(parse_time(text, NOW, PRAGUE)) == instant


@pytest.mark.parametrize(
    "text", ["", "soon", "25:00", "tomorrow 9", "in a while", "9:60", "2026-02-30", "at 9:00"]
)
def test_a_time_that_cannot_be_read_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Invalid, match="give a time such as now, 9:00, 'tomorrow 9:00'"):
        parse_time(text, NOW, UTC)


def test_a_time_without_a_zone_is_one_of_the_clock_of_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import time  # noqa: PLC0415, TID251  (its zone is read anew)

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        found = format_instant(parse_time("tomorrow 9:00", NOW))
    finally:
        monkeypatch.undo()
        time.tzset()

    # In Tokyo it is already Wednesday.
    assert found == "2026-11-19T00:00:00Z"


def test_a_period_in_the_past_is_so_long_ago() -> None:
    assert format_instant(parse_past("12h", NOW)) == "2026-11-17T07:10:05Z"
    assert format_instant(parse_past("2026-11-01", NOW, timezone(timedelta(0)))) == (
        "2026-11-01T00:00:00Z"
    )


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("20:00", "2026-11-17T19:00:00Z"),
        ("21:00", "2026-11-16T20:00:00Z"),
        ("saturday", "2026-11-13T23:00:00Z"),
        ("tuesday", "2026-11-16T23:00:00Z"),
        ("tuesday 8:00", "2026-11-17T07:00:00Z"),
        ("tuesday 21:00", "2026-11-10T20:00:00Z"),
        ("yesterday 03:00", "2026-11-16T02:00:00Z"),
        ("today 21:00", "2026-11-17T20:00:00Z"),
    ],
)
def test_a_time_in_the_past_is_the_last_one_as_on_pages(text: str, instant: str) -> None:
    on_pages = said_instant(text, NOW, PRAGUE)

    assert format_instant(parse_past(text, NOW, PRAGUE)) == instant
    assert on_pages is not None
    assert format_instant(on_pages) == instant


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_a_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="is not a time zone; give a name such as Europe/Prague"):
        find_zone(name)


@pytest.mark.parametrize(
    "text",
    ["0001-01-01", "9999-12-31", "1899-12-31T23:59Z", "in 999999999d", "999999999w ago"],
)
@pytest.mark.parametrize("zone", [None, ZoneInfo("Asia/Tokyo"), ZoneInfo("America/New_York")])
def test_a_time_that_no_clock_can_show_is_refused(text: str, zone: ZoneInfo | None) -> None:
    for parse in (parse_time, parse_past):
        with pytest.raises(Invalid, match="give a time from the years 1900 to 8999"):
            parse(text, NOW, zone)


def test_a_period_that_began_before_all_clocks_is_refused() -> None:
    with pytest.raises(Invalid, match="give a time from the years 1900 to 8999"):
        parse_past("999999999w", NOW)
