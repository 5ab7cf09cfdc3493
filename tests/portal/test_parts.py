"""Formatting, charts, previews and form fields."""

from datetime import date
from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.core.model.dashboard import Beat
from foliot.core.model.history import AttemptStatus
from foliot.portal.charts import svg
from foliot.portal.charts.last_hour import MINUTES, per_minute
from foliot.portal.formatting import away, relative, span, when
from foliot.portal.forms.fields import (
    Choice,
    Field,
    FormSchema,
    Kind,
    field_of,
    read_values,
    write_body,
)
from foliot.portal.forms.posted import Form, parse_form
from foliot.portal.preview import preview
from tests.portal.coming_jobs import NOW, a_coming_job
from tests.support.builders import an_entry


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


def test_minutes_have_counts_and_start_delays() -> None:
    def beat(ago: float, late: int, status: AttemptStatus, *, is_first: bool = True) -> Beat:
        ended = Instant(NOW - int(ago * MINUTE))
        started = Instant(ended - SECOND)
        return Beat(started, ended, Instant(started - late), status, is_first, 3)

    beats = [
        beat(60.5, 1, AttemptStatus.COMPLETED),
        beat(1.5, 10, AttemptStatus.COMPLETED),
        beat(1.4, 30, AttemptStatus.FAILED),
        beat(1.3, 20, AttemptStatus.COMPLETED),
        beat(1.2, 99, AttemptStatus.COMPLETED, is_first=False),
        beat(0.5, 99, AttemptStatus.POSTPONED),
    ]

    minutes = per_minute(beats, NOW)

    assert len(minutes) == MINUTES
    busy, quiet = minutes[-2], minutes[-1]
    assert (busy.completed, busy.failed, busy.total) == (9, 3, 12)
    assert (busy.median, busy.percentile_95) == (20, 20)
    assert (quiet.total, quiet.median) == (0, None)
    assert sum(minute.total for minute in minutes) == 12


@pytest.mark.parametrize(
    ("used", "most", "level"),
    [(0, 10, "fair"), (8, 10, "high"), (10, 10, "full"), (3, 0, "full")],
)
def test_a_gauge_shows_how_much_is_used(used: int, most: int, level: str) -> None:
    assert f'class="used {level}"' in svg.gauge(used, most, "jobs")


def test_charts_without_data_are_drawn() -> None:
    assert "No runs yet" in svg.strip([])
    assert "the last 0 attempts" in svg.durations([])
    assert "<svg" in svg.throughput(per_minute([], NOW))
    assert "<svg" in svg.start_delay(per_minute([], NOW))


def test_a_strip_shows_the_newest_thirty_at_the_right() -> None:
    drawn = svg.strip([AttemptStatus.FAILED, *[AttemptStatus.COMPLETED] * 40])

    assert "Last 30: 29 completed, 1 failed" in drawn
    assert 'class="failed" d="M118 0v16"' in drawn


def test_durations_are_bars_by_outcome() -> None:
    entries = [an_entry(1, second=2, status=AttemptStatus.FAILED), an_entry(1)]

    drawn = svg.durations(entries)

    assert drawn.index("completed, 1.0 s") < drawn.index("failed, 1.0 s")


def test_the_days_of_a_year_are_marked() -> None:
    drawn = svg.year(date(2026, 1, 10), frozenset({0, 2}), 366)

    assert drawn.count('class="runs"') == 2
    assert "<title>Sat 10 Jan 2026</title>" in drawn
    assert "<title>Mon 12 Jan 2026</title>" in drawn
    assert "2 of the coming 366 days have a run" in drawn


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


A_SCHEMA = FormSchema(
    (
        Field("kind"),
        Field("a.b.text"),
        Field("a.b.number", Kind.INTEGER),
        Field("a.list", Kind.INTEGERS, "kind", frozenset({"x"})),
        Field("a.flag", Kind.BOOLEAN),
        Field("a.words", Kind.WORDS),
        Field("a.lines", Kind.LINES),
        Field("a.pairs", Kind.PAIRS),
    ),
    (Choice("kind", removes="a"),),
)


