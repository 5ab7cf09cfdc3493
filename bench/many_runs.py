"""Fills a database with millions of runs, by SQL inside it: the rows are those the store writes.

Runs are spread evenly over 30 days and over all jobs. Of 100,000 runs 500 have failed (after four
retries, and for each fourth job an error action), 300 have recovered with a retry, and 50 are
stretches of skipped occurrences. A job calls one of 200 hosts.
"""

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, HOUR, Instant, Moment
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Definition, Job
from foliot.core.recurrence import Frequency, Recurrence
from foliot.ports.store import Transaction
from foliot.store.postgres.connection import connect
from foliot.store.postgres.partitions import maintain_partitions
from foliot.store.sql.columns import HISTORY

JOBS: Final = 10_000
COLLECTIONS: Final = 100
PER_COLLECTION: Final = JOBS // COLLECTIONS
HOSTS: Final = 200
DAYS: Final = 30
SUBSCRIPTION: Final = "bench"
_GROUP: Final = "g"
_AT_ONCE: Final = 250_000

# Both databases run this text. Chance is a multiplication, so that both have the same rows.
_ADD_RUNS: Final = """
INSERT INTO history ({columns})
WITH RECURSIVE counted (i) AS (
    SELECT CAST({first} AS BIGINT) UNION ALL SELECT i + 1 FROM counted WHERE i + 1 < {end}
),
drawn AS (
    SELECT i, (i * 7919) % {jobs} AS j, i / {jobs} + 1 AS occurrence,
        {begin} + i * {step} AS planned_at,
        (i * 2654435761) % 4294967296 % 100000 AS drawn_outcome,
        (i * 2246822519) % 4294967296 % 100 AS drawn_reason
    FROM counted
),
ended AS (
    SELECT i, j, occurrence, planned_at,
        'api-' || CAST(j % {hosts} AS TEXT) || '.example.com' AS called,
        CASE
            WHEN drawn_outcome < 500 THEN 'failed'
            WHEN drawn_outcome < 800 THEN 'recovered'
            WHEN drawn_outcome < 850 THEN 'skipped'
            ELSE 'succeeded'
        END AS result,
        CASE
            WHEN drawn_outcome < 500 AND j % 4 = 0 THEN 5
            WHEN drawn_outcome < 500 THEN 4
            WHEN drawn_outcome < 800 THEN 1
            ELSE 0
        END AS last_attempt,
        CASE
            WHEN drawn_reason < 60 THEN 'HttpStatus'
            WHEN drawn_reason < 78 THEN 'Timeout'
            WHEN drawn_reason < 90 THEN 'ConnectFailure'
            WHEN drawn_reason < 96 THEN 'NameResolutionFailure'
            WHEN drawn_reason < 99 THEN 'TrustFailure'
            ELSE 'SecureChannelFailure'
        END AS failure
    FROM drawn
),
attempted AS (
    SELECT i, j, occurrence, planned_at, called, result, last_attempt, failure, column1 AS attempt,
        CASE
            WHEN result = 'skipped' THEN 'postponed'
            WHEN result = 'failed' AND column1 < 5 THEN 'failed'
            WHEN result = 'recovered' AND column1 = 0 THEN 'failed'
            ELSE 'completed'
        END AS status
    FROM ended JOIN (VALUES (0), (1), (2), (3), (4), (5)) AS attempts ON column1 <= last_attempt
)
SELECT {first_job} + j,
    planned_at + attempt * 300000000 + 20000,
    planned_at + attempt * 300000000 + 20000 + 100000 * (1 + i % 30),
    planned_at, status,
    CASE
        WHEN status = 'completed' THEN 'Http Action - Response from host ''' || called
            || ''': ''OK'' Response Headers: Date: Mon, 02 Mar 2026 08:00:00 GMT' || {line_break}
            || 'Content-Type: application/json' || {line_break}
            || 'Content-Length: 25' || {line_break} || ' Body: {{"accepted": true, "id": 1}}'
        WHEN status = 'postponed' THEN 'Http Action - Skipped: 3 occurrences were missed'
        WHEN failure = 'HttpStatus' THEN 'Http Action - Response from host ''' || called
            || ''': ''ServiceUnavailable'' Response Headers: Content-Length: 0' || {line_break}
            || ' Body: '
        ELSE 'Http Action - Request to host ''' || called || ''' failed: ' || failure
            || ' The operation has not succeeded'
    END,
    CASE WHEN attempt = 5 THEN 0 ELSE attempt END, occurrence,
    CASE WHEN attempt = 5 THEN 1 ELSE 0 END,
    CASE WHEN status = 'postponed' THEN NULL ELSE i + 1 END,
    CASE WHEN status = 'postponed' THEN NULL ELSE 'schedule' END,
    CASE WHEN status = 'postponed' THEN NULL ELSE {tag} END,
    CASE
        WHEN result = 'failed' AND attempt <> 4 THEN NULL
        WHEN result = 'recovered' AND attempt = 0 THEN NULL
        ELSE result
    END,
    CASE status WHEN 'failed' THEN failure WHEN 'postponed' THEN 'missed' END,
    CASE WHEN status <> 'postponed' THEN called END,
    CASE
        WHEN status = 'completed' THEN 200
        WHEN status = 'failed' AND failure = 'HttpStatus' THEN 503
    END,
    CASE WHEN status = 'postponed' THEN planned_at + 1200000000 END,
    CASE WHEN status = 'postponed' THEN 3 END,
    NULL
FROM attempted
ORDER BY 3
"""
_SQLITE_WORDS: Final = {
    "line_break": "char(13, 10)",
    "tag": "printf('%032x', i * 2654435761)",
}
_POSTGRES_WORDS: Final = {
    "line_break": "chr(13) || chr(10)",
    "tag": "lpad(to_hex(i * 2654435761), 32, '0')",
}


