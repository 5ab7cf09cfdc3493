"""How late a node is, by the minute, while somebody leaves a transaction open."""

import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from msgspec.structs import replace

from cluster import Cluster, Database
from foliot.core.model.job import Job
from foliot.core.recurrence import Frequency, Recurrence
from loading import fill
from scene import Arrivals, Server, Sink, http_job, instant_of_ns

PER_SECOND = 500
JOBS = 60 * PER_SECOND
_MINUTE = 60_000_000_000
_EVERY_MINUTE = Recurrence(frequency=Frequency.MINUTE, interval=1)


class Figures(NamedTuple):
    """What only grows: attempts in the history, and processor time in seconds."""

    recorded: int
    cpu: float
    database_cpu: float


class Watch:
    """What one node does in each minute, with jobs that all run every minute."""

    def __init__(self, cluster: Cluster, database: Database, sink: Sink, server: Server) -> None:
        self._cluster, self._database, self._sink, self._server = cluster, database, sink, server
        self._start = time.time_ns() + 10_000_000_000
        fill(database.url, JOBS, self._job)
        self._next = self._start
        self._so_far: Figures | None = None

    def minutes(self, count: int) -> list[dict[str, Any]]:
        return [self._minute() for _ in range(count)]

    def _minute(self) -> dict[str, Any]:
        if self._so_far is None:
            _sleep_until(self._next)
        before = self._so_far or self._figures()
        self._next += _MINUTE
        _sleep_until(self._next)
        seen, now = self._arrivals(self._sink.log()), self._figures()
        self._so_far = now
        return {
            "occurrences": seen.count,
            "recorded": now.recorded - before.recorded,
            **seen.lateness(),
            "cpu_us_per_job": round((now.cpu - before.cpu) / seen.count * 1e6),
            "database_cpu_us_per_job": round(
                (now.database_cpu - before.database_cpu) / seen.count * 1e6
            ),
            "dead rows": self._database.dead_rows(),
        }

    def _figures(self) -> Figures:
        return Figures(
            self._database.attempts(), self._server.cpu_seconds(), self._cluster.cpu_seconds()
        )

    def _job(self, number: int) -> Job:
        job = http_job(self._sink, number, instant_of_ns(self._due_ns(number)))
        return replace(job, definition=replace(job.definition, recurrence=_EVERY_MINUTE))

    def _due_ns(self, number: int) -> int:
        return self._start + number * _MINUTE // JOBS

    def _arrivals(self, log: "array[int]") -> Arrivals:
        late = sorted(
            (at - self._due_ns(job)) % _MINUTE / 1e6
            for job, at in zip(log[::2], log[1::2], strict=True)
        )
        return Arrivals(len(late), len(late) - len(set(log[::2])), late)


@contextmanager
def old_transaction(database: Database) -> Iterator[None]:
    """Have a look at the jobs, and keep looking."""
    with psycopg.connect(database.url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT count(*) FROM job")
        yield


def _sleep_until(nanoseconds: int) -> None:
    time.sleep(max(0.0, (nanoseconds - time.time_ns()) / 1e9))
