"""Puts many jobs into a PostgreSQL quickly: for a benchmark, past the store.

Afterwards it is vacuumed and analyzed, as autovacuum would have done within a minute or two.
"""

from collections.abc import Callable
from typing import Any, cast

import psycopg
from msgspec.structs import replace
from psycopg import sql

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.model.collection import Collection, Sku
from foliot.core.model.job import Job
from foliot.store.postgres.connection import connect
from foliot.store.postgres.statements import STATEMENTS
from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.job_rows import row_of_definition, row_of_job
from foliot.store.sql.rows import row_of_collection
from scene import PER_COLLECTION

KEY = bytes(range(32))
KEYRING = Keyring([KEY])

_CROWD_OF_COLLECTIONS = b"""
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name, sku, state,
    job_count
)
SELECT
    subscription, resource_group, 'crowd' || n, folded_subscription, folded_group, 'crowd' || n,
    sku, state, %(size)s
FROM collection, generate_series(1, %(jobs)s / %(size)s) AS n
WHERE name = 'crowd0'
"""
_CROWD_OF_JOBS = b"""
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, calendar_at, next_at, occurrence,
    generation, execution_count, failure_count, faulted_count, settled_well
)
SELECT
    collection_id + n / %(size)s, 'j' || n, 'j' || n, state, is_halted, calendar_at,
    next_at + n, occurrence, generation, execution_count, failure_count, faulted_count, settled_well
FROM job, generate_series(1, %(jobs)s) AS n
WHERE id = %(first)s
"""
_CROWD_OF_DEFINITIONS = b"""
INSERT INTO definition (job_id, sealed)
SELECT job.id, sealed FROM job, definition
WHERE job.id > %(first)s AND definition.job_id = %(first)s
"""
_CROWD_OF_DUE = b"""
INSERT INTO due (next_at, job_id, collection_id)
SELECT next_at, id, collection_id FROM job WHERE id >= %(first)s
ORDER BY next_at
"""
_ALL_OVER_THE_CROWD = b"""
SELECT id, collection_id, name FROM job
WHERE id %% (SELECT greatest(1, count(*) / %(jobs)s) FROM job WHERE next_at IS NOT NULL) = 0
ORDER BY id
LIMIT %(jobs)s
"""
_BECOME_DUE = b"UPDATE job SET next_at = at FROM chosen WHERE job.id = chosen.id"
_BECOME_OTHERS = (
    b"UPDATE definition SET sealed = chosen.sealed FROM chosen WHERE job_id = chosen.id"
)


def fill(url: str, jobs: int, make: Callable[[int], Job], prefix: str = "c") -> None:
    """Put jobs into it, a thousand in each collection."""
    with connect(url) as connection:
        with connection.transaction():
            for first in range(0, jobs, PER_COLLECTION):
                numbers = range(first, min(first + PER_COLLECTION, jobs))
                _load(connection, f"{prefix}{first}", [make(number) for number in numbers])
        _tidy(connection)


def crowd(url: str, jobs: int, like: Job) -> None:
    """Put jobs into it that are due a tick after another; only the first could be opened."""
    with connect(url) as connection:
        with connection.transaction():
            # Whether what is referenced exists need not be looked up for each of millions.
            connection.execute("SET LOCAL session_replication_role = replica")
            first = _load(connection, "crowd0", [like])
            what = {"first": first, "jobs": jobs - 1, "size": PER_COLLECTION}
            connection.execute(_CROWD_OF_COLLECTIONS, what)
            connection.execute(_CROWD_OF_JOBS, what)
            connection.execute(_CROWD_OF_DEFINITIONS, what)
            connection.execute(_CROWD_OF_DUE, what)
        _tidy(connection)


def make_due(url: str, jobs: int, make: Callable[[int], Job]) -> None:
    """Let jobs all over the crowd be others, as many as there are."""
    with connect(url) as connection:
        with connection.transaction():
            connection.execute("CREATE TEMP TABLE chosen (id bigint, at bigint, sealed bytea)")
            found = connection.execute(_ALL_OVER_THE_CROWD, {"jobs": jobs}).fetchall()
            _copy(connection, "chosen", [_changed(*row, make) for row in found])
            connection.execute(_BECOME_DUE)
            connection.execute(_BECOME_OTHERS)
        _tidy(connection)


def _changed(
    id_: JobId, collection_id: CollectionId, name: str, make: Callable[[int], Job]
) -> dict[str, Any]:
    job = replace(make(id_), id=id_, collection_id=collection_id, name=name)
    return {"id": id_, "at": job.next_at, "sealed": row_of_definition(job, KEYRING, None)["sealed"]}


def _load(connection: psycopg.Connection, name: str, jobs: list[Job]) -> JobId:
    """Add a collection with jobs; return the id of the first."""
    wanted = Collection(key=CollectionKey("bench", "g", name), sku=Sku.P20_PREMIUM)
    adding = connection.execute(STATEMENTS["add_collection"], row_of_collection(wanted))
    collection_id = CollectionId(cast("Any", adding.fetchone())[0])
    ids = connection.execute(
        "SELECT nextval('job_id_seq') FROM generate_series(1, %s)", (len(jobs),)
    )
    added = [
        replace(job, id=JobId(number), collection_id=collection_id)
        for job, (number,) in zip(jobs, ids.fetchall(), strict=True)
    ]
    _copy(connection, "job", [row_of_job(job) | {"is_halted": 0} for job in added])
    sealed = [row_of_definition(job, KEYRING, None) for job in added]
    _copy(
        connection, "definition", [{"job_id": row["id"], "sealed": row["sealed"]} for row in sealed]
    )
    connection.execute(
        "UPDATE collection SET job_count = %s WHERE id = %s", (len(jobs), collection_id)
    )
    return added[0].id


def _copy(connection: psycopg.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, rows[0]))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), columns)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(tuple(row.values()))


def _tidy(connection: psycopg.Connection) -> None:
    connection.execute("VACUUM (ANALYZE) collection, job, definition, due, run")
    connection.execute("CHECKPOINT")
