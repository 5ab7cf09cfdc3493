"""History, answered to the byte, in the shape of what was recorded with the old service."""

from typing import Any

import pytest

from foliot.core.ids import CollectionKey
from tests.contract.wire.past import remember
from tests.contract.wire.test_conversations import compact
from tests.support.api_client import Client, a_collection, http_job

SUBSCRIPTION = "0f0110f0-1234-4321-8765-a1b2c3d4e5f6"
COLLECTION = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Harbour-Ops"
    "/providers/Microsoft.Scheduler/jobCollections/Gates"
)
JOB = f"{COLLECTION}/jobs/Dawn"
VERSION = "api-version=2016-03-01"
# What is left of the last tick there is, from the start of the first attempt on, by the minute.
FIRST_LEFT = 3155378975999999999 - 639094068601234567
MINUTE = 600_000_000
LAST_NUMBER = 9223372036854775807


def attempt(number: int) -> dict[str, Any]:
    """Return the properties of an attempt: one a minute, every third a failed error action."""
    has_failed = number % 3 == 0
    return {
        "startTime": f"2026-03-18T05:{number:02}:00.1234567Z",
        "endTime": f"2026-03-18T05:{number:02}:01.5Z",
        "expectedExecutionTime": f"2026-03-18T05:{number:02}:00Z",
        "status": "failed" if has_failed else "completed",
        "message": f"Http Action - Response from host 'gates.example': '{number}' "
        'Response Headers: Server: Quay\r\n Body: "ö"',
        "retryCount": number % 2,
        "repeatCount": number,
        "actionName": "ErrorAction" if has_failed else "MainAction",
    }


def entry(number: int) -> dict[str, Any]:
    """Return an attempt as a resource; the one stored first has the number 1."""
    name = f"{FIRST_LEFT - (number - 1) * MINUTE:020}:{LAST_NUMBER - number:020}"
    return {
        "id": f"{JOB}/history/{name}",
        "type": "Microsoft.Scheduler/jobCollections/jobs/history",
        "name": f"Gates/Dawn/{name}",
        "properties": attempt(number),
    }


@pytest.fixture
def with_a_past(client: Client) -> Client:
    """Return a client of a server where a job has made ten attempts."""
    key = CollectionKey(SUBSCRIPTION, "Harbour-Ops", "Gates")
    assert client.put(COLLECTION, a_collection()).status == 201
    assert client.put(JOB, http_job(state="disabled")).status == 201
    remember(client, key, "Dawn", [attempt(number) for number in range(1, 11)])
    return client


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", range(10, 0, -1), id="all, the newest first"),
        pytest.param("$top=5&", range(10, 5, -1), id="the first five"),
        pytest.param("$top=5&$skip=5&", range(5, 0, -1), id="the next five"),
        pytest.param("$top=5&$skip=10&", (), id="five after the last"),
        pytest.param("$skip=8&", (2, 1), id="the oldest"),
        pytest.param("$filter=status%20eq%20Failed&", (9, 6, 3), id="the failed"),
        pytest.param("$filter=status%20eq%20'COMPLETED'&$top=2&", (10, 8), id="two completed"),
        pytest.param("$filter=status%20eq%20Postponed&", (), id="the postponed, of which none is"),
    ],
)
def test_history_is_answered_to_the_byte(
    with_a_past: Client, query: str, expected: tuple[int, ...]
) -> None:
    reply = with_a_past.get(f"{JOB}/history", query=query + VERSION)

    values = [entry(number) for number in expected]
    assert reply.status == 200
    assert reply.content.decode() == compact({"value": values, "nextLink": None})


def test_sorted_by_name_the_newest_comes_first(with_a_past: Client) -> None:
    listed = with_a_past.get(f"{JOB}/history").json["value"]

    assert sorted(listed, key=lambda each: each["name"]) == listed
