"""Draws the charts as SVG; the stylesheet gives them the colours of the theme."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from markupsafe import Markup

from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.plurals import how_many
from foliot.portal.charts.last_hour import Minute
from foliot.portal.formatting import span

_STRIP = 30
_SLOT = 4
_HEIGHT = 16
# Height and colour both show the outcome, for readers who cannot tell the colours apart.
_LINES = {
    AttemptStatus.COMPLETED: (5, 11),
    AttemptStatus.FAILED: (0, 16),
    AttemptStatus.POSTPONED: (7, 2),
}
_HIGH = 0.8
_BOX, _CELL = 11, 13
_LEFT, _TOP, _BASE = 28, 14, 9
_ROW = _TOP + 7 * _CELL + 10
_WEEKS = 54


def strip(outcomes: Sequence[AttemptStatus]) -> Markup:
    """Draw the outcomes of the last attempts of a job, newest on the right."""
    if not outcomes:
        return Markup('<span class="muted small">No runs yet</span>')
    shown = list(reversed(outcomes[:_STRIP]))
    first = _STRIP - len(shown)
    lines: dict[AttemptStatus, list[str]] = {}
    for index, status in enumerate(shown, start=first):
        top, length = _LINES[status]
        lines.setdefault(status, []).append(f"M{index * _SLOT + 2} {top}v{length}")
    paths = Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(status.value, "".join(parts))
        for status, parts in lines.items()
    )
    return Markup(
        '<svg class="strip" role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}" '
        'stroke-width="3"><title>{}</title>{}</svg>'
    ).format(
        *(
            _outcome_counts(shown),
            _STRIP * _SLOT,
            _HEIGHT,
            _STRIP * _SLOT,
            _HEIGHT,
            _outcome_counts(shown),
            paths,
        )
    )


def gauge(used: int, most: int, what: str) -> Markup:
    """Draw a bar that shows how much of a limit is used."""
    share = 1.0 if most <= 0 else min(used / most, 1.0)
    level = "full" if share >= 1 else "high" if share >= _HIGH else "fair"
    return Markup(
        '<svg class="gauge" role="img" aria-label="{} of {} {}" viewBox="0 0 100 6" '
        'preserveAspectRatio="none"><rect class="ground" width="100" height="6" rx="3"/>'
        '<rect class="used {}" width="{:.1f}" height="6" rx="3"/></svg>'
    ).format(used, most, what, level, share * 100)


def _outcome_counts(shown: Sequence[AttemptStatus]) -> str:
    counts = Counter(shown)
    parts = [f"{counts[status]} {status.value}" for status in AttemptStatus if counts[status]]
    return f"Last {len(shown)}: {', '.join(parts)}"


class YearMarks(NamedTuple):
    """Days of a year to mark besides those with runs, as numbers from its first day."""

    off: frozenset[int] = frozenset()
    clock_changes: frozenset[int] = frozenset()


def year(
    first: date, days: frozenset[int], count: int, *, rows: int = 1, marks: YearMarks | None = None
) -> Markup:
    """Draw the days of a year in weeks, and mark the days in the set."""
    weeks = -(-_WEEKS // rows)
    also = marks or YearMarks()
    idle: list[str] = []
    drawn: list[Markup] = [_weekday_names(row) for row in range(rows)]
    for number in range(count):
        day = first + timedelta(days=number)
        row, week = divmod((number + first.weekday()) // 7, weeks)
        x, y = week * _CELL + _LEFT, day.weekday() * _CELL + row * _ROW + _TOP
        if day.day == 1:
            drawn.append(_text(x, row * _ROW + _BASE, f"{day:%b}"))
        if number in days:
            drawn.append(_day(x, y, f"{day:%a %d %b %Y}"))
        else:
            idle.append(f"M{x} {y}h{_BOX}v{_BOX}h-{_BOX}z")
        drawn += _marks_of_day(x, y, number, also)
    return Markup(
        '<svg class="year" role="img" aria-label="{} of the coming {} days have a run" '
        'viewBox="0 0 {} {}"><path class="idle" d="{}"/>{}</svg>'
    ).format(
        *(len(days), count, _LEFT + weeks * _CELL, rows * _ROW - (_ROW - _TOP - 7 * _CELL)),
        *("".join(idle), Markup("").join(drawn)),
    )


def _marks_of_day(x: int, y: int, number: int, marks: YearMarks) -> Iterator[Markup]:
    if number in marks.off:
        yield Markup('<path class="off" d="M{} {}l7 7m0-7l-7 7"/>').format(x + 2, y + 2)
    if number in marks.clock_changes:
        middle = _BOX / 2
        yield Markup('<circle class="change" cx="{}" cy="{}" r="4"/>').format(
            x + middle, y + middle
        )


def _weekday_names(row: int) -> Markup:
    return Markup("").join(
        _text(0, row * _ROW + _TOP + index * _CELL + _BASE, name)
        for index, name in ((0, "Mon"), (2, "Wed"), (4, "Fri"))
    )


def _text(x: int, y: int, words: str) -> Markup:
    return Markup('<text x="{}" y="{}">{}</text>').format(x, y, words)


def durations(entries: Sequence[HistoryEntry]) -> Markup:
    """Draw the durations of attempts as bars, newest on the right."""
    shown = list(reversed(entries))
    longest = max((entry.ended_at - entry.started_at for entry in shown), default=0) or 1
    width = 600 / max(len(shown), 40)
    bars = Markup("").join(
        _bar(
            600 - (len(shown) - index) * width,
            width,
            # The square root keeps short bars visible beside long ones.
            max(4.0, ((entry.ended_at - entry.started_at) / longest) ** 0.5 * 100),
            entry.status.value,
            f"{entry.status.value}, {span(entry.ended_at - entry.started_at)}",
        )
        for index, entry in enumerate(shown)
    )
    return _bars(bars, f"Durations of the last {how_many(len(shown), 'attempt')}")


def _day(x: int, y: int, title: str) -> Markup:
    return Markup(
        '<rect class="runs" x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}</title></rect>'
    ).format(x, y, _BOX, _BOX, title)


def _bar(x: float, width: float, height: float, kind: str, title: str) -> Markup:
    return Markup(
        '<g><title>{}</title><rect class="hit" x="{:.1f}" y="0" width="{:.1f}" height="100"/>'
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></g>'
    ).format(
        *(title, x, width, kind, x + width * 0.1, 100 - height, width * 0.8, height),
    )


def _bars(content: Markup, label: str) -> Markup:
    return Markup(
        '<svg class="bars" role="img" aria-label="{}" viewBox="0 0 600 101" '
        'preserveAspectRatio="none">{}<rect class="ground" y="100" width="600" height="1"/></svg>'
    ).format(label, content)


def throughput(minutes: Sequence[Minute]) -> Markup:
    """Draw the number of attempts per minute, failures on top."""
    most = max((minute.total for minute in minutes), default=0) or 1
    width = 600 / len(minutes)
    parts: list[Markup] = []
    for index, minute in enumerate(minutes):
        high, bad = minute.total / most * 96, minute.failed / most * 96
        ended = f"{how_many(minute.total, 'attempt')}, {minute.failed:,} failed"
        title = f"{_ago(index, minutes)}: {ended}"
        parts.append(_column(index * width, width, title, (high, "completed"), (bad, "failed")))
    return _bars(Markup("").join(parts), "Attempts in each minute of the last hour")


def start_delay(minutes: Sequence[Minute]) -> Markup:
    """Draw the start delay per minute: median and 95th percentile."""
    most = max((minute.percentile_95 or 0 for minute in minutes), default=0) or 1
    width = 600 / len(minutes)
    parts: list[Markup] = []
    for index, minute in enumerate(minutes):
        percentile_95, median = minute.percentile_95, minute.median
        middle = "no planned runs" if median is None else f"median {span(median)}"
        title = f"{_ago(index, minutes)}: {middle}" + (
            "" if percentile_95 is None else f", 95th percentile {span(percentile_95)}"
        )
        high = 0.0 if percentile_95 is None else max(2.0, percentile_95 / most * 96)
        half = 0.0 if median is None else max(2.0, median / most * 96)
        parts.append(
            _column(index * width, width, title, (high, "latest"), (half, "late"), up=True)
        )
    return _bars(Markup("").join(parts), "Start delay of attempts in each minute of the last hour")


def _ago(index: int, minutes: Sequence[Minute]) -> str:
    age = len(minutes) - 1 - index
    return "this minute" if age == 0 else f"{age} min ago"


def _column(  # noqa: PLR0913  (the geometry of a column)
    x: float,
    width: float,
    title: str,
    whole: tuple[float, str],
    part: tuple[float, str],
    *,
    up: bool = False,
) -> Markup:
    """Draw a column with a highlighted part at its top or, with `up`, at its foot."""
    (high, kind), (some, other) = whole, part
    top = 100 - some if up else 100 - high
    return Markup(
        '<g><title>{}</title><rect class="hit" x="{:.1f}" y="0" width="{:.1f}" height="100"/>'
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/></g>'
    ).format(
        *(title, x, width, kind, x + 1, 100 - high, width - 2, high),
        *(other, x + 1, top, width - 2, some),
    )
