"""Who works on the schedule, and who may know."""

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.node import Node
from foliot.core.model.token import Role
from tests.support.api_client import COLLECTION, Client


def add_node(client: Client, **fields: object) -> None:
    now = client.clock.now()
    node = Node(
        id="n1", name="host", version="1.2", started_at=now, seen_at=now, in_flight=3, keys="ab,cd"
    )
    client.run(client.store.write(lambda to: to.save_node(replace(node, **fields))))


def test_an_owner_sees_the_nodes_and_which_are_alive(client: Client) -> None:
    add_node(client)
    silent = Instant(client.clock.now() - 16 * SECOND)
    add_node(client, id="n2", name="other", seen_at=silent, has_api=False)

    reply = client.get("/nodes", query="")

    assert reply.status == 200
    assert reply.json["value"][0] == {
        "id": "n1",
        "name": "host",
        "version": "1.2",
        "startTime": "2026-01-10T00:00:00Z",
        "heartbeatTime": "2026-01-10T00:00:00Z",
        "isAlive": True,
        "hasApi": True,
        "hasEngine": True,
        "attemptsInFlight": 3,
        "secretKeys": "ab,cd",
        "attemptsWaiting": 0,
    }
    assert [(each["isAlive"], each["hasApi"]) for each in reply.json["value"]] == [
        (True, True),
        (False, False),
    ]


def test_only_an_owner_of_it_all_sees_the_nodes(client: Client) -> None:
    client.principal(Role.CONTRIBUTOR)
    assert client.get("/nodes").status == 403

    client.principal(Role.OWNER, subscription="s")
    assert client.get("/nodes").status == 403


def test_nodes_can_only_be_read(client: Client) -> None:
    assert client.post("/nodes").status == 405


def test_nodes_and_the_clock_are_among_the_metrics(client: Client) -> None:
    add_node(client)

    text = client.get("/metrics").content.decode()

    assert 'foliot_node_attempts_in_flight{name="host",node="n1"} 3.0' in text
    assert "foliot_node_heartbeat_timestamp_seconds{" in text
    assert "foliot_clock_offset_seconds 0.0" in text


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/nodes"])
def test_a_node_without_the_api_still_tells_how_it_is(client: Client, path: str) -> None:
    without = client.without_api()

    assert without.get(path).status == 200
    assert without.get(COLLECTION).status == 404


def test_a_node_that_cannot_work_says_why_it_is_not_ready(client: Client) -> None:
    client.health.report("engine", "a background task keeps ending")

    reply = client.get("/readyz")

    assert reply.status == 503
    assert reply.json == {
        "status": "not ready",
        "problems": {"engine": "a background task keeps ending"},
    }
    assert 'foliot_problem{part="engine"} 1.0' in client.get("/metrics").content.decode()
