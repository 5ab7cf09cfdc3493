"""`foliot serve` as a process that can be killed, paused, and given a wrong clock."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from chaos.api import TOKEN, Api
from chaos.facts import Break, now
from chaos.sink import Sink
from chaos.sockets import free_port, ports_of

START_SECONDS = 60
ARRIVAL_SECONDS = 0.5

_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


class Server:
    """A server with a data directory and a port that it keeps over its lives."""

    def __init__(
        self,
        folder: Path,
        environ: Mapping[str, str] | None = None,
        limits: Sequence[str] = (),
    ) -> None:
        """Take what it is told, and limits as `prlimit` reads them, such as `--nofile=256`."""
        self._folder = folder
        self._environ = dict(environ or {})
        self._limits = ["prlimit", *limits] if limits else []
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.api = Api(self.port)
        self.log = folder.with_suffix(".log")

    async def start(self) -> None:
        """Start the process, and return when it answers."""
        self._spawn()
        await self._until_ready()

    def tell(self, environ: Mapping[str, str]) -> None:
        """Change what it is told from its next start on."""
        self._environ |= environ

    async def stop(self) -> None:
        """End it as an operator would, or less gently if it takes too long."""
        await self.api.close()
        if self._process is None:
            return
        self._process.terminate()
        try:
            await asyncio.to_thread(self._process.wait, timeout=40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    async def problems(self) -> dict[str, str]:
        """Return what `/readyz` says is wrong; nothing if it says the server is ready."""
        status, answer = await self.api.call("GET", "/readyz")
        if status == 200:
            return {}
        said: dict[str, str] = answer.get("problems", {}) if answer else {}
        return said or {"readyz": f"is answered with {status}"}

    async def end(self) -> int:
        """Tell it to end, as an operator does before an upgrade; return its exit code."""
        self.running.terminate()
        return await asyncio.to_thread(self.running.wait, timeout=60)

    async def kill(self, sink: Sink) -> Break:
        """Kill -9; what it had in flight is known, since it stands still before it dies."""
        at = now()
        self._signal(signal.SIGSTOP)
        clients = self.clients
        self._signal(signal.SIGKILL)
        self.running.wait()
        in_flight = sink.count_open(clients)
        # What the dead have sent may still be on its way.
        await asyncio.sleep(ARRIVAL_SECONDS)
        sink.forget(clients)
        return Break(at=at, until=now(), in_flight=in_flight, clients=clients)

    async def kill_and_restart(self, in_flight: int) -> Break:
        """Kill -9 the server alone, whose other process then ends by itself; start it again."""
        at, children = now(), self.children
        self.running.kill()
        self.running.wait()
        await _all_gone(children)
        until = now()
        self._spawn()
        await self._until_ready()
        return Break(at=at, until=until, in_flight=in_flight)

    async def pause(self, seconds: float, sink: Sink) -> Break:
        """Stop the process where it is, and let it go on later."""
        at = now()
        self._signal(signal.SIGSTOP)
        clients = self.clients
        in_flight = sink.count_open(clients)
        await asyncio.sleep(seconds)
        self._signal(signal.SIGCONT)
        return Break(at=at, until=now(), in_flight=in_flight, clients=clients)

    @property
    def clients(self) -> frozenset[int]:
        """The ports of its connections at this moment."""
        return frozenset[int]().union(*map(ports_of, self._processes))

    @property
    def running(self) -> subprocess.Popen[bytes]:
        """The process."""
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process

    @property
    def resident_kib(self) -> int:
        """How much memory its processes have now."""
        return sum(map(resident_kib, self._processes))

    @property
    def children(self) -> list[int]:
        """The processes it has started: those that send its requests."""
        pid = self.running.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(each) for each in found.split()]

    @property
    def _processes(self) -> list[int]:
        """The server and the process that sends its requests."""
        return [self.running.pid, *self.children]

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to all its processes, as if their machine were hit."""
        for process in self._processes:
            # One may have ended because the other has.
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def _spawn(self) -> None:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  (our own command)
                [
                    *(*self._limits, sys.executable, "-m", "foliot", "serve"),
                    *("--port", str(self.port), "--data-dir", str(self._folder)),
                ],
                env=kept | {"FOLIOT_ADMIN_TOKEN": TOKEN} | self._environ,
                stdout=log,
                stderr=log,
            )

    async def _until_ready(self) -> None:
        for _ in range(START_SECONDS * 50):
            if self.running.poll() is not None:
                break
            if await self.api.is_ready():
                return
            await asyncio.sleep(0.02)
        raise RuntimeError(f"the server did not start:\n{self.log.read_text()[-2000:]}")


async def _all_gone(processes: Sequence[int]) -> None:
    """Wait until processes have ended, which must not take long."""
    for _ in range(5000):
        if not any(map(is_running, processes)):
            return
        await asyncio.sleep(0.001)
    raise RuntimeError("the process that sends requests outlives its server")


def is_running(process: int) -> bool:
    """Tell whether a process is there and has not ended."""
    status = Path(f"/proc/{process}/status")
    with suppress(FileNotFoundError, ProcessLookupError):
        return "State:\tZ" not in status.read_text()
    return False


def resident_kib(process: int) -> int:
    """Return how much memory a process has now; none if it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        found = _RESIDENT.search(Path(f"/proc/{process}/status").read_text())
        return int(found[1]) if found else 0
    return 0
