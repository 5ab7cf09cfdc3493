"""What is wrong with a database or its keys, in words for the operator.

StoreError          a database that cannot be used
├── NewerSchema     one that a later version has changed
├── WrongKey        one whose definitions were sealed with a key that is not given
└── InvalidKeys     keys that are no keys
"""

import sqlite3
from typing import Final

from foliot.core.errors import FoliotError, Unavailable

# SQLite's own messages may quote SQL, so that only these words are passed on.
_REASONS: Final = {
    sqlite3.SQLITE_BUSY: "another process has locked the database",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_LOCKED: "the database is locked",
    sqlite3.SQLITE_NOTADB: "the file is not a database",
    sqlite3.SQLITE_PERM: "access to the file is denied",
    sqlite3.SQLITE_READONLY: "the file is read-only",
}
_PRIMARY_CODE = 0xFF


class StoreError(FoliotError):
    """A database that cannot be used as it is."""


class NewerSchema(StoreError):
    """A database that a later version of Foliot has changed."""


class WrongKey(StoreError):
    """A database whose definitions were sealed with a key that is not given."""


class InvalidKeys(StoreError):
    """Keys that cannot be used."""


def unavailable(failure: Exception) -> Unavailable:
    """Say that the store cannot answer, and why."""
    return cannot_answer(reason_of(failure))


def cannot_answer(reason: str) -> Unavailable:
    """Say that the store cannot answer, for a reason in words."""
    return Unavailable(f"The store cannot answer at the moment: {reason}.")


def reason_of(failure: Exception) -> str:
    """Return the reason of a failure in words that quote neither SQL nor data."""
    code = getattr(failure, "sqlite_errorcode", 0)
    name = getattr(failure, "sqlite_errorname", type(failure).__name__)
    return _REASONS.get(code & _PRIMARY_CODE, f"the database reports {name}")
