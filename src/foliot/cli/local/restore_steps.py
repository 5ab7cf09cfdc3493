"""Restores a backup: checks it and its key, then writes all or nothing."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

from foliot.cli.local.backup_key_check import BackupKeyCheck
from foliot.cli.local.backup_steps import key_file_of
from foliot.core.errors import CannotStart
from foliot.core.plurals import how_many
from foliot.ports.private_files import private_draft, publish, write_private
from foliot.serve.data_dir import restoring
from foliot.serve.progress import progress_line
from foliot.serve.settings import DATABASE_FILE, PostgresAddress, Settings
from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import KEY_FILE, parse_keyring
from foliot.store.sqlite.backup import (
    HEADER,
    BackupFacts,
    check_backup,
    copy_database,
    forget_origin,
    open_values_of_backup,
)

# As pg_dump begins a file of its custom format.
_DUMP_HEADER = b"PGDMP"
_LOST_KEY = [
    "- The key that it was last used with is missing. The server names the jobs that it cannot",
    "  open: delete them, and create them again.",
]


def restore_backup(
    settings: Settings, backup: Path, key: Path | None, *, accepts_unreadable: bool = False
) -> BackupFacts:
    """Restore a backup with its key; return what it holds.

    The key must open every sealed value, or else the caller `accepts_unreadable` ones.
    """
    is_dump = _is_dump(backup)
    if is_dump is not isinstance(settings.database, PostgresAddress):
        raise CannotStart(
            f"{backup} is {'a dump of PostgreSQL' if is_dump else 'a backup of SQLite'}:"
            f" give {'--database postgresql://...' if is_dump else 'an SQLite database'}."
        )
    with progress_line("Checking the backup") as line:
        key_text = _key_text(settings, backup, key)
        keyring = parse_keyring(key_text, "the secret key")
        check = BackupKeyCheck(keyring, line, accepts_unreadable)
        return _restored(settings, backup, key_text, check)


def _restored(
    settings: Settings, backup: Path, key_text: str, check: BackupKeyCheck
) -> BackupFacts:
    match settings.database:
        case PostgresAddress(url=url):
            # Here, since only servers on PostgreSQL need it.
            from foliot.store.postgres import dump  # noqa: PLC0415

            facts = dump.check_dump(backup)
            facts = check.check(facts, partial(dump.open_values_of_dump, backup))
            dump.restore_dump(url.reveal(), backup, lambda _: check.line.show("Restoring"))
            dump.forget_origin(url.reveal(), forgets_key=facts.sealed is None)
        case path:
            found = check_backup(backup)
            facts = check.check(found, partial(open_values_of_backup, backup))

            def copy(draft: Path) -> None:
                copy_database(backup, draft, partial(check.line.show_part, "Restoring"))
                forget_origin(draft, forgets_key=facts.sealed is None)

            _write_files(settings, path, key_text, copy)
    return facts


def _is_dump(backup: Path) -> bool:
    try:
        with backup.open("rb") as opened:
            begin = opened.read(len(HEADER))
    except OSError as error:
        raise CannotStart(f"{backup} cannot be read: {error.strerror}.") from None
    if begin == HEADER:
        return False
    if begin.startswith(_DUMP_HEADER):
        return True
    raise CannotStart(f"{backup} is no backup: neither a database of SQLite nor a dump.")


def _key_text(settings: Settings, backup: Path, key: Path | None) -> str:
    """Return the key: as the option says, or the environment, or as it stands beside the backup."""
    if key is None and settings.secret_keys is not None:
        return settings.secret_keys.reveal()
    path = key or key_file_of(backup)
    try:
        return path.read_text("ascii").strip()
    except UnicodeDecodeError:
        raise WrongKey(f"{path} is no secret key.") from None
    except OSError as error:
        raise WrongKey(
            f"The secret key cannot be read from {path}: {error.strerror}. Give --key FILE, a copy"
            " of the file secret-key of the old server, or set FOLIOT_SECRET_KEYS."
        ) from None


def _write_files(
    settings: Settings, path: Path, key_text: str, copy: Callable[[Path], None]
) -> None:
    key_file = settings.data_dir / KEY_FILE
    try:
        with restoring(settings.data_dir, path, key_file), private_draft(path) as draft:
            copy(draft)
            if settings.secret_keys is None:
                write_private(key_file, f"{key_text}\n".encode())
            publish(draft, path)
    except OSError as error:
        raise CannotStart(f"cannot restore into {path.parent}: {error.strerror}.") from None


def told_after(settings: Settings, facts: BackupFacts) -> list[str]:
    """Return what to know before the restored server starts."""
    kept = settings.database
    where = kept.shown if isinstance(kept, PostgresAddress) else str(kept)
    options = _options(settings)
    held = f"{how_many(facts.collections, 'collection')}, {how_many(facts.jobs, 'job')}"
    runs = how_many(facts.runs, "open run")
    return [
        f"Restored into {where}: {held}.",
        "Before you start it:",
        "- The old server must not run any more: both would run the jobs.",
        f"- `foliot serve {options} --no-engine` runs no job: disable those that must not run.",
        f"- With its engine it runs {runs}, and the latest occurrence of each job",
        "  that was due since the backup.",
        *(_LOST_KEY if facts.sealed is None and facts.jobs else []),
        "- Tokens that were revoked since the backup are valid again: see `foliot token list`.",
    ]


def _options(settings: Settings) -> str:
    """Return the options with which `foliot serve` finds what was restored."""
    kept = settings.database
    if isinstance(kept, PostgresAddress):
        # Its address may have a password.
        return "--database postgresql://..."
    words = ["--data-dir", str(settings.data_dir)]
    if kept != settings.data_dir / DATABASE_FILE:
        words += ["--database", f"sqlite:///{kept}"]
    return shlex.join(words)
