"""What only a terminal gets: tables that fit its width, colours, and a sign that it goes on."""

import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from foliot.cli.remote.narrow_table import lay_out, lines_below, row_text

_INDENT = 2
# What follows is in the answer of the server: --output json.
_MOST_LINES = 5

_COLOURS = {
    "failed": "red",
    "faulted": "red",
    "canceled": "yellow",
    "skipped": "yellow",
    "disabled": "yellow",
    "suspended": "yellow",
    "notplanned": "yellow",
    "running": "cyan",
    "waiting": "cyan",
    "upcoming": "cyan",
    "succeeded": "green",
    "recovered": "green",
    "completed": "green",
    "enabled": "green",
}


def print_rich_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    ranks: Sequence[int],
    *,
    has_head: bool = True,
) -> None:
    """Print a table that fits the width of the terminal; NO_COLOR leaves the colours out."""
    console = Console(highlight=False)
    layout = lay_out(headings, rows, ranks, console.width)
    # A `Text` is printed as it is: markup in it would be another's.
    if has_head:
        _print_line(console, Text("".join(row_text(headings, layout)), style="bold"))
    for row in rows:
        cells = [
            Text(cell, _COLOURS.get(cell.strip().lower(), "")) for cell in row_text(row, layout)
        ]
        _print_line(console, Text.assemble(*cells))
        for line in lines_below(headings, row, layout, console.width - _INDENT):
            _print_below(console, line)


def _print_line(console: Console, line: Text) -> None:
    line.rstrip()
    console.print(line, overflow="fold", no_wrap=False)


def _print_below(console: Console, text: str) -> None:
    width = max(1, console.width - _INDENT)
    lines = list(Text(text, style="dim").wrap(console, width, overflow="fold"))
    for line in lines[:_MOST_LINES]:
        line.rstrip()
        console.print(Text(" " * _INDENT) + line, soft_wrap=True)
    if len(lines) > _MOST_LINES:
        console.print(Text(f"{'':{_INDENT}}... (all of it: --output json)", style="dim"))


@contextmanager
def spinning(text: str, tell: Callable[[str], None]) -> Generator[Callable[[str], None]]:
    """Show on the standard error that something goes on; what is yielded tells a line meanwhile."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield tell
        return
    status = console.status(Text(text))

    def tell_above(line: str) -> None:
        with _uninterrupted():
            status.stop()
            tell(line)
            status.start()

    try:
        with _uninterrupted():
            status.start()
        yield tell_above
    finally:
        with _uninterrupted():
            status.stop()


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Let Ctrl-C wait: a sign that is half begun can neither go on nor be taken away."""
    was_pressed = False

    def remember(*_: object) -> None:
        nonlocal was_pressed
        was_pressed = True

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if was_pressed and callable(before):
        before(signal.SIGINT, None)
