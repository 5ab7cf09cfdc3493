"""Starts and ends the worker process, which sends the requests of actions.

The server does not import what sends requests, which takes 5 MB: it runs in the other process.
"""

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import IO, Final, cast

from msgspec import Struct

from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import Endpoints
from foliot.ports.logs import get_logger

_SECONDS_TO_END: Final = 2
_KILLED: Final = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP}
# Counted from the timeout of an action: first the attempt is cancelled; if it still runs, the
# process is killed.
SECONDS_TO_CANCEL: Final = 5
SECONDS_TO_KILL: Final = 10
_MAIN: Final = "foliot.serve.worker_main"
# The process gets only these variables: those of Foliot may be secret.
_VARIABLES: Final = {"PATH", "HOME", "TZ", "TZDIR", "TMPDIR", "RES_OPTIONS", "LOCALDOMAIN"}
_VARIABLES_BEGIN: Final = ("PYTHON", "LANG", "LC_", "LD_", "DYLD_", "OPENSSL_", "SSL_", "COVERAGE_")

_log = get_logger("foliot.serve")


class WorkerConfig(Struct, frozen=True, kw_only=True):
    """All that the worker process needs to send requests."""

    egress: EgressRules
    http: HttpSettings
    storage: Endpoints
    service_bus: Endpoints
    queue_format: str
    log_level: str
    log_format: str


class WorkerProcess:
    """Starts the worker process, and starts it again after it has ended."""

    def __init__(self, config: WorkerConfig) -> None:
        self._config = pickle.dumps(config)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed_by_us = False

    async def start(self) -> socket.socket:
        """Start a process and return our end of its socket."""
        await self.stop()
        ours, theirs = socket.socketpair()
        with theirs, ExitStack() as failing:
            failing.callback(ours.close)
            command = [sys.executable, "-m", _MAIN, str(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603  (takes a millisecond; our own)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(os.environ),
            )
            self._is_killed_by_us = False
            _log.info("Worker process started", pid=self._process.pid)
            await asyncio.to_thread(_write_config, self._process, self._config)
            failing.pop_all()
        return ours

    def kill(self) -> None:
        """Kill the process at once."""
        if self._process is not None:
            self._is_killed_by_us = True
            self._process.kill()

    async def was_killed(self) -> bool:
        """Tell whether somebody else killed the process: no fault of its own ends it like that.

        A system without memory kills in the same way.
        """
        if self._process is None or self._is_killed_by_us:
            return False
        return await asyncio.to_thread(_code_of, self._process) in _KILLED

    async def stop(self) -> None:
        """Wait shortly for the process to end, and kill it if it does not."""
        if self._process is not None:
            await asyncio.to_thread(_wait_or_kill, self._process)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: text
        for name, text in environ.items()
        if name in _VARIABLES or name.startswith(_VARIABLES_BEGIN)
    }


def _write_config(process: subprocess.Popen[bytes], config: bytes) -> None:
    # A process that has ended already closes its socket, which the client notices.
    with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
        stdin.write(config)


def _code_of(process: subprocess.Popen[bytes]) -> int | None:
    """Return the code of a process that has closed its socket; None if it does not end."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(_SECONDS_TO_END)
    return None


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    for end in (process.kill, _log_survivor):
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            end()
        else:
            return


def _log_survivor() -> None:
    _log.error("Worker process does not end, though it was killed")
