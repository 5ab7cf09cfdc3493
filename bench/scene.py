"""What the engine's benchmarks share: a sink, a store full of jobs, a server process, a judge."""

import asyncio
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, cast

from foliot.core.ids import CollectionKey
from foliot.core.instant import HOUR, SECOND, Instant, Moment, parse_instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import Frequency, Recurrence
from foliot.ports.store import Transaction
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sqlite.store import SqliteStore

HERE = Path(__file__).parent
BODY = '{"hello":"schedule"}'
PER_COLLECTION = 1000
ADMIN_TOKEN = "foliot_" + "b" * 43

_EPOCH = parse_instant("1970-01-01T00:00:00Z")
_RECURRENCE = Recurrence(frequency=Frequency.HOUR, interval=1)


class Arrivals(NamedTuple):
    """What the sink saw; lateness in milliseconds, doubles are calls beyond a job's first."""

    count: int
    doubled: int
    late: list[float]

    def lateness(self) -> dict[str, float]:
        late = self.late or [0.0]
        return {
            "p50_ms": round(statistics.median(late), 2),
            "p99_ms": round(late[len(late) * 99 // 100], 2),
            "max_ms": round(late[-1], 2),
        }


class Sink(NamedTuple):
    """A target, by its port."""

    port: int

    def url(self, job: int) -> str:
        return f"http://127.0.0.1:{self.port}/fire?job={job}"

    def count(self) -> int:
        return int(self._get("/count"))

    def arrivals(self, due_ns: Callable[[int], int]) -> Arrivals:
        """Take the log, and compare it with what was due."""
        log = self.log()
        first: dict[int, int] = {}
        for job, at in zip(log[::2], log[1::2], strict=True):
            first.setdefault(job, at)
        late = sorted((at - due_ns(job)) / 1e6 for job, at in first.items())
        return Arrivals(len(first), len(log) // 2 - len(first), late)

    def log(self) -> "array[int]":
        """Take the log: jobs and when they called, in turns."""
        log = array("q")
        log.frombytes(self._get("/log"))
        return log

    def _get(self, path: str) -> bytes:
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path)
        body = connection.getresponse().read()
        connection.close()
        return body


@contextmanager
def running_sink() -> Iterator[Sink]:
    command = [sys.executable, str(HERE / "sink.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603
        try:
            yield Sink(int(cast("IO[bytes]", process.stdout).readline()))
        finally:
            process.kill()


def ceiling(sink: Sink, count: int) -> float:
    """Return how many requests per second a bare loop sends to the same sink."""
    command = [sys.executable, str(HERE / "ceiling.py"), str(sink.port), str(count)]
    said = subprocess.run(command, capture_output=True, check=True)  # noqa: S603
    sink.arrivals(lambda _: 0)
    return float(said.stdout)


class Server:
    """A server process on a data directory, with its memory and the time it took to start."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        environment = os.environ | {"FOLIOT_ADMIN_TOKEN": ADMIN_TOKEN} | variables
        command = [sys.executable, "-m", "foliot", "serve", "--port", "0", "--data-dir", folder]
        begin = time.perf_counter()
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)  # noqa: S603
        said = cast("IO[bytes]", self._process.stdout).readline()
        self.start_seconds = time.perf_counter() - begin
        self.port = int(said.decode().split()[-1].rpartition(":")[2])

    def megabytes(self) -> float:
        """Return the memory in use by all its processes, in MiB."""
        return sum(_kilobytes(pid) for pid in self.pids()) / 1024

    def cpu_seconds(self) -> float:
        """Return the processor time used by all its processes so far."""
        return sum(_clock_ticks(pid) for pid in self.pids()) / os.sysconf("SC_CLK_TCK")

    def bytes_written(self) -> int:
        """Return how many bytes all its processes have written to files so far."""
        return sum(_bytes_written(pid) for pid in self.pids())

    def pids(self) -> list[str]:
        """Return the ids of its processes, the server first."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
        return [str(pid), *children.split()]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(60)
        cast("IO[bytes]", self._process.stdout).close()


def _kilobytes(pid: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


def _bytes_written(pid: str) -> int:
    counted = Path(f"/proc/{pid}/io").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in counted if line.startswith("write_bytes"))


def _clock_ticks(pid: str) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2]
    user, system = fields.split()[11:13]
    return int(user) + int(system)


@contextmanager
def running_server(
    folder: Path, variables: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Server]:
    """Run a server on the database of a folder, or on the one that its variables name."""
    server = Server(folder, variables)
    try:
        yield server
    finally:
        server.stop()


def instant_of_ns(nanoseconds: int) -> Instant:
    return Instant(_EPOCH + nanoseconds // 100)


def fill(folder: Path, jobs: int, make: Callable[[int], Job], prefix: str = "c") -> None:
    """Put jobs into a store, a thousand in each collection."""

    async def steps() -> None:
        existed = (folder / "foliot.db").exists()
        keyring = load_keyring(folder, from_environment=None, database_exists=existed)
        store = SqliteStore.open(folder / "foliot.db", keyring)
        for first in range(0, jobs, PER_COLLECTION):
            numbers = range(first, min(first + PER_COLLECTION, jobs))
            await store.write(partial(_add, name=f"{prefix}{first}", numbers=numbers, make=make))
        await store.close()

    asyncio.run(steps())


def drop(folder: Path, prefix: str) -> None:
    """Delete the collections whose name begins so."""
    connection = sqlite3.connect(folder / "foliot.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("DELETE FROM collection WHERE name LIKE ?", (f"{prefix}%",))
    connection.close()


def http_job(sink: Sink, number: int, due_at: Instant) -> Job:
    """Return a job that calls the sink at a time, and every hour after it."""
    request = HttpRequest(
        uri=sink.url(number),
        method="POST",
        headers={"content-type": "application/json"},
        body=BODY,
    )
    return Job(
        collection_id=cast("Any", 0),
        name=f"j{number}",
        definition=Definition(
            start=Moment.at(due_at),
            action=Action(kind=ActionKind.HTTP, part=request),
            recurrence=_RECURRENCE,
        ),
        calendar_at=Instant(due_at - HOUR),
        next_at=due_at,
    )


def wait_until_recorded(folder: Path, count: int, *, after: int, give_up_at: float) -> int:
    """Wait until so many attempts more are in the history; return the time in nanoseconds."""
    connection = sqlite3.connect(folder / "foliot.db", isolation_level=None)
    try:
        while True:
            now = time.time_ns()
            if attempts(connection) - after >= count or now / 1e9 > give_up_at:
                return now
            time.sleep(0.02)
    finally:
        connection.close()


def attempts(connection: sqlite3.Connection) -> int:
    """Return how many attempts were ever recorded, also of jobs that are gone by now."""
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'history'").fetchone()
    return found[0] if found else 0


def attempts_in(folder: Path) -> int:
    connection = sqlite3.connect(folder / "foliot.db")
    found = attempts(connection)
    connection.close()
    return found


def _add(transaction: Transaction, name: str, numbers: range, make: Callable[[int], Job]) -> None:
    key = CollectionKey("bench", "g", name)
    collection = transaction.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM))
    for number in numbers:
        job = make(number)
        transaction.add_job(
            Job(
                collection_id=collection.id,
                name=job.name,
                definition=job.definition,
                calendar_at=job.calendar_at,
                next_at=job.next_at,
            )
        )


def seconds(ticks: int) -> float:
    return ticks / SECOND
