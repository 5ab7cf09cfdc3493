from datetime import datetime, timedelta, timezone

import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    format_instant,
    instant_of,
    parse_instant,
    tell_instant,
    tell_length,
    to_the_second,
)

READ = {
    "2015-04-08": "2015-04-08T00:00:00Z",
    "2015-04-08T13:00Z": "2015-04-08T13:00:00Z",
    "2015-04-08T13:00:05": "2015-04-08T13:00:05Z",
    "2015-04-08t13:00:05z": "2015-04-08T13:00:05Z",
    "2015-04-08 13:00:05+02:00": "2015-04-08T11:00:05Z",
    "2015-04-08T13:00:05-0930": "2015-04-08T22:30:05Z",
    "2015-04-08T13:00:05+02": "2015-04-08T11:00:05Z",
    "2016-07-26T18:41:32.2336616Z": "2016-07-26T18:41:32.2336616Z",
    "2017-09-10T18:50:16.9049999999999999Z": "2017-09-10T18:50:16.905Z",
    "2017-09-10T18:50:16,5Z": "2017-09-10T18:50:16.5Z",
    "2017-12-31T23:59:59.99999995Z": "2018-01-01T00:00:00Z",
    "2017-12-31T23:59:59.99999994Z": "2017-12-31T23:59:59.9999999Z",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.9999999Z": "9999-12-31T23:59:59.9999999Z",
}


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ)
def test_iso_8601_is_read_to_100_nanoseconds(text: str, expected: str) -> None:
    assert format_instant(parse_instant(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2015-13-01",
        "2015-02-29",
        "2015-04-08T24:00:00Z",
        "2015-04-08T13:60Z",
        "2015-04-08T13:00:60Z",
        "2015-04-08T13",
        "2015-04-08T13:00:00.Z",
        "2015-04-08T13:00:00+24:00",
        "2015-04-08T13:00:00+01:60",
        "2015-04-08Z",
        "0000-01-01",
        "10000-01-01",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "9999-12-31T23:59:59.99999999Z",
        "٢٠١٥-٠٤-٠٨",
        "2015-04-08T13:00:00Z\n",
    ],
)
def test_what_is_no_date_time_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="is not a date-time; give ISO 8601 such as"):
        parse_instant(text)


def test_a_datetime_of_any_zone_is_an_instant() -> None:
    moment = datetime(2015, 4, 8, 13, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))

    assert format_instant(instant_of(moment)) == "2015-04-08T11:00:00.000005Z"


def test_an_instant_is_told_to_the_second() -> None:
    assert tell_instant(parse_instant("2026-01-10T15:02:14.4818278Z")) == "2026-01-10 15:02:14 UTC"


@pytest.mark.parametrize(
    ("ticks", "words"),
    [
        pytest.param(MINUTE, "1 minute", id="a minute"),
        pytest.param(59 * MINUTE, "59 minutes", id="minutes"),
        pytest.param(28 * DAY, "28 days", id="days"),
        pytest.param(DAY + 2 * HOUR + 30 * SECOND, "1 day 2 hours 30 seconds", id="all units"),
        pytest.param(SECOND - 1, "less than a second", id="nearly nothing"),
    ],
)
def test_a_length_is_told_in_words(ticks: int, words: str) -> None:
    assert tell_length(ticks) == words


@pytest.mark.parametrize(
    ("text", "down", "up"),
    [
        pytest.param("00:00:01.5Z", "00:00:01Z", "00:00:02Z", id="between two seconds"),
        pytest.param("00:00:01Z", "00:00:01Z", "00:00:01Z", id="on a second"),
    ],
)
def test_an_instant_is_brought_to_a_whole_second(text: str, down: str, up: str) -> None:
    instant = parse_instant(f"2026-01-10T{text}")

    assert format_instant(to_the_second(instant)) == f"2026-01-10T{down}"
    assert format_instant(to_the_second(instant, up=True)) == f"2026-01-10T{up}"
