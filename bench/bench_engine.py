"""How fast and how punctual the engine is: a real server on SQLite, a sink, and a bare loop beside.

herd     jobs due at one instant, each a POST whose attempt is durably in the history: occurrences
         per second until the last is recorded, and how late they arrived
steady   jobs due one after the other for 30 s: how late they arrived
million  the same herd in a store with a million jobs; time to start, and memory
idle     100,000 jobs none of which is due: processor time, bytes written to the disk, and memory

Every figure is the median of the rounds; the ceiling is measured in every round of the herd.
`bench_engine.py herd --rounds 1` runs one part once.
"""

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foliot.core.instant import DAY, Instant
from scene import (
    Sink,
    attempts_in,
    ceiling,
    drop,
    fill,
    http_job,
    instant_of_ns,
    running_server,
    running_sink,
    wait_until_recorded,
)

PARTS = ["herd", "steady", "million", "idle"]
HERD = 20_000
MANY = 1_000_000
WAITING = 100_000
RATES = (200, 1000)
STEADY_SECONDS = 30
IDLE_SECONDS = 60
WARM_UP = 4  # seconds between the start of a server and what it is measured at
GIVE_UP = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=HERD)
    given = parser.parse_args()
    parts = given.part or PARTS
    report: dict[str, Any] = {"python": platform.python_version(), "rounds": given.rounds}
    with running_sink() as sink:
        if "herd" in parts:
            report["herd"] = measure_herd(sink, given.rounds, given.jobs)
        if "steady" in parts:
            report["steady"] = {
                f"{rate}/s": measure_steady(sink, given.rounds, rate) for rate in RATES
            }
        if "million" in parts:
            report["million"] = measure_million(sink, given.rounds, given.jobs)
        if "idle" in parts:
            report["idle"] = measure_idle(sink, given.rounds)
    print(json.dumps(report, indent=2))


def measure_herd(sink: Sink, rounds: int, jobs: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            bare = ceiling(sink, jobs)
            seen = herd(sink, Path(folder), jobs)
        found.append(seen | {"ceiling": bare, "of_ceiling": seen["per_second"] / bare})
    return medians(found) | {"rounds_of_ceiling": [round(f["of_ceiling"], 3) for f in found]}


def herd(sink: Sink, folder: Path, jobs: int) -> dict[str, Any]:
    """Let a herd run once, on whatever else is in the store."""
    due_ns = 0
    before = attempts_in(folder) if (folder / "foliot.db").exists() else 0

    def make(number: int) -> Any:
        return http_job(sink, number, instant_of_ns(due_ns))

    # Filling takes a while; what is due must lie ahead of it and of the start.
    due_ns = time.time_ns() + int((WARM_UP + jobs / 5000) * 1e9)
    fill(folder, jobs, make, "herd")
    with running_server(folder) as server:
        until = due_ns / 1e9 - time.time()
        if until < 1:
            raise RuntimeError("the store was not filled in time")
        time.sleep(until)
        idle = server.megabytes()
        cpu = server.cpu_seconds()
        end = wait_until_recorded(folder, jobs, after=before, give_up_at=due_ns / 1e9 + GIVE_UP)
        cpu = server.cpu_seconds() - cpu
        memory = server.megabytes()
    arrivals = sink.arrivals(lambda _: due_ns)
    return {
        "per_second": arrivals.count / ((end - due_ns) / 1e9),
        "lost": jobs - arrivals.count,
        "doubled": arrivals.doubled,
        "recorded": attempts_in(folder) - before,
        **arrivals.lateness(),
        "cpu_us_per_job": cpu / jobs * 1e6,
        "start_seconds": server.start_seconds,
        "idle_megabytes": idle,
        "megabytes": memory,
    }


def measure_steady(sink: Sink, rounds: int, rate: int) -> dict[str, Any]:
    return medians([steady(sink, rate) for _ in range(rounds)])


def steady(sink: Sink, rate: int) -> dict[str, Any]:
    jobs = rate * STEADY_SECONDS
    start_ns = time.time_ns() + int((WARM_UP + jobs / 5000) * 1e9)

    def due_ns(number: int) -> int:
        return start_ns + number * 1_000_000_000 // rate

    def make(number: int) -> Any:
        return http_job(sink, number, instant_of_ns(due_ns(number)))

    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), jobs, make)
        with running_server(Path(folder)) as server:
            if start_ns / 1e9 - time.time() < 1:
                raise RuntimeError("the store was not filled in time")
            cpu = server.cpu_seconds()
            last = due_ns(jobs) / 1e9
            time.sleep(max(0, last - time.time()))
            wait_until_recorded(Path(folder), jobs, after=0, give_up_at=last + GIVE_UP)
            cpu = server.cpu_seconds() - cpu
        arrivals = sink.arrivals(due_ns)
        return {
            "lost": jobs - arrivals.count,
            "doubled": arrivals.doubled,
            "early": sum(late < 0 for late in arrivals.late),
            **arrivals.lateness(),
            "cpu_us_per_job": cpu / jobs * 1e6,
        }


def measure_million(sink: Sink, rounds: int, jobs: int) -> dict[str, Any]:
    """Compare a herd among a million jobs with the same herd alone, in turns."""
    alone: list[dict[str, Any]] = []
    among: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        later = instant_of_ns(time.time_ns()) + 30 * DAY
        fill(Path(folder), MANY, lambda number: http_job(sink, number, Instant(later + number)))
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as empty:
                alone.append(herd(sink, Path(empty), jobs))
            among.append(herd(sink, Path(folder), jobs))
            drop(Path(folder), "herd")
    few, many = medians(alone), medians(among)
    return {
        f"{jobs} jobs": few,
        f"{MANY} jobs": many,
        "rate ratio": round(many["per_second"] / few["per_second"], 2),
        "memory ratio": round(many["megabytes"] / few["megabytes"], 2),
        "idle memory ratio": round(many["idle_megabytes"] / few["idle_megabytes"], 2),
    }


def measure_idle(sink: Sink, rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        later = instant_of_ns(time.time_ns()) + DAY
        fill(Path(folder), WAITING, lambda number: http_job(sink, number, Instant(later + number)))
        return medians([idle(Path(folder)) for _ in range(rounds)])


def idle(folder: Path) -> dict[str, Any]:
    """Let a server wait for a minute."""
    with running_server(folder) as server:
        time.sleep(2 * WARM_UP)
        cpu, written = server.cpu_seconds(), server.bytes_written()
        time.sleep(IDLE_SECONDS)
        return {
            "percent_of_a_core": (server.cpu_seconds() - cpu) / IDLE_SECONDS * 100,
            "bytes_written": server.bytes_written() - written,
            "megabytes": server.megabytes(),
            "start_seconds": server.start_seconds,
        }


def medians(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    pick: Callable[[str], float] = lambda name: statistics.median(each[name] for each in rounds)  # noqa: E731
    return {name: _rounded(pick(name)) for name in rounds[0]}


def _rounded(value: float) -> float:
    return round(value) if value >= 100 else round(value, 3)


if __name__ == "__main__":
    main()
