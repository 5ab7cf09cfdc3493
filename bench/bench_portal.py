"""How long the server takes for a page, as JSON: the overview, lists of 1,000 jobs, the timeline.

The store has 100,000 jobs in 100 collections and a million runs of the last day, of which ten
thousand failed; `--jobs`, `--runs` and `--days` say otherwise, `--only` measures some pages. Each
page is asked for one at a time by a signed-in browser of our own on a connection that is kept;
figures are milliseconds from the request to the last byte. The overview is kept for two seconds by
the server, so each figure of it is taken after it has been forgotten. The first request of a page
has a figure of its own, and so has the time until a timeline has counted everything.
"""

import argparse
import gzip
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from msgspec import structs

from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, HOUR, SECOND, Instant, Moment
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import Frequency, Recurrence, Schedule
from foliot.core.rules.lifecycle import timetable_of
from foliot.ports import clock
from foliot.store.migrations import migrations
from foliot.store.sealing.keyring import load_keyring
from foliot.store.sealing.rotation import check_key
from foliot.store.sql.transaction import SqlTransaction
from foliot.store.sqlite.connection import writing
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.migrate import migrate

PER_COLLECTION = 1000
FAILED_EVERY = 100
HOSTS = 500
ROUNDS = 9
TOKEN = "t" * 40
MOST_MS = 150.0
COLLECTION = "/collections/bench/g/c7"
PAGES = {
    "overview": "/",
    "overview, live part": "/live",
    "list of 1,000 jobs": COLLECTION,
    "list of 1,000 jobs, sorted by next run": f"{COLLECTION}?sort=next",
    "list of 1,000 jobs, only failed": f"{COLLECTION}?outcome=failed",
    "list of 1,000 jobs, searched": f"{COLLECTION}?q=j77",
    "list of 1,000 jobs, searched by schedule": f"{COLLECTION}?q=schedule:week",
    "find, commands": "/find",
    "find a job by name": "/find?q=j77123",
    "find a host": "/find?q=api77.example",
    "find nothing": "/find?q=no-such-word",
    "find a collection to pause": "/find?q=pause+c77",
    "list of all jobs": "/jobs",
    "list of all jobs, a part in the middle": "/jobs?after=1/j5",
    "list of all jobs, searched": "/jobs?q=host:api77.example+schedule:week",
    "list of all jobs, searched for nothing": "/jobs?q=no-such-word",
    "list of all jobs, none disabled": "/jobs?state=disabled",
    "list of all jobs, none failed": "/jobs?outcome=failed",
    "collections": "/collections",
    "job": f"{COLLECTION}/jobs/j7000",
    "history of a job": f"{COLLECTION}/jobs/j7000/history",
    "timeline of a day": "/timeline?zoom=day",
    "timeline of a week": "/timeline",
    "timeline of the week before": "/timeline?date={week_ago}",
    "timeline of a collection": "/timeline?of=bench/g/c7",
    "jobs that run at a time": "/timeline?date={tomorrow}&time=03:00",
    "explain a time": f"{COLLECTION}/jobs/j7000/explain",
}
_LISTENS = re.compile(r"listens on http://[^:]+:(\d+)")


def fill(data: Path, jobs: int, runs: int, days: int) -> None:
    now = clock.now()
    keyring = load_keyring(data, from_environment=None, database_exists=False)
    with writing(data / "foliot.db", timedelta(seconds=5)) as connection:
        migrate(connection, migrations("foliot.store.sqlite"))
        dialect = SqliteDialect(connection)
        check_key(dialect, keyring)
        to = SqlTransaction(dialect, keyring)
        connection.execute("BEGIN")
        for index in range(jobs // PER_COLLECTION):
            key = CollectionKey("bench", "g", f"c{index}")
            collection = to.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM))
            for number in range(index * PER_COLLECTION, (index + 1) * PER_COLLECTION):
                to.add_job(_job(collection, number, now))
        connection.execute("COMMIT")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO history (job_id, started_at, ended_at, expected_at, status, retry_count,"
            " repeat_count, is_error_action, message, run_id, outcome, trigger)"
            " VALUES (?, ?, ?, ?, ?, 0, 1, 0, ?, ?, ?, 'schedule')",
            _history(now, jobs, runs, days),
        )
        connection.execute("COMMIT")


