"""Dumps and restores a database with PostgreSQL's own programs.

A password is never among the words of a command, which every user of the machine can read.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from psycopg import conninfo

from foliot.store.errors import StoreError
from foliot.store.migrations import check_version, migrations
from foliot.store.postgres.connection import connect
from foliot.store.postgres.dump_rows import DumpRow, failure, rows_of
from foliot.store.postgres.store import explained
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.sealed_rows import (
    SEALED_TABLES,
    OpenedValues,
    SealedTable,
    SealedValue,
    open_all,
    sealed_value,
)
from foliot.store.sqlite.backup import BackupFacts, ValueProgress

_SECONDS_BETWEEN_SIZES: Final = 0.2
_SECRETS: Final = ("password", "sslpassword")
_HEX: Final = "\\x"
_NUMBERS: Final = frozenset({"at", "token_id", "collection_id"})
_IS_EMPTY: Final = (
    b"SELECT count(*) = 0 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    b" WHERE n.nspname NOT LIKE 'pg\\_%%' AND n.nspname <> 'information_schema'"
)

# Is told how many bytes the file has.
SizeProgress = Callable[[int], None]


def dump_database(url: str, draft: Path, progress: SizeProgress) -> None:
    """Write a dump of one instant into an empty file."""
    program = _program("pg_dump", _server_version(url))
    _run([program, "--format=custom", f"--file={draft}"], url, lambda: progress(_size(draft)))


def check_dump(path: Path) -> BackupFacts:
    """Read what a dump holds: raise StoreError if it is not whole, or of a later version."""
    version = max((int(row["version"] or 0) for row in rows_of(path, "schema_version")), default=0)
    check_version(version, migrations("foliot.store.postgres"))
    sealed = [row["sealed"] or "" for row in rows_of(path, "seal_check")]
    return BackupFacts(
        version,
        # Deleted jobs are in a collection of their own, until the janitor removes them.
        sum(row["id"] != "0" for row in rows_of(path, "collection")),
        sum(row["collection_id"] != "0" for row in rows_of(path, "job")),
        sum(1 for _ in rows_of(path, "run")),
        bytes.fromhex(sealed[0].removeprefix(_HEX)) if sealed else None,
    )


def open_values_of_dump(
    path: Path, version: int, keyring: Keyring, progress: ValueProgress
) -> OpenedValues:
    """Open every sealed value of a dump, whose schema version says which tables it has."""
    jobs = {row["id"]: row for row in rows_of(path, "job")}
    tables = [table for table in SEALED_TABLES if version >= table.since]
    values = (value for table in tables for value in _values_of(path, table, jobs))
    return open_all(values, keyring, lambda done: progress(done, 0))


def restore_dump(url: str, path: Path, progress: SizeProgress) -> None:
    """Restore a dump into an empty database, in one transaction."""
    program = _program("pg_restore", _server_version(url))
    with explained(), connect(url) as connection:
        if connection.execute(_IS_EMPTY).fetchone() != (True,):
            raise StoreError(
                "The database is not empty. Restore into a new one: CREATE DATABASE ... OWNER ..."
            )
    options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
    _run([program, *options, str(path)], url, lambda: progress(0))


def forget_origin(url: str, *, forgets_key: bool) -> None:
    """Remove the nodes of the old server, and the key if another is to be adopted."""
    with explained(), connect(url) as connection, connection.transaction():
        connection.execute(b"DELETE FROM node")
        if forgets_key:
            connection.execute(b"DELETE FROM seal_check")


def _server_version(url: str) -> int:
    with explained(), connect(url) as connection:
        return connection.info.server_version // 10_000


def _program(name: str, server: int) -> str:
    """Return where a program is; refuse one that is missing, or older than the server."""
    found = shutil.which(name)
    if found is None:
        raise StoreError(
            f"{name} is not on the PATH. Install PostgreSQL's client programs, version {server}."
        )
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    number = re.search(r"\) (\d+)", said.stdout)
    if number is None:
        raise StoreError(f"{found} does not tell its version.")
    if int(number[1]) < server:
        raise StoreError(
            f"{found} has version {number[1]}, older than the server's {server}. Install the client"
            f" programs of version {server}, and put them first on the PATH."
        )
    return found


def _run(command: list[str], url: str, told: Callable[[], None]) -> None:
    """Run a program on a database until it ends; its last words tell why it has failed."""
    given = {name: str(value) for name, value in conninfo.conninfo_to_dict(url).items()}
    secrets = [given.pop(name) for name in _SECRETS if given.get(name)]
    if "sslpassword" in conninfo.conninfo_to_dict(url):
        raise StoreError("An address with sslpassword cannot be given to another program.")
    environ = os.environ | ({"PGPASSWORD": secrets[0]} if secrets else {})
    address = f"--dbname={conninfo.make_conninfo('', **given)}"
    with TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603  (PostgreSQL's own)
            [command[0], "--no-password", address, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environ,
        )
        try:
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_SECONDS_BETWEEN_SIZES)
                told()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode:
            said.seek(0)
            words = said.read().decode(errors="replace")
            raise StoreError(failure(Path(command[0]).name, words, secrets))


def _values_of(
    path: Path, table: SealedTable, jobs: Mapping[str | None, DumpRow]
) -> Iterator[SealedValue]:
    for row in rows_of(path, table.name):
        columns = jobs.get(row["job_id"], {}) if table.name == "definition" else row
        sealed = bytes.fromhex((row["sealed"] or "").removeprefix(_HEX))
        yield sealed_value(table, tuple(_typed(columns, each) for each in table.columns), sealed)


def _typed(row: DumpRow, column: str) -> str | int | None:
    text = row.get(column)
    return int(text) if text is not None and column in _NUMBERS else text


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
