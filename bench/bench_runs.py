"""How long a page of runs takes the database, with ten million runs, as JSON.

Both databases have the same runs of 30 days, of 10,000 jobs in 100 collections; see many_runs.py.
Each page is the one that the API answers: the runs, and the attempts of those that failed; or the
failures of the portal, of which the newest 10,000 are counted. Figures are milliseconds that its
statements took together: the median and the 95th percentile of the rounds. Each round asks for
another host, collection and job. Warm: on one connection, when all pages have been asked for.
Cold: on a new connection, after the files of the database were dropped from the memory of the
machine, and after PostgreSQL was started again.
"""

import argparse
import asyncio
import json
import math
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from cluster import running_cluster
from foliot.app.failures import failure_report
from foliot.app.listing_page import Page
from foliot.app.run_records import AnyRun, RunKey, RunRecords, RunsOf, key_of
from foliot.core.access import Principal, scope_of
from foliot.core.instant import DAY, HOUR, Instant
from foliot.core.model.history import RunOutcome
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Role, Scope
from foliot.ports import clock
from foliot.ports.store import Reading, Store, Transaction
from foliot.store.postgres import PostgresStore
from foliot.store.sqlite.store import SqliteStore
from loading import KEYRING
from many_runs import (
    COLLECTIONS,
    DAYS,
    JOBS,
    PER_COLLECTION,
    SUBSCRIPTION,
    Span,
    add_jobs,
    collection_key,
    fill_postgres,
    fill_sqlite,
    host_of,
    job_name,
)
from timed_reading import TimedStore, timed_postgres, timed_sqlite

RUNS = 10_000_000
ROUNDS = 20
MOST_MS = 50.0
DATABASES = ("sqlite", "postgresql")
_EVERYBODY = Principal(Role.OWNER)


class Asked(NamedTuple):
    """A page of runs that somebody asks for: the first, or the one after a run."""

    of: RunsOf
    wanted: RunFilter
    after: RunKey | None = None


class Counted(NamedTuple):
    """Failures by reason and host that somebody asks for."""

    scope: Scope
    wanted: RunFilter


class Answered(NamedTuple):
    """The milliseconds that the statements of a page took, and how many of what there were."""

    milliseconds: float
    statements: int
    runs: int


def pages_of(number: int, end: Instant, first_page_end: RunKey) -> dict[str, Asked | Counted]:
    """Return the pages of a round."""
    everywhere = RunsOf(SUBSCRIPTION)
    job = number * 997 % JOBS
    key = collection_key(job // PER_COLLECTION)
    failed = partial(RunFilter, outcome=RunOutcome.FAILED)
    month = partial(failed, since=Instant(end - DAYS * DAY))
    host = host_of(job)
    recovered = RunFilter(since=Instant(end - 7 * DAY), outcome=RunOutcome.RECOVERED)
    return {
        "failed, 12 hours": Asked(everywhere, failed(since=Instant(end - 12 * HOUR))),
        "failed, 30 days": Asked(everywhere, month()),
        "failed, 30 days, by reason": Asked(everywhere, month(reason="Timeout")),
        "failed, 30 days, by host": Asked(everywhere, month(host=host)),
        "failed, 30 days, by reason and host": Asked(
            everywhere, month(reason="Timeout", host=host)
        ),
        "failed, 30 days, of a collection": Asked(RunsOf(SUBSCRIPTION, key), month()),
        "failed, 30 days, second page": Asked(everywhere, month(), first_page_end),
        "failures by reason and host, 1 day": Counted(Scope(), failed(since=Instant(end - DAY))),
        "failures by reason and host, 30 days": Counted(Scope(), month()),
        "failures by reason and host, 30 days, of a collection": Counted(scope_of(key), month()),
        "recovered by host, 7 days": Counted(Scope(), recovered),
        "all runs of a collection": Asked(RunsOf(SUBSCRIPTION, key), RunFilter()),
        "all runs of a job": Asked(RunsOf(SUBSCRIPTION, key, job_name(job)), RunFilter()),
    }


class Place(NamedTuple):
    """A database that is filled: how to read it, and how to make the machine forget it."""

    opened: Callable[[], AbstractContextManager[TimedStore]]
    forget: Callable[[], None]
    size: Callable[[], int]


@contextmanager
def sqlite_place(folder: Path, span: Span) -> Generator[Place]:
    path = folder / "foliot.db"
    store = SqliteStore.open(path, KEYRING)
    fill_sqlite(path, span, asyncio.run(_first_job(store, span.end)))
    yield Place(
        opened=lambda: timed_sqlite(path),
        forget=lambda: drop_from_memory(folder),
        size=lambda: size_of(folder),
    )


@contextmanager
def postgres_place(span: Span) -> Generator[Place]:
    with running_cluster() as cluster, cluster.database() as database:
        store = PostgresStore.open(database.url, KEYRING, clock.now)
        fill_postgres(database.url, span, asyncio.run(_first_job(store, span.end)))
        folder = cluster.folder / "data" / "base"
        yield Place(
            opened=lambda: timed_postgres(database.url),
            forget=lambda: cluster.restart(lambda: drop_from_memory(folder)),
            size=lambda: size_of(folder),
        )


async def _first_job(store: SqliteStore | PostgresStore, now: Instant) -> int:
    def add(to: Transaction) -> int:
        return add_jobs(to, now)

    try:
        return await store.write(add)
    finally:
        await store.close()


def drop_from_memory(folder: Path) -> None:
    """Have the system forget the files of a folder; it reads them from the disk again."""
    for path in _files(folder):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in _files(folder))


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def count(store: TimedStore, asked: Counted) -> int:
    def view(reading: Reading) -> int:
        return failure_report(reading, asked.scope, asked.wanted, now=clock.now()).runs

    return asyncio.run(store.browse(view))


