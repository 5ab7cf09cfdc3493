"""`foliot serve` as a process that can be killed, paused, and given a wrong clock."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from chaos.api import TOKEN, Api
from chaos.facts import Break, now

START_SECONDS = 60

_RESIDENT = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)


class Server:
    """A server with a data directory and a port that it keeps over its lives."""

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environ = dict(environ or {})
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.api = Api(self.port)
        self.log = folder.with_suffix(".log")

    async def start(self) -> None:
        """Start the process, and return when it answers."""
        self._spawn()
        await self._until_ready()

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

    async def kill_and_restart(self, in_flight: int) -> Break:
        """Kill -9, and start again at once."""
        at = now()
        self.running.kill()
        self.running.wait()
        until = now()
        self._spawn()
        await self._until_ready()
        return Break(at=at, until=until, in_flight=in_flight)

    async def pause(self, seconds: float, in_flight: int) -> Break:
        """Stop the process where it is, and let it go on later."""
        at = now()
        self.running.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        self.running.send_signal(signal.SIGCONT)
        return Break(at=at, until=now(), in_flight=in_flight)

    @property
    def running(self) -> subprocess.Popen[bytes]:
        """The process."""
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process

    @property
    def resident_kib(self) -> int:
        """How much memory the process and the one that sends requests have now."""
        pid = self.running.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return sum(_resident_kib(each) for each in (pid, *children))

    def _spawn(self) -> None:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  (our own command)
                [
                    *(sys.executable, "-m", "foliot", "serve"),
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


def _resident_kib(pid: int | str) -> int:
    found = _RESIDENT.search(Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])
