"""Opens the store that the settings name, for the server and for other commands."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from foliot.core.errors import CannotStart
from foliot.core.instant import Instant
from foliot.core.model.job import Definition
from foliot.ports import clock
from foliot.ports.clock import Clock
from foliot.ports.store import Store
from foliot.serve.data_dir import node_id
from foliot.serve.progress import progress_line, showing
from foliot.serve.settings import PostgresAddress, Settings
from foliot.store.sealing.keyring import KEY_FILE, Keyring, load_keyring
from foliot.store.sqlite.file_watch import Check, FilesInPlace, keeps_key, unchanged
from foliot.store.sqlite.inspection import DatabaseFacts, definitions, inspect_database
from foliot.store.sqlite.store import GATHER as SQLITE_GATHER
from foliot.store.sqlite.store import SqliteStore


class Storage(NamedTuple):
    """A store and its keys, the clock that all its nodes share, and this machine's offset to it.

    `files` must stay in place while the store is open. `database` is the file of a store that no
    other node shares.
    """

    store: Store
    clock: Clock
    offset: Callable[[], int]
    keyring: Keyring
    files: FilesInPlace
    database: Path | None = None


class SharedClock:
    """The database's clock: this machine's plus its offset."""

    def __init__(self, offset: Callable[[], int]) -> None:
        self._offset = offset

    def now(self) -> Instant:
        """Return the present instant."""
        return Instant(clock.now() + self._offset())


def open_storage(
    settings: Settings, locks: Sequence[Path] = (), *, has_log: bool = False
) -> Storage:
    """Open the database, or make a new one with a new key.

    `locks` are the lock files of this process: if one is removed, a second server could start.
    A process that `has_log` writes its progress there where no terminal shows it.
    """
    match settings.database:
        case PostgresAddress(url=url):
            return _on_postgres(settings, url.reveal(), locks, has_log=has_log)
        case path:
            keyring = _keyring(settings, database_exists=path.exists())
            checks = _checks(settings, keyring, locks)
            with _showing(has_log=has_log) as progress:
                node = _node(settings, locks)
                store = SqliteStore.open(
                    *(path, keyring),
                    checks=checks,
                    progress=progress,
                    node=node,
                    gather=SQLITE_GATHER,
                )
            return Storage(store, clock, lambda: 0, keyring, store.files, path)


def open_existing_storage(settings: Settings) -> Storage:
    """Open a database that must exist already."""
    if isinstance(settings.database, Path):
        _refuse_missing(settings.database)
    return open_storage(settings)


def _refuse_missing(path: Path) -> None:
    try:
        is_there = path.exists()
    except OSError as error:
        raise CannotStart(f"the database {path} cannot be read: {error.strerror}.") from None
    if not is_there:
        raise CannotStart(
            f"there is no database {path}; start `foliot serve` first, or give its --data-dir."
        )


def inspect_storage(settings: Settings, *, is_checked: bool = False) -> DatabaseFacts:
    """Look at a database that exists, without changing it."""
    match settings.database:
        case PostgresAddress(url=url):
            # Here, since only servers on PostgreSQL need it.
            from foliot.store.postgres import inspection  # noqa: PLC0415

            return inspection.inspect_database(url.reveal(), clock.now)
        case path:
            _refuse_missing(path)
            return inspect_database(path, is_checked=is_checked)


def stored_definitions(
    settings: Settings, keyring: Keyring
) -> Iterator[tuple[str, Definition | None]]:
    """Return the names of all jobs with their definitions, without changing anything."""
    match settings.database:
        case PostgresAddress(url=url):
            # Here, since only servers on PostgreSQL need it.
            from foliot.store.postgres import inspection  # noqa: PLC0415

            return inspection.definitions(url.reveal(), keyring)
        case path:
            return definitions(path, keyring)


def existing_keyring(settings: Settings) -> Keyring:
    """Return the keys of a database that exists; none is made."""
    return _keyring(settings, database_exists=True)


def _on_postgres(settings: Settings, url: str, locks: Sequence[Path], *, has_log: bool) -> Storage:
    # Here, since only servers on PostgreSQL need it.
    from foliot.store.postgres.store import GATHER, PostgresStore, is_in_use  # noqa: PLC0415

    keyring = _keyring(settings, database_exists=is_in_use(url))
    with _showing(has_log=has_log) as progress:
        node = _node(settings, locks)
        store = PostgresStore.open(url, keyring, clock.now, progress, node=node, gather=GATHER)

    def offset() -> int:
        return store.offset.ticks

    files = FilesInPlace(others=_checks(settings, keyring, locks))
    return Storage(store, SharedClock(offset), offset, keyring, files)


@contextmanager
def _showing(*, has_log: bool) -> Generator[Callable[[str, int, int], None]]:
    if has_log:
        with showing(sys.stderr) as progress:
            yield progress
    else:
        with progress_line("Opening the database") as line:
            yield line.show_rows


def _node(settings: Settings, locks: Sequence[Path]) -> str | None:
    """Return the id of the node that opens the store; a command beside it holds no locks."""
    return node_id(settings.data_dir) if locks else None


def _checks(settings: Settings, keyring: Keyring, locks: Sequence[Path]) -> list[Check]:
    """Return the checks of files in place: the locks, and the key if a file holds it."""
    key = [] if settings.secret_keys else [keeps_key(settings.data_dir / KEY_FILE, keyring)]
    return [*unchanged(locks), *key]


def _keyring(settings: Settings, *, database_exists: bool) -> Keyring:
    given = settings.secret_keys
    return load_keyring(
        settings.data_dir,
        from_environment=None if given is None else given.reveal(),
        database_exists=database_exists,
    )
