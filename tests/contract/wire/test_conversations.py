"""Conversations in the shape of those recorded with the old service, answered to the byte.

Each file in `conversations` is one, a line for each request in turn, with the time on the server's
clock and the answer expected; the order and the letter case of what it holds count.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import Client

CONVERSATIONS = {
    file.stem: [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for file in sorted((Path(__file__).parent / "conversations").glob("*.jsonl"))
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_is_answered_to_the_byte(client: Client, name: str) -> None:
    for exchange in CONVERSATIONS[name]:
        client.clock.set(exchange["at"])

        reply = client.call(
            exchange["method"], exchange["path"], exchange["request"], query=exchange["query"]
        )

        said = f"{exchange['at']} {exchange['method']} {exchange['path']}"
        assert (said, reply.content.decode()) == (said, compact(exchange["response"]))
        assert (said, reply.status) == (said, exchange["status"])
        kind = "application/json; charset=utf-8" if reply.content else None
        assert reply.headers.get("content-type") == kind


def compact(body: Any) -> str:
    """Return JSON as the service writes it, without a space; nothing is an empty body."""
    if body is None:
        return ""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
