"""PgBouncer in transaction mode: each transaction may get another connection than the last."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.postgres import unprivileged_user
from tests.support.server import DEADLINE, eventually

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
CONNECTIONS = 4
_CONFIG = """
[databases]
* = {server}

[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
"""


@contextmanager
def pooling(url: str) -> Generator[str]:
    """Run a pooler before a database's server, and return the database's address there."""
    folder = Path(tempfile.mkdtemp(prefix="foliot-pooler-"))
    config = folder / "pgbouncer.ini"
    config.write_text(_config(url, folder))
    if unprivileged_user() is not None:
        os.chown(folder, unprivileged_user(), -1)
    process = subprocess.Popen(  # noqa: S603  (pgbouncer, on our own file)
        [str(PGBOUNCER), "--quiet", str(config)], user=unprivileged_user(), cwd="/"
    )
    pooled = make_conninfo(url, host=str(folder), port=6432, password="")
    try:
        eventually(lambda: _answers(pooled) or process.poll() is not None)
        yield pooled
    finally:
        process.terminate()
        process.wait(DEADLINE)
        shutil.rmtree(folder)


def _config(url: str, folder: Path) -> str:
    parts = conninfo_to_dict(url)
    names = [each for each in ("host", "port", "user", "password") if each in parts]
    server = " ".join(f"{name}={parts[name]}" for name in names)
    return _CONFIG.format(server=server, folder=folder, connections=CONNECTIONS)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
