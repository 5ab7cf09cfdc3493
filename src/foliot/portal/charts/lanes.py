"""Draws the lanes of the timeline as SVG.

Positions are percentages, so that a lane fits any width and its text is not stretched. Screen
readers get tables instead: the drawing is hidden from them, and from the keyboard.
"""

from bisect import bisect
from collections.abc import Sequence
from statistics import median_low

from markupsafe import Markup, escape
from msgspec import Struct

from foliot.core.instant import Instant
from foliot.core.model.timeline import CountedRuns
from foliot.core.plurals import how_many
from foliot.portal.charts.time_cells import TimeCell, TimeWindow, Zoom

HEIGHT = 30
_TOP, _BOX = 1, 28
_LEAST_BAND = 5
_GAP = 0.05
# The cells of a week are narrower than this, in percent: the style sheet decides what fits.
_NARROW = 2.5
# Runs of a cell relative to the median cell of its lane: each threshold is one shade darker.
_LEVELS = (0.5, 1.25, 2.5)
_THOUSAND, _MILLION = 1000, 1_000_000
# The outcomes to look at, the worst first, each with the sign that stands beside its number.
SIGNS = {"failed": "\N{MULTIPLICATION SIGN}", "skipped": "»", "recovered": "~"}


class CellLink(Struct, frozen=True):
    """A cell of a lane: its runs, and where it leads; an empty address leads nowhere."""

    cell: TimeCell
    runs: CountedRuns
    address: str
    is_chosen: bool = False


def lane(links: Sequence[CellLink], window: TimeWindow, now: Instant) -> Markup:
    """Draw a lane: past runs filled, coming ones outlined, and a line for now."""
    median = median_low([each.runs.total for each in links if each.runs.total] or [1])
    cells = [_cell(each, window, median) for each in links if each.runs.total or each.address]
    return _drawing("lane", HEIGHT, _grid(window), *cells, _now_line(window, now))


def scale(window: TimeWindow, now: Instant) -> Markup:
    """Draw the times above the lanes."""
    texts = [
        f'<text x="{window.place_of(cell.start):.2f}%" y="12">{cell.begins:%H}</text>'
        for cell in window.cells
        if window.zoom is Zoom.DAY or cell.begins.hour % 6 == 0
    ]
    return _drawing("lane scale", 16, _grid(window), *texts, _now_line(window, now))


def told(runs: CountedRuns) -> str:
    """Say how many runs a cell has, and how they ended."""
    ended = [
        f"{number:,} {name}"
        for name in ("succeeded", "recovered", "failed", "skipped", "canceled")
        if (number := getattr(runs, name))
    ]
    said = [how_many(runs.ended, "run") + f" ({', '.join(ended)})"] if ended else []
    said += [f"{runs.coming:,} coming"] if runs.coming else []
    return ", ".join(said) or "no run"


def _drawing(kind: str, height: int, *parts: str) -> Markup:
    content = "".join(parts)
    # Text and not Markup, which takes ten times as long: the parts are numbers, times and words of
    # this file, and addresses are escaped where they are written.
    return Markup(  # noqa: S704
        f'<svg class="{kind}" aria-hidden="true" width="100%" height="{height}">{content}</svg>'
    )


def _cell(link: CellLink, window: TimeWindow, median: int) -> str:
    start, end = window.place_of(link.cell.start), window.place_of(link.cell.end)
    gap = (end - start) * _GAP
    x, width = start + gap, end - start - 2 * gap
    runs = link.runs
    kind = "coming" if runs.coming else "ended" if runs.ended else "none"
    level = bisect(_LEVELS, runs.total / median)
    chosen = " chosen" if link.is_chosen else ""
    box = f'<rect class="box" x="{x:.2f}%" y="{_TOP}" width="{width:.2f}%" height="{_BOX}" rx="3"/>'
    return (
        f'<a href="{escape(link.address)}" tabindex="-1" class="{kind} level-{level}{chosen}">'
        f"<title>{link.cell.words}: {told(runs)}</title>"
        f"{box}{_bands(runs, x, width)}{_numbers(runs, x, width)}</a>"
    )


def _bands(runs: CountedRuns, x: float, width: float) -> str:
    """Draw a band at the foot of a cell for each outcome other than success, by its share."""
    bands: list[str] = []
    foot = _TOP + _BOX
    for name in SIGNS:
        if number := getattr(runs, name):
            height = max(_LEAST_BAND, round(_BOX * number / runs.ended))
            height = min(height, foot - _TOP)
            foot -= height
            bands.append(
                f'<rect class="{name}" x="{x:.2f}%" y="{foot}" width="{width:.2f}%" '
                f'height="{height}"/>'
            )
    return "".join(bands)


def _numbers(runs: CountedRuns, x: float, width: float) -> str:
    """Write the number of runs, and below it the number with the worst outcome and its sign."""
    if not runs.total:
        return ""
    worst = next((name for name in SIGNS if getattr(runs, name)), None)
    said = _fitting(short_number(runs.total), x, width, 13 if worst else 19)
    if worst is None:
        return said
    sign = f"{SIGNS[worst]}{short_number(getattr(runs, worst))}"
    alone = _text(SIGNS[worst], x, width, 25, f"not-{len(sign)}") if width < _NARROW else ""
    return f'{said}<g class="sign">{alone}{_fitting(sign, x, width, 25)}</g>'


def _fitting(words: str, x: float, width: float, y: int) -> str:
    """Write words into the middle of a cell; in a narrow one only where so many characters fit."""
    is_narrow = width < _NARROW and len(words) > 1
    return _text(words, x, width, y, f"chars-{len(words)}" if is_narrow else "")


def _text(words: str, x: float, width: float, y: int, kind: str) -> str:
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{x + width / 2:.2f}%" y="{y}"{classes}>{words}</text>'


def short_number(number: int) -> str:
    """Write a number in at most four characters."""
    if number < _THOUSAND:
        return str(number)
    return f"{number // _THOUSAND}k" if number < _MILLION else f"{number // _MILLION}M"


def _grid(window: TimeWindow) -> str:
    """Draw a line where a day begins."""
    days = [cell.start for cell in window.cells if not cell.begins.hour and not cell.is_repeated]
    return "".join(_line("day", window.place_of(start)) for start in days[1:])


def _now_line(window: TimeWindow, now: Instant) -> str:
    place = window.place_of(now)
    return _line("now", place) if 0 <= place <= 100 else ""  # noqa: PLR2004  (percent)


def _line(kind: str, place: float) -> str:
    return f'<line class="{kind}" x1="{place:.2f}%" x2="{place:.2f}%" y1="0" y2="100%"/>'
