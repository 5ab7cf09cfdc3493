"""Writes files that only their owner may read."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from foliot.ports.random_ids import new_id


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

    Its name is its own: two processes never write to the same draft.
    """
    draft = path.with_name(f".{path.name}.{new_id()[:8]}.part")
    os.close(_create(draft))
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


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
