"""Runs a command, and tells in one line why it was not understood or could not end."""

import os
import sys
from contextlib import suppress

import typer
from typer.exceptions import TyperException

from foliot.cli import app
from foliot.cli.remote.exit_codes import ExitCode
from foliot.core.errors import origin_of

_MOST_CALLS = 6


def run() -> None:
    """Run a command and exit with its code, or with 1 if its output cannot be written."""
    # Python has None for a closed one, whose number the next file that is opened would get.
    if sys.stdout is None:
        _tell("foliot: standard output is closed; redirect it, to /dev/null at least.")
        sys.exit(ExitCode.REFUSED)
    try:
        try:
            code: object = app(standalone_mode=False)
        finally:
            sys.stdout.flush()
    except TyperException as error:
        # Without a message it is a group without a command, whose help has been printed.
        if error.format_message():
            _tell(_not_understood(error))
        sys.exit(error.exit_code)
    except OSError as error:
        sys.exit(_end_of_output(error))
    except Exception as error:  # noqa: BLE001  (the last resort: no traceback for people)
        sys.exit(_end_of_defect(error))
    sys.exit(code if isinstance(code, int) else ExitCode.DONE)


def _not_understood(error: TyperException) -> str:
    """Return what is wrong with the arguments, with the help that tells what is right."""
    context = getattr(error, "ctx", None)
    name = "foliot" if context is None else context.command_path
    problem = " ".join(error.format_message().split()).rstrip(".")
    return f"{name}: {problem}{'' if problem.endswith('?') else '.'} See `{name} --help`."


def _end_of_output(error: OSError) -> ExitCode:
    if not _is_output_lost():
        return _end_of_defect(error)
    if not isinstance(error, BrokenPipeError):
        _tell(f"foliot: cannot write to standard output: {error.strerror}.")
    return ExitCode.REFUSED


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


def _end_of_defect(error: Exception) -> ExitCode:
    """Tell where a command has failed that should not; its values may be secrets."""
    calls = " < ".join(origin_of(error).split(" < ")[:_MOST_CALLS])
    _tell(f"foliot: this is an error in Foliot itself; please report it with this line: {calls}")
    return ExitCode.DEFECT


def _tell(line: str) -> None:
    # Nobody can be told that standard error is lost; the exit code remains.
    with suppress(OSError):
        typer.echo(line, err=True)
