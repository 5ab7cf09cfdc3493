"""The function that `foliot` starts with: it tells in one line that output cannot be written."""

import os
import sys

import typer

from foliot.cli import app


def main() -> None:
    """Run a command; exit with 1 if standard output is closed or cannot be written."""
    # Python has None for a closed one, whose number the next file that is opened would get.
    if sys.stdout is None:
        typer.echo(
            "foliot: standard output is closed; redirect it, to /dev/null at least.", err=True
        )
        sys.exit(1)
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if not _is_output_lost():
            raise
        if not isinstance(error, BrokenPipeError):
            typer.echo(f"foliot: cannot write to standard output: {error.strerror}.", err=True)
        sys.exit(1)


def _is_output_lost() -> bool:
    """Tell whether standard output is what failed; what it still holds is then thrown away."""
    try:
        # Tried with a line of its own: with PYTHONUNBUFFERED nothing is left that could fail again.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        # Or Python would try once more at its end, and print a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False