def _job(collection: Collection, number: int, now: Instant) -> Job:
    schedule = Schedule(hours=(number % 24,), minutes=(number % 60,))
    rules = (
        Recurrence(frequency=Frequency.HOUR),
        Recurrence(frequency=Frequency.MINUTE, interval=15),
        Recurrence(frequency=Frequency.DAY, schedule=schedule),
        Recurrence(frequency=Frequency.WEEK, schedule=schedule),
    )
    begin = Instant(now - 30 * DAY - number % 3600 * SECOND)
    job = Job(
        collection_id=collection.id,
        name=f"j{number}",
        definition=Definition(
            start=Moment.at(begin),
            action=Action(
                kind=ActionKind.HTTPS,
                part=HttpRequest(
                    uri=f"https://api{number % HOSTS}.example.com/{number}", method="POST"
                ),
            ),
            recurrence=rules[number % len(rules)],
        ),
        calendar_at=begin,
        last_execution_at=Instant(now - HOUR),
    )
    following = timetable_of(job).next_after(now)
    return structs.replace(job, next_at=following)


def _history(now: Instant, jobs: int, runs: int, days: int) -> Iterator[tuple[Any, ...]]:
    message = "Http Action - Response from host 'example.com': 'OK' Response Headers: " + "x" * 200
    for number in range(runs):
        # The newest now; a million in a day are eleven each second.
        at = now - (runs - number) * days * DAY // runs
        is_failed = number % FAILED_EVERY == 0
        yield (
            number * 7919 % jobs + 1,
            at,
            at + SECOND // 5,
            at - SECOND // 100,
            "failed" if is_failed else "completed",
            message,
            number + 1,
            "failed" if is_failed else "succeeded",
        )


@contextmanager
def serving(data: Path) -> Iterator[int]:
    environ = os.environ | {"FOLIOT_NO_ENGINE": "1", "FOLIOT_ADMIN_TOKEN": TOKEN}
    process = subprocess.Popen(  # noqa: S603  (our own command)
        [sys.executable, "-m", "foliot", "serve", "--port", "0", "--data-dir", str(data)],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout  # noqa: S101  (it is a pipe)
    try:
        for line in process.stdout:
            found = _LISTENS.search(line)
            if found:
                yield int(found[1])
                break
    finally:
        process.terminate()
        process.wait()


def session_of(connection: HTTPConnection, port: int) -> str:
    origin = f"http://127.0.0.1:{port}"
    connection.request("POST", "/sign-in", f"token={TOKEN}", {"Origin": origin})
    answer = connection.getresponse()
    answer.read()
    return answer.headers["set-cookie"].split(";")[0]


def measured(connection: HTTPConnection, session: str, path: str) -> dict[str, Any]:
    times: list[float] = []
    size = 0
    begin = time.perf_counter()
    complete_after = 0.0
    for number in range(ROUNDS + 1):
        if path in ("/", "/live"):
            time.sleep(2.05)
        before = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": session})
        answer = connection.getresponse()
        body = answer.read()
        size = len(body)
        times.append((time.perf_counter() - before) * 1000)
        if answer.status != 200:
            raise SystemExit(f"{path} was answered with {answer.status}")
        if number == 0:
            while b"are still being" in body:
                time.sleep(0.2)
                connection.request("GET", path, headers={"Cookie": session})
                body = connection.getresponse().read()
            complete_after = time.perf_counter() - begin
    return {
        "first_ms": round(times[0], 1),
        "complete_after_s": round(complete_after, 2),
        "median_ms": round(statistics.median(times[1:]), 1),
        "slowest_ms": round(max(times[1:]), 1),
        "bytes": size,
        "compressed_bytes": len(gzip.compress(body)),
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--only", default="")
    return parser.parse_args()


def pages(only: str) -> dict[str, str]:
    today = datetime.now(UTC).date()
    dates = {"week_ago": today - timedelta(days=7), "tomorrow": today + timedelta(days=1)}
    return {name: path.format(**dates) for name, path in PAGES.items() if only in name}


def main() -> None:
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        fill(data, given.jobs, given.runs, given.days)
        with serving(data) as port:
            connection = HTTPConnection("127.0.0.1", port)
            session = session_of(connection, port)
            found = {
                name: measured(connection, session, path)
                for name, path in pages(given.only).items()
            }
            connection.close()
    print(
        json.dumps(
            {
                "python": platform.python_version(),
                "jobs": given.jobs,
                "history_rows": given.runs,
                "most_ms": MOST_MS,
                "all_within": all(page["median_ms"] < MOST_MS for page in found.values()),
                "pages": found,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
