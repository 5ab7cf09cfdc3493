"""The process that sends requests: how it is started, and what it does."""

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

import uvloop
from msgspec import Struct

from foliot.core.model.action import HttpRequest, QueueMessage, ServiceBusMessage
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.client import HttpSettings
from foliot.dispatch.queue_endpoints import Endpoints
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from foliot.dispatch.worker.server import Outpost
from foliot.ports import clock
from foliot.ports.logs import get_logger
from foliot.serve.process_setup import collect_seldom, set_up_logging

_SECONDS_TO_LEAVE: Final = 2
_KILLED: Final = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP}
# After the timeout of an action: when an attempt is cancelled, and when, if even that does not
# help, the process is killed.
_SECONDS_TO_CANCEL: Final = 5
SECONDS_TO_KILL: Final = 10
# All that the process is given of the environment: nothing of Foliot's own, which may be secret.
_VARIABLES: Final = {"PATH", "HOME", "TZ", "TZDIR", "TMPDIR", "RES_OPTIONS", "LOCALDOMAIN"}
_VARIABLES_BEGIN: Final = ("PYTHON", "LANG", "LC_", "LD_", "DYLD_", "OPENSSL_", "SSL_", "COVERAGE_")

_log = get_logger("foliot.serve")


class Outfit(Struct, frozen=True, kw_only=True):
    """All that is needed to send requests."""

    egress: EgressRules
    http: HttpSettings
    storage: Endpoints
    service_bus: Endpoints
    log_level: str
    log_format: str


def dispatchers(outfit: Outfit) -> Dispatchers:
    """Return those who carry out actions, of every kind."""
    egress, http = outfit.egress, outfit.http
    return Dispatchers(
        {
            HttpRequest: HttpDispatcher(egress, clock.now, http),
            QueueMessage: StorageQueueDispatcher(egress, clock.now, http, outfit.storage),
            ServiceBusMessage: ServiceBusDispatcher(egress, clock.now, http, outfit.service_bus),
        },
        seconds=http.timeout_seconds + _SECONDS_TO_CANCEL,
    )


class OutpostProcess:
    """A process that sends requests, and the next one if it ends."""

    def __init__(self, outfit: Outfit) -> None:
        self._outfit = pickle.dumps(outfit)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed_by_us = False

    async def start(self) -> socket.socket:
        """Begin a process, and return the way there."""
        await self.stop()
        ours, theirs = socket.socketpair()
        with theirs, ExitStack() as failing:
            failing.callback(ours.close)
            command = [sys.executable, "-m", __spec__.name, str(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603  (takes a millisecond; our own)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_needed(os.environ),
            )
            self._is_killed_by_us = False
            _log.info("Worker process started", pid=self._process.pid)
            await asyncio.to_thread(_hand_over, self._process, self._outfit)
            failing.pop_all()
        return ours

    def kill(self) -> None:
        """End the process at once, whatever it does."""
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
        """Wait for a process that was told to leave, but not for long."""
        if self._process is not None:
            await asyncio.to_thread(_part_from, self._process)


def _needed(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: text
        for name, text in environ.items()
        if name in _VARIABLES or name.startswith(_VARIABLES_BEGIN)
    }


def _hand_over(process: subprocess.Popen[bytes], outfit: bytes) -> None:
    # One that has ended already is noticed at the other end of its socket.
    with suppress(BrokenPipeError), cast("IO[bytes]", process.stdin) as stdin:
        stdin.write(outfit)


def _code_of(process: subprocess.Popen[bytes]) -> int | None:
    """Return the code of a process that has closed its socket; None if it does not end."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(_SECONDS_TO_LEAVE)
    return None


def _part_from(process: subprocess.Popen[bytes]) -> None:
    for end in (process.kill, _complain):
        try:
            process.wait(_SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            end()
        else:
            return


def _complain() -> None:
    _log.error("Worker process does not end, though it was killed")


def main() -> None:
    """Send requests for the process at the other end of a socket, until it is gone."""
    # A terminal or a service manager tells both processes to end; the other one knows when.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    outfit: Outfit = pickle.load(sys.stdin.buffer)  # noqa: S301  (from who has started us)
    set_up_logging(outfit.log_level, outfit.log_format)
    collect_seldom()
    with socket.socket(fileno=int(sys.argv[1])) as sock:
        uvloop.run(_serve(outfit, sock))


async def _serve(outfit: Outfit, sock: socket.socket) -> None:
    await Outpost(dispatchers(outfit)).serve(sock)


if __name__ == "__main__":
    main()
