"""Requests per second of a real server, beside its own /healthz as the ceiling, as JSON.

A server process on SQLite, every job durable, is called by this process over 32 connections. A
figure is the median of five rounds. The second part asks what grows with the number of jobs: the
time of each operation, one call at a time, with 200,000 jobs in the store over that with 1,000.
"""

import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

import uvloop

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, Moment, parse_instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Definition, Job
from foliot.ports.store import Transaction
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sqlite.store import SqliteStore
from load import Measured, measure

CONNECTIONS = 32
ROUNDS = 5
PER_COLLECTION = 1000
ROOMS = 60  # empty collections that new jobs go into
FEW, MANY = 1_000, 200_000
RUNS = 150  # by hand in a round: all rounds together stay below the limit of a plan in a minute
NOW = parse_instant("2026-01-01T00:00:00Z")
SUBSCRIPTION = "bench"
COLLECTIONS = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections"
)
FIRST = f"{COLLECTIONS}/c0"
JOB = {
    "properties": {
        "startTime": "2026-01-01T00:00:00Z",
        "action": {
            "type": "Https",
            "request": {
                "uri": "https://example.com/report?kind=daily",
                "method": "POST",
                "headers": {"content-type": "application/json"},
                "body": '{"hello":"world"}',
            },
        },
        "recurrence": {"frequency": "day", "schedule": {"hours": [5, 17], "minutes": [0]}},
    }
}
PATCH = {"properties": {"action": {"request": {"method": "PUT"}}}}
DEFINITION = Definition(
    start=Moment.at(NOW),
    action=Action(
        kind=ActionKind.HTTPS,
        part=HttpRequest(uri="https://example.com/report?kind=daily", method="POST"),
    ),
)


class Server:
    """A server process, and the requests that can be made to it."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self._token = token
        self._fresh = count()

    def get(self, path: str, query: str = "") -> bytes:
        return self._request("GET", path, query=query)

    def send(self, method: str, path: str, body: Any = None) -> bytes:
        return self._request(method, path, body)

    def put_new(self) -> bytes:
        number = next(self._fresh)
        path = f"{COLLECTIONS}/room{number // PER_COLLECTION}/jobs/n{number}"
        return self._request("PUT", path, JOB)

    def _request(self, method: str, path: str, body: Any = None, query: str = "") -> bytes:
        content = b"" if body is None else json.dumps(body).encode()
        return (
            f"{method} {path}?api-version=2016-03-01{query} HTTP/1.1\r\n"
            f"host: 127.0.0.1:{self.port}\r\nauthorization: Bearer {self._token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        ).encode() + content


def main() -> None:
    with server(FEW) as few:
        speed = measure_speed(few)
        time_with_few = measure_times(few)
    with server(MANY) as many:
        time_with_many = measure_times(many)
    report = {
        "python": platform.python_version(),
        "connections": CONNECTIONS,
        "rounds": ROUNDS,
        "speed": speed,
        "milliseconds": {
            name: {
                f"{FEW} jobs": round(time_with_few[name], 3),
                f"{MANY} jobs": round(time_with_many[name], 3),
                "ratio": round(time_with_many[name] / time_with_few[name], 2),
            }
            for name in time_with_few
        },
    }
    print(json.dumps(report, indent=2))


def measure_speed(server: Server) -> dict[str, Any]:
    """Measure what the bars name, in turns, so that a slow moment of the machine meets all."""
    rounds: dict[str, list[Measured]] = {}
    for _ in range(ROUNDS):
        for name, requests in _at_full_speed(server).items():
            rounds.setdefault(name, []).append(_run(server, requests, CONNECTIONS))
    found: dict[str, Any] = {name: _median(values).rounded() for name, values in rounds.items()}
    ceiling = found["healthz"]["per_second"]
    return found | {"GET / healthz": round(found["GET of a job"]["per_second"] / ceiling, 2)}


def measure_times(server: Server) -> dict[str, float]:
    """Return the median milliseconds of each operation, one call at a time."""
    rounds: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, requests in _one_at_a_time(server).items():
            rounds.setdefault(name, []).append(_run(server, requests, 1).p50_ms)
    return {name: statistics.median(values) for name, values in rounds.items()}


def _at_full_speed(server: Server) -> dict[str, list[bytes]]:
    return {
        "healthz": [server.get("/healthz")] * 8000,
        "PUT of a new job": [server.put_new() for _ in range(4000)],
        "GET of a job": [server.get(f"{FIRST}/jobs/j{n % PER_COLLECTION}") for n in range(6000)],
        "list of 100 jobs": [server.get(f"{FIRST}/jobs")] * 400,
    }


def _one_at_a_time(server: Server) -> dict[str, list[bytes]]:
    jobs = [f"{FIRST}/jobs/j{number}" for number in range(300)]
    return {
        "PUT of a new job": [server.put_new() for _ in jobs],
        "PUT of the same job": [server.send("PUT", job, JOB) for job in jobs],
        "PATCH of a job": [server.send("PATCH", job, PATCH) for job in jobs],
        "run of a job": [server.send("POST", f"{job}/run") for job in jobs[:RUNS]],
        "GET of a job": [server.get(job) for job in jobs],
        "history of a job": [server.get(f"{job}/history") for job in jobs],
        "list of 100 jobs": [server.get(f"{FIRST}/jobs")] * 100,
        "list with a filter": [server.get(f"{FIRST}/jobs", "&$filter=state%20eq%20disabled")] * 300,
        "GET of a collection": [server.get(FIRST)] * 300,
        "list of 50 collections": [server.get(COLLECTIONS, "&$top=50")] * 100,
    }


def _run(server: Server, requests: list[bytes], connections: int) -> Measured:
    return uvloop.run(measure(server.port, requests, connections))


def _median(rounds: list[Measured]) -> Measured:
    return Measured(*(statistics.median(values) for values in zip(*rounds, strict=True)))


@contextmanager
def server(jobs: int) -> Iterator[Server]:
    """Run a server on a store with so many jobs."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_fill(Path(folder), jobs))
        command = [sys.executable, "-m", "foliot", "serve", "--port", "0", "--data-dir", folder]
        environment = os.environ | {
            "FOLIOT_ADMIN_TOKEN": "foliot_" + "b" * 43,
            "FOLIOT_NO_ENGINE": "1",
        }
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:  # noqa: S603
            address = cast("IO[bytes]", process.stdout).readline().decode().split()[-1]
            try:
                yield Server(int(address.rpartition(":")[2]), environment["FOLIOT_ADMIN_TOKEN"])
            finally:
                process.terminate()


async def _fill(folder: Path, jobs: int) -> None:
    keyring = load_keyring(folder, from_environment=None, database_exists=False)
    store = SqliteStore.open(folder / "foliot.db", keyring)
    for number in range(ROOMS):
        await store.write(partial(_add_collection, name=f"room{number}", jobs=0))
    for number in range(jobs // PER_COLLECTION):
        await store.write(partial(_add_collection, name=f"c{number}", jobs=PER_COLLECTION))
    await store.close()


def _add_collection(transaction: Transaction, name: str, jobs: int) -> None:
    key = CollectionKey(SUBSCRIPTION, "g", name)
    collection = transaction.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM))
    for number in range(jobs):
        transaction.add_job(
            Job(
                collection_id=collection.id,
                name=f"j{number}",
                definition=DEFINITION,
                calendar_at=NOW,
                next_at=Instant(NOW + number),
            )
        )


if __name__ == "__main__":
    main()
