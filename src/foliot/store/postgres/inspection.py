"""Looks at a database without changing it: its version, its size, its nodes, keys and clock."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from foliot.core.instant import UNIX_EPOCH, Instant
from foliot.core.model.job import Definition
from foliot.store.migrations import migrations
from foliot.store.postgres.connection import connect
from foliot.store.postgres.store import explained
from foliot.store.sealing.keyring import Keyring, key_name
from foliot.store.sql.rows import node_of
from foliot.store.sqlite.inspection import (
    DEFINITIONS,
    NODES,
    SEALS,
    DatabaseFacts,
    opened_definitions,
)

_IS_THERE: Final = b"SELECT to_regclass('schema_version') IS NOT NULL"
_VERSION: Final = b"SELECT max(version) FROM schema_version"
_SIZE: Final = b"SELECT pg_database_size(current_database())"
_TICKS: Final = b"SELECT (extract(epoch FROM clock_timestamp()) * 10000000)::bigint"


def inspect_database(url: str, now: Callable[[], Instant]) -> DatabaseFacts:
    """Look at a database."""
    known = migrations("foliot.store.postgres")[-1].version
    with explained(), _inspecting(url) as connection:
        is_there = _one(connection, _IS_THERE)
        version: int = (_one(connection, _VERSION) or 0) if is_there else 0
        is_known = version == known
        nodes = connection.execute(NODES.encode()).fetchall() if is_known else []
        seals = connection.execute(SEALS.encode()).fetchall() if is_known else []
        before = now()
        ticks: int = _one(connection, _TICKS)
        middle = (before + now()) // 2
        return DatabaseFacts(
            schema_version=version,
            known_version=known,
            size=_one(connection, _SIZE),
            nodes=[node_of(row) for row in nodes],
            seals={key_name(header): count for header, count in seals},
            offset=UNIX_EPOCH + ticks - middle,
        )


def definitions(url: str, keyring: Keyring) -> Iterator[tuple[str, Definition | None]]:
    """Return the names of all jobs with their definitions; None if one cannot be read."""
    with explained(), _inspecting(url) as connection:
        yield from opened_definitions(connection.execute(DEFINITIONS.encode()), keyring)


@contextmanager
def _inspecting(url: str) -> Generator[psycopg.Connection]:
    with connect(url) as connection, connection.transaction():
        connection.execute(b"SET TRANSACTION READ ONLY")
        yield connection


def _one(connection: psycopg.Connection, query: bytes) -> Any:
    return (connection.execute(query).fetchone() or (None,))[0]
