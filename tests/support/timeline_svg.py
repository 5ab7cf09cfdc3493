"""Draws the timeline of a job: planned times as ticks, runs as bars, skipped occurrences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

WIDTH, LEFT, PER_MINUTE = 760, 44, 9
TITLE_Y, TICKS_Y, FIRST_LANE_Y, LANE_HEIGHT = 24, 76, 108, 22
BAR_HEIGHT = 12
# A label stands behind each run, for so many minutes.
LABEL = 5

# Each class twice: for light pages, and for dark ones. Shapes differ too, not only colours.
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#24292f}
.b{fill:#fff;stroke:#d0d7de}
.k,.w,.d,.x,.o,.f{stroke:#24292f;fill:none}
.w{stroke-width:2}
.d{stroke-width:2;stroke-dasharray:1 4;stroke-linecap:round}
.o{fill:#1a7f37;stroke:#1a7f37}
.f{fill:url(#h);stroke:#cf222e}
.h{stroke:#cf222e;stroke-width:2}
.x{stroke:#cf222e;stroke-width:2.5}
.s{fill:#afb8c1;opacity:.45}
.t{font-weight:600;font-size:14px}
.l{fill:#57606a;font-size:11px}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}
.b{fill:#0d1117;stroke:#30363d}
.k,.w,.d{stroke:#e6edf3}
.o{fill:#3fb950;stroke:#3fb950}
.f,.h,.x{stroke:#ff7b72}
.s{fill:#6e7681}
.l{fill:#9198a1}}"""


class Bar(NamedTuple):
    """An attempt, in minutes after the beginning."""

    begin: int
    end: int
    succeeded: bool


class Lane(NamedTuple):
    """A run: when it was planned, and its attempts."""

    planned: int
    bars: Sequence[Bar]

    @property
    def end(self) -> int:
        """When the run ended."""
        return self.bars[-1].end


class Mark(NamedTuple):
    """What the ledger says of a planned time."""

    minute: int
    outcome: str
    reason: str | None


class Timeline(NamedTuple):
    """All that is drawn; `down` is when no server ran."""

    title: str
    told: str
    marks: Sequence[Mark]
    lanes: Sequence[Lane]
    down: tuple[int, int] | None = None


def draw(timeline: Timeline) -> str:
    """Return the picture as a document of SVG."""
    rows = _rows(timeline.lanes)
    bottom = FIRST_LANE_Y + (max(rows, default=0) + 1) * LANE_HEIGHT
    height = bottom + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{timeline.title}</title>',
        f'<desc id="desc">{_description(timeline)}</desc>',
        f"<style>{_STYLE}</style>",
        '<pattern id="h" width="5" height="5" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="h" d="M0 0V5"/></pattern>',
        f'<rect class="b" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        f'<text x="16" y="{TITLE_Y}"><tspan class="t">{timeline.title}</tspan>'
        f'<tspan dx="10">{timeline.told}</tspan></text>',
        *_downtime(timeline, bottom),
        *_ticks(timeline),
        *(part for lane, row in zip(timeline.lanes, rows, strict=True) for part in _run(lane, row)),
        *_legend(timeline, height - 13),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rows(lanes: Sequence[Lane]) -> list[int]:
    """Return the first row for each run in which no other run is at the same time."""
    ends: list[int] = []
    rows: list[int] = []
    for lane in lanes:
        free = [row for row, end in enumerate(ends) if end + LABEL <= lane.planned]
        row = free[0] if free else len(ends)
        ends[row : row + 1] = [lane.end]
        rows.append(row)
    return rows


def _x(minute: float) -> float:
    return LEFT + minute * PER_MINUTE


def _clock(minute: int) -> str:
    return f"{10 + minute // 60}:{minute % 60:02}"


def _description(timeline: Timeline) -> str:
    """Tell in words what the picture shows, for readers who do not see it."""
    down = timeline.down
    said = [] if down is None else [f"Foliot is down from {_clock(down[0])} to {_clock(down[1])}."]
    lanes = {lane.planned: lane for lane in timeline.lanes}
    for mark in timeline.marks:
        at, lane = _clock(mark.minute), lanes.get(mark.minute)
        if lane is None:
            said.append(f"{at}: skipped, {mark.reason}.")
            continue
        begins = ", ".join(_clock(bar.begin) for bar in lane.bars)
        said.append(f"{at}: attempts begin at {begins}; {mark.outcome} at {_clock(lane.end)}.")
    return "A job every ten minutes. " + " ".join(said)


