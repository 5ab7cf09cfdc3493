"""The report: a table of the attacks, by who made them, and all that got through."""

from collections.abc import Mapping
from datetime import UTC, datetime

from chaos.report import machine
from hostile.attack import Result

_HEAD = "| attack | what was tried | how often | what happened | verdict |\n|---|---|--:|---|---|"
_SHOWN = 20
_MOST_LETTERS = 300


def report(parts: Mapping[str, Mapping[str, Result]], seed: int) -> str:
    """Write the report of a run, as Markdown."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return "\n".join(
        [
            "# Attacks on the real process",
            "",
            "Written by `make hostile`, which made all of these against `foliot serve`.",
            "",
            f"- {when}, `make hostile SEED={seed}`",
            f"- {machine()}",
            "",
            "What is slow under attack is compared with the same server a moment before: others'",
            "jobs may be 3 s later, and others' requests may take 1.2 s longer, on a busy machine.",
            *(line for name, results in parts.items() for line in _part(name, results)),
            "",
        ]
    )


def row(name: str, result: Result) -> str:
    """Write a line of the table."""
    verdict = "holds" if result.holds else "**gets through**"
    if not result.is_played:
        verdict = "**not played**"
    cells = [name, result.tried, result.count, result.happened, verdict]
    in_line = [" ".join(str(each).replace("|", "/").split()) for each in cells]
    return f"| {' | '.join(in_line)} |"


def objections(name: str, result: Result) -> list[str]:
    """Write what should not have happened, a line each."""
    said = [" ".join(text.split())[:_MOST_LETTERS] for text in result.objections[:_SHOWN]]
    lines = [f"- **{name}:** {text}" for text in said]
    more = len(result.objections) - _SHOWN
    return [*lines, *([f"- **{name}:** … and {more} more"] if more > 0 else [])]


def _part(name: str, results: Mapping[str, Result]) -> list[str]:
    wrong = [line for each, result in results.items() for line in objections(each, result)]
    return [
        *("", f"## {name.replace('_', ' ').capitalize()}", "", _HEAD),
        *(row(each, result) for each, result in results.items()),
        *(["", *wrong] if wrong else []),
    ]
