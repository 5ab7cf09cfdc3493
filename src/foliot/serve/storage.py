"""Opens the store that settings name, for the server and for commands beside it."""

from foliot.config import Settings
from foliot.serve.errors import CannotStart
from foliot.store.seal import Keyring, load_keyring
from foliot.store.sqlite import SqliteStore


def open_store(settings: Settings) -> SqliteStore:
    """Open the database, or make a new one with a key of its own."""
    return SqliteStore.open(settings.database, keyring_of(settings))


def keyring_of(settings: Settings) -> Keyring:
    """Return the keys that a server seals with."""
    given = settings.secret_keys
    return load_keyring(
        settings.data_dir,
        from_environment=None if given is None else given.reveal(),
        database_exists=settings.database.exists(),
    )


def open_existing_store(settings: Settings) -> SqliteStore:
    """Open a database that a server has made."""
    if not settings.database.exists():
        raise CannotStart(
            f"there is no database {settings.database}; start `foliot serve` first, "
            "or give its --data-dir."
        )
    return open_store(settings)
