"""A PostgreSQL of its own for a benchmark, durable as it is by default.

Only its memory is set as for a small server (shared_buffers=1GB); fsync, synchronous_commit and
full_page_writes are on, and so is autovacuum.
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

from foliot.ports import clock
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.connection import connect
from foliot.store.postgres.statements import STATEMENTS
from loading import KEY
from tests.support import postgres

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

    def restart(self, meanwhile: Callable[[], None]) -> None:
        """Stop the server, which forgets what it has in memory, and start it again."""
        self._run("CHECKPOINT")
        postgres.stop(self.folder)
        meanwhile()
        postgres.run_server(self.folder, _OPTIONS)

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

    def attempts(self) -> int:
        """Return how many attempts are in the history."""
        return self.number(b"SELECT count(*) FROM history")

    def number(self, query: bytes) -> int:
        with connect(self.url) as connection:
            return cast("Any", connection.execute(query).fetchone())[0]

    def bytes_per_job(self) -> int:
        """Return how much disk a job takes, with its definition and its place in the indexes."""
        return self.number(
            b"SELECT (pg_total_relation_size('job') + pg_total_relation_size('definition')"
            b" + pg_total_relation_size('due'))"
            b" / (SELECT count(*) FROM job)"
        )

    def bytes_per_entry(self) -> float:
        """Return how much disk an attempt in the history takes, with its place in the indexes."""
        size = b"SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits"
        return int(self.number(size + b" WHERE inhparent = 'history'::regclass")) / self.attempts()

    def written(self) -> int:
        """Return how many bytes the server has written to its log so far."""
        return self.number(b"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")

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
                row = cast("Any", connection.execute(STATEMENTS["newest_number"]).fetchone())
                if (row[0] or 0) >= jobs and self.attempts() >= jobs:
                    return now
                if now / 1e9 > give_up_at:
                    return now
                time.sleep(0.02)


def _ticks_of(process: int) -> float:
    """Return the processor time of a process and of its children that have ended, in seconds."""
    try:
        text = Path(f"/proc/{process}/stat").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
