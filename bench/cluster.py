"""A PostgreSQL of its own for a benchmark, durable as it is by default, and databases full of jobs.

Only its memory is set as for a small server (shared_buffers=1GB); fsync, synchronous_commit and
full_page_writes are on. After jobs were loaded it vacuums and analyzes, as autovacuum, which is on
as well, would have done within a minute or two.
"""

import base64
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

import psycopg
from msgspec.structs import replace
from psycopg import sql

from foliot import clock
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.model import Collection, Job, Sku
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.session import connect
from foliot.store.postgres.statements import STATEMENTS
from foliot.store.queries import QUERIES
from foliot.store.rows import row_of_collection, row_of_definition, row_of_job
from foliot.store.seal import Keyring
from scene import PER_COLLECTION
from tests import postgres

KEY = bytes(range(32))
KEYRING = Keyring([KEY])
_OPTIONS = "-c shared_buffers=1GB -c max_wal_size=4GB"
_numbers = count(1)


class Cluster(NamedTuple):
    """A running server, by the folder it lives in."""

    folder: Path

    def url(self, database: str = "postgres") -> str:
        return f"postgresql:///{database}?{urlencode({'host': self.folder, 'user': 'postgres'})}"

    @contextmanager
    def database(self) -> Iterator["Database"]:
        """Make a database with Foliot's tables, and drop it in the end."""
        name = f"bench{next(_numbers)}"
        self._run(f"CREATE DATABASE {name}")
        try:
            PostgresStore.prepare(self.url(name), clock.now)
            yield Database(self.url(name))
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def cpu_seconds(self) -> float:
        """Return the processor time all its processes have used so far."""
        main = int((self.folder / "data" / "postmaster.pid").read_text("ascii").split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text("ascii").split()
        return _ticks_of(main) + sum(_ticks_of(int(child)) for child in children)

    def _run(self, statement: str) -> None:
        with connect(self.url()) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="foliot-bench-"))
    try:
        postgres.start(folder, _OPTIONS)
        yield Cluster(folder)
    finally:
        postgres.stop(folder)
        shutil.rmtree(folder)


class Database(NamedTuple):
    """A database of Foliot's, by its address."""

    url: str

    @property
    def variables(self) -> dict[str, str]:
        """What a server is told in order to work on it."""
        return {
            "FOLIOT_DATABASE": self.url,
            "FOLIOT_SECRET_KEYS": base64.b64encode(KEY).decode(),
        }

    def fill(self, jobs: int, make: Callable[[int], Job], prefix: str = "c") -> None:
        """Put jobs into it, a thousand in each collection."""
        with connect(self.url) as connection:
            with connection.transaction():
                for first in range(0, jobs, PER_COLLECTION):
                    numbers = range(first, min(first + PER_COLLECTION, jobs))
                    _load(connection, f"{prefix}{first}", [make(number) for number in numbers])
            _tidy(connection)

    def crowd(self, jobs: int, like: Job) -> None:
        """Put jobs into it that are due a tick after another; only the first could be opened."""
        with connect(self.url) as connection:
            with connection.transaction():
                # Whether what is referenced exists need not be looked up for each of millions.
                connection.execute("SET LOCAL session_replication_role = replica")
                first = _load(connection, "crowd0", [like])
                what = {"first": first, "jobs": jobs - 1, "size": PER_COLLECTION}
                connection.execute(_CROWD_OF_COLLECTIONS, what)
                connection.execute(_CROWD_OF_JOBS, what)
                connection.execute(_CROWD_OF_DEFINITIONS, what)
            _tidy(connection)

    def make_due(self, jobs: int, make: Callable[[int], Job]) -> None:
        """Let jobs all over the crowd be others, as many as there are."""
        with connect(self.url) as connection:
            with connection.transaction():
                connection.execute("CREATE TEMP TABLE chosen (id bigint, at bigint, sealed bytea)")
                found = connection.execute(_ALL_OVER_THE_CROWD, {"jobs": jobs}).fetchall()
                _copy(connection, "chosen", [_changed(*row, make) for row in found])
                connection.execute(_BECOME_DUE)
                connection.execute(_BECOME_OTHERS)
            _tidy(connection)

    def attempts(self) -> int:
        """Return how many attempts are in the history."""
        return self.number(b"SELECT count(*) FROM history")

    def number(self, query: bytes) -> int:
        with connect(self.url) as connection:
            return cast("Any", connection.execute(query).fetchone())[0]

    def bytes_per_job(self) -> int:
        """Return how much disk a job takes, with its definition and its place in the indexes."""
        return self.number(
            b"SELECT (pg_total_relation_size('job') + pg_total_relation_size('definition'))"
            b" / (SELECT count(*) FROM job)"
        )

    def dead_rows(self) -> int:
        """Return how many old forms of jobs and runs are still there."""
        return self.number(
            b"SELECT sum(n_dead_tup)::bigint FROM pg_stat_user_tables"
            b" WHERE relname IN ('job', 'run')"
        )

    def wait_until_recorded(self, jobs: int, *, give_up_at: float) -> int:
        """Wait until so many attempts are in the history; return the time in nanoseconds."""
        with connect(self.url) as connection:
            while True:
                now = time.time_ns()
                # Numbers are given before a commit and may be lost: they tell when to count.
                row = cast("Any", connection.execute(QUERIES.newest_number.encode()).fetchone())
                if (row[0] or 0) >= jobs and self.attempts() >= jobs:
                    return now
                if now / 1e9 > give_up_at:
                    return now
                time.sleep(0.02)


