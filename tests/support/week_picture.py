"""Plays a week of jobs on the real engine, and draws each planned time: docs/pictures/week.svg.

`make week-picture` writes the picture. Time is virtual. In this week one target is down for an
hour, and for another hour no server runs; the colours are the answers of the ledger.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from foliot.core.instant import DAY, HOUR, MINUTE, Instant, format_instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.ledger import LedgerLine, LineOutcome
from foliot.core.model.run import Trigger
from foliot.core.rules.repeated_runs import TimeRange
from tests.support.builders import at
from tests.support.engine_world import KEY, OWNER, World

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "week.svg"
MONDAY = at("2026-03-02T00:00:00Z")
END = Instant(MONDAY + 7 * DAY)
TARGET_DOWN = (Instant(MONDAY + DAY + 13 * HOUR), Instant(MONDAY + DAY + 14 * HOUR))
SERVER_DOWN = (Instant(MONDAY + 3 * DAY + 10 * HOUR), Instant(MONDAY + 3 * DAY + 11 * HOUR))
RETRY = {"retryType": "exponential", "retryInterval": "PT1M", "retryCount": 10}
JOBS: dict[str, dict[str, Any]] = {
    "health-check": {"frequency": "minute", "interval": 15},
    "stock-levels": {"frequency": "minute", "interval": 30},
    "payment-poll": {"frequency": "hour", "interval": 1},
    "cache-warm": {"frequency": "hour", "interval": 2},
    "invoices": {"cron": "30 2 * * *"},
    "daily-report": {"cron": "30 7 * * 1-5"},
    "backup": {"cron": "0 1,13 * * *"},
    "weekly-digest": {"cron": "0 9 * * 1"},
}
CALLED_DOWN = ("payment-poll", "stock-levels", "backup")
LEFT, TOP, LANE, WIDTH = 116, 58, 26, 840
COLOURS = {"succeeded": "o", "recovered": "r", "caught up": "c", "failed": "f", "skipped": "s"}
STYLE = """\
text{font:12px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:14px}
.l{fill:#57606a;font-size:11px}.b{fill:#fff;stroke:#d0d7de}.g{stroke:#d0d7de}
.o{fill:#2da44e}.r{fill:#bf8700}.c{fill:#0969da}.f{fill:#cf222e}.s{fill:#afb8c1}.d{fill:#afb8c1;opacity:.35}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.l{fill:#9198a1}.b{fill:#0d1117;stroke:#30363d}
.g{stroke:#30363d}.o{fill:#3fb950}.r{fill:#d29922}.c{fill:#58a6ff}.f{fill:#ff7b72}}"""


class Planned(NamedTuple):
    """A planned time and what became of it."""

    at: Instant
    ended: str


def main() -> None:
    """Play the week and write the picture."""
    with TemporaryDirectory() as folder:
        PICTURE.write_text(draw(play(Path(folder))))


def play(folder: Path) -> dict[str, list[Planned]]:
    """Return the planned times of each job."""
    with World(folder, now=format_instant(Instant(MONDAY - MINUTE))) as world:
        world.targets.answer = lambda request: answer(request, world.clock.at)
        for name, recurrence in JOBS.items():
            action = {"type": "http", "request": {"uri": "http://a.example/", "method": "get"}}
            world.add_job(
                name,
                startTime=format_instant(MONDAY),
                recurrence=recurrence,
                action=action | {"retryPolicy": RETRY},
                policy={"catchUp": "all"},
            )
        world.advance_to(format_instant(SERVER_DOWN[0]))
        world.kill_engine()
        world.clock.at = SERVER_DOWN[1]
        world.start_engine()
        world.advance_to(format_instant(END))
        return {name: list(ledger(world, name)) for name in JOBS}


def answer(request: AttemptRequest, now: Instant) -> Outcome:
    is_down = request.job in CALLED_DOWN and TARGET_DOWN[0] <= now < TARGET_DOWN[1]
    return Outcome(succeeded=not is_down, message="down" if is_down else "ok")


def ledger(world: World, name: str) -> Iterator[Planned]:
    lines: list[LedgerLine] = world.run(
        world.use_cases.ledger.lines(OWNER, KEY, name, TimeRange(MONDAY, END), 10_000)
    )
    for line in lines:
        is_late = line.trigger is Trigger.CATCH_UP and line.outcome is LineOutcome.SUCCEEDED
        yield Planned(line.planned_at, "caught up" if is_late else line.outcome.value)


def draw(week: dict[str, list[Planned]]) -> str:
    """Return the picture: a lane for each job, a mark for each planned time."""
    count = Counter(each.ended for lane in week.values() for each in lane)
    height = TOP + len(week) * LANE + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>A week of {count.total()} planned runs: {told(count)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="b" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        f'<text class="t" x="14" y="24">{count.total():,} planned runs in a week, none lost</text>',
        *_days(height),
        *_outage(TARGET_DOWN, "a target is down", height),
        *_outage(SERVER_DOWN, "no server runs", height),
    ]
    for number, (name, lane) in enumerate(week.items()):
        y = TOP + number * LANE
        parts.append(f'<text class="l" x="14" y="{y + 16}">{name}</text>')
        parts += [_mark(each, y + 5) for each in lane]
    parts += _legend(count, height - 16)
    return "\n".join([*parts, "</svg>", ""])


def told(count: Counter[str]) -> str:
    return ", ".join(f"{count[each]:,} {each}" for each in COLOURS if count[each])


def _x(moment: Instant) -> float:
    return LEFT + (moment - MONDAY) / (END - MONDAY) * (WIDTH - LEFT - 14)


def _mark(each: Planned, y: int) -> str:
    is_usual = each.ended == "succeeded"
    width, height, up = (1.2, 14, 0) if is_usual else (2.4, 18, 2)
    kind = COLOURS.get(each.ended, "f")
    return f'<rect class="{kind}" x="{_x(each.at):.1f}" y="{y - up}" width="{width}" height="{height}"/>'  # noqa: E501


def _days(height: int) -> Iterator[str]:
    for number, name in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")):
        x = _x(Instant(MONDAY + number * DAY))
        yield f'<line class="g" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 12}" y2="{height - 36}"/>'
        yield f'<text class="l" x="{x + 4:.1f}" y="{TOP - 4}">{name}</text>'


def _outage(between: tuple[Instant, Instant], words: str, height: int) -> Iterator[str]:
    x, width = _x(between[0]), _x(between[1]) - _x(between[0])
    yield (
        f'<rect class="d" x="{x:.1f}" y="{TOP}" width="{width:.1f}" height="{height - TOP - 36}"/>'
    )
    yield f'<text class="l" x="{x - 26:.1f}" y="{TOP - 20}">{words}</text>'


def _legend(count: Counter[str], y: int) -> Iterator[str]:
    words = {
        "succeeded": "on time, at the first attempt",
        "recovered": "recovered by a retry",
        "caught up": "ran late, after the restart",
        "failed": "failed for good",
        "skipped": "skipped",
    }
    x = LEFT
    for name, kind in COLOURS.items():
        if count[name]:
            text = f"{count[name]:,} {words[name]}"
            yield f'<rect class="{kind}" x="{x}" y="{y - 9}" width="9" height="9"/>'
            yield f'<text class="l" x="{x + 14}" y="{y}">{text}</text>'
            x += 40 + 6 * len(text)


if __name__ == "__main__":
    main()
