"""Filters of the audit log on PostgreSQL: each one finds its page with an index of its own."""

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from foliot.core.model.audit import AuditAction, AuditFilter, AuditKind
from foliot.core.model.token import Scope
from foliot.store.postgres import PostgresStore
from foliot.store.postgres.connection import PostgresConnection
from foliot.store.sealing.keyring import Keyring
from tests.support.builders import NOW

# A log of 20,000 entries, in which the newest with any one of the words "rare" is the oldest.
FILL = """
    INSERT INTO audit (at, who, action, kind, subscription, resource_group, collection, name,
        sealed, folded_who, folded_subscription, folded_group, folded_collection, folded_name)
    SELECT n, 'ann', 'updated', 'job', 's', 'g', 'c', 'j', repeat('x', 200)::bytea,
        CASE n WHEN 1 THEN 'rare' ELSE 'ann' END, CASE n WHEN 1 THEN 'rare' ELSE 's' END,
        CASE n WHEN 1 THEN 'rare' ELSE 'g' END, CASE n WHEN 1 THEN 'rare' ELSE 'c' END,
        CASE n WHEN 1 THEN 'rare' ELSE 'j' END
    FROM generate_series(1, 20000) AS n
"""


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        pytest.param(AuditFilter(name="rare"), "audit_name", id="job alone"),
        pytest.param(AuditFilter(group="rare"), "audit_group", id="resource group alone"),
        pytest.param(AuditFilter(kind=AuditKind.TOKEN), "audit_kind", id="kind alone"),
        pytest.param(AuditFilter(action=AuditAction.REVOKED), "audit_action", id="action alone"),
        pytest.param(AuditFilter(who="rare"), "audit_author", id="author"),
        pytest.param(AuditFilter(collection="rare"), "audit_collection", id="collection"),
        pytest.param(AuditFilter(subscription="rare"), "audit_subscription", id="subscription"),
    ],
)
def test_a_filter_is_answered_from_its_index(
    url: str, monkeypatch: pytest.MonkeyPatch, wanted: AuditFilter, index: str
) -> None:
    used: list[str] = []
    run = PostgresConnection.run

    def explained(connection: PostgresConnection, statement: bytes, parameters: Any = None) -> Any:
        if b"FROM audit" in statement:
            ((found,),) = run(connection, b"EXPLAIN (FORMAT JSON) " + statement, parameters)
            used.extend(_indexes(found[0]["Plan"]))
        return run(connection, statement, parameters)

    async def steps() -> None:
        store = PostgresStore.open(url, Keyring([bytes(32)]), lambda: NOW)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute(FILL)
            other.execute("VACUUM (ANALYZE) audit")
        monkeypatch.setattr(PostgresConnection, "run", explained)
        await store.browse(lambda reading: reading.audit_entries(Scope(), wanted))
        await store.close()

    asyncio.run(steps())

    assert used == [index]


def _indexes(plan: dict[str, Any]) -> Iterator[str]:
    """Return the indexes that a plan searches; a scan of the table is one of none."""
    if "Relation Name" in plan:
        yield plan.get("Index Name", "none")
    elif "Index Name" in plan:
        yield plan["Index Name"]
    for part in plan.get("Plans", ()):
        yield from _indexes(part)
