"""What only a terminal gets: tables that fit its width, colours, and a sign that it goes on."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

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


def print_rich_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that fits the width of the terminal; NO_COLOR leaves the colours out."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        # A `Text` is printed as it is: markup in it would be another's.
        table.add_row(*(Text(cell, style=_COLOURS.get(cell.lower(), "")) for cell in row))
    Console(highlight=False).print(table)


@contextmanager
def spinning(text: str) -> Generator[None]:
    """Show on the standard error that something goes on."""
    console = Console(stderr=True, highlight=False)
    with console.status(Text(text)) if console.is_terminal else _nothing():
        yield


@contextmanager
def _nothing() -> Generator[None]:
    yield
