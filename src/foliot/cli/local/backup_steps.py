"""Makes a backup: copies, checks, and gives it its name."""

import re
from pathlib import Path

import typer

from foliot.core.errors import CannotStart
from foliot.core.instant import format_instant
from foliot.ports import clock
from foliot.ports.private_files import leftover_drafts, private_draft, publish
from foliot.serve.progress import ProgressLine, progress_line
from foliot.serve.settings import PostgresAddress, Settings
from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import KEY_FILE, Keyring, load_keyring
from foliot.store.sqlite.backup import BackupFacts, check_backup, copy_database

_KEY_ENDING = ".key"
# The names of backups into a directory.
_TIMED = re.compile(r"foliot-\d{8}T\d{6}Z\.(?:db|dump)")


def make_backup(settings: Settings, file: str, *, with_key: bool) -> tuple[Path, BackupFacts]:
    """Write a backup into a new file, or into a directory; return the file and what it holds."""
    target = _target(file, settings)
    _refuse_missing(settings)
    keyring = _keyring(settings)
    _refuse_existing(target, settings)
    try:
        _remove_leftovers(target)
        return target, _write(settings, target, keyring, with_key=with_key)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise CannotStart(f"{target} cannot be written: {error.strerror}.") from None


def key_file_of(backup: Path) -> Path:
    """Return the file that has the key of a backup, if it was written with it."""
    return backup.with_name(f"{backup.name}{_KEY_ENDING}")


def _target(file: str, settings: Settings) -> Path:
    if not file:
        raise CannotStart("FILE is empty: give a new file, or a directory for a new file.")
    if file == "-":
        raise CannotStart("a backup cannot be written to standard output: give a file.")
    given = Path(file)
    if not given.is_dir():
        if file.endswith("/"):
            raise CannotStart(f"{file}: there is no such directory; make it, or name a file.")
        return given
    ending = "dump" if isinstance(settings.database, PostgresAddress) else "db"
    now = format_instant(clock.now()).partition(".")[0].replace(":", "").replace("-", "")
    return given / f"foliot-{now.removesuffix('Z')}Z.{ending}"


def _refuse_missing(settings: Settings) -> None:
    """Refuse a wrong directory before its key is missed."""
    path = settings.database
    try:
        is_missing = isinstance(path, Path) and not path.exists()
    except OSError as error:
        raise CannotStart(f"the database {path} cannot be read: {error.strerror}.") from None
    if is_missing:
        raise CannotStart(f"there is no database {path}; give its --data-dir.")


def _refuse_existing(target: Path, settings: Settings) -> None:
    key = key_file_of(target)
    if target.exists():
        raise _exists(target)
    # A backup that was killed has left its key.
    if key.exists() and not _is_key_of(key, settings):
        raise _exists(key)


def _is_key_of(path: Path, settings: Settings) -> bool:
    try:
        return path.read_text("ascii").strip() == _key_text(settings)
    except (OSError, ValueError):
        return False


def _remove_leftovers(target: Path) -> None:
    """Remove what killed backups to the same name have left, or to any name with a time."""
    name = _TIMED if _TIMED.fullmatch(target.name) else re.compile(re.escape(target.name))
    either = re.compile(f"(?:{name.pattern})(?:{re.escape(_KEY_ENDING)})?")
    for left in leftover_drafts(target.parent, either):
        left.unlink(missing_ok=True)
        typer.echo(f"Removed {left}: a backup that was interrupted had left it.", err=True)


def _exists(path: Path) -> CannotStart:
    return CannotStart(f"{path} exists already; nothing is overwritten. Give another name.")


def _keyring(settings: Settings) -> Keyring:
    given = settings.secret_keys
    return load_keyring(
        settings.data_dir,
        from_environment=None if given is None else given.reveal(),
        database_exists=True,
    )


def _write(settings: Settings, target: Path, keyring: Keyring, *, with_key: bool) -> BackupFacts:
    with private_draft(target) as draft, progress_line("Copying") as line:
        facts = _copied(settings, draft, line)
        if not facts.fits(keyring):
            raise StoreError("The secret key does not fit the database; nothing was written.")
        if with_key:
            # Before the backup gets its name: a backup that is there has its key.
            _write_key(settings, key_file_of(target))
        publish(draft, target)
    return facts


def _copied(settings: Settings, draft: Path, line: ProgressLine) -> BackupFacts:
    match settings.database:
        case PostgresAddress(url=url):
            # Here, since only servers on PostgreSQL need it.
            from foliot.store.postgres.dump import check_dump, dump_database  # noqa: PLC0415

            dump_database(url.reveal(), draft, lambda size: line.show_size("Dumping", size))
            line.show("Checking")
            return check_dump(draft)
        case path:
            copy_database(path, draft, lambda done, all_: line.show_part("Copying", done, all_))
            line.show("Checking")
            return check_backup(draft)


def _write_key(settings: Settings, path: Path) -> None:
    if _is_key_of(path, settings):
        return
    with private_draft(path) as draft:
        draft.write_text(f"{_key_text(settings)}\n", "ascii")
        publish(draft, path)


def _key_text(settings: Settings) -> str:
    given = settings.secret_keys
    text = (settings.data_dir / KEY_FILE).read_text("ascii") if given is None else given.reveal()
    return text.strip()


def about_key(settings: Settings, target: Path, *, with_key: bool) -> str:
    """Return where the key of a backup is."""
    if with_key:
        return (
            f"Its key is in {key_file_of(target)}: store it in another place, because whoever has"
            " both files can read the passwords in jobs."
        )
    where = "FOLIOT_SECRET_KEYS" if settings.secret_keys else str(settings.data_dir / KEY_FILE)
    return f"The secret key is not in it. Keep a copy of {where}: without it no job can be read."
