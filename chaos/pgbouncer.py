"""A pooler in transaction mode: each transaction may get another connection of the database."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.rows import dict_row

from chaos import unprivileged
from chaos.postgres import DATABASE, Postgres
from chaos.sockets import free_port

CONNECTIONS = 4

_SETTINGS = """\
[databases]
{database} = host=127.0.0.1 port={port} dbname={database} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
admin_users = postgres
pool_mode = transaction
default_pool_size = {connections}
"""


class Pooler(Struct, frozen=True):
    """A pooler that runs; its address is to be used instead of the database's."""

    url: str
    console: str

    @property
    def version(self) -> str:
        """What it says it is."""
        return str(self._asked(b"SHOW VERSION")[0]["version"])

    def count_clients(self) -> int:
        """Return how many connections it has with nodes."""
        return sum(row["database"] == DATABASE for row in self._asked(b"SHOW CLIENTS"))

    def _asked(self, question: bytes) -> list[dict[str, Any]]:
        with psycopg.connect(self.console, autocommit=True) as connection:
            return connection.cursor(row_factory=dict_row).execute(question).fetchall()


@asynccontextmanager
async def pooler(folder: Path, postgres: Postgres) -> AsyncGenerator[Pooler]:
    """Run pgbouncer before a database."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        raise RuntimeError("pgbouncer is missing: `apt-get install -y pgbouncer`, then try again")
    port, settings, log = free_port(), folder / "pgbouncer.ini", folder / "pooler.log"
    settings.write_text(
        _SETTINGS.format(
            database=DATABASE, port=postgres.port, own_port=port, connections=CONNECTIONS
        )
    )
    process = unprivileged.start(log, program, str(settings))
    running = Pooler(postgres.address(DATABASE, port), postgres.address("pgbouncer", port))
    try:
        if not await _is_ready(process, running.url):
            raise RuntimeError(f"pgbouncer did not start:\n{log.read_text()[-2000:]}")
        yield running
    finally:
        process.kill()
        process.wait()


async def _is_ready(process: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until it answers; tell whether it does."""
    for _ in range(500):
        if process.poll() is not None:
            break
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            await asyncio.sleep(0.02)
        else:
            return True
    return False
