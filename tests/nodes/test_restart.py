"""A PostgreSQL that is stopped hard under a real node, and comes back."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer, target
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, DEADLINE, Server, eventually, running

RUN = JOB.replace("?", "/run?")
STANDARD = {"properties": {"sku": {"name": "Standard"}}}


@pytest.fixture
def server() -> Generator[postgres.PrivateServer]:
    with postgres.private_server() as started:
        yield started


def status(node: Server, method: str, path: str, body: object = None) -> int:
    return node.call(method, path, token=TOKEN, body=body).status


def test_a_node_outlives_its_database_and_goes_on_by_itself_when_it_is_back(
    server: postgres.PrivateServer, tmp_path: Path
) -> None:
    environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": TOKEN, "DATABASE": address(server.url)}
    with target() as (uri, arrived), running(tmp_path, NO_ENGINE="0", **environ) as node:
        weekly = a_job(uri, recurrence={"frequency": "week"})
        assert status(node, "PUT", COLLECTION, STANDARD) == 201
        assert status(node, "PUT", JOB, weekly) == 201
        arrived.get(timeout=DEADLINE)

        server.crash()
        away = [
            node.call("GET", JOB, token=TOKEN),
            node.call("PUT", JOB.replace("/j?", "/k?"), token=TOKEN, body=weekly),
            node.call("POST", RUN, token=TOKEN),
            node.call("GET", "/readyz"),
        ]
        alive = status(node, "GET", "/healthz")
        server.start()
        eventually(lambda: status(node, "GET", "/readyz") == 200)
        again = status(node, "POST", RUN)
        tag = arrived.get(timeout=DEADLINE)["x-ms-execution-tag"]
        eventually(lambda: len(answer(node, HISTORY)["value"]) == 2)
        never = status(node, "GET", JOB.replace("/j?", "/k?"))
        ended = node.stop()

    assert [each.status for each in away] == [503] * 4
    assert all(int(each.headers["retry-after"]) > 0 for each in away)
    assert (alive, again, never) == (200, 200, 404)
    assert len(tag) == 32
    assert arrived.empty()
    assert ended[0] == 0
    assert "Traceback" not in ended[2]