class Span(NamedTuple):
    """How many runs of how many jobs there are, and when the last one was planned."""

    runs: int
    end: Instant
    jobs: int = JOBS

    def at(self, number: int) -> Instant:
        """Return when a run was planned."""
        return Instant(self.end - DAYS * DAY + number * self.step)

    @property
    def step(self) -> int:
        return DAYS * DAY // self.runs


def collection_key(number: int) -> CollectionKey:
    return CollectionKey(SUBSCRIPTION, _GROUP, f"c{number}")


def job_name(number: int) -> str:
    return f"j{number}"


def host_of(number: int) -> str:
    return f"api-{number % HOSTS}.example.com"


def add_jobs(to: Transaction, now: Instant) -> int:
    """Add collections and jobs as the API would; return the id of the first job."""
    first = 0
    for index in range(COLLECTIONS):
        wanted = Collection(key=collection_key(index), sku=Sku.P20_PREMIUM)
        collection = to.add_collection(wanted)
        for number in range(index * PER_COLLECTION, (index + 1) * PER_COLLECTION):
            job = to.add_job(_job(collection, number, now))
            first = first or job.id
    return first


def fill_sqlite(path: Path, span: Span, first_job: int) -> None:
    """Add runs to a database file; what a crash would leave does not matter here."""
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -2000000"):
        connection.execute(f"PRAGMA {setting}")
    _add_runs(connection.execute, span, first_job, _SQLITE_WORDS)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def fill_postgres(url: str, span: Span, first_job: int) -> None:
    """Add runs to a database; then it is vacuumed and analyzed, as autovacuum would do it."""
    with connect(url) as connection:
        begin = span.at(0)
        with connection.transaction():
            maintain_partitions(connection.execute, now=span.end, since=begin, begin=begin)
        connection.execute("SET synchronous_commit = off")
        _add_runs(connection.execute, span, first_job, _POSTGRES_WORDS)
        connection.execute("VACUUM (ANALYZE) collection, job, definition, run, history")
        connection.execute("CHECKPOINT")


def _add_runs(
    execute: Callable[[Any], object], span: Span, first_job: int, words: dict[str, str]
) -> None:
    for first in range(0, span.runs, _AT_ONCE):
        end = min(first + _AT_ONCE, span.runs)
        statement = _ADD_RUNS.format(
            columns=", ".join(HISTORY[1:]),
            first=first,
            end=end,
            begin=span.at(0),
            step=span.step,
            jobs=span.jobs,
            hosts=HOSTS,
            first_job=first_job,
            **words,
        )
        execute(statement)
        print(f"  {end:,} runs", file=sys.stderr, flush=True)


def _job(collection: Collection, number: int, now: Instant) -> Job:
    request = HttpRequest(uri=f"https://{host_of(number)}/{number}", method="POST", body="{}")
    begin = Instant(now - DAYS * DAY)
    return Job(
        collection_id=collection.id,
        name=job_name(number),
        definition=Definition(
            start=Moment.at(begin),
            action=Action(kind=ActionKind.HTTPS, part=request),
            recurrence=Recurrence(frequency=Frequency.HOUR),
        ),
        calendar_at=begin,
        next_at=Instant(now + HOUR),
    )
