"""Old clients hold the conversations that their sources describe, and read every answer."""

from pathlib import Path
from typing import Any

import pytest

from foliot.core.ids import CollectionKey
from tests.contract.clients.conversations import all_conversations, read_conversation
from tests.contract.clients.readers import READERS
from tests.contract.wire.past import remember as remember_attempts
from tests.support.api_client import Client

CONVERSATIONS = all_conversations()


@pytest.mark.parametrize("file", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_an_old_client_reads_every_answer(client: Client, file: Path) -> None:
    conversation = read_conversation(file)
    last: dict[str, Any] = {}
    for exchange in conversation.exchanges:
        client.clock.set(exchange.get("at", "2026-01-10T00:00:00Z"))
        if "happened" in exchange:
            remember(client, exchange["happened"])

        request, expect = exchange["request"], exchange["expect"]
        path, _, query = request["path"].partition("?")
        headers = conversation.headers | request.get("headers", {})
        reply = client.call(
            request["method"], path, request.get("body"), query=query, headers=headers
        )

        said = f"{exchange['step']}: {request['method']} {request['path']}"
        assert (said, reply.status) == (said, expect["status"]), reply.content
        if "as" in expect:
            expected = last[path] if expect.get("same") else expect["read"]
            last[path] = READERS[conversation.client][expect["as"]](reply)
            assert (said, last[path]) == (said, expected)


def remember(client: Client, happened: dict[str, Any]) -> None:
    """Put attempts into the history of a job."""
    _, _, subscription, _, group, _, _, _, collection, _, job = happened["job"].split("/")
    key = CollectionKey(subscription, group, collection)
    remember_attempts(client, key, job, happened["history"])


@pytest.mark.parametrize("file", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_a_conversation_names_the_public_sources_it_was_written_from(file: Path) -> None:
    assert all(": " in each for each in read_conversation(file).source)
