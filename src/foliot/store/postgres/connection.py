"""A connection that reconnects by itself, and transactions on it.

A pooler may stand in between that gives each transaction another connection: then nothing outlives
a transaction, no setting, no lock, no prepared statement.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import conninfo
from psycopg.adapt import Buffer, Dumper

from foliot.core.instant import SECOND, UNIX_EPOCH, Instant
from foliot.store.postgres.arrays import Array, ArrayDumper
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.messages import Later, message_of, read_answer
from foliot.store.postgres.nul_text import TextDumper, TextLoader
from foliot.store.postgres.prepared import PARAMETERS, PREPARE, PREPARED, execution
from foliot.store.postgres.statements import STATEMENTS
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
    b"lock_timeout = '5s'",
    b"idle_in_transaction_session_timeout = '5s'",
    b"statement_timeout = '10s'",
)
# Writes and lookups find their rows, a few hundred at most, by key or by order. The statistics of
# tables that change as fast as these are always old, and would now and then make the planner read a
# whole table. No query is worth being compiled. What is prepared has one plan for all values.
_INDEX_PLANS: Final = (
    b"jit = off",
    b"enable_seqscan = off",
    b"enable_bitmapscan = off",
    b"enable_hashjoin = off",
    b"enable_mergejoin = off",
    b"plan_cache_mode = force_generic_plan",
)
# A backslash in a literal is a backslash.
_LITERALS: Final = (b"standard_conforming_strings = on",)
ANY_PLAN: Final = (
    b"SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on"
    b"; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on"
)
_BACKEND: Final = b"SELECT pg_backend_pid()"
_TICKS: Final = b"SELECT (extract(epoch FROM clock_timestamp()) * 10000000)::bigint"
# It may be sent with changes that are not checked yet: an answer that is too early makes the engine
# look once more.
_EARLIEST: Final = STATEMENTS["earliest_due_at"]
# How long the offset of the clock is taken for the same.
_BETWEEN_MEASUREMENTS: Final = SECOND
_INT4: Final = 23


class Beginning(NamedTuple):
    """How the transactions of a connection begin, and the settings they work with."""

    statement: bytes
    settings: tuple[bytes, ...]


_READING: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN_WRITING: Final = Beginning(b"BEGIN", _LIMITS + _INDEX_PLANS + _LITERALS)
BEGIN_LOOKUP: Final = Beginning(_READING, _LIMITS + _INDEX_PLANS)
BEGIN_BROWSING: Final = Beginning(_READING, _LIMITS)


class PostgresConnection:
    """One connection, opened when it is needed; used by one thread.

    If it leads to the server itself and not to a pooler, its settings are made once, and with
    `prepares` the engine's statements are prepared (`prepared.py`). Of these, one whose result
    nobody waits for is sent together with the next.
    """

    def __init__(
        self,
        url: str,
        begin: Beginning,
        now: Callable[[], Instant],
        offset: ClockOffset,
        *,
        prepares: bool = False,
    ) -> None:
        self._url = url
        self._beginning = begin
        self._prepares = prepares
        self.now = now
        self.offset = offset
        self._connection: psycopg.Connection | None = None
        self._begin = b""
        self._is_prepared = False
        self._said: list[Later] = []
        self._waiting: list[Later] = []
        self._is_begun = False
        self._number: str | None = None
        self._is_number_known = False
        self._measured_at = Instant(0)

    def run(self, statement: bytes, parameters: Parameters | Row | None = None) -> Any:
        """Run a statement, after those that wait."""
        if self._is_prepared and statement in PREPARED:
            if statement != _EARLIEST and any(each.check for each in self._waiting):
                self.send_waiting()
            last = Later(execution(statement, parameters or ()))
            self._send(last)
            return last.found
        self.send_waiting()
        self._is_number_known = self._number is not None
        is_prepared = self._is_prepared and statement in PARAMETERS
        return self._connected().execute(statement, parameters, prepare=is_prepared)

    def run_later(
        self,
        statement: bytes,
        parameters: Parameters | Row,
        check: Callable[[int], None] | None = None,
    ) -> Later:
        """Run a statement together with the next one, if it is prepared, or at once."""
        if self._is_prepared and statement in PREPARED:
            later = Later(execution(statement, parameters), check)
            self._waiting.append(later)
            return later
        later = Later(statement)
        later.found = self.run(statement, parameters)
        if check is not None:
            check(later.found.rowcount)
        return later

    def say_later(self, *statements: bytes) -> None:
        """Run statements about the transaction itself together with the next one."""
        self._said += map(Later, statements)

    def send_waiting(self) -> None:
        """Run the statements that wait."""
        if self._said or self._waiting:
            self._send()

    def number(self) -> str | None:
        """Return the number of the transaction, None as long as it has changed nothing."""
        self.send_waiting()
        if not self._is_number_known:
            self._send()
        return self._number

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

    def undo_to(self, savepoint: bytes) -> None:
        """Roll back what was changed after a savepoint."""
        self._waiting = []
        self.run(b"ROLLBACK TO " + savepoint)

    def undo(self) -> None:
        """Roll back the transaction that is open; if that fails, close the connection."""
        self._said, self._waiting = [], []
        try:
            if self._is_begun and not self.is_lost:
                self.run(b"ROLLBACK")
        except psycopg.Error:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._said, self._waiting = [], []
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
        self._number, self._is_number_known = None, False
        before = self.now()
        if self._is_prepared and abs(before - self._measured_at) < _BETWEEN_MEASUREMENTS:
            self._is_begun = False
            self.say_later(self._begin)
            return
        self._is_begun = True
        cursor = connection.execute(self._begin + b"; " + _TICKS, prepare=False)
        after = self.now()
        while cursor.description is None:
            cursor.nextset()
        (ticks,) = cursor.fetchone() or (0,)
        self.offset.measured(before, UNIX_EPOCH + ticks, after)
        self._measured_at = after

    def _send(self, *last: Later) -> None:
        statements = [*self._said, *self._waiting, *last]
        self._said, self._waiting = [], []
        cursor = self._sent(message_of(statements))
        self._number, self._is_number_known = read_answer(cursor, statements), True
        for each in statements:
            if each.check is not None:
                each.check(each.found.rowcount)

    def _sent(self, message: bytes) -> Any:
        """Send a message; once more if the connection was lost before the transaction began."""
        is_first, self._is_begun = not self._is_begun, True
        try:
            return self._connected().execute(message, prepare=False)
        except psycopg.errors.InvalidSqlStatementName:
            # A pooler stands in between that does not look like one.
            self._prepares = False
            self.close()
            raise
        except psycopg.OperationalError:
            if not (is_first and self.is_lost):
                raise
            return self._connected().execute(message, prepare=False)

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            connection = connect(self._url)
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _set_up(self, connection: psycopg.Connection) -> None:
        """Make the settings, and prepare statements, unless there is a pooler in between."""
        statement, settings = self._beginning
        # A pooler calls itself by a number of its own.
        is_direct = connection.execute(_BACKEND).fetchone() == (connection.info.backend_pid,)
        self._is_prepared = is_direct and self._prepares
        if is_direct:
            self._begin = statement
            connection.execute(b"; ".join(b"SET " + each for each in settings))
        else:
            self._begin = b"; ".join([statement, *(b"SET LOCAL " + each for each in settings)])
        if self._is_prepared:
            connection.execute(PREPARE)
            connection.prepare_threshold = 0


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