_CROWD_OF_COLLECTIONS = b"""
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state,
    job_count
)
SELECT
    subscription, resource_group, 'crowd' || n, folded_subscription, folded_group, 'crowd' || n,
    sku, state, %(size)s
FROM collection, generate_series(1, %(jobs)s / %(size)s) AS n
WHERE name = 'crowd0'
"""
_CROWD_OF_JOBS = b"""
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, calendar_at, next_at, occurrence,
    generation, execution_count, failure_count, faulted_count, settled_well
)
SELECT
    collection_id + n / %(size)s, 'j' || n, 'j' || n, state, is_halted, calendar_at,
    next_at + n, occurrence, generation, execution_count, failure_count, faulted_count, settled_well
FROM job, generate_series(1, %(jobs)s) AS n
WHERE id = %(first)s
"""
_CROWD_OF_DEFINITIONS = b"""
INSERT INTO definition (job_id, sealed)
SELECT job.id, sealed FROM job, definition
WHERE job.id > %(first)s AND definition.job_id = %(first)s
"""
_ALL_OVER_THE_CROWD = b"""
SELECT id, collection_id, name FROM job
WHERE id %% (SELECT greatest(1, count(*) / %(jobs)s) FROM job WHERE next_at IS NOT NULL) = 0
ORDER BY id
LIMIT %(jobs)s
"""
_BECOME_DUE = b"UPDATE job SET next_at = at FROM chosen WHERE job.id = chosen.id"
_BECOME_OTHERS = (
    b"UPDATE definition SET sealed = chosen.sealed FROM chosen WHERE job_id = chosen.id"
)


def _changed(
    id_: JobId, collection_id: CollectionId, name: str, make: Callable[[int], Job]
) -> dict[str, Any]:
    job = replace(make(id_), id=id_, collection_id=collection_id, name=name)
    return {"id": id_, "at": job.next_at, "sealed": row_of_definition(job, KEYRING)["sealed"]}


def _load(connection: psycopg.Connection, name: str, jobs: list[Job]) -> JobId:
    """Add a collection with jobs; return the id of the first."""
    wanted = Collection(key=CollectionKey("bench", "g", name), sku=Sku.P20_PREMIUM)
    adding = connection.execute(STATEMENTS[QUERIES.add_collection], row_of_collection(wanted))
    collection_id = CollectionId(cast("Any", adding.fetchone())[0])
    ids = connection.execute(
        "SELECT nextval('job_id_seq') FROM generate_series(1, %s)", (len(jobs),)
    )
    added = [
        replace(job, id=JobId(number), collection_id=collection_id)
        for job, (number,) in zip(jobs, ids.fetchall(), strict=True)
    ]
    _copy(connection, "job", [row_of_job(job) | {"is_halted": 0} for job in added])
    sealed = [row_of_definition(job, KEYRING) for job in added]
    _copy(
        connection, "definition", [{"job_id": row["id"], "sealed": row["sealed"]} for row in sealed]
    )
    connection.execute(
        "UPDATE collection SET job_count = %s WHERE id = %s", (len(jobs), collection_id)
    )
    return added[0].id


def _copy(connection: psycopg.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, rows[0]))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), columns)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(tuple(row.values()))


def _tidy(connection: psycopg.Connection) -> None:
    connection.execute("VACUUM (ANALYZE) collection, job, definition, run")
    connection.execute("CHECKPOINT")


def _ticks_of(process: int) -> float:
    """Return the processor time of a process and of its children that have ended, in seconds."""
    try:
        text = Path(f"/proc/{process}/stat").read_text("ascii")
    except FileNotFoundError:
        return 0.0
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
