"""Brings a database to the schema of this version; nodes that start together do it once.

All steps are one transaction under a lock that ends with it, so that a pooler may stand in between.
"""

from foliot.core.instant import Instant
from foliot.store.migrations import Migration, check_version
from foliot.store.postgres.connection import ANY_PLAN, PostgresConnection
from foliot.store.postgres.partitions import maintain_partitions

_LOCK = b"SELECT pg_advisory_xact_lock(6011, 1)"
_PATIENCE = b"SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '600s'"
_IS_THERE = b"SELECT to_regclass('schema_version') IS NOT NULL"
_TABLE = b"CREATE TABLE schema_version (version integer PRIMARY KEY)"


def migrate(connection: PostgresConnection, steps: list[Migration], now: Instant) -> None:
    """Apply the steps a database has not seen; refuse one that has seen more than these."""
    with connection.transaction():
        connection.run(_PATIENCE)
        connection.run(ANY_PLAN)
        connection.run(_LOCK)
        present = _version(connection)
        check_version(present, steps)
        for step in steps:
            if step.version > present:
                connection.run(step.script.encode())
                connection.run(b"INSERT INTO schema_version VALUES (%s)", (step.version,))
        if present < steps[-1].version:
            maintain_partitions(connection.run, now=now, since=Instant(0))


def _version(connection: PostgresConnection) -> int:
    if not connection.run(_IS_THERE).fetchone()[0]:
        connection.run(_TABLE)
        return 0
    return connection.run(b"SELECT max(version) FROM schema_version").fetchone()[0] or 0
