"""Prints an error that ends a command."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from foliot.core.errors import FoliotError


@contextmanager
def refusing(command: str) -> Generator[None]:
    """Print a FoliotError as one line on standard error, and exit with 1."""
    try:
        yield
    except FoliotError as refusal:
        typer.echo(f"foliot {command}: {refusal}", err=True)
        raise typer.Exit(1) from None
