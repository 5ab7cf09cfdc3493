"""Dumps and restores a database with PostgreSQL's own programs.

A password is never among the words of a command, which every user of the machine can read.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from psycopg import conninfo

from foliot.store.errors import StoreError
from foliot.store.migrations import check_version, migrations
from foliot.store.postgres.connection import connect
from foliot.store.postgres.store import explained
from foliot.store.sqlite.backup import BackupFacts

_SECONDS_BETWEEN_SIZES: Final = 0.2
_MAX_SAID: Final = 300
_SECRETS: Final = ("password", "sslpassword")
_ROWS: Final = re.compile(r"^COPY .*? FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)
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
    version = max((int(row) for row in _rows_of(path, "schema_version")), default=0)
    check_version(version, migrations("foliot.store.postgres"))
    sealed = [row.split("\t")[1] for row in _rows_of(path, "seal_check")]
    return BackupFacts(
        version,
        sum(1 for _ in _rows_of(path, "collection")),
        sum(1 for _ in _rows_of(path, "job")),
        sum(1 for _ in _rows_of(path, "run")),
        bytes.fromhex(sealed[0].removeprefix("\\\\x")) if sealed else None,
    )


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
            raise StoreError(_failure(Path(command[0]).name, words, secrets))


def _failure(program: str, words: str, secrets: list[str]) -> str:
    lines = [line for line in words.splitlines() if line.strip()]
    # The first line has the error, the others repeat the statement or give hints.
    said = (lines or ["it has said nothing"])[0].removeprefix(f"{program}: ")
    for secret in secrets:
        said = said.replace(secret, "...")
    return f"{program} has failed: {said.removeprefix('error: ')[:_MAX_SAID]}."


def _rows_of(path: Path, table: str) -> Iterator[str]:
    """Return the rows of a table in a dump, as text with tabs."""
    program = shutil.which("pg_restore")
    if program is None:
        raise StoreError("pg_restore is not on the PATH. Install PostgreSQL's client programs.")
    command = [program, "--data-only", f"--table={table}", "--file=-", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise StoreError(f"{path}: {_failure('pg_restore', done.stderr, [])}")
    found = _ROWS.search(done.stdout)
    if found is None:
        raise StoreError(f"{path} is no dump of a database of Foliot: it has no table {table}.")
    # Other line ends may stand inside of a value.
    yield from filter(None, found[1].split("\n"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
