"""PostgreSQL: a connection that writes, one that looks things up, one that browses."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import Self, TypeVar

import psycopg

from foliot.core.instant import Instant
from foliot.ports.store import Reading, Transaction
from foliot.store.errors import StoreError
from foliot.store.postgres.clock_offset import Offset
from foliot.store.postgres.connection import (
    BEGIN_BROWSING,
    BEGIN_LOOKUP,
    BEGIN_WRITING,
    Session,
    connect,
)
from foliot.store.postgres.due_window import Floor, Floors
from foliot.store.postgres.errors import reason_of
from foliot.store.postgres.migrate import migrate
from foliot.store.postgres.reader import PostgresReader
from foliot.store.postgres.reading import PostgresReading
from foliot.store.postgres.transaction import PostgresTransaction
from foliot.store.postgres.writer import PostgresWriter
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.rotation import check_key, move_to_newest_key
from foliot.store.sqlite.migrate import migrations

Result = TypeVar("Result")

# At a time: the first waits for the last.
_LOOKUPS = 32
_IS_USED = b"SELECT to_regclass('seal_check') IS NOT NULL"
_HAS_KEY = b"SELECT EXISTS (SELECT 1 FROM seal_check)"


class PostgresStore:
    """Satisfies `ports.Store`."""

    def __init__(self, url: str, keyring: Keyring, now: Callable[[], Instant]) -> None:
        self.offset = Offset()
        floors = Floors(Floor(), Floor())
        writing = Session(url, BEGIN_WRITING, now, self.offset)
        reading = Session(url, BEGIN_LOOKUP, now, self.offset)
        browsing = Session(url, BEGIN_BROWSING, now, self.offset)
        self._writer = PostgresWriter(url, writing, PostgresTransaction(writing, keyring, floors))
        self._reader = PostgresReader(
            reading, PostgresReading(reading, keyring, floors), batch_limit=_LOOKUPS
        )
        self._browser = PostgresReader(
            browsing, PostgresReading(browsing, keyring, floors), batch_limit=1
        )

    @classmethod
    def open(cls, url: str, keyring: Keyring, now: Callable[[], Instant]) -> Self:
        """Open a database; bring its schema and its seals up to date."""
        cls.prepare(url, now)
        with explained(), closing(Session(url, BEGIN_WRITING, now, Offset())) as session:
            check_key(session, keyring)
            move_to_newest_key(session, keyring)
        return cls(url, keyring, now)

    @staticmethod
    def prepare(url: str, now: Callable[[], Instant]) -> None:
        """Bring the schema of a database up to date."""
        with explained(), closing(Session(url, BEGIN_WRITING, now, Offset())) as session:
            migrate(session, migrations("foliot.store.postgres"), now())

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
