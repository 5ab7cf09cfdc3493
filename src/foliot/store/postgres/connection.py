"""A connection that reconnects by itself, and transactions on it.

Nothing outlives a transaction: no setting, no lock, no prepared statement. So a pooler that gives
each transaction another connection may stand in between.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg
from psycopg import conninfo
from psycopg.adapt import Buffer, Dumper

from foliot.core.instant import UNIX_EPOCH, Instant
from foliot.store.postgres.arrays import Array, ArrayDumper
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.nul_text import TextDumper, TextLoader
from foliot.store.sql.dialect import Parameters, Row

_DEFAULTS: Final = {
    "connect_timeout": "3",
    "application_name": "foliot",
    # Of several servers the one that can be written to, also after a failover.
    "target_session_attrs": "read-write",
    # A server that has vanished without closing its connections is noticed.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_LIMITS: Final = (
    b"SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '5s'; "
    b"SET LOCAL statement_timeout = "
)
_DATABASE_TICKS: Final = b"; SELECT (extract(epoch FROM clock_timestamp()) * 10000000)::bigint"
# Writes and lookups find their rows, a few hundred at most, by key or by order. The statistics of
# tables that change as fast as these are always old, and would now and then make the planner read a
# whole table. No query is worth being compiled.
_INDEX_PLANS: Final = (
    b"; SET LOCAL jit = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"
    b"; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
)
ANY_PLAN: Final = (
    b"SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on"
    b"; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on"
)
BEGIN_WRITING: Final = (
    b"BEGIN; " + _LIMITS + b"'10s'" + _INDEX_PLANS + _DATABASE_TICKS + b"; SAVEPOINT change"
)
_BEGIN_READING: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + _LIMITS + b"'10s'"
BEGIN_LOOKUP: Final = _BEGIN_READING + _INDEX_PLANS + _DATABASE_TICKS
BEGIN_BROWSING: Final = _BEGIN_READING + _DATABASE_TICKS
_INT4: Final = 23


class PostgresConnection:
    """One connection, opened when it is needed; used by one thread."""

    def __init__(
        self, url: str, begin: bytes, now: Callable[[], Instant], offset: ClockOffset
    ) -> None:
        self._url = url
        self._begin = begin
        self.now = now
        self.offset = offset
        self._connection: psycopg.Connection | None = None

    def run(self, statement: bytes, parameters: Parameters | Row | None = None) -> Any:
        """Run a statement."""
        return self._connected().execute(statement, parameters)

    @property
    def is_lost(self) -> bool:
        """Whether the connection was lost, and the transaction with it."""
        return self._connection is None or self._connection.closed

    def begin(self) -> None:
        """Begin a transaction; reconnect if the connection was lost while it was idle."""
        try:
            self._begin_once()
        except psycopg.OperationalError:
            self.close()
            self._begin_once()

    def undo(self) -> None:
        """Roll back the transaction that is open; if that fails, close the connection."""
        try:
            if not self.is_lost:
                self.run(b"ROLLBACK")
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Keep all changes made inside, or none."""
        self.begin()
        try:
            yield
            self.run(b"COMMIT")
        except BaseException:
            self.undo()
            raise

    def _begin_once(self) -> None:
        connection = self._connected()
        before = self.now()
        cursor = connection.execute(self._begin)
        after = self.now()
        while cursor.description is None:
            cursor.nextset()
        (ticks,) = cursor.fetchone() or (0,)
        self.offset.measured(before, UNIX_EPOCH + ticks, after)

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url)
        return self._connection


def connect(url: str) -> psycopg.Connection:
    """Return a new connection."""
    given = conninfo.conninfo_to_dict(url)
    missing = {name: value for name, value in _DEFAULTS.items() if name not in given}
    connection = psycopg.connect(
        conninfo.make_conninfo(url, **missing), autocommit=True, prepare_threshold=None
    )
    connection.adapters.register_dumper(bool, _FlagDumper)
    connection.adapters.register_dumper(str, TextDumper)
    connection.adapters.register_dumper(Array, ArrayDumper)
    connection.adapters.register_loader("varchar", TextLoader)
    return connection


class _FlagDumper(Dumper):
    """Flags are stored as 0 and 1, as in SQLite."""

    oid = _INT4

    def dump(self, obj: bool) -> Buffer:  # noqa: FBT001  (psycopg's form)
        return b"1" if obj else b"0"
