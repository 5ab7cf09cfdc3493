"""What differs from SQLite in a view."""

from foliot.core.instant import Instant
from foliot.store.postgres.connection import Session
from foliot.store.postgres.due_window import Floors
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.reading import SqlReading


class PostgresReading(SqlReading):
    """What can be seen through a session; satisfies `ports.Reading`."""

    def __init__(self, session: Session, keyring: Keyring, floors: Floors) -> None:
        super().__init__(session, keyring)
        self._floors = floors

    def earliest_due_at(self) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before."""
        row = self._row(QUERIES.earliest_due_at, {"floor": self._floors.known})
        return None if row is None else row[0]
