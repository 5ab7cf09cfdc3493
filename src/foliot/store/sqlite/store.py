"""SQLite: one thread that writes, one that looks rows up, one that browses many."""

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple, Self

from foliot.ports import clock
from foliot.store.migrations import migrations
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.rotation import check_key, check_nodes, move_to_newest_key, nodes_of
from foliot.store.sql.record_runs import Progress, no_progress, record_runs
from foliot.store.sql.transaction import SqlReading, SqlTransaction
from foliot.store.sqlite.connection import explained, reading, writing
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.file_watch import Check, FilesInPlace, unchanged
from foliot.store.sqlite.migrate import migrate
from foliot.store.sqlite.moved_to_postgres import check_not_moved
from foliot.store.sqlite.reader import SqliteReader
from foliot.store.sqlite.writer import SqliteWriter
from foliot.store.threads import DatabaseThread, ThreadedStore
from foliot.store.work_queue import WorkQueue

# How many requests are answered together: the first waits for the last.
CHANGES_AT_ONCE: Final = 256
_LOOKUPS_AT_ONCE: Final = 32
# Outcomes wait this long for a claim or for other outcomes: at 200 occurrences a second, evenly
# spread, that halves the number of transactions.
GATHER: Final = timedelta(milliseconds=5)


class SqliteStore(ThreadedStore):
    """A store in one file."""

    def __init__(
        self,
        keyring: Keyring,
        connections: "_Connections",
        opened: ExitStack,
        files: FilesInPlace,
        gather: timedelta = timedelta(0),
    ) -> None:
        self.files = files
        super().__init__(
            writer=_writer(connections.writer, keyring, files, gather),
            reader=_reader(connections.reader, keyring, at_once=_LOOKUPS_AT_ONCE),
            browser=_reader(connections.browser, keyring, at_once=1),
            release=opened.close,
        )

    @classmethod
    def open(  # noqa: PLR0913  (one parameter for each part)
        cls,
        path: Path,
        keyring: Keyring,
        *,
        busy_timeout: timedelta = timedelta(seconds=5),
        checks: Sequence[Check] = (),
        progress: Progress = no_progress,
        node: str | None = None,
        gather: timedelta = timedelta(0),
    ) -> Self:
        """Open a database, or create it; bring its schema, seals and runs up to date.

        `node` is the id of the node that opens it, and None for a command beside a server. Changes
        that can wait are gathered for a time.

        The store refuses to write when a file of the database was removed or replaced, or when one
        of the `checks` fails.
        """
        with explained(path), ExitStack() as opened:
            # The first to be opened is the last to be closed: it removes the log.
            writer = opened.enter_context(writing(path, busy_timeout))
            _prepare(writer, keyring, progress, node)
            # What undoes a change stays in memory: SQLite would write every page that a change
            # touches to a temporary file first. Migrations, which touch all pages, are over.
            writer.execute("PRAGMA temp_store = MEMORY")
            reader = opened.enter_context(reading(path, busy_timeout))
            browser = opened.enter_context(reading(path, busy_timeout))
            files = FilesInPlace(unchanged(_files_of(path)), checks)
            connections = _Connections(writer, reader, browser)
            return cls(keyring, connections, opened.pop_all(), files, gather)


class _Connections(NamedTuple):
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    browser: sqlite3.Connection


def _writer(
    connection: sqlite3.Connection, keyring: Keyring, files: FilesInPlace, gather: timedelta
) -> DatabaseThread:
    transaction = SqlTransaction(SqliteDialect(connection), keyring)
    writer = SqliteWriter(connection, transaction, files)
    queue = WorkQueue(CHANGES_AT_ONCE, gather.total_seconds())
    return DatabaseThread("store-writer", queue, writer.answer)


def _reader(connection: sqlite3.Connection, keyring: Keyring, *, at_once: int) -> DatabaseThread:
    reader = SqliteReader(connection, SqlReading(SqliteDialect(connection), keyring))
    return DatabaseThread("store-reader", WorkQueue(at_once), reader.answer)


def _files_of(path: Path) -> list[Path]:
    """Return the files that hold written data."""
    return [path, path.with_name(f"{path.name}-wal")]


def _prepare(
    connection: sqlite3.Connection, keyring: Keyring, progress: Progress, node: str | None
) -> None:
    check_not_moved(connection)
    migrate(connection, migrations("foliot.store.sqlite"))
    dialect = SqliteDialect(connection)
    check_key(dialect, keyring)
    check_nodes(nodes_of(dialect), keyring, node, clock.now())
    move_to_newest_key(dialect, keyring)
    record_runs(dialect, progress)
