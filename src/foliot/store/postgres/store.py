"""PostgreSQL: a connection that writes, one that looks rows up, one that browses many."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Final, Self

import psycopg

from foliot.core.instant import Instant
from foliot.store.errors import StoreError
from foliot.store.migrations import migrations
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.connection import (
    BEGIN_BROWSING,
    BEGIN_LOOKUP,
    BEGIN_WRITING,
    PostgresConnection,
    connect,
)
from foliot.store.postgres.deferring_queue import DeferringQueue
from foliot.store.postgres.dialect import PostgresDialect
from foliot.store.postgres.due_window import DueWindow, DueWindows
from foliot.store.postgres.errors import reason_of
from foliot.store.postgres.migrate import migrate
from foliot.store.postgres.reader import PostgresReader
from foliot.store.postgres.writer import PostgresWriter
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.rotation import check_key, check_nodes, move_to_newest_key, nodes_of
from foliot.store.sql.record_runs import Progress, no_progress, record_runs
from foliot.store.sql.transaction import SqlReading, SqlTransaction
from foliot.store.threads import DatabaseThread, ThreadedStore
from foliot.store.work_queue import WorkQueue

# How many requests are answered together: the first waits for the last.
_CHANGES_AT_ONCE: Final = 64
_LOOKUPS_AT_ONCE: Final = 32
# Few outcomes wait this long for others: at 100 occurrences a second on each node that halves the
# number of transactions.
GATHER: Final = timedelta(milliseconds=10)
_IS_USED: Final = b"SELECT to_regclass('seal_check') IS NOT NULL"
_HAS_KEY: Final = b"SELECT EXISTS (SELECT 1 FROM seal_check)"


class PostgresStore(ThreadedStore):
    """A store that any number of nodes share."""

    def __init__(
        self,
        url: str,
        keyring: Keyring,
        now: Callable[[], Instant],
        gather: timedelta = timedelta(0),
    ) -> None:
        self.offset = ClockOffset()
        self._keyring = keyring
        self._windows = _new_windows()
        writing = PostgresConnection(url, BEGIN_WRITING, now, self.offset, prepares=True)
        reading = PostgresConnection(url, BEGIN_LOOKUP, now, self.offset)
        browsing = PostgresConnection(url, BEGIN_BROWSING, now, self.offset)

        def release() -> None:
            for connection in (reading, browsing, writing):
                connection.close()

        super().__init__(
            writer=self._writer_on(writing, url, gather),
            reader=self._reader_on(reading, at_once=_LOOKUPS_AT_ONCE),
            browser=self._reader_on(browsing, at_once=1),
            release=release,
        )

    @classmethod
    def open(  # noqa: PLR0913  (one parameter for each part)
        cls,
        url: str,
        keyring: Keyring,
        now: Callable[[], Instant],
        progress: Progress = no_progress,
        *,
        node: str | None = None,
        gather: timedelta = timedelta(0),
    ) -> Self:
        """Open a database; bring its schema, seals and runs up to date.

        `node` is the id of the node that opens it, and None for a command beside the nodes.
        Changes that can wait are gathered for a time.
        """
        cls.prepare(url, now)
        with explained(), _temporary(url, now) as connection:
            dialect = PostgresDialect(connection, _new_windows())
            check_key(dialect, keyring)
            nodes = nodes_of(dialect)
            check_nodes(nodes, keyring, node, Instant(now() + connection.offset.ticks))
            move_to_newest_key(dialect, keyring, progress)
            record_runs(dialect, progress)
        return cls(url, keyring, now, gather)

    @staticmethod
    def prepare(url: str, now: Callable[[], Instant]) -> None:
        """Bring the schema of a database up to date."""
        with explained(), _temporary(url, now) as connection:
            migrate(connection, migrations("foliot.store.postgres"), now())

    def _writer_on(
        self, connection: PostgresConnection, url: str, gather: timedelta
    ) -> DatabaseThread:
        queue = DeferringQueue(_CHANGES_AT_ONCE, gather.total_seconds())
        transaction = SqlTransaction(PostgresDialect(connection, self._windows), self._keyring)
        writer = PostgresWriter(url, connection, transaction, queue)
        return DatabaseThread("store-writer", queue, writer.answer)

    def _reader_on(self, connection: PostgresConnection, *, at_once: int) -> DatabaseThread:
        dialect = PostgresDialect(connection, self._windows, is_view=True)
        reader = PostgresReader(connection, SqlReading(dialect, self._keyring))
        return DatabaseThread("store-reader", WorkQueue(at_once), reader.answer)


def is_in_use(url: str) -> bool:
    """Tell whether a database has been opened before, and so has a key."""
    with explained(), connect(url) as connection:
        (is_there,) = connection.execute(_IS_USED).fetchone() or (False,)
        return bool(is_there) and connection.execute(_HAS_KEY).fetchone() == (True,)


@contextmanager
def explained() -> Generator[None]:
    """Say in words why a database does not open; neither its address nor its user is quoted."""
    try:
        yield
    except psycopg.Error as failure:
        raise StoreError(f"The PostgreSQL database does not open: {reason_of(failure)}.") from None


def _temporary(url: str, now: Callable[[], Instant]) -> "closing[PostgresConnection]":
    return closing(PostgresConnection(url, BEGIN_WRITING, now, ClockOffset()))


def _new_windows() -> DueWindows:
    return DueWindows(DueWindow(), DueWindow())
