"""A server in a process of its own, known by what it says when it starts."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import NamedTuple

_DEADLINE = 60  # seconds

_FACTS = {
    "url": re.compile(r"listens on (https://\S+)"),
    "authority": re.compile(r"trust the authority in (.+)"),
    "token": re.compile(r"Bearer <the token in (.+?)>"),
}


class Server(NamedTuple):
    """What a user is told: where to call, whom to trust, how to sign in."""

    url: str
    authority: str
    token: str


@contextmanager
def running_server(directory: Path) -> Generator[Server]:
    """Run `foliot serve` on a free port, over TLS, until the end of the block."""
    command = [sys.executable, "-m", "foliot", "serve", "--port", "0", "--tls", "auto"]
    complaints = directory / "stderr"
    with (
        complaints.open("w") as stderr,
        subprocess.Popen(  # noqa: S603  (our own command)
            [*command, "--data-dir", str(directory / "data")],
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        try:
            yield _started(process, complaints)
        finally:
            _stop(process)


def _environment() -> dict[str, str]:
    """Return an environment in which nothing is sent anywhere: the jobs have made-up targets."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
    return kept | {"FOLIOT_NO_ENGINE": "1"}


def _started(process: subprocess.Popen[str], complaints: Path) -> Server:
    assert process.stdout
    # A process that says nothing is ended, and with it the output we wait for.
    watchdog = Timer(_DEADLINE, process.kill)
    watchdog.start()
    facts: dict[str, str] = {}
    for line in process.stdout:
        found = {name: match[1] for name, fact in _FACTS.items() if (match := fact.search(line))}
        facts |= found
        if facts.keys() == _FACTS.keys():
            watchdog.cancel()
            # Where standard output is no terminal, a server names the file that has the token.
            return Server(**facts | {"token": Path(facts["token"]).read_text().strip()})
    watchdog.cancel()
    raise AssertionError(f"The server did not start; it said {facts}.\n{complaints.read_text()}")


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
