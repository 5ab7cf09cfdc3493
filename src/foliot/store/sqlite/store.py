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
from foliot.store.sql.transaction import SqlTransaction
from foliot.store.sqlite.connection import explained, reading, writing
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.file_watch import Check, FilesInPlace, unchanged
from foliot.store.sqlite.migrate import migrate
from foliot.store.sqlite.moved_to_postgres import check_not_moved
from foliot.store.sqlite.owner import OwnNode, with_owner
from foliot.store.sqlite.reader import SqliteReader
from foliot.store.sqlite.reading import SqliteReading
from foliot.store.sqlite.writer import SqliteWriter
from foliot.store.threads import DatabaseThread, ThreadedStore
from foliot.store.work_queue import WorkQueue

# How many requests are answered together: the first waits for the last.
CHANGES_AT_ONCE: Final = 256
_LOOKUPS_AT_ONCE: Final = 32
# Outcomes wait this long for a claim or for other outcomes: at 200 occurrences a second, evenly
# spread, there is a claim every ten milliseconds.
GATHER: Final = timedelta(milliseconds=12)


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
        own = OwnNode(connections.node, clock.now())
        super().__init__(
            writer=_writer(connections.writer, keyring, files, own, gather),
            reader=_reader(connections.reader, keyring, own, at_once=_LOOKUPS_AT_ONCE),
            browser=_reader(connections.browser, keyring, own, at_once=1),
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
            _prepare(writer, keyring, progress, path, node)
            # What undoes a change stays in memory: SQLite would write every page that a change
            # touches to a temporary file first. Migrations, which touch all pages, are over.
            writer.execute("PRAGMA temp_store = MEMORY")
            reader = opened.enter_context(reading(path, busy_timeout))
            browser = opened.enter_context(reading(path, busy_timeout))
            files = FilesInPlace(unchanged(_files_of(path)), checks)
            connections = _Connections(writer, reader, browser, node)
            return cls(keyring, connections, opened.pop_all(), files, gather)


class _Connections(NamedTuple):
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    browser: sqlite3.Connection
    node: str | None


def _writer(
    connection: sqlite3.Connection,
    keyring: Keyring,
    files: FilesInPlace,
    own: OwnNode,
    gather: timedelta,
) -> DatabaseThread:
    transaction = SqlTransaction(SqliteDialect(connection), keyring)
    writer = SqliteWriter(connection, transaction, files, own)
    queue = WorkQueue(CHANGES_AT_ONCE, gather.total_seconds())
    return DatabaseThread("store-writer", queue, writer.answer)


def _reader(
    connection: sqlite3.Connection, keyring: Keyring, own: OwnNode, *, at_once: int
) -> DatabaseThread:
    found = SqliteReading(connection, keyring, own)
    reader = SqliteReader(connection, found, found.begin)
    return DatabaseThread("store-reader", WorkQueue(at_once), reader.answer)


def _files_of(path: Path) -> list[Path]:
    """Return the files that hold written data."""
    return [path, path.with_name(f"{path.name}-wal")]


def _prepare(
    connection: sqlite3.Connection,
    keyring: Keyring,
    progress: Progress,
    path: Path,
    node: str | None,
) -> None:
    check_not_moved(connection)
    migrate(connection, migrations("foliot.store.sqlite"))
    dialect = SqliteDialect(connection)
    check_key(dialect, keyring)
    now = clock.now()
    check_nodes(with_owner(nodes_of(dialect), path, now), keyring, node, now)
    move_to_newest_key(dialect, keyring, progress)
    record_runs(dialect, progress)
