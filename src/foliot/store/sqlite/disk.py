"""What the disk of a database allows: its file system may be read-only, or full."""

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from foliot.store.sqlite.errors import reason_of

# SQLite needs this much for the index of its log.
_LEAST_FREE: Final = 65_536
# More than a log that is about to be copied into the database, and than any change.
_AMPLE: Final = 64_000_000
_PRIMARY_CODE: Final = 0xFF


def is_read_only(path: Path) -> bool:
    """Tell whether nobody can write where a file is, whatever its mode."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def is_writable(path: Path) -> bool:
    """Tell whether there is ample room where a file is, as far as can be told without writing."""
    return not is_read_only(path) and not _is_full(path, _AMPLE)


def reason_here(failure: sqlite3.Error, path: Path) -> str:
    """Return the reason of a failure in words; the disk may tell more than SQLite."""
    match getattr(failure, "sqlite_errorcode", 0) & _PRIMARY_CODE:
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY if is_read_only(path):
            return "its file system is read-only"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR if _is_full(path):
            return "the disk is full"
        case _:
            return reason_of(failure)


def _is_full(path: Path, least: int = _LEAST_FREE) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < least
    except OSError:
        return False
