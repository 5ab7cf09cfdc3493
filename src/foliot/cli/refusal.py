"""Prints an error that ends a command."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from foliot.core.errors import FoliotError


@contextmanager
def refusing(command: str) -> Generator[None]:
    """Print a FoliotError as one line on standard error, and exit with 1.

    So is a file told that cannot be used. What standard output cannot take names no file.
    """
    try:
        yield
    except FoliotError as refusal:
        typer.echo(f"foliot {command}: {refusal}", err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        if not error.filename:
            raise
        typer.echo(f"foliot {command}: {error.filename}: {error.strerror}.", err=True)
        raise typer.Exit(1) from None
