"""Opens the store that settings name, for the server and for commands beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from foliot import clock
from foliot.config import PostgresAddress, Settings
from foliot.core.instant import Instant
from foliot.ports import Clock, Store
from foliot.serve.errors import CannotStart
from foliot.store.seal import Keyring, load_keyring
from foliot.store.sqlite import SqliteStore


class Storage(NamedTuple):
    """A store and its keys, the clock by which all who share it go, and how far ours is from it."""

    store: Store
    clock: Clock
    offset: Callable[[], int]
    keyring: Keyring


class SharedClock:
    """The database's clock, told by this machine's and how far it is off."""

    def __init__(self, offset: Callable[[], int]) -> None:
        self._offset = offset

    def now(self) -> Instant:
        """Return the present instant."""
        return Instant(clock.now() + self._offset())


def open_storage(settings: Settings) -> Storage:
    """Open the database, or make a new one with a key of its own."""
    match settings.database:
        case PostgresAddress(url=url):
            return _on_postgres(settings, url.reveal())
        case path:
            keyring = _keyring(settings, database_exists=path.exists())
            return Storage(SqliteStore.open(path, keyring), clock, lambda: 0, keyring)


def open_existing_storage(settings: Settings) -> Storage:
    """Open a database that a server has made."""
    path = settings.database
    if isinstance(path, Path) and not path.exists():
        raise CannotStart(
            f"there is no database {path}; start `foliot serve` first, or give its --data-dir."
        )
    return open_storage(settings)


def _on_postgres(settings: Settings, url: str) -> Storage:
    # Here, since most servers need no part of it.
    from foliot.store.postgres.store import PostgresStore, is_in_use  # noqa: PLC0415

    keyring = _keyring(settings, database_exists=is_in_use(url))
    store = PostgresStore.open(url, keyring, clock.now)

    def offset() -> int:
        return store.offset.ticks

    return Storage(store, SharedClock(offset), offset, keyring)


def _keyring(settings: Settings, *, database_exists: bool) -> Keyring:
    given = settings.secret_keys
    return load_keyring(
        settings.data_dir,
        from_environment=None if given is None else given.reveal(),
        database_exists=database_exists,
    )
