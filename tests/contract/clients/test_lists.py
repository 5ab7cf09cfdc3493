"""Clients follow a list to its end by the link in each page."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from foliot.core.ids import CollectionKey
from tests.contract.clients.contract_types import MODELS, JsonLibrary
from tests.contract.clients.json_libraries import DOTNET, GO, JAVA
from tests.contract.wire.past import remember
from tests.support.api_client import COLLECTION, JOB, JOBS, Client, a_collection, http_job

LIBRARIES = {".NET": DOTNET, "Go": GO, "Java": JAVA}
KEY = CollectionKey("11111111-2222-3333-4444-555555555555", "Prod", "Billing")


@pytest.fixture
def billing(client: Client) -> Client:
    assert client.put(COLLECTION, a_collection("P20Premium")).status == 201
    return client


def all_pages(client: Client, path: str, model: str, library: JsonLibrary) -> Iterator[Any]:
    """Return the items of all pages, as a client gets them: it calls each link as it is."""
    page = MODELS[model](client.get(path).json, library)
    while True:
        yield from page["value"]
        if not page.get("nextLink"):
            return
        link = urlsplit(page["nextLink"])
        assert link.scheme
        assert link.netloc
        page = MODELS[model](client.get(link.path, query=link.query).json, library)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_a_client_reads_all_jobs(billing: Client, library: JsonLibrary) -> None:
    names = [f"Job{number:03}" for number in range(201)]
    body = http_job(state="disabled")
    saved = billing.gather(*(("PUT", f"{JOBS}/{name}", body) for name in names))
    assert {reply.status for reply in saved} == {201}

    found = all_pages(billing, JOBS, "jobs", library)

    assert [job["name"] for job in found] == [f"Billing/{name}" for name in names]


def attempt(number: int) -> dict[str, Any]:
    time = f"2026-01-09T{number // 60:02}:{number % 60:02}:00Z"
    return {
        "startTime": time,
        "endTime": time,
        "expectedExecutionTime": time,
        "status": "completed",
        "message": "Http Action - Response from host 'h': 'OK' Response Headers:  Body: ",
        "retryCount": 0,
        "repeatCount": number,
        "actionName": "MainAction",
    }


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_a_client_reads_all_history(billing: Client, library: JsonLibrary) -> None:
    assert billing.put(JOB, http_job(state="disabled")).status == 201
    remember(billing, KEY, "Nightly", [attempt(number) for number in range(201)])

    found = all_pages(billing, f"{JOB}/history", "history", library)

    counts = [entry["properties"]["repeatCount"] for entry in found]
    assert counts == list(range(200, -1, -1))
