"""How long the server takes for a page, as JSON: the overview, and the list of 1,000 jobs.

The store has 100,000 jobs in 100 collections and a million history rows, of which ten thousand are
failures of the last day. Each page is asked for one at a time by a signed-in browser of our own on
a connection that is kept; figures are milliseconds from the request to the last byte. The overview
is kept for two seconds by the server, so each figure of it is taken after it has been forgotten.
"""

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
from datetime import timedelta
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

JOBS, PER_COLLECTION = 100_000, 1000
HISTORY = 1_000_000
FAILED_EVERY = 100
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
    "collections": "/collections",
    "job": f"{COLLECTION}/jobs/j7000",
    "history of a job": f"{COLLECTION}/jobs/j7000/history",
    "calendar of a collection": "/calendar?of=bench/g/c7",
    "calendar of everything": "/calendar",
}
_LISTENS = re.compile(r"listens on http://[^:]+:(\d+)")


def fill(data: Path) -> None:
    now = clock.now()
    keyring = load_keyring(data, from_environment=None, database_exists=False)
    with writing(data / "foliot.db", timedelta(seconds=5)) as connection:
        migrate(connection, migrations("foliot.store.sqlite"))
        dialect = SqliteDialect(connection)
        check_key(dialect, keyring)
        to = SqlTransaction(dialect, keyring)
        connection.execute("BEGIN")
        for index in range(JOBS // PER_COLLECTION):
            key = CollectionKey("bench", "g", f"c{index}")
            collection = to.add_collection(Collection(key=key, sku=Sku.P20_PREMIUM))
            for number in range(index * PER_COLLECTION, (index + 1) * PER_COLLECTION):
                to.add_job(_job(collection, number, now))
        connection.execute("COMMIT")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO history (job_id, started_at, ended_at, expected_at, status, retry_count,"
            " repeat_count, is_error_action, message) VALUES (?, ?, ?, ?, ?, 0, ?, 0, ?)",
            _history(now),
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
                part=HttpRequest(uri=f"https://example.com/{number}", method="POST"),
            ),
            recurrence=rules[number % len(rules)],
        ),
        calendar_at=begin,
        last_execution_at=Instant(now - HOUR),
    )
    following = timetable_of(job).next_after(now)
    return structs.replace(job, next_at=following)


def _history(now: Instant) -> Iterator[tuple[Any, ...]]:
    message = "Http Action - Response from host 'example.com': 'OK' Response Headers: " + "x" * 200
    for number in range(HISTORY):
        # A million in the last day, the newest now: eleven each second.
        at = now - (HISTORY - number) * DAY // HISTORY
        status = "failed" if number % FAILED_EVERY == 0 else "completed"
        yield (
            number * 7919 % JOBS + 1,
            at,
            at + SECOND // 5,
            at - SECOND // 100,
            status,
            1,
            message,
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
    for _ in range(ROUNDS):
        if path in ("/", "/live"):
            time.sleep(2.05)
        before = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": session})
        answer = connection.getresponse()
        size = len(answer.read())
        times.append((time.perf_counter() - before) * 1000)
        if answer.status != 200:
            raise SystemExit(f"{path} was answered with {answer.status}")
    return {
        "median_ms": round(statistics.median(times), 1),
        "slowest_ms": round(max(times), 1),
        "bytes": size,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        fill(data)
        with serving(data) as port:
            connection = HTTPConnection("127.0.0.1", port)
            session = session_of(connection, port)
            pages = {name: measured(connection, session, path) for name, path in PAGES.items()}
            connection.close()
    print(
        json.dumps(
            {
                "python": platform.python_version(),
                "jobs": JOBS,
                "history_rows": HISTORY,
                "most_ms": MOST_MS,
                "all_within": all(page["median_ms"] < MOST_MS for page in pages.values()),
                "pages": pages,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
