import pytest

from foliot.core.errors import Invalid
from foliot.core.recurrence import Cron, sentence, smallest_gap
from tests.support.builders import times, timetable

# From 2026-01-10, a Saturday.
OCCURRENCES = {
    "every quarter of an hour": ("*/15 * * * *", "01-10T00:00 01-10T00:15 01-10T00:30"),
    "working hours": ("0 9,17 * * MON-FRI", "01-12T09:00 01-12T17:00 01-13T09:00"),
    "names in any letter case": ("0 0 * jun Mon", "06-01T00:00 06-08T00:00 06-15T00:00"),
    "0 is Sunday": ("0 0 * * 0", "01-11T00:00 01-18T00:00"),
    "7 is Sunday": ("0 0 * * 7", "01-11T00:00 01-18T00:00"),
    "a range up to Sunday": ("0 0 * * 6-7", "01-10T00:00 01-11T00:00 01-17T00:00"),
    "last day of the month": ("0 6 L * *", "01-31T06:00 02-28T06:00 03-31T06:00"),
    "last Friday by number": ("15 5 * * 5L", "01-30T05:15 02-27T05:15"),
    "last Friday by name": ("15 5 * * FRIL", "01-30T05:15 02-27T05:15"),
    "second Monday": ("0 0 * * MON#2", "01-12T00:00 02-09T00:00"),
    "day of month or day of week": ("0 0 13 * FRI", "01-13T00:00 01-16T00:00 01-23T00:00"),
    "both days where one begins with a star": ("0 0 */2 * MON", "01-19T00:00 02-09T00:00"),
    "a start with a step": ("0 20/2 * * *", "01-10T20:00 01-10T22:00 01-11T20:00"),
    "a range with a step": ("0 8-18/5 * * *", "01-10T08:00 01-10T13:00 01-10T18:00"),
    "spaces and tabs": ("  0\t9   * * *  ", "01-10T09:00 01-11T09:00"),
    "@yearly": ("@yearly", "01-01T00:00"),
    "@annually": ("@annually", "01-01T00:00"),
    "@monthly": ("@monthly", "02-01T00:00 03-01T00:00"),
    "@weekly": ("@weekly", "01-11T00:00 01-18T00:00"),
    "@daily": ("@daily", "01-10T00:00 01-11T00:00"),
    "@midnight": ("@Midnight", "01-10T00:00 01-11T00:00"),
    "@hourly": ("@hourly", "01-10T00:00 01-10T01:00"),
}


@pytest.mark.parametrize(("text", "expected"), OCCURRENCES.values(), ids=OCCURRENCES)
def test_an_expression_selects_these_times(text: str, expected: str) -> None:
    found = times(timetable({"cron": text}, start="2026-01-10"), len(expected.split()))

    assert [each[len("2026-") : len("2026-01-10T00:00")] for each in found] == expected.split()


