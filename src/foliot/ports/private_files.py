"""Writes files that only their owner may read."""

import fcntl
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from foliot.ports.random_ids import new_id

# A draft, and what SQLite may have beside it.
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.part(-journal|-wal|-shm)?")
_ANY_NAME = re.compile(".*", re.DOTALL)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    file = _create(draft)
    with os.fdopen(file, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(file)
    draft.replace(path)
    flush_directory(path.parent)


@contextmanager
def private_draft(path: Path) -> Generator[Path]:
    """Yield an empty private file beside a path, and remove it at the end, unless it was published.

    Its name is its own: two processes never write to the same draft. It is locked while this
    process lives, so that others can tell it from what a killed process has left.
    """
    draft = path.with_name(f".{path.name}.{new_id()[:8]}.part")
    with os.fdopen(_create(draft), "wb") as held:
        _lock(held)
        try:
            yield draft
        finally:
            draft.unlink(missing_ok=True)


def leftover_drafts(directory: Path, names: re.Pattern[str] = _ANY_NAME) -> list[Path]:
    """Return the drafts in a directory, of files with such names, that killed processes left."""
    found: list[Path] = []
    for path in sorted(directory.iterdir()):
        draft = _DRAFT.fullmatch(path.name)
        if draft and names.fullmatch(draft["name"]) and not path.is_symlink() and _is_left(path):
            found.append(path)
    return found


def _is_left(draft: Path) -> bool:
    try:
        with draft.open("rb+") as file:
            return _lock(file)
    except OSError:
        # Not ours, or gone in the meantime.
        return False


def _lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; tell whether no other process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Locked by another process, or a file system without locks: then nothing is removed.
        return False
    return True


def publish(draft: Path, path: Path) -> None:
    """Give a whole draft its name; raise FileExistsError if there is a file of that name."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    # A link, unlike a rename, never replaces what another process has just written.
    path.hardlink_to(draft)
    draft.unlink()
    flush_directory(path.parent)


def flush_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
