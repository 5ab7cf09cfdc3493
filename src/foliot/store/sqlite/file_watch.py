"""Notices that files were removed or replaced while this process has them open.

A process that has a deleted database open can still write to it, and loses everything when it
closes the file. It also loses what it seals with a key that is no longer in a file.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import Keyring, read_keyring

Check = Callable[[], str | None]
_Identity = tuple[int, ...]


class FilesInPlace:
    """The files of a store; a file that did not exist at first is not missed.

    `written` check the files that hold data, `others` the rest.
    """

    def __init__(self, written: Sequence[Check] = (), others: Sequence[Check] = ()) -> None:
        self._written = written
        self._others = others

    def problem(self) -> str | None:
        """Return which file is no longer the one that was opened; None if all are in place."""
        return _first_problem((*self._written, *self._others))

    def loss(self) -> str | None:
        """Return why data that was just written is lost; None if its files are in place."""
        return _first_problem(self._written)


def unchanged(paths: Iterable[Path]) -> list[Check]:
    """Return a check for each of these files that exists."""
    known = [(path.absolute(), _identity(path)) for path in paths]
    return [_same(path, identity) for path, identity in known if identity is not None]


def keeps_key(path: Path, keyring: Keyring) -> Check:
    """Check that a file has the key in use; other keys may be added to it."""
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