FIELDS = (
    'give five: minute, hour, day of the month, month, day of the week, such as "0 9 * * MON-FRI".'
)
MINUTES = "is not a valid minute; give 0 to 59, written such as 30, 0-30, 0,30 or */15."
HOURS = "is not a valid hour; give 0 to 23, written such as 9, 9-17, 9,17 or */2."
MONTH_DAYS = (
    "is not a valid day of the month; give 1 to 31, written such as 1, 1-7, 1,15, */2 or L."
)
MONTHS = "is not a valid month; give 1 to 12, written such as 6, JUN, 1-6, JAN,JUL or */3."
WEEK_DAYS = (
    "is not a valid day of the week; give 0 to 7, "
    "written such as 1, MON, MON-FRI, 5-7, MON#2 or FRIL."
)
REFUSED = {
    "nothing": ("", f'"" has 0 fields; {FIELDS}'),
    "four fields": ("* * * *", f'"* * * *" has 4 fields; {FIELDS}'),
    "seconds": ("0 0 9 * * *", f'"0 0 9 * * *" has 6 fields; {FIELDS}'),
    "minute 60": ("60 * * * *", f'"60" {MINUTES}'),
    "a name for a minute": ("MON * * * *", f'"MON" {MINUTES}'),
    "an empty item": ("1,,2 * * * *", f'"" {MINUTES}'),
    "hour 24": ("0 24 * * *", f'"24" {HOURS}'),
    "a range downwards": ("0 17-9 * * *", f'"17-9" {HOURS}'),
    "a step of 0": ("0 */0 * * *", f'"*/0" {HOURS}'),
    "a step past the field": ("*/90 * * * *", f'"*/90" {MINUTES}'),
    "a step alone": ("/5 * * * *", f'"/5" {MINUTES}'),
    "a star in a range": ("*-5 * * * *", f'"*-5" {MINUTES}'),
    "a negative number": ("-1 * * * *", f'"-1" {MINUTES}'),
    "digits of another script": ("\u0665 * * * *", f'"\\u0665" {MINUTES}'),
    "letters of another script": ("0 0 * * \u017fun", f'"\\u017fun" {WEEK_DAYS}'),
    "day 0": ("0 0 0 * *", f'"0" {MONTH_DAYS}'),
    "a question mark": ("0 0 ? * 1", f'"?" {MONTH_DAYS}'),
    "days before the last": ("0 0 L-3 * *", f'"L-3" {MONTH_DAYS}'),
    "last working day": ("0 0 LW * *", f'"LW" {MONTH_DAYS}'),
    "month 13": ("0 0 1 13 *", f'"13" {MONTHS}'),
    "an unknown month": ("0 0 1 MAI *", f'"MAI" {MONTHS}'),
    "weekday 8": ("0 0 * * 8", f'"8" {WEEK_DAYS}'),
    "sixth Monday": ("0 0 * * MON#6", f'"MON#6" {WEEK_DAYS}'),
    "last without a weekday": ("0 0 * * L", f'"L" {WEEK_DAYS}'),
    "a range that ends on Sunday by name": ("0 0 * * FRI-SUN", f'"FRI-SUN" {WEEK_DAYS}'),
    "a misspelt name": ("@dayly", '"@dayly" is not known; did you mean @daily?'),
    "at the start of a machine": (
        "@reboot",
        '"@reboot" is not known; give one of '
        "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly.",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_an_expression_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        timetable({"cron": text})

    assert str(refusal.value) == f"recurrence.cron: {message}"


def test_a_long_expression_is_refused() -> None:
    with pytest.raises(Invalid, match="too long; give at most 1000 characters"):
        Cron(",".join(["0"] * 501) + " * * * *")


def test_an_expression_that_never_fires_is_refused() -> None:
    with pytest.raises(Invalid) as refusal:
        timetable({"cron": "0 0 30 2 *"})

    assert str(refusal.value) == (
        "recurrence.cron: this schedule never occurs: "
        '"At 00:00 in February on day 30 of the month, UTC (cron 0 0 30 2 *)" '
        "has no time within 20 years; change its days or times, its interval or its start."
    )


SENTENCES = {
    "0 9-17 * * MON-FRI": "At minute 0 past hours 9 to 17 on Monday to Friday",
    "0 9,17 * * *": "At 09:00 and 17:00 every day",
    "@hourly": "At minute 0 past every hour",
    "* * * * *": "Every minute of every hour",
    "* 9-11 * 1,7 *": "Every minute of hours 9 to 11 in January and July every day",
    "*/20 * 1 * *": "At minutes 0, 20 and 40 past every hour on day 1 of the month",
    "0 6 1,L * *": "At 06:00 on day 1 and the last day of the month",
    "0 6 L * *": "At 06:00 on the last day of the month",
    "0 0 13 * FRI": "At 00:00 on day 13 of the month and on Friday",
    "0 0 * * MON#2,FRIL": "At 00:00 on the second Monday and the last Friday of the month",
    "0 0 */15 * MON": "At 00:00 on days 1, 16 and 31 of the month if that is a Monday",
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.items(), ids=SENTENCES)
def test_an_expression_is_told_in_words(text: str, expected: str) -> None:
    table = timetable({"cron": text}, start="2026-01-10")

    assert sentence(table) == f"{expected}, UTC (cron {text})"


def test_a_sentence_tells_the_zone_and_the_run_at_once() -> None:
    table = timetable({"cron": "0  9 * * *", "timeZone": "Europe/Prague", "count": 3})

    assert sentence(table) == (
        "At 09:00 every day, Europe/Prague time (cron 0 9 * * *), 3 times, "
        "the first when it is saved, since it has no start time"
    )


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("*/15 * * * *", 15), ("5,58 * * * *", 7), ("0 0 1,L * *", 24 * 60), ("0 9 * * 1", 7 * 1440)],
)
def test_an_expression_has_a_smallest_gap(text: str, minutes: int) -> None:
    gap = smallest_gap(timetable({"cron": text}))

    assert gap is not None
    assert gap.total_seconds() == minutes * 60
