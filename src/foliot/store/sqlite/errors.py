"""SQLite's errors in words that quote neither SQL nor data."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from foliot.core.errors import Conflict, Unavailable
from foliot.store.errors import cannot_answer
from foliot.store.sql.dialect import OWNER_IS_GONE
from foliot.store.work_queue import WorkResult

# SQLite's own messages may quote SQL, so that only these words are shown.
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
    sqlite3.SQLITE_READONLY_DIRECTORY: "files cannot be created in its directory",
}
_PRIMARY_CODE: Final = 0xFF


def reason_of(failure: Exception) -> str:
    """Return the reason of a failure in words."""
    code = getattr(failure, "sqlite_errorcode", 0)
    name = getattr(failure, "sqlite_errorname", type(failure).__name__)
    found = _REASONS.get(code) or _REASONS.get(code & _PRIMARY_CODE)
    return found or f"the database reports {name}"


def unavailable(failure: Exception) -> Unavailable:
    """Return the error that says why the store cannot answer."""
    return cannot_answer(reason_of(failure))


def in_words(result: WorkResult) -> WorkResult:
    """Replace SQLite's error by one that can be shown."""
    if isinstance(result.error, sqlite3.Error):
        return result._replace(error=unavailable(result.error))
    return result


@contextmanager
def translated(taken: str) -> Generator[None]:
    """Raise Conflict, in words, where a row breaks a rule of the schema."""
    try:
        yield
    except sqlite3.IntegrityError as refusal:
        match refusal.sqlite_errorcode:
            case sqlite3.SQLITE_CONSTRAINT_UNIQUE:
                raise Conflict(taken) from None
            case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
                raise Conflict(OWNER_IS_GONE) from None
            case _:
                raise
