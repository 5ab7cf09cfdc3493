"""Recognises a wrong key when a database is opened, and seals its rows with the newest key."""

from collections.abc import Sequence

from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import HEADER_SIZE, CannotOpen, Keyring
from foliot.store.sql.dialect import Dialect, Row
from foliot.store.sql.job_rows import row_of_change, seal_context

_CHECK = b"foliot"
_CHECK_CONTEXT = b"seal check"
_BATCH_SIZE = 200


def check_key(dialect: Dialect, keyring: Keyring) -> None:
    """Refuse keys that are not those of the database; a new database adopts them."""
    with dialect.transaction():
        row = dialect.run("seal_check").fetchone()
        if row is None:
            _save_check(dialect, keyring)
            return
    try:
        keyring.open(row[0], _CHECK_CONTEXT)
    except CannotOpen as refusal:
        raise WrongKey(
            f"The secret key does not fit the database: {refusal}."
            " Give the key that it was last used with, after a new one if you want to change it."
        ) from None


def move_to_newest_key(dialect: Dialect, keyring: Keyring) -> None:
    """Seal again what an older key has sealed; a row that does not open stays as it is."""
    if not keyring.has_older_keys:
        return
    last_id: int | None = 0
    while last_id is not None:
        last_id = _reseal_some(dialect, keyring, after=last_id)
    with dialect.transaction():
        _save_check(dialect, keyring)


def _reseal_some(dialect: Dialect, keyring: Keyring, *, after: int) -> int | None:
    with dialect.transaction():
        rows = _older_seals(dialect, keyring, after=after)
        for row in rows:
            _reseal(dialect, keyring, row)
    return rows[-1][0] if rows else None


def _save_check(dialect: Dialect, keyring: Keyring) -> None:
    sealed = keyring.seal(_CHECK, _CHECK_CONTEXT)
    dialect.run("save_seal_check", {"sealed": sealed})


def _older_seals(dialect: Dialect, keyring: Keyring, *, after: int) -> Sequence[Row]:
    page = {"after": after, "size": HEADER_SIZE, "header": keyring.header, "limit": _BATCH_SIZE}
    return dialect.run("older_seals", page).fetchall()


def _reseal(dialect: Dialect, keyring: Keyring, row: Row) -> None:
    job_id, collection_id, folded_name, sealed = row
    context = seal_context(collection_id, folded_name)
    try:
        renewed = keyring.seal(keyring.open(sealed, context), context)
    except CannotOpen:
        return
    dialect.run("save_definition", {"id": job_id, "sealed": renewed, **row_of_change(None)})