def _downtime(timeline: Timeline, bottom: int) -> Iterator[str]:
    if timeline.down is None:
        return
    begin, end = (_x(minute) for minute in timeline.down)
    top, middle = TICKS_Y - 42, (begin + end) / 2
    yield f'<rect class="s" x="{begin}" y="{top}" width="{end - begin}" height="{bottom - top}"/>'
    yield f'<text x="{middle}" y="{top + 15}" text-anchor="middle">Foliot is down</text>'


def _ticks(timeline: Timeline) -> Iterator[str]:
    end = max(mark.minute for mark in timeline.marks) + 6
    yield f'<path class="k" d="M{_x(-2)} {TICKS_Y}H{_x(end)}"/>'
    for mark in timeline.marks:
        x = _x(mark.minute)
        label = _clock(mark.minute)
        yield f'<text x="{x}" y="{TICKS_Y - 10}" text-anchor="middle">{label}</text>'
        yield f'<path class="k" d="M{x} {TICKS_Y - 6}V{TICKS_Y + 6}"/>'
        if mark.outcome == "skipped":
            y = TICKS_Y + 16
            yield _cross(x, y)
            yield f'<text x="{x + 9}" y="{y + 4}">{mark.reason}</text>'


def _cross(x: float, y: float) -> str:
    return f'<path class="x" d="M{x - 5} {y - 5}l10 10m0-10l-10 10"/>'


def _run(lane: Lane, row: int) -> Iterator[str]:
    middle = FIRST_LANE_Y + row * LANE_HEIGHT + BAR_HEIGHT / 2
    first = lane.bars[0].begin
    if first > lane.planned:
        yield f'<path class="d" d="M{_x(lane.planned)} {middle}H{_x(first)}"/>'
    if first < lane.bars[-1].begin:
        yield f'<path class="w" d="M{_x(first)} {middle}H{_x(lane.end)}"/>'
    for bar in lane.bars:
        kind = "o" if bar.succeeded else "f"
        x, width = _x(bar.begin), (bar.end - bar.begin) * PER_MINUTE
        y = middle - BAR_HEIGHT / 2
        yield f'<rect class="b" x="{x}" y="{y}" width="{width}" height="{BAR_HEIGHT}"/>'
        yield f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{BAR_HEIGHT}"/>'
    yield f'<text class="l" x="{_x(lane.end) + 4}" y="{middle + 4}">{_clock(lane.planned)}</text>'


def _legend(timeline: Timeline, y: int) -> Iterator[str]:
    """Explain the shapes that the picture has."""
    bars = [bar for lane in timeline.lanes for bar in lane.bars]
    samples = [
        ('<rect class="o" x="{x}" y="{top}" width="24" height="9"/>', "attempt succeeded", True),
        (
            '<rect class="f" x="{x}" y="{top}" width="24" height="9"/>',
            "attempt failed",
            not all(bar.succeeded for bar in bars),
        ),
        (
            '<path class="w" d="M{x} {middle}h24"/>',
            "waits for a retry",
            any(len(lane.bars) > 1 for lane in timeline.lanes),
        ),
        (
            '<path class="d" d="M{x} {middle}h24"/>',
            "planned, not begun",
            any(lane.bars[0].begin > lane.planned for lane in timeline.lanes),
        ),
    ]
    x = 16
    for shape, words, is_there in samples:
        if is_there:
            yield shape.format(x=x, top=y - 8, middle=y - 4)
            yield f'<text class="l" x="{x + 30}" y="{y}">{words}</text>'
            x += 44 + 7 * len(words)
    if any(mark.outcome == "skipped" for mark in timeline.marks):
        yield _cross(x + 6, y - 4)
        yield f'<text class="l" x="{x + 16}" y="{y}">skipped, with its reason</text>'
