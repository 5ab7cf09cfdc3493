"""The data directory: made private, and locked so that one process uses it."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from foliot.core.errors import CannotStart
from foliot.ports.private_files import flush_directory, write_private
from foliot.ports.random_ids import new_id
from foliot.serve.settings import Database, PostgresAddress
from foliot.store.sqlite.owner import lock_of, noted_as_held

_LOCK = "lock"
_NODE = "node"
_UNFINISHED = "restore-unfinished"
_SQLITE_ENDINGS = ("-wal", "-shm", "-journal")
_TRIES = 5
_SECONDS_BETWEEN_TRIES = 0.02


@contextmanager
def locked_data_dir(data_dir: Path) -> Generator[Path]:
    """Make the directory if need be, and lock it for this process; return the lock file.

    The lock ends with the process, however that ends: a crash leaves nothing to clean up.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(f"the data directory {data_dir}", error) from None
    with _locked(data_dir / _LOCK, f"the data directory {data_dir}") as lock:
        if (data_dir / _UNFINISHED).exists():
            raise CannotStart(
                f"a restore into {data_dir} was interrupted; run `foliot restore` again."
            )
        yield lock


@contextmanager
def restoring(data_dir: Path, database: Path, key: Path) -> Generator[None]:
    """Lock an empty data directory for a restore; no server starts there before it is complete.

    What an interrupted restore has left is removed.
    """
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = data_dir / _UNFINISHED
    _refuse_used(data_dir, database, mark)
    with _locked(data_dir / _LOCK, f"the data directory {data_dir}"):
        _refuse_used(data_dir, database, mark)
        write_private(mark, _mark_text(database))
        drafts = [each for each in database.parent.glob(".*.part") if database.name in each.name]
        for left in (database, key, *drafts):
            left.unlink(missing_ok=True)
        yield
        mark.unlink()
        flush_directory(data_dir)


def _mark_text(database: Path) -> bytes:
    return f"{database.absolute()}\n".encode()


def _refuse_used(data_dir: Path, database: Path, mark: Path) -> None:
    """Refuse a directory that has more than a lock, unless a restore of this file has left it."""
    if mark.exists() and mark.read_bytes() == _mark_text(database):
        return
    found = sorted(each.name for each in data_dir.iterdir() if each.name != _LOCK)
    if found:
        raise CannotStart(f"{data_dir} is not empty: it has {found[0]}. Give a new --data-dir.")
    # SQLite would replay a log that another database has left beside the file.
    beside = (database.with_name(f"{database.name}{end}") for end in _SQLITE_ENDINGS)
    for path in (database, *beside):
        if path.exists():
            raise CannotStart(f"{path} exists already; nothing is overwritten.")


@contextmanager
def locked_database(database: Database) -> Generator[list[Path]]:
    """Lock an SQLite database for this process, wherever its file is; return the lock file.

    A PostgreSQL database is not locked: any number of processes may use it.
    """
    if isinstance(database, PostgresAddress):
        yield []
        return
    with _locked(lock_of(database), f"the database {database}") as held:
        yield [held]


def node_id(data_dir: Path) -> str:
    """Return the id under which this directory's server holds leases, the same at every start.

    A server that has crashed finds its runs again by this id.
    """
    path = data_dir / _NODE
    try:
        name = path.read_text("ascii").strip() if path.exists() else ""
        if not name:
            name = new_id()
            write_private(path, f"{name}\n".encode())
    except (OSError, ValueError) as error:
        raise CannotStart(f"{path} cannot be used: {error}.") from None
    return name


@contextmanager
def _locked(path: Path, what: str) -> Generator[Path]:
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unwritable(what, error) from None
    try:
        _take(lock, what)
        with noted_as_held(lock):
            yield path
    finally:
        os.close(lock)


def _take(lock: int, what: str) -> None:
    if not any(_is_taken(lock) for _ in range(_TRIES)):
        holder = os.pread(lock, 20, 0).decode(errors="replace").strip() or "unknown"
        raise CannotStart(
            f"{what} is in use by another foliot (process {holder}); stop it, or give another."
        )
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise _unwritable(what, error) from None


def _is_taken(lock: int) -> bool:
    """Try to take a lock; wait a moment if that fails, for a command may be looking at it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        Event().wait(_SECONDS_BETWEEN_TRIES)
        return False
    return True


def _unwritable(what: str, error: OSError) -> CannotStart:
    return CannotStart(f"cannot write to {what}: {error.strerror}.")
