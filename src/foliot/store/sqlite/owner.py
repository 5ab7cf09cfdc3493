"""The process that owns a database file: it holds the lock beside the file for as long as it runs.

An idle server writes no heartbeats into a file that no other node shares. To others, the lock tells
that it is alive; to itself, that the thread that writes still answers.
"""

import fcntl
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from foliot.core.instant import Instant
from foliot.core.model.node import Node

# The locks that this process holds, by device and inode. Process ids do not tell processes apart:
# those of two containers that share a directory can be equal.
_HELD: Final[set[tuple[int, int]]] = set()


class OwnNode(Struct):
    """The node of this process, if it is one, and when its store has last answered a change."""

    id: str | None
    seen_at: Instant


def lock_of(database: Path) -> Path:
    """Return the lock file of a database; its holder writes its process id into it, for people."""
    return database.with_name(f"{database.name}.lock")


@contextmanager
def noted_as_held(lock: int) -> Generator[None]:
    """Note that this process holds a lock."""
    file = _identity(lock)
    _HELD.add(file)
    try:
        yield
    finally:
        _HELD.discard(file)


def is_owned_by_another(database: Path) -> bool:
    """Tell whether another process owns a database."""
    try:
        lock = os.open(lock_of(database), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # Shared, so that commands that look at the same time do not take each other for the owner.
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _identity(lock) not in _HELD
    except OSError:
        # A file system without locks has no servers either: they do not start there.
        return False
    else:
        return False
    finally:
        os.close(lock)


def with_owner(nodes: Iterable[Node], database: Path, now: Instant) -> list[Node]:
    """Return nodes as seen by a process beside the owner: the last one that started is alive."""
    found = list(nodes)
    if not found or not is_owned_by_another(database):
        return found
    owner = max(found, key=lambda node: node.started_at)
    return seen_at(found, owner.id, now)


def seen_at(nodes: Iterable[Node], node_id: str | None, at: Instant) -> list[Node]:
    """Return nodes, one of which was alive at an instant."""
    return [
        structs.replace(each, seen_at=max(each.seen_at, at)) if each.id == node_id else each
        for each in nodes
    ]


def _identity(lock: int) -> tuple[int, int]:
    file = os.fstat(lock)
    return file.st_dev, file.st_ino
