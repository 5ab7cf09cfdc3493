"""How a command that works on a server's data ends when it cannot."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from foliot.core.errors import FoliotError


@contextmanager
def refusing(command: str) -> Generator[None]:
    """Print a refusal as one line on the standard error and end with 1."""
    try:
        yield
    except FoliotError as refusal:
        typer.echo(f"foliot {command}: {refusal}", err=True)
        raise typer.Exit(1) from None
