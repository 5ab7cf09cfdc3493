"""What a command prints: tables for people, or JSON, JSON lines and YAML for scripts."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

import typer

from foliot.cli.remote.printable import one_line, printable
from foliot.client.job_files import JsonObject
from foliot.core.errors import wrong
from foliot.core.json_text import Json
from foliot.serve.progress import progress_line


class OutputFormat(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    YAML = "yaml"


class Column(NamedTuple):
    """A column of a table: its heading, and the text of a row.

    On a terminal that is too narrow, the column with the highest rank goes below its row first.
    Rows that are printed one by one are aligned by the `width` of their columns.
    """

    heading: str
    text: Callable[[JsonObject], str]
    rank: int = 0
    width: int = 0


def parse_format(text: str) -> OutputFormat:
    """Read the name of a format."""
    try:
        return OutputFormat(text.lower())
    except ValueError:
        raise wrong(("--output",), text, f"one of {', '.join(OutputFormat)}") from None


class Printer:
    """Prints the results of one command."""

    def __init__(self, form: OutputFormat) -> None:
        self.form = form

    @property
    def is_for_people(self) -> bool:
        """Whether somebody reads it, and no script."""
        return self.form is OutputFormat.TABLE

    def rows(self, rows: Iterable[JsonObject], columns: Sequence[Column]) -> None:
        """Print a list."""
        match self.form:
            case OutputFormat.TABLE:
                table = [[one_line(each.text(row)) for each in columns] for row in _read(rows)]
                _print_table(columns, table)
            case OutputFormat.JSONL:
                for row in rows:
                    typer.echo(json.dumps(row))
            case _:
                self.value([*_read(rows)])

    def rows_as_they_come(self, rows: Iterable[JsonObject], columns: Sequence[Column]) -> None:
        """Print a list that does not end, each row at once: JSON lines, or lines of a table."""
        if not self.is_for_people:
            # What does not end cannot be one document.
            self.form = OutputFormat.JSONL
            self.rows(rows, columns)
            return
        _print_table(columns, [])
        for row in rows:
            _print_table(columns, [[one_line(each.text(row)) for each in columns]], has_head=False)

    def value(self, value: Json, told: Iterable[str] = ()) -> None:
        """Print one value; people are told about it in lines."""
        match self.form:
            case OutputFormat.TABLE:
                for line in told:
                    typer.echo(printable(line))
            case OutputFormat.JSON:
                typer.echo(json.dumps(value, indent=2))
            case OutputFormat.JSONL:
                typer.echo(json.dumps(value))
            case OutputFormat.YAML:
                # Here, since no other format needs it.
                from foliot.core.yaml_text import write_yaml  # noqa: PLC0415

                typer.echo(write_yaml([value]), nl=False)

    def tell(self, text: str) -> None:
        """Tell people what was done; a script knows it by the exit code."""
        if self.is_for_people:
            typer.echo(printable(text))


def _read(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Read a list to its end: it may have many pages."""
    with progress_line("The server is read") as line:
        return list(line.counted("The server is read", "entry", rows))


def details(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return names and values as lines in two columns; empty values are left out."""
    shown = [(name, one_line(value)) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"{name:<{width}}  {value}" for name, value in shown]


def _print_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, has_head: bool = True
) -> None:
    headings = [each.heading.ljust(each.width) for each in columns]
    if sys.stdout.isatty():
        # Here, since it takes longer to load than a call of a server takes.
        from foliot.cli.remote.terminal import print_rich_table  # noqa: PLC0415

        print_rich_table(headings, rows, [each.rank for each in columns], has_head=has_head)
        return
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for row in (*([headings] if has_head else []), *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
