"""`foliot restore`: makes a new server of a backup."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from foliot.cli.local.backup import key_file_of
from foliot.cli.local.late_progress import LateProgress, late_progress
from foliot.cli.local.options import DataDir, ServerDatabase
from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.core.errors import CannotStart
from foliot.ports.private_files import private_draft, publish, write_private
from foliot.serve.data_dir import restoring
from foliot.serve.settings import PostgresAddress, Settings, read_settings
from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import KEY_FILE, parse_keyring
from foliot.store.sqlite import backup as of_sqlite
from foliot.store.sqlite.backup import BackupFacts, check_backup, copy_database

_CHUNK = 16


def restore_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="As `foliot backup` wrote it.")],
    *,
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The secret key. FILE.key by default."),
    ] = None,
    data_dir: DataDir = None,
    database: ServerDatabase = None,
) -> None:
    """Make a new server of a backup, in an empty data directory or an empty PostgreSQL database.

    The backup is read as a whole before anything is written, and its key must fit. If the command
    is interrupted, no server starts on what it has left; run it again.
    """
    with refusing("restore"):
        settings = read_settings({"data_dir": data_dir, "database": database}, os.environ)
        backup = Path(file)
        is_dump = _is_dump(backup)
        if is_dump is not isinstance(settings.database, PostgresAddress):
            raise CannotStart(
                f"{backup} is {'a dump of PostgreSQL' if is_dump else 'a backup of SQLite'}:"
                f" give {'--database postgresql://...' if is_dump else 'an SQLite database'}."
            )
        with late_progress(sys.stderr) as line:
            facts = _restored(settings, backup, None if key is None else Path(key), line)
    for text in _told(settings, facts):
        typer.echo(text)


def _restored(
    settings: Settings, backup: Path, key: Path | None, line: LateProgress
) -> BackupFacts:
    line.show_size("Checking the backup", 0)
    key_text = _key_text(settings, backup, key)
    match settings.database:
        case PostgresAddress(url=url):
            # Here, since only servers on PostgreSQL need it.
            from foliot.store.postgres.dump import check_dump, restore_dump  # noqa: PLC0415

            facts = check_dump(backup)
            _check_key(facts, key_text)
            restore_dump(url.reveal(), backup, lambda _: line.show_size("Restoring", 0))
        case path:
            facts = check_backup(backup)
            _check_key(facts, key_text)
            _write_files(settings, backup, path, key_text, line)
    return facts


def _is_dump(backup: Path) -> bool:
    try:
        with backup.open("rb") as opened:
            begin = opened.read(_CHUNK)
    except OSError as error:
        raise CannotStart(f"{backup} cannot be read: {error.strerror}.") from None
    if begin == of_sqlite.HEADER:
        return False
    # As pg_dump begins a file of its custom format.
    if begin.startswith(b"PGDMP"):
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


def _check_key(facts: BackupFacts, key_text: str) -> None:
    if not facts.fits(parse_keyring(key_text, "the secret key")):
        raise WrongKey("The secret key does not fit the backup; nothing was restored.")


def _write_files(
    settings: Settings, backup: Path, path: Path, key_text: str, line: LateProgress
) -> None:
    def told(done: int, total: int) -> None:
        line.show_part("Restoring", done, total)

    try:
        with restoring(settings.data_dir, path), private_draft(path) as draft:
            copy_database(backup, draft, told)
            if settings.secret_keys is None:
                write_private(settings.data_dir / KEY_FILE, f"{key_text}\n".encode())
            publish(draft, path)
    except OSError as error:
        raise CannotStart(f"cannot restore into {path.parent}: {error.strerror}.") from None


def _told(settings: Settings, facts: BackupFacts) -> list[str]:
    kept = settings.database
    where = kept.shown if isinstance(kept, PostgresAddress) else str(kept)
    option = "" if isinstance(kept, PostgresAddress) else f" --data-dir {settings.data_dir}"
    return [
        f"Restored into {where}: {facts.collections} collections, {facts.jobs} jobs.",
        "Before you start it:",
        "- The old server must not run any more: both would run the jobs.",
        f"- `foliot serve{option} --no-engine` runs no job: disable those that must not run.",
        f"- With its engine it runs {facts.runs} open runs, and the latest occurrence of each job",
        "  that was due since the backup.",
        "- Tokens that were revoked since the backup are valid again: see `foliot token list`.",
    ]


restore_.__dict__["examples"] = examples_text(
    """
foliot restore /backup/foliot.db --key /safe/secret-key --data-dir /var/lib/foliot
foliot restore /backup/foliot.dump --database postgresql://foliot@db/restored
"""
)