def read(store: TimedStore, asked: Asked) -> list[AnyRun]:
    records = RunRecords(cast("Store", store))
    page = Page(100, 0, asked.after)
    return [*asyncio.run(records.list_runs(_EVERYBODY, asked.of, asked.wanted, page))]


def timed(store: TimedStore, asked: Asked | Counted) -> Answered:
    runs = count(store, asked) if isinstance(asked, Counted) else len(read(store, asked))
    return Answered(store.times.seconds * 1000, store.times.statements, runs)


def timed_cold(place: Place, asked: Asked | Counted) -> Answered:
    place.forget()
    with place.opened() as store:
        return timed(store, asked)


def measure(place: Place, rounds: int, end: Instant) -> dict[str, Any]:
    """Ask for each page once in every round, first warm, then cold."""
    with place.opened() as store:
        newest = read(store, Asked(RunsOf(SUBSCRIPTION), RunFilter(outcome=RunOutcome.FAILED)))
        asked = partial(pages_of, end=end, first_page_end=key_of(newest[-1]))
        _rounds(rounds, asked, partial(timed, store))
        warm = _rounds(rounds, asked, partial(timed, store))
    cold = _rounds(rounds, asked, partial(timed_cold, place))
    return {name: _figures(warm[name], cold[name]) for name in warm}


def _rounds(
    rounds: int,
    asked: Callable[[int], dict[str, Asked | Counted]],
    ask: Callable[[Asked | Counted], Answered],
) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = {}
    for number in range(rounds):
        for name, page in asked(number).items():
            found.setdefault(name, []).append(ask(page))
    return found


def _figures(warm: list[Answered], cold: list[Answered]) -> dict[str, Any]:
    return {
        "runs": statistics.median(each.runs for each in warm),
        "statements": statistics.median(each.statements for each in warm),
        "warm": _spread(warm),
        "cold": _spread(cold),
        "warm_of_most": round(_median(warm) / MOST_MS, 2),
    }


def _spread(answers: list[Answered]) -> dict[str, float]:
    times = sorted(each.milliseconds for each in answers)
    p95 = times[math.ceil(len(times) * 0.95) - 1]
    return {"median_ms": round(statistics.median(times), 1), "p95_ms": round(p95, 1)}


def _median(answers: list[Answered]) -> float:
    return statistics.median(each.milliseconds for each in answers)


def report_on(name: str, opened: AbstractContextManager[Place], rounds: int, span: Span) -> Any:
    begin = time.monotonic()
    note(f"{name}: adding {span.runs:,} runs")
    with opened as place:
        filled = time.monotonic()
        note(f"{name}: asking for pages, {rounds} rounds warm and cold")
        return {
            "fill_seconds": round(filled - begin),
            "gigabytes": round(place.size() / 1e9, 2),
            "pages": measure(place, rounds, span.end),
        }


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("database", nargs="*", choices=[*DATABASES, []])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    span = Span(given.runs, clock.now())
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="foliot-bench-") as folder:
        places = {"sqlite": sqlite_place(Path(folder), span), "postgresql": postgres_place(span)}
        for name in given.database or DATABASES:
            found[name] = report_on(name, places[name], given.rounds, span)
    pages = [page for each in found.values() for page in each["pages"].values()]
    report = {
        "python": platform.python_version(),
        "runs": given.runs,
        "jobs": JOBS,
        "collections": COLLECTIONS,
        "rounds": given.rounds,
        "processors": os.cpu_count(),
        "load_average": [round(each, 1) for each in os.getloadavg()],
        "most_ms": MOST_MS,
        "all_within": all(page["warm"]["median_ms"] < MOST_MS for page in pages),
        **found,
    }
    if len(found) == len(DATABASES):
        report["postgresql_of_sqlite"] = _ratios(found["postgresql"], found["sqlite"])
    print(json.dumps(report, indent=2))


def _ratios(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    def median(of: dict[str, Any], name: str) -> float:
        return max(of["pages"][name]["warm"]["median_ms"], 0.1)

    return {name: round(median(one, name) / median(other, name), 1) for name in one["pages"]}


if __name__ == "__main__":
    main()
