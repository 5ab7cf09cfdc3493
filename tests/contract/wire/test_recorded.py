"""Requests that were recorded with the old service are answered as it answered them."""

from typing import Any

import pytest

from foliot.core.ids import CollectionKey
from tests.contract.wire.past import remember
from tests.contract.wire.recordings import (
    Exchange,
    completed,
    expected_body,
    expected_status,
    is_history,
    recordings,
    time_of,
)
from tests.contract.wire.test_conversations import compact
from tests.support.api_client import Client, a_collection, http_job

RECORDINGS = recordings()
CONVERSATIONS = {name: each for name, each in RECORDINGS.items() if not is_history(each)}
HISTORIES = [
    each for exchanges in RECORDINGS.values() if is_history(exchanges) for each in exchanges
]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_recorded_conversation_is_answered_alike(client: Client, name: str) -> None:
    for exchange in CONVERSATIONS[name]:
        client.clock.set(time_of(exchange))
        exists = client.get(exchange["path"]).status == 200

        reply = call(client, exchange)

        said = f"{exchange['entry']} {exchange['method']} {exchange['path']}"
        assert (said, reply.content.decode()) == (
            said,
            compact(expected_body(exchange["response_body"])),
        )
        assert (said, reply.status) == (said, expected_status(exchange, exists=exists))


@pytest.mark.parametrize("exchange", HISTORIES, ids=lambda each: each["query"])
def test_a_recorded_history_is_answered_alike(client: Client, exchange: Exchange) -> None:
    live_through(client, exchange)

    reply = call(client, exchange)

    recorded = exchange["response_body"]["value"]
    starts = {each["properties"]["startTime"] for each in recorded}
    values = reply.json["value"]
    if "response_body_truncated" in exchange:
        values = [each for each in values if each["properties"]["startTime"] in starts]
    assert reply.status == exchange["status"]
    assert reply.json["nextLink"] == exchange["response_body"]["nextLink"]
    assert compact(list(map(unnumbered, values))) == compact(
        [unnumbered(expected_body(each)) for each in recorded]
    )


def call(client: Client, exchange: Exchange) -> Any:
    return client.call(
        exchange["method"], exchange["path"], exchange["request_body"], query=exchange["query"]
    )


def live_through(client: Client, exchange: Exchange) -> None:
    """Put everything known of the past of a job where the engine would have put it."""
    job_path = exchange["path"].removesuffix("/history")
    collection_path, _, job = job_path.rpartition("/jobs/")
    _, _, subscription, _, group, *_, collection = collection_path.split("/")
    assert client.put(collection_path, a_collection()).status == 201
    assert client.put(job_path, http_job(state="disabled")).status == 201
    past = {
        each["properties"]["startTime"]: completed(each["properties"])
        for other in HISTORIES
        if other["path"] == exchange["path"]
        for each in other["response_body"]["value"]
    }
    attempts = [past[start] for start in sorted(past)]
    remember(client, CollectionKey(subscription, group, collection), job, attempts)


def unnumbered(entry: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a history entry the number it was stored under."""
    return entry | {name: entry[name].rpartition(":")[0] for name in ("id", "name")}
