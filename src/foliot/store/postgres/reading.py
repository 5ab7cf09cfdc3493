"""What differs from SQLite in a view."""

from foliot.core.instant import Instant
from foliot.store.postgres.floor import Floors
from foliot.store.postgres.session import Session
from foliot.store.queries import QUERIES
from foliot.store.reading import SqlReading
from foliot.store.seal import Keyring


class PostgresReading(SqlReading):
    """What can be seen through a session; satisfies `ports.Reading`."""

    def __init__(self, session: Session, keyring: Keyring, floors: Floors) -> None:
        super().__init__(session, keyring)
        self._floors = floors

    def earliest_due_at(self) -> Instant | None:
        """Return when the engine has something to do next, if no lease runs out before."""
        row = self._row(QUERIES.earliest_due_at, {"floor": self._floors.known})
        return None if row is None else row[0]
