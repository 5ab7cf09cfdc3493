"""Notices that files were removed or replaced while this process has them open.

A database that is deleted goes on working for whoever has it open, and is gone when they close it:
what is written to it is lost. So is what is sealed with a key that is no longer kept.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import Keyring, read_keyring

Check = Callable[[], str | None]
_Identity = tuple[int, ...]


class FilesInPlace:
    """The files of a store; a file that is not there at first is not missed.

    `written` are about those that hold what is written, `others` about the rest.
    """

    def __init__(self, written: Sequence[Check] = (), others: Sequence[Check] = ()) -> None:
        self._written = written
        self._others = others

    def problem(self) -> str | None:
        """Say which file is no longer the one that was opened; None if all are in place."""
        return _first_problem((*self._written, *self._others))

    def loss(self) -> str | None:
        """Say whether what was just written went to a file that is not in place any more."""
        return _first_problem(self._written)


def unchanged(paths: Iterable[Path]) -> list[Check]:
    """Return a check for each of these files that is there."""
    known = [(path.absolute(), _identity(path)) for path in paths]
    return [_same(path, identity) for path, identity in known if identity is not None]


def keeps_key(path: Path, keyring: Keyring) -> Check:
    """Check that a file has the key that is sealed with; others may be added to it."""
    path = path.absolute()
    seen = _version(path)

    def check() -> str | None:
        nonlocal seen
        version = _version(path)
        if version is not None and version == seen:
            return None
        if version is None or not _has_key(path, keyring):
            return f"{path.name} was removed, or no longer has the key in use"
        seen = version
        return None

    return check


def _first_problem(checks: Sequence[Check]) -> str | None:
    return next((problem for check in checks if (problem := check()) is not None), None)


def _same(path: Path, known: _Identity) -> Check:
    def check() -> str | None:
        if _identity(path) == known:
            return None
        return f"{path.name} was removed or replaced while the server runs"

    return check


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _version(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _has_key(path: Path, keyring: Keyring) -> bool:
    try:
        return read_keyring(path).knows(keyring.header)
    except (OSError, StoreError):
        return False
