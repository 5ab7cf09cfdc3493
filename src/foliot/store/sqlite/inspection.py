"""Looks at a database without changing it: its version, its size, its nodes, its keys."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from foliot.core.model.job import Definition
from foliot.core.model.node import Node
from foliot.ports import clock
from foliot.store.migrations import migrations
from foliot.store.sealing.keyring import HEADER_SIZE, Keyring, key_name
from foliot.store.sealing.sealed_rows import SEALED_TABLES
from foliot.store.sql.columns import NODE
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import open_definition, seal_context
from foliot.store.sql.rows import node_of
from foliot.store.sqlite.connection import explained, inspecting
from foliot.store.sqlite.owner import with_owner

_BUSY_TIMEOUT: Final = timedelta(seconds=5)
_HEADERS: Final = " UNION ALL ".join(
    f"SELECT substr(sealed, 1, {HEADER_SIZE}) AS header FROM {table.name}"  # noqa: S608  (our names)
    for table in SEALED_TABLES
)
# How many values each key has sealed.
SEALS: Final = f"SELECT header, count(*) FROM ({_HEADERS}) AS seals GROUP BY header"  # noqa: S608
DEFINITIONS: Final = (
    "SELECT name, collection_id, folded_name, sealed"
    " FROM definition JOIN job ON job.id = definition.job_id ORDER BY name"
)
NODES: Final = f"SELECT {', '.join(NODE)} FROM node ORDER BY name, id"  # noqa: S608  (our names)


class DatabaseFacts(Struct, frozen=True, kw_only=True):
    """What can be seen of a database; nodes and seals only if its version is the known one.

    `damage` is what a quick check has found. `offset` is how far the clock of this machine is
    behind that of the database, in ticks.
    """

    schema_version: int
    known_version: int
    size: int
    log_size: int = 0
    nodes: Sequence[Node] = ()
    seals: Mapping[str, int] = {}
    damage: str | None = None
    offset: int = 0


def inspect_database(path: Path, *, is_checked: bool = False) -> DatabaseFacts:
    """Look at a database; `is_checked` reads all of it."""
    known = migrations("foliot.store.sqlite")[-1].version
    log = path.with_name(f"{path.name}-wal")
    with explained(path), inspecting(path, _BUSY_TIMEOUT) as connection:
        version = _version(connection)
        is_known = version == known
        return DatabaseFacts(
            schema_version=version,
            known_version=known,
            size=path.stat().st_size,
            log_size=log.stat().st_size if log.exists() else 0,
            nodes=_nodes(connection, path) if is_known else (),
            seals=dict(_seals(connection)) if is_known else {},
            damage=_damage(connection) if is_checked else None,
        )


def definitions(path: Path, keyring: Keyring) -> Iterator[tuple[str, Definition | None]]:
    """Return the names of all jobs with their definitions; None if one cannot be read."""
    with explained(path), inspecting(path, _BUSY_TIMEOUT) as connection:
        yield from opened_definitions(connection.execute(DEFINITIONS), keyring)


def opened_definitions(
    rows: Iterable[Row], keyring: Keyring
) -> Iterator[tuple[str, Definition | None]]:
    """Open the definitions in rows."""
    for name, collection_id, folded_name, sealed in rows:
        yield name, open_definition(sealed, seal_context(collection_id, folded_name), keyring)


def _version(connection: sqlite3.Connection) -> int:
    tables = "SELECT count(*) FROM sqlite_master WHERE name = 'schema_version'"
    if connection.execute(tables).fetchone() == (0,):
        return 0
    return connection.execute("SELECT max(version) FROM schema_version").fetchone()[0] or 0


def _nodes(connection: sqlite3.Connection, path: Path) -> list[Node]:
    return with_owner(map(node_of, connection.execute(NODES)), path, clock.now())


def _seals(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    return [(key_name(header), count) for header, count in connection.execute(SEALS)]


def _damage(connection: sqlite3.Connection) -> str | None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if found == "ok" else str(found)
