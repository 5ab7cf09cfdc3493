"""Programs that refuse to run as root, which we are in a place of our own: to them we are nobody.

A user namespace needs no rights, and the process keeps its number.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_AS_NOBODY = ("unshare", "--user", "--map-user=65534", "--map-group=65534")
_ENVIRON = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ["PATH"]}


def run(*command: str) -> None:
    """Run a program to its end."""
    subprocess.run(  # noqa: S603  (our own command)
        [*_AS_NOBODY, *command], check=True, cwd="/", stdout=subprocess.DEVNULL, env=_ENVIRON
    )


def start(log: Path, *command: str) -> subprocess.Popen[bytes]:
    """Start a program that goes on."""
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603  (our own command)
            [*_AS_NOBODY, *command], cwd="/", stdout=output, stderr=output, env=_ENVIRON
        )


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill -9 a process and its children, as a machine does that loses its power."""
    process.send_signal(signal.SIGSTOP)  # so that it has no more children
    for number in _children(process.pid):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.kill()
    process.wait()


def _children(number: int) -> Sequence[int]:
    found = Path(f"/proc/{number}/task/{number}/children").read_text()
    return [int(each) for each in found.split()]
