"""The data directory: who may read it, and which process it belongs to."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from foliot.serve.errors import CannotStart
from foliot.unique import new_id

_LOCK = "lock"
_NODE = "node"


@contextmanager
def owned(data_dir: Path) -> Generator[None]:
    """Make the directory if need be, and hold it for this process alone.

    The lock goes with the process, however it ends: a crash leaves nothing to clean up.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(data_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CannotStart(
            f"cannot write to the data directory {data_dir}: {error.strerror}."
        ) from None
    try:
        _take(lock, data_dir)
        yield
    finally:
        os.close(lock)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(file)
    draft.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def node_id(data_dir: Path) -> str:
    """Return the name under which this directory's server holds runs, the same at every start.

    A server that ended without a word finds the runs that it held by it, and takes them up again.
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


def _take(lock: int, data_dir: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode(errors="replace").strip() or "unknown"
        raise CannotStart(
            f"the data directory {data_dir} is in use by another foliot (process {holder}); "
            "stop it, or give another --data-dir."
        ) from None
    try:
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise CannotStart(
            f"the data directory {data_dir} cannot be written: {error.strerror}."
        ) from None
