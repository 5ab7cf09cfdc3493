"""Brings a database to the schema this version knows: nodes that start together do it once.

All steps are one transaction under a lock that goes with it, so that a pooler may stand in between.
"""

from foliot.core.instant import Instant
from foliot.store.postgres.connection import BY_ANY_MEANS, Session
from foliot.store.postgres.partitions import tend_partitions
from foliot.store.sqlite.migrate import Migration, check_version

_LOCK = b"SELECT pg_advisory_xact_lock(6011, 1)"
_PATIENCE = b"SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '600s'"
_IS_THERE = b"SELECT to_regclass('schema_version') IS NOT NULL"
_TABLE = b"CREATE TABLE schema_version (version integer PRIMARY KEY)"


def migrate(session: Session, steps: list[Migration], now: Instant) -> None:
    """Apply the steps a database has not seen; refuse one that has seen more than these."""
    with session.transaction():
        session.run(_PATIENCE)
        session.run(BY_ANY_MEANS)
        session.run(_LOCK)
        present = _version(session)
        check_version(present, steps)
        for step in steps:
            if step.version > present:
                session.run(step.script.encode())
                session.run(b"INSERT INTO schema_version VALUES (%s)", (step.version,))
        if present < steps[-1].version:
            tend_partitions(session.run, now=now, since=Instant(0))


def _version(session: Session) -> int:
    if not session.run(_IS_THERE).fetchone()[0]:
        session.run(_TABLE)
        return 0
    return session.run(b"SELECT max(version) FROM schema_version").fetchone()[0] or 0
