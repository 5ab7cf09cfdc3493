"""What a command that talks to a server exits with; an error is one line on standard error."""

from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum

import typer

from foliot.cli.remote.printable import one_line
from foliot.client.errors import (
    NoServer,
    NotAuthorised,
    NotThere,
    RunFailed,
    StillOpen,
    Unreachable,
)
from foliot.core.errors import FoliotError, Invalid


class ExitCode(IntEnum):
    """The exit codes, which stay the same in later versions."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    NOT_FOUND = 3
    NOT_AUTHORISED = 4
    UNREACHABLE = 5
    RUN_FAILED = 6
    STILL_OPEN = 7
    DIFFERENT = 8
    DEFECT = 70
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.DONE: "done",
    ExitCode.REFUSED: "the server has refused it, or a file cannot be used",
    ExitCode.USAGE: "the command was not understood: an option or its value is wrong",
    ExitCode.NOT_FOUND: "no such collection, job, run or calendar, or none that the token may see",
    ExitCode.NOT_AUTHORISED: "the token is missing, not known, or may not do this",
    ExitCode.UNREACHABLE: "no server is known, or it does not answer as Foliot does",
    ExitCode.RUN_FAILED: "the run that was waited for has failed",
    ExitCode.STILL_OPEN: "the run that was waited for has not ended in time",
    ExitCode.DIFFERENT: "`foliot diff`: the server differs from the files",
    ExitCode.DEFECT: "an error in Foliot itself",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
}
_CODES: dict[type[FoliotError], ExitCode] = {
    Invalid: ExitCode.USAGE,
    NotThere: ExitCode.NOT_FOUND,
    NotAuthorised: ExitCode.NOT_AUTHORISED,
    NoServer: ExitCode.UNREACHABLE,
    Unreachable: ExitCode.UNREACHABLE,
    RunFailed: ExitCode.RUN_FAILED,
    StillOpen: ExitCode.STILL_OPEN,
}


@contextmanager
def exiting(command: str) -> Generator[None]:
    """End a command with the code of what went wrong."""
    try:
        yield
    except FoliotError as error:
        typer.echo(f"foliot {command}: {one_line(str(error))}", err=True)
        raise typer.Exit(_CODES.get(type(error), ExitCode.REFUSED)) from None
    except OSError as error:
        # What standard output cannot take names no file.
        if not error.filename:
            raise
        typer.echo(f"foliot {command}: {error.filename}: {error.strerror}.", err=True)
        raise typer.Exit(ExitCode.REFUSED) from None
    except KeyboardInterrupt:
        raise typer.Exit(ExitCode.INTERRUPTED) from None
