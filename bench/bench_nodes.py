"""How fast and how punctual nodes on one PostgreSQL are, with SQLite and a bare loop beside.

herd     jobs due at one instant, each a POST whose attempt is durably in the history, with one, two
         and three nodes: occurrences per second until the last is recorded
steady   jobs due one after the other for 30 s with three nodes: how late they arrived
claim    how long a claim of 500 takes with 10,000, 1,000,000 and 5,000,000 jobs
old-transaction
         how late a node is while a transaction is left open for minutes under 500 a second

Every figure is the median of the rounds. PostgreSQL, the nodes and the sink share this machine.
`bench_nodes.py herd --rounds 1` runs one part once.
"""

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import bench_engine
from bench_engine import GIVE_UP, HERD, STEADY_SECONDS, medians
from claims import measure_claims
from cluster import Cluster, Database, running_cluster
from foliot.core.model.job import Job
from loading import fill
from old_transaction import PER_SECOND, Watch, old_transaction
from scene import Server, Sink, ceiling, http_job, instant_of_ns, running_server, running_sink

PARTS = ["herd", "steady", "claim", "old-transaction"]
NODES = (1, 2, 3)
# Seconds for jobs to be loaded, beside those for each 5,000 of them.
LOADING = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=HERD)
    parser.add_argument("--rate", type=int, action="append", help="occurrences per second")
    parser.add_argument("--minutes", type=int, default=3, help="of the old transaction")
    given = parser.parse_args()
    parts = given.part or PARTS
    report: dict[str, Any] = {"python": platform.python_version(), "rounds": given.rounds}
    with running_cluster() as cluster, running_sink() as sink:
        if "herd" in parts:
            report["herd"] = measure_herd(cluster, sink, given.rounds, given.jobs)
        if "steady" in parts:
            report["steady"] = {
                f"{rate}/s": measure_steady(cluster, sink, given.rounds, rate)
                for rate in given.rate or (300, 1000)
            }
        if "claim" in parts:
            report["claim"] = measure_claims(cluster, sink)
        if "old-transaction" in parts:
            report["old transaction"] = measure_old_transaction(cluster, sink, given.minutes)
    print(json.dumps(report, indent=2))


def measure_herd(cluster: Cluster, sink: Sink, rounds: int, jobs: int) -> dict[str, Any]:
    found: dict[str, list[dict[str, Any]]] = {}
    for _ in range(rounds):
        bare = ceiling(sink, jobs)
        with tempfile.TemporaryDirectory() as folder:
            seen = {"sqlite": bench_engine.herd(sink, Path(folder), jobs)}
        for nodes in NODES:
            seen[f"postgresql, {nodes} nodes"] = herd(cluster, sink, nodes, jobs)
        for name, each in seen.items():
            of_ceiling = {"ceiling": bare, "of_ceiling": each["per_second"] / bare}
            found.setdefault(name, []).append(each | of_ceiling)
    return {name: medians(each) for name, each in found.items()}


def herd(cluster: Cluster, sink: Sink, nodes: int, jobs: int) -> dict[str, Any]:
    with cluster.database() as database:
        with running_nodes(database, nodes) as servers:
            due_ns = ready_ns(jobs)
            fill(database.url, jobs, lambda number: http_job(sink, number, instant_of_ns(due_ns)))
            sleep_until(due_ns / 1e9)
            cpu, database_cpu = cpu_of(servers), cluster.cpu_seconds()
            written = database.written()
            end = database.wait_until_recorded(jobs, give_up_at=due_ns / 1e9 + GIVE_UP)
            cpu, database_cpu = cpu_of(servers) - cpu, cluster.cpu_seconds() - database_cpu
            written = database.written() - written
            memory = max(server.megabytes() for server in servers)
        recorded, entry = database.attempts(), database.bytes_per_entry()
    arrivals = sink.arrivals(lambda _: due_ns)
    return {
        "per_second": arrivals.count / ((end - due_ns) / 1e9),
        "lost": jobs - arrivals.count,
        "doubled": arrivals.doubled,
        "recorded": recorded,
        **arrivals.lateness(),
        "cpu_us_per_job": cpu / jobs * 1e6,
        "database_cpu_us_per_job": database_cpu / jobs * 1e6,
        "log_bytes_per_job": written / jobs,
        "bytes_per_history_entry": entry,
        "megabytes": memory,
    }


def measure_steady(cluster: Cluster, sink: Sink, rounds: int, rate: int) -> dict[str, Any]:
    return medians([steady(cluster, sink, max(NODES), rate) for _ in range(rounds)])


def steady(cluster: Cluster, sink: Sink, nodes: int, rate: int) -> dict[str, Any]:
    jobs = rate * STEADY_SECONDS
    start_ns = 0

    def due_ns(number: int) -> int:
        return start_ns + number * 1_000_000_000 // rate

    def make(number: int) -> Job:
        return http_job(sink, number, instant_of_ns(due_ns(number)))

    with cluster.database() as database:
        with running_nodes(database, nodes) as servers:
            start_ns = ready_ns(jobs)
            fill(database.url, jobs, make)
            sleep_until(start_ns / 1e9)
            cpu, database_cpu = cpu_of(servers), cluster.cpu_seconds()
            last = due_ns(jobs) / 1e9
            sleep_until(last)
            database.wait_until_recorded(jobs, give_up_at=last + GIVE_UP)
            cpu, database_cpu = cpu_of(servers) - cpu, cluster.cpu_seconds() - database_cpu
        recorded = database.attempts()
    arrivals = sink.arrivals(due_ns)
    return {
        "lost": jobs - arrivals.count,
        "doubled": arrivals.doubled,
        "recorded": recorded,
        "early": sum(late < 0 for late in arrivals.late),
        **arrivals.lateness(),
        "cpu_us_per_job": cpu / jobs * 1e6,
        "database_cpu_us_per_job": database_cpu / jobs * 1e6,
    }


def measure_old_transaction(cluster: Cluster, sink: Sink, minutes: int) -> dict[str, Any]:
    """Watch a node for a minute, then for some with a transaction open, then for one after it."""
    with cluster.database() as database, running_nodes(database, 1) as (server,):
        watch = Watch(cluster, database, sink, server)
        before = watch.minutes(1)
        with old_transaction(database):
            during = watch.minutes(minutes)
        return {
            "occurrences per second": PER_SECOND,
            "before": before,
            "while it is open": during,
            "after it": watch.minutes(2),
        }


@contextmanager
def running_nodes(database: Database, nodes: int) -> Iterator[list[Server]]:
    with ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(nodes)]
        yield [
            stack.enter_context(running_server(Path(folder), database.variables))
            for folder in folders
        ]


def cpu_of(servers: list[Server]) -> float:
    return sum(server.cpu_seconds() for server in servers)


def ready_ns(jobs: int) -> int:
    """Return when so many jobs are loaded for sure."""
    return time.time_ns() + int((LOADING + jobs / 5000) * 1e9)


def sleep_until(at: float) -> None:
    until = at - time.time()
    if until < 0:
        raise RuntimeError("the jobs were not ready in time")
    time.sleep(until)


if __name__ == "__main__":
    main()
