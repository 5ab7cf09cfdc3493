"""Runs the installed command as a process: in a pipe, or on a terminal."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

FOLIOT = str(Path(sys.executable).with_name("foliot"))
DEADLINE = 60
# The terminal becomes the one that passwords are asked on.
_ON_ITS_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Place(NamedTuple):
    """Where a command runs: its directory, and what its environment has besides the usual."""

    directory: Path
    environ: Mapping[str, str] = {}

    def variables(self) -> dict[str, str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
        for name in ("NO_COLOR", "COLUMNS", "FORCE_COLOR"):
            kept.pop(name, None)
        own = {"XDG_CONFIG_HOME": str(self.directory / "config"), "TZ": "UTC", "TERM": "xterm"}
        return kept | own | dict(self.environ)


def in_pipe(
    place: Place, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with pipes."""
    return subprocess.run(  # noqa: S603  (our own command)
        [FOLIOT, *arguments],
        cwd=place.directory,
        env=place.variables(),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def started(place: Place, *arguments: str) -> "subprocess.Popen[str]":
    """Start a command whose output is read while it runs."""
    return subprocess.Popen(  # noqa: S603  (our own command)
        [FOLIOT, *arguments],
        cwd=place.directory,
        env=place.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def on_terminal(
    place: Place,
    *arguments: str,
    typed: Mapping[str, str] | None = None,
    seen: Mapping[str, Callable[[], object]] | None = None,
    columns: int = 120,
) -> tuple[int, str]:
    """Run a command to its end on a terminal.

    Type an answer when its question is shown, and call those who wait for what is `seen`.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(  # noqa: S603  (our own command)
        [sys.executable, "-c", _ON_ITS_TERMINAL, FOLIOT, *arguments],
        cwd=place.directory,
        env=place.variables(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)

        def type_in(text: str) -> None:
            os.write(ours, f"{text}\n".encode())

        answers = {name: partial(type_in, text) for name, text in (typed or {}).items()}
        shown = _read_and_react(ours, answers | dict(seen or {}))
        os.close(ours)
        return process.wait(DEADLINE), shown.replace("\r\n", "\n")


def _read_and_react(terminal: int, reactions: dict[str, Callable[[], object]]) -> str:
    shown = b""
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:
            # A terminal that nobody holds any more ends with an error on Linux.
            read = b""
        if not read:
            return shown.decode()
        shown += read
        for text in [each for each in reactions if each.encode() in shown]:
            reactions.pop(text)()
