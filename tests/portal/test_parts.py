"""The small parts of pages: times, spans, pictures, previews, fields."""

from datetime import date
from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant, parse_instant
from foliot.core.model.dashboard import AttemptSample
from foliot.core.model.history import AttemptStatus
from foliot.portal.charts import svg
from foliot.portal.charts.last_hour import MINUTES, per_minute
from foliot.portal.formatting import away, relative, span, when
from foliot.portal.forms.fields import Choice, Field, Kind, Shape, field_of, read, write
from foliot.portal.forms.posted import Form, parse_form
from foliot.portal.preview import preview
from tests.portal.test_heat import coming
from tests.support.builders import an_entry

NOW = parse_instant("2026-01-10T00:30:00Z")


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
def test_a_span_is_told_in_its_largest_units(ticks: int, text: str) -> None:
    assert span(ticks) == text


@pytest.mark.parametrize(
    ("ticks", "text"),
    [(0, "now"), (4 * MINUTE + 59 * SECOND, "in 4 min"), (-2 * HOUR, "2 h ago"), (9, "now")],
)
def test_a_distance_is_told(ticks: int, text: str) -> None:
    assert away(Instant(NOW + ticks), NOW) == text


def test_a_time_says_itself_to_people_and_scripts() -> None:
    assert when(NOW) == (
        '<time class="at" datetime="2026-01-10T00:30:00Z" data-ms="1768005000000" '
        'title="2026-01-10 00:30:00 UTC">2026-01-10 00:30:00 UTC</time>'
    )
    assert when(None) == relative(None, NOW) == "&ndash;"


def test_minutes_have_their_counts_and_lateness() -> None:
    def sample(
        ago: float, late: int, status: AttemptStatus, *, is_first: bool = True
    ) -> AttemptSample:
        ended = Instant(NOW - int(ago * MINUTE))
        started = Instant(ended - SECOND)
        return AttemptSample(started, ended, Instant(started - late), status, is_first, 3)

    beats = [
        sample(60.5, 1, AttemptStatus.COMPLETED),
        sample(1.5, 10, AttemptStatus.COMPLETED),
        sample(1.4, 30, AttemptStatus.FAILED),
        sample(1.3, 20, AttemptStatus.COMPLETED),
        sample(1.2, 99, AttemptStatus.COMPLETED, is_first=False),
        sample(0.5, 99, AttemptStatus.POSTPONED),
    ]

    minutes = per_minute(beats, NOW)

    assert len(minutes) == MINUTES
    busy, quiet = minutes[-2], minutes[-1]
    assert (busy.completed, busy.failed, busy.total) == (9, 3, 12)
    assert (busy.usual, busy.worst) == (20, 20)
    assert (quiet.total, quiet.usual) == (0, None)
    assert sum(minute.total for minute in minutes) == 12


@pytest.mark.parametrize(
    ("used", "most", "level"),
    [(0, 10, "fair"), (8, 10, "high"), (10, 10, "full"), (3, 0, "full")],
)
def test_a_gauge_tells_how_full_it_is(used: int, most: int, level: str) -> None:
    assert f'class="used {level}"' in svg.gauge(used, most, "jobs")


def test_pictures_of_nothing_are_drawn() -> None:
    assert "No runs yet" in svg.strip([])
    assert "the last 0 attempts" in svg.durations([])
    assert "<svg" in svg.throughput(per_minute([], NOW))
    assert "<svg" in svg.lateness(per_minute([], NOW))


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
    shown = preview(coming(start, **rule).job, NOW)

    assert len(shown.runs) <= 10
    assert shown.days == days


A_SHAPE = Shape(
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
def test_a_form_is_laid_over_what_was_there(
    pairs: list[tuple[str, str]], was: Any, body: dict[str, Any]
) -> None:
    assert write(Form(pairs), A_SHAPE, was) == body


def test_a_field_is_found_by_a_path_in_any_letter_case() -> None:
    assert field_of(("A", "b", "TEXT"), A_SHAPE) == "a.b.text"
    assert field_of(("a", "list", 3), A_SHAPE) == "a.list"
    assert field_of(("z",), A_SHAPE) == ""


def test_odd_weekdays_are_shown_as_they_are() -> None:
    shape = Shape((Field("x", Kind.WEEKDAYS_OF_MONTH), Field("y", Kind.PAIRS)))

    assert read({"x": [{"Day": "monday", "OCCURRENCE": 2}, 7], "y": 3}, shape) == {
        "x:day": ["monday", ""],
        "x:nth": ["2", ""],
        "y:name": [],
        "y:value": [],
    }


@pytest.mark.parametrize("body", [b"\xff=1", b"a=%FF", b"&".join(b"a=1" for _ in range(5001))])
def test_a_form_that_no_browser_sends_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        parse_form(body)


def test_a_form_is_read_in_order_with_its_line_ends() -> None:
    form = parse_form(b"a=1%0D%0A2&b=&a=3")

    assert (form.all("a"), form.get("b", "x"), form.get("c", "x")) == (["1\n2", "3"], "", "x")
