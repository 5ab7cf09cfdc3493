"""SQLite: one thread that writes, one that looks things up, one that goes through many rows."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

from foliot.ports.store import Reading, Transaction
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.rotation import check_key, move_to_newest_key
from foliot.store.sql.reading import SqlReading
from foliot.store.sql.transaction import SqlTransaction
from foliot.store.sqlite.connection import SqliteDatabase, explained, reading, writing
from foliot.store.sqlite.file_watch import Check, FilesInPlace, unchanged
from foliot.store.sqlite.migrate import migrate, migrations
from foliot.store.sqlite.moved_mark import check_not_moved
from foliot.store.sqlite.reader import Reader
from foliot.store.sqlite.writer import GroupCommit

Result = TypeVar("Result")

# At a time: the first waits for the last.
_LOOKUPS = 32


class SqliteStore:
    """Satisfies `ports.Store`."""

    def __init__(
        self,
        keyring: Keyring,
        connections: "_Connections",
        opened: ExitStack,
        files: FilesInPlace,
    ) -> None:
        writer, reader, browser = connections
        self.files = files
        self._writer = GroupCommit(writer, SqlTransaction(writer, keyring), files)
        # One thread each: several would not read faster, they would fight for the interpreter.
        self._reader = Reader(reader, SqlReading(reader, keyring), batch_limit=_LOOKUPS)
        self._browser = Reader(browser, SqlReading(browser, keyring), batch_limit=1)
        self._opened = opened

    @classmethod
    def open(
        cls,
        path: Path,
        keyring: Keyring,
        *,
        busy_timeout: timedelta = timedelta(seconds=5),
        checks: Sequence[Check] = (),
    ) -> Self:
        """Open a database, or make one; bring its schema and its seals up to date.

        It refuses to write when a file of the database is not in place any more, or what `checks`
        are about.
        """
        with explained(path), ExitStack() as opened:
            # The first to be opened is the last to be closed: it takes the log away.
            writer = opened.enter_context(writing(path, busy_timeout))
            _prepare(writer, keyring)
            reader = opened.enter_context(reading(path, busy_timeout))
            browser = opened.enter_context(reading(path, busy_timeout))
            files = FilesInPlace(unchanged(_files_of(path)), checks)
            return cls(keyring, _Connections(writer, reader, browser), opened.pop_all(), files)

    async def read(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function on a consistent view; it looks at a few rows."""
        return await self._reader.inbox.ask(view)

    async def browse(self, view: Callable[[Reading], Result]) -> Result:
        """Run a function on a consistent view; it looks at many rows, and `read` need not wait."""
        return await self._browser.inbox.ask(view)

    async def write(self, change: Callable[[Transaction], Result]) -> Result:
        """Run a function in a transaction and return its result when it is durable."""
        return await self._writer.inbox.ask(change)

    async def close(self) -> None:
        """Finish what was begun and release everything."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._reader.stop()
        self._browser.stop()
        self._writer.stop()
        self._opened.close()


class _Connections(NamedTuple):
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    browser: sqlite3.Connection


def _files_of(path: Path) -> list[Path]:
    """Return the files that hold what is written."""
    return [path, path.with_name(f"{path.name}-wal")]


def _prepare(connection: sqlite3.Connection, keyring: Keyring) -> None:
    check_not_moved(connection)
    migrate(connection, migrations())
    database = SqliteDatabase(connection)
    check_key(database, keyring)
    move_to_newest_key(database, keyring)
