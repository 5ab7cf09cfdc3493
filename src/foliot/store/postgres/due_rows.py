"""Finds due rows and locks them, a scan window at a time.

Rows are locked first and read afterwards. The scan of the recent window runs for every claim, that
of the backlog every ten seconds; `due_window` says why.
"""

from collections.abc import Sequence

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.store.postgres.arrays import array
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.postgres.due_window import BEGINNING, DueWindow, ScanRange
from foliot.store.postgres.messages import Later
from foliot.store.sql.dialect import Parameters, Row


class DueScan:
    """Due rows of one kind: `lock` finds and locks them, `read` reads those that were locked."""

    def __init__(
        self, connection: PostgresConnection, window: DueWindow, *, lock: bytes, read: bytes
    ) -> None:
        self._connection = connection
        self._window = window
        self._lock = lock
        self._read = read
        self._ahead: tuple[Instant, int, Later] | None = None

    def look_ahead(self, now: Instant, limit: int) -> None:
        """Lock recent rows, with the statement that comes next, for `rows` to return them."""
        self.forget()
        if self._window.start > BEGINNING and self._window.backlog(now) is None:
            what = _parameters(self._window.recent(now), limit)
            self._ahead = (now, limit, self._connection.run_later(self._lock, what))

    def forget(self) -> None:
        """Forget which rows were locked ahead: they may have changed."""
        self._ahead = None

    def rows(self, now: Instant, limit: int, excluded: Sequence[CollectionId]) -> Sequence[Row]:
        """Return due rows, the earliest first, locked."""
        found = [] if excluded else self._lock_backlog(now, limit)
        if len(found) < limit:
            found += self._lock_recent(now, limit - len(found), excluded)
        if not found:
            return []
        ids = array([id_ for id_, _ in found])
        return self._connection.run(self._read, {"ids": ids, "now": now}).fetchall()

    def _lock_backlog(self, now: Instant, limit: int) -> list[Row]:
        scan = self._window.backlog(now)
        if scan is None:
            return []
        begin = self._connection.now()
        found = self._locked(scan, limit)
        took = self._connection.now() - begin
        self._window.backlog_scanned(scan, took, is_all=len(found) < limit)
        return found

    def _lock_recent(self, now: Instant, limit: int, excluded: Sequence[CollectionId]) -> list[Row]:
        scan = self._window.recent(now)
        found = self._locked_ahead(now, limit) if not excluded else None
        if found is None:
            found = self._locked(scan, limit, excluded)
        if excluded:
            seen_until = None
        elif len(found) < limit:
            seen_until = scan.end
        else:
            _, seen_until = found[0]
        self._window.recent_scanned(scan, seen_until=seen_until)
        return found

    def _locked_ahead(self, now: Instant, limit: int) -> list[Row] | None:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead[:2] != (now, limit):
            return None
        return ahead[2].found.fetchall()

    def _locked(
        self, scan: ScanRange, limit: int, excluded: Sequence[CollectionId] = ()
    ) -> list[Row]:
        what = _parameters(scan, limit, excluded)
        return self._connection.run(self._lock, what).fetchall()


def _parameters(scan: ScanRange, limit: int, excluded: Sequence[CollectionId] = ()) -> Parameters:
    return {
        "start": scan.start,
        "end": scan.end,
        "limit": limit,
        "excluded": array(excluded) if excluded else None,
    }
