"""What the disk of a database allows: its file system may be read-only, or full."""

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from foliot.store.sqlite.errors import reason_of

# SQLite needs this much for the index of its log.
_LEAST_FREE: Final = 65_536
_PRIMARY_CODE: Final = 0xFF


def is_read_only(path: Path) -> bool:
    """Tell whether nobody can write where a file is, whatever its mode."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def reason_here(failure: sqlite3.Error, path: Path) -> str:
    """Return the reason of a failure in words; the disk may tell more than SQLite."""
    match getattr(failure, "sqlite_errorcode", 0) & _PRIMARY_CODE:
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY if is_read_only(path):
            return "its file system is read-only"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR if _is_full(path):
            return "the disk is full"
        case _:
            return reason_of(failure)


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_FREE
    except OSError:
        return False
