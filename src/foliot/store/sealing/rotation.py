"""Recognises a wrong key when a database is opened, and moves its rows to the newest one."""

from collections.abc import Sequence

from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import HEADER_SIZE, CannotOpen, Keyring
from foliot.store.sql.database import Database
from foliot.store.sql.queries import QUERIES
from foliot.store.sql.rows import Row, place_of

_CHECK = b"foliot"
_CHECK_PLACE = b"seal check"
_BATCH_SIZE = 200


def check_key(database: Database, keyring: Keyring) -> None:
    """Refuse keys that are not those of the database; a new database takes them as its own."""
    with database.transaction():
        row = database.execute(QUERIES.seal_check).fetchone()
        if row is None:
            _save_check(database, keyring)
            return
    try:
        keyring.open(row[0], _CHECK_PLACE)
    except CannotOpen as refusal:
        raise WrongKey(
            f"The secret key does not fit the database: {refusal}."
            " Give the key that it was last used with, after a new one if you want to change it."
        ) from None


def move_to_newest_key(database: Database, keyring: Keyring) -> None:
    """Seal again what an older key has sealed; a row that does not open stays as it is."""
    if not keyring.has_older_keys:
        return
    last_id: int | None = 0
    while last_id is not None:
        last_id = _move_some(database, keyring, after=last_id)
    with database.transaction():
        _save_check(database, keyring)


def _move_some(database: Database, keyring: Keyring, *, after: int) -> int | None:
    with database.transaction():
        rows = _older_seals(database, keyring, after=after)
        for row in rows:
            _move(database, keyring, row)
    return rows[-1][0] if rows else None


def _save_check(database: Database, keyring: Keyring) -> None:
    sealed = keyring.seal(_CHECK, _CHECK_PLACE)
    database.execute(QUERIES.save_seal_check, {"sealed": sealed})


def _older_seals(database: Database, keyring: Keyring, *, after: int) -> Sequence[Row]:
    page = {"after": after, "size": HEADER_SIZE, "header": keyring.header, "limit": _BATCH_SIZE}
    return database.execute(QUERIES.older_seals, page).fetchall()


def _move(database: Database, keyring: Keyring, row: Row) -> None:
    job_id, collection_id, folded_name, sealed = row
    place = place_of(collection_id, folded_name)
    try:
        renewed = keyring.seal(keyring.open(sealed, place), place)
    except CannotOpen:
        return
    database.execute(QUERIES.save_definition, {"id": job_id, "sealed": renewed})
