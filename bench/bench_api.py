"""Requests per second of a real server, beside its own /healthz as the ceiling, as JSON.

A server process on SQLite, every job durable, is called by this process over 32 connections. A
figure is the median of five rounds, in turns. Ratios are those of each round; `cpu_us` is what the
server itself used for a request, which says more on a machine that others use, and `client_cpu_us`
what this process used. A store that has not changed is read from memory, so that readings are
measured with changes between them as well, one in twenty requests. `start` is the time from the
start of the process to its first answer, with its modules compiled, as pip leaves them. The last
part asks what grows with the number of jobs: the time of each operation, one call at a time, with
200,000 jobs in the store over that with 1,000. `bench_api.py speed start` runs two of these parts.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import IO, Any, cast

import uvloop

from api_store import PER_COLLECTION, SUBSCRIPTION, filled
from load import Measured, measure

PARTS = ["speed", "start", "growth"]
CONNECTIONS = 32
ROUNDS = 5
CEILING = "healthz"
FEW, MANY = 1_000, 200_000
CHANGE_EVERY = 20
RUNS = 150  # by hand in a round: all rounds together stay below the limit of a plan in a minute
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


class Server:
    """A server process, and the requests that can be made to it."""

    def __init__(self, pid: int, port: int, token: str) -> None:
        self.port = port
        self._pid = pid
        self._token = token
        self._fresh = count()
        self._changes = count()

    def cpu_seconds(self) -> float:
        """Return the processor time that all its threads have used so far."""
        tasks = Path(f"/proc/{self._pid}/task").glob("*/schedstat")
        return sum(int(each.read_text("ascii").split()[0]) for each in tasks) / 1e9

    def get(self, path: str, query: str = "") -> bytes:
        return self._request("GET", path, query=query)

    def send(self, method: str, path: str, body: Any = None) -> bytes:
        return self._request(method, path, body)

    def put_new(self) -> bytes:
        number = next(self._fresh)
        path = f"{COLLECTIONS}/room{number // PER_COLLECTION}/jobs/n{number}"
        return self._request("PUT", path, JOB)

    def change_job(self, path: str) -> bytes:
        properties = {**JOB["properties"], "description": f"change {next(self._changes)}"}
        return self._request("PUT", path, {"properties": properties})

    def _request(self, method: str, path: str, body: Any = None, query: str = "") -> bytes:
        content = b"" if body is None else json.dumps(body).encode()
        return (
            f"{method} {path}?api-version=2016-03-01{query} HTTP/1.1\r\n"
            f"host: 127.0.0.1:{self.port}\r\nauthorization: Bearer {self._token}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        ).encode() + content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS, []])
    parts = parser.parse_args().part or PARTS
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "connections": CONNECTIONS,
        "rounds": ROUNDS,
    }
    if "speed" in parts:
        with running_server(FEW) as few:
            report["speed"] = measure_speed(few)
    if "start" in parts:
        report["start"] = measure_start()
    if "growth" in parts:
        report["milliseconds"] = measure_growth()
    print(json.dumps(report, indent=2))


def measure_speed(server: Server) -> dict[str, Any]:
    """Measure what the bars name, in turns, so that a slow moment of the machine meets all."""
    rounds: dict[str, list[Measured]] = {}
    cpu: dict[str, list[float]] = {}
    own_cpu: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, requests in _at_full_speed(server).items():
            before, own_before = server.cpu_seconds(), time.process_time()
            rounds.setdefault(name, []).append(_run(server, requests, CONNECTIONS))
            used, own_used = server.cpu_seconds() - before, time.process_time() - own_before
            cpu.setdefault(name, []).append(used / len(requests) * 1e6)
            own_cpu.setdefault(name, []).append(own_used / len(requests) * 1e6)
    found: dict[str, Any] = {
        name: {
            **_median(values).rounded(),
            "cpu_us": round(statistics.median(cpu[name])),
            "client_cpu_us": round(statistics.median(own_cpu[name])),
        }
        for name, values in rounds.items()
    }
    for name, values in rounds.items():
        if name != CEILING:
            found[f"{name} / {CEILING}"] = _ratios(values, rounds[CEILING])
    return found


def measure_start() -> dict[str, Any]:
    """Measure how long a server takes to its first answer, and its processor time until then."""
    seconds: list[float] = []
    cpu: list[float] = []
    with filled(FEW) as folder:
        # The first start is not counted: it compiles what has changed since the last one.
        for _ in range(1 + ROUNDS):
            begin = time.perf_counter()
            with started(folder) as server:
                connection = HTTPConnection("127.0.0.1", server.port)
                connection.request("GET", "/healthz")
                connection.getresponse().read()
                seconds.append(time.perf_counter() - begin)
                cpu.append(server.cpu_seconds())
                connection.close()
    return {
        "seconds": round(statistics.median(seconds[1:]), 3),
        "cpu_seconds": round(statistics.median(cpu[1:]), 3),
        "rounds": [round(each, 3) for each in seconds[1:]],
    }


def measure_growth() -> dict[str, Any]:
    """Compare the time of each operation among many jobs with that among few."""
    with running_server(FEW) as server:
        few = measure_times(server)
    with running_server(MANY) as server:
        many = measure_times(server)
    return {
        name: {
            f"{FEW} jobs": round(few[name], 3),
            f"{MANY} jobs": round(many[name], 3),
            "ratio": round(many[name] / few[name], 2),
        }
        for name in few
    }


def measure_times(server: Server) -> dict[str, float]:
    """Return the median milliseconds of each operation, one call at a time."""
    rounds: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, requests in _one_at_a_time(server).items():
            rounds.setdefault(name, []).append(_run(server, requests, 1).p50_ms)
    return {name: statistics.median(values) for name, values in rounds.items()}


def _at_full_speed(server: Server) -> dict[str, list[bytes]]:
    return {
        CEILING: [server.get("/healthz")] * 8000,
        "PUT of a new job": [server.put_new() for _ in range(4000)],
        "GET of a job": [server.get(f"{FIRST}/jobs/j{n % PER_COLLECTION}") for n in range(6000)],
        "list of 100 jobs": [server.get(f"{FIRST}/jobs")] * 1000,
        "GETs of a job with changes between": _with_changes(
            server, [server.get(f"{FIRST}/jobs/j{n % PER_COLLECTION}") for n in range(3000)]
        ),
        "lists of 100 jobs with changes between": _with_changes(
            server, [server.get(f"{FIRST}/jobs")] * 600
        ),
    }


def _with_changes(server: Server, requests: list[bytes]) -> list[bytes]:
    """Return requests with a change of a job of the first page in place of each twentieth."""
    for n in range(0, len(requests), CHANGE_EVERY):
        requests[n] = server.change_job(f"{FIRST}/jobs/j{n % 10}")
    return requests


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


def _ratios(values: list[Measured], ceilings: list[Measured]) -> dict[str, Any]:
    found = [
        each.per_second / ceiling.per_second for each, ceiling in zip(values, ceilings, strict=True)
    ]
    return {
        "median": round(statistics.median(found), 3),
        "rounds": [round(each, 3) for each in found],
    }


@contextmanager
def running_server(jobs: int) -> Iterator[Server]:
    """Run a server without an engine on a store with so many jobs."""
    with filled(jobs) as folder, started(folder, FOLIOT_NO_ENGINE="1") as server:
        yield server


@contextmanager
def started(folder: Path, **variables: str) -> Iterator[Server]:
    """Run a server on a store."""
    command = [sys.executable, "-m", "foliot", "serve", "--port", "0", "--data-dir", folder]
    token = "foliot_" + "b" * 43
    environment = os.environ | {"FOLIOT_ADMIN_TOKEN": token} | variables
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:  # noqa: S603
        address = cast("IO[bytes]", process.stdout).readline().decode().split()[-1]
        try:
            yield Server(process.pid, int(address.rpartition(":")[2]), token)
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
