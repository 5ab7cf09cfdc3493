"""A real server in a process of its own, and what a client does with it."""

import json
import os
import pty
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Timer
from typing import IO, Any, NamedTuple

from foliot.core.instant import SECOND
from foliot.ports import clock

FOLIOT = [sys.executable, "-m", "foliot"]
DEADLINE = 30
# A server of a whole run of tests serves its last test too, and ends if the run was killed.
LONGEST_RUN = 3 * 3600
COLLECTION = (
    "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
    "?api-version=2016-03-01"
)

_READY = re.compile(r"listens on (?P<scheme>https?)://(?P<host>\S+):(?P<port>\d+)")
_TOKEN = re.compile(r"Bearer (?P<token>foliot_\S+)")
_TOKEN_FILE = re.compile(r"Bearer <the token in (?P<file>.+?)>")


class Server:
    """A process that has said where it listens."""

    def __init__(self, process: subprocess.Popen[str], text: str, log_file: Path) -> None:
        found = _READY.search(text)
        assert found, text
        self.process = process
        self._log_file = log_file
        self.text = text
        self.is_secure = found["scheme"] == "https"
        self.host = found["host"]
        self.port = int(found["port"])
        self.token = _token_of(text)
        self.authority: Path | None = None

    def connect(self) -> HTTPConnection:
        if not self.is_secure:
            return HTTPConnection(self.host, self.port, timeout=DEADLINE)
        context = ssl.create_default_context(cafile=self.authority)
        return HTTPSConnection(self.host, self.port, timeout=DEADLINE, context=context)

    def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> HTTPResponse:
        """Make a call on a connection of its own; the answer is read and its body kept aside."""
        sent = {} if headers is None else headers
        if token is not None:
            sent = sent | {"Authorization": f"Bearer {token}"}
        connection = self.connect()
        try:
            connection.request(method, path, body and json.dumps(body), sent)
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        return answer

    def status(self, token: str | None) -> int:
        """Return how a call with this token is answered: 404 if it is let in."""
        return self.call("GET", COLLECTION, token=token).status

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal and wait for the end: its code, what it still said, and its log."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, out, self.log()

    def log(self) -> str:
        """Return what it has logged so far."""
        return self._log_file.read_text()


@contextmanager
def running(
    data_dir: Path,
    *options: str,
    seconds: float = LONGEST_RUN,
    on_terminal: bool = False,
    python: str = sys.executable,
    **environ: str,
) -> Generator[Server]:
    """Start a server on a free port and end it, if the test has not, or after so long a time.

    On a terminal it prints secrets; what it says after its start is not read there.
    """
    with NamedTemporaryFile("w", prefix="foliot-log-") as log_file, _output(on_terminal) as out:
        # A file and no pipe: nobody reads while a test goes on, and a server waits at a full pipe.
        process = subprocess.Popen(  # noqa: S603  (our own command)
            [python, "-m", "foliot", "serve", "--port", "0", "--data-dir", str(data_dir), *options],
            env=_environment(environ),
            stdout=out.theirs,
            stderr=log_file,
            text=True,
        )
        with _ended_after(process, seconds):
            path = Path(log_file.name)
            if out.ours:
                # Or our end would never see that the server has ended.
                os.close(out.theirs)
            lines = out.ours or process.stdout
            assert lines
            yield Server(process, _start_up_text(lines, path), path)


class _Output(NamedTuple):
    """Where a server writes, and, of a terminal, our end of it."""

    theirs: int
    ours: IO[str] | None = None


@contextmanager
def _output(on_terminal: bool) -> Generator[_Output]:  # noqa: FBT001  (our own)
    if not on_terminal:
        yield _Output(subprocess.PIPE)
        return
    ours, theirs = pty.openpty()
    with os.fdopen(ours) as lines:
        yield _Output(theirs, lines)


@contextmanager
def _ended_after(process: subprocess.Popen[str], seconds: float) -> Generator[None]:
    watchdog = Timer(seconds, process.kill)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=DEADLINE)


def eventually(holds: Callable[[], bool]) -> None:
    """Ask again until it holds; each question goes to another process and takes its time."""
    end = clock.now() + DEADLINE * SECOND
    while not holds():
        assert clock.now() < end


def complaints_in(log: str) -> list[str]:
    """Return the lines of a log for people that are warnings or errors."""
    return [line for line in log.splitlines() if "[info" not in line and "[debug" not in line]


def accepts(server: Server) -> bool:
    try:
        socket.create_connection((server.host, server.port), DEADLINE).close()
    except ConnectionError:
        return False
    return True


def foliot(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(  # noqa: S603  (our own command)
        [*FOLIOT, *arguments],
        env=_environment(environ),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def _environment(environ: dict[str, str]) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
    # Nothing is sent anywhere unless a test is about that: most jobs here have made-up targets.
    given = {"NO_ENGINE": "1"} | environ
    return kept | {_variable(name): text for name, text in given.items()}


def _variable(name: str) -> str:
    return name if name.startswith("OTEL_") else f"FOLIOT_{name}"


def _token_of(text: str) -> str | None:
    """Return the token that is shown, or that is in the file that is named."""
    shown, file = _TOKEN.search(text), _TOKEN_FILE.search(text)
    if shown:
        return shown["token"]
    return Path(file["file"]).read_text().strip() if file else None


def _start_up_text(lines: IO[str], log_file: Path) -> str:
    text = ""
    for line in lines:
        text += line
        # A token that was just made has one more line.
        if line.startswith(("Sign in:", "This")) and not _TOKEN.search(line):
            return text
    raise AssertionError(text + log_file.read_text())