@pytest.mark.parametrize(
    ("pairs", "was", "body"),
    [
        pytest.param([], {}, {}, id="nothing"),
        pytest.param([("a.b.text", "t")], {}, {"a": {"b": {"text": "t"}}}, id="made around it"),
        pytest.param([("a.b.text", "")], {"a": {"b": {"text": "t"}}}, {}, id="emptied around it"),
        pytest.param(
            [("a.b.text", "")], {"a": {"b": {"text": ""}}}, {"a": {"b": {"text": ""}}}, id="kept"
        ),
        pytest.param(
            [("a.b.number", " 7 ")], {"a": {"b": 5}}, {"a": {"b": {"number": 7}}}, id="replaced"
        ),
        pytest.param(
            [("kind", "x"), ("a.list", "3"), ("a.list:more", "x 3")],
            {"kind": "x", "a": {"list": [1]}},
            {"kind": "x", "a": {"list": [3, "x"]}},
            id="what is no number is left to the API",
        ),
        pytest.param(
            [("kind", "x"), ("a.list", "1"), ("a.list:more", "2")],
            {"kind": "x", "a": {"list": [2, 1]}},
            {"kind": "x", "a": {"list": [2, 1]}},
            id="the order is kept",
        ),
        pytest.param([("kind", "y"), ("a.list", "3")], {}, {"kind": "y"}, id="does not count"),
        pytest.param([("kind", "")], {"kind": "x", "a": {"other": 1}}, {}, id="removed with it"),
        pytest.param([("a.flag", "false")], {}, {"a": {"flag": False}}, id="no"),
        pytest.param(
            [("a.words", "p"), ("a.words", "q")], {}, {"a": {"words": ["p", "q"]}}, id="words"
        ),
        pytest.param([], "no object", {}, id="no object at all"),
        pytest.param(
            [("a.b.text", "xy")],
            {"a": {"b": {"text": "x\r\ny"}}},
            {"a": {"b": {"text": "x\r\ny"}}},
            id="a line end in one line",
        ),
        pytest.param(
            [("a.lines", "x\ny\nz")],
            {"a": {"lines": "x\r\ny\rz"}},
            {"a": {"lines": "x\r\ny\rz"}},
            id="line ends",
        ),
        pytest.param(
            [("a.lines", "x\n\ny")],
            {"a": {"lines": "x\ny"}},
            {"a": {"lines": "x\n\ny"}},
            id="another line",
        ),
        pytest.param(
            [
                ("a.pairs:name", "p"),
                ("a.pairs:value", "12"),
                ("a.pairs:name", "q"),
                ("a.pairs:value", "new"),
            ],
            {"a": {"pairs": {"p": "1\n2", "q": "old"}}},
            {"a": {"pairs": {"p": "1\n2", "q": "new"}}},
            id="only the pair that changed",
        ),
    ],
)
def test_a_form_changes_only_the_edited_fields(
    pairs: list[tuple[str, str]], was: Any, body: dict[str, Any]
) -> None:
    assert write_body(Form(pairs), A_SCHEMA, was) == body


def test_a_field_is_found_by_a_path_in_any_letter_case() -> None:
    assert field_of(("A", "b", "TEXT"), A_SCHEMA) == "a.b.text"
    assert field_of(("a", "list", 3), A_SCHEMA) == "a.list"
    assert field_of(("z",), A_SCHEMA) == ""


def test_invalid_weekdays_are_shown_unchanged() -> None:
    schema = FormSchema((Field("x", Kind.WEEKDAYS_OF_MONTH), Field("y", Kind.PAIRS)))

    assert read_values({"x": [{"Day": "monday", "OCCURRENCE": 2}, 7], "y": 3}, schema) == {
        "x:day": ["monday", ""],
        "x:nth": ["2", ""],
        "y:name": [],
        "y:value": [],
    }


@pytest.mark.parametrize("body", [b"\xff=1", b"a=%FF", b"&".join(b"a=1" for _ in range(5001))])
def test_a_form_that_is_not_url_encoded_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        parse_form(body)


def test_a_form_keeps_order_and_converts_line_ends() -> None:
    form = parse_form(b"a=1%0D%0A2&b=&a=3")

    assert (form.all("a"), form.get("b", "x"), form.get("c", "x")) == (["1\n2", "3"], "", "x")
