"""What threads that only read find in SQLite: jobs and collections, kept until something changes.

SQLite tells a connection in a microsecond whether any other one has changed the database, in this
process or another. As long as none has, a job, a collection or a page of jobs that was read before
comes from memory: a server answers three times as many lists of 100 jobs.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobState
from foliot.core.model.node import Node
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.dialect import Row
from foliot.store.sql.transaction import SqlReading
from foliot.store.sqlite.dialect import SqliteDialect
from foliot.store.sqlite.owner import OwnNode, seen_at

_MOST_ROWS: Final = 2048
_MOST_PAGES: Final = 16
# All jobs of a collection take too much memory.
_LONGEST_PAGE: Final = 128


class SqliteReading(SqlReading):
    """Satisfies `ports.store.Reading`, for a thread that only reads."""

    def __init__(self, connection: sqlite3.Connection, keyring: Keyring, own: OwnNode) -> None:
        super().__init__(SqliteDialect(connection), keyring)
        self._own = own
        self._connection = connection
        self._version: int | None = None
        self._rows: dict[Row, Any] = {}
        self._pages: dict[Row, Any] = {}

    def begin(self) -> None:
        """Begin a snapshot, and forget what was read if the database has changed since."""
        self._connection.execute("BEGIN")
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version = version
            self._rows.clear()
            self._pages.clear()

    def nodes(self) -> Sequence[Node]:
        """Return the nodes, by name; the one that reads is alive while its store takes changes."""
        return seen_at(super().nodes(), self._own.id, self._own.seen_at)

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection."""
        what = (key,)
        if what not in self._rows:
            _keep(self._rows, _MOST_ROWS, what, super().collection(key))
        return self._rows[what]

    def located_job(self, key: CollectionKey, name: str) -> tuple[Collection, Job | None] | None:
        """Return a collection and, if it exists, its job of this name with its definition."""
        what = (key, name)
        if what not in self._rows:
            _keep(self._rows, _MOST_ROWS, what, super().located_job(key, name))
        return self._rows[what]

    def jobs(
        self,
        collection_id: CollectionId,
        *,
        state: JobState | None = None,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Job]:
        """Return jobs by folded name."""
        what = (collection_id, state, after, skip, limit)
        if what not in self._pages:
            found = super().jobs(collection_id, state=state, after=after, skip=skip, limit=limit)
            if len(found) > _LONGEST_PAGE:
                return found
            _keep(self._pages, _MOST_PAGES, what, found)
        return self._pages[what]


def _keep(known: dict[Row, Any], most: int, what: Row, found: object) -> None:
    if len(known) >= most:
        known.clear()
    known[what] = found
