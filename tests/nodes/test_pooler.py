"""Real PgBouncer, in transaction mode, between the nodes and PostgreSQL."""

from collections.abc import Callable, Generator
from inspect import signature
from pathlib import Path
from types import ModuleType

import psycopg
import pytest

from foliot.store.sealing.keyring import Keyring
from tests.contract.store import test_concurrency, test_due, test_jobs, test_runs
from tests.nodes.pooler import CONNECTIONS, PGBOUNCER, pooling
from tests.support import postgres
from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer, target
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, DEADLINE, eventually, running
from tests.support.store_harness import Open

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")

STANDARD = {"properties": {"sku": {"name": "Standard"}}}


def expectations(*modules: ModuleType) -> list[object]:
    """Return what any store is expected to do, the tests that need nothing else."""
    return [
        pytest.param(test, id=f"{module.__name__.rpartition('.')[2]}: {name}")
        for module in modules
        for name, test in vars(module).items()
        if name.startswith("test_") and list(signature(test).parameters) == ["store"]
    ]


CONTRACT = expectations(test_concurrency, test_due, test_jobs, test_runs)


@pytest.fixture
def pooled(url: str) -> Generator[str]:
    with pooling(url) as address_there:
        yield address_there


@pytest.fixture
def store(pooled: str) -> Open:
    return lambda: postgres.open_store(pooled, Keyring([bytes(32)]))


@pytest.mark.parametrize("expectation", CONTRACT)
def test_the_contract_holds(expectation: Callable[[Open], None], store: Open) -> None:
    expectation(store)


def test_there_is_a_contract() -> None:
    assert len(CONTRACT) > 30


def test_nodes_share_fewer_connections_than_they_have(tmp_path: Path) -> None:
    with postgres.new_database(is_empty=True) as url, pooling(url) as pooled:
        environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": TOKEN, "DATABASE": address(pooled)}
        with (
            target() as (uri, arrived),
            running(tmp_path / "one", NO_ENGINE="0", **environ) as one,
            running(tmp_path / "two", NO_ENGINE="0", **environ) as two,
        ):
            made = [
                node.call("PUT", path, token=TOKEN, body=body).status
                for node, path, body in ((one, COLLECTION, STANDARD), (two, JOB, a_job(uri)))
            ]
            arrived.get(timeout=DEADLINE)
            eventually(lambda: len(answer(two, HISTORY)["value"]) == 1)
            with psycopg.connect(url) as connection:
                query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                (connections,) = connection.execute(query).fetchone() or (0,)

    assert made == [201, 201]
    assert arrived.empty()
    # One of them is ours.
    assert connections <= CONNECTIONS + 1
