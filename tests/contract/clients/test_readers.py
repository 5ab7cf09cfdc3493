"""The readers throw where their client throws: otherwise the conversations would prove nothing."""

from typing import Any

import pytest

from tests.contract.clients import powershell
from tests.contract.clients.contract_types import MODELS, JsonLibrary, Unreadable
from tests.contract.clients.json_libraries import DOTNET, GO, JAVA
from tests.support.history_parser import details_of


def a_job(**properties: Any) -> dict[str, Any]:
    return {"id": "i", "name": "c/j", "properties": properties}


def retrying_after(interval: str) -> dict[str, Any]:
    return a_job(action={"retryPolicy": {"retryInterval": interval}})


def signing_in_as(kind: str) -> dict[str, Any]:
    return a_job(action={"request": {"authentication": {"type": kind}}})


@pytest.mark.parametrize(
    ("library", "job"),
    [
        pytest.param(DOTNET, retrying_after("PT1M"), id=".NET: ISO 8601 duration"),
        pytest.param(JAVA, retrying_after("00:01:00"), id="Java: duration of .NET"),
        pytest.param(JAVA, retrying_after("PT1D"), id="Java: days after the T"),
        pytest.param(DOTNET, a_job(state="paused"), id=".NET: unknown state"),
        pytest.param(JAVA, signing_in_as("basic"), id="Java: authentication in lower case"),
        pytest.param(GO, a_job(startTime="2026-01-10 00:00"), id="Go: time without a zone"),
        pytest.param(GO, a_job(recurrence={"count": "3"}), id="Go: number in quotes"),
        pytest.param(GO, a_job(recurrence={"count": 2**31}), id="Go: number of 33 bits"),
        pytest.param(JAVA, a_job(recurrence={"schedule": {"hours": 3}}), id="Java: no list"),
    ],
)
def test_a_client_throws_at_what_it_cannot_read(library: JsonLibrary, job: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        MODELS["job"](job, library)


@pytest.mark.parametrize(
    ("library", "expected"),
    [
        pytest.param(DOTNET, {"Occurrence": 1}, id=".NET matches names in any letter case"),
        pytest.param(GO, {"Occurrence": 1}, id="Go matches names in any letter case"),
        pytest.param(JAVA, {}, id="Java overlooks it"),
    ],
)
def test_an_occurrence_in_lower_case_is_read_by_some(
    library: JsonLibrary, expected: dict[str, int]
) -> None:
    schedule = {"monthlyOccurrences": [{"occurrence": 1}]}

    read = MODELS["job"](a_job(recurrence={"schedule": schedule}), library)

    assert read["properties"]["recurrence"]["schedule"]["monthlyOccurrences"] == [expected]


def test_powershell_throws_at_a_collection_without_a_quota() -> None:
    collection = {
        "id": "/subscriptions/s/resourceGroups/g/providers/p/jobCollections/c",
        "name": "c",
        "location": "West US",
        "properties": {"sku": {"name": "Standard"}, "state": "Enabled"},
    }

    with pytest.raises(Unreadable, match="NullReferenceException"):
        powershell.collection(collection)


def test_powershell_throws_at_a_provider_without_job_collections() -> None:
    with pytest.raises(Unreadable):
        powershell.regions({"resourceTypes": [{"resourceType": "flows"}]})


@pytest.mark.parametrize(
    "message",
    [
        "1 occurrence was skipped.",
        "Http Action - Skipped: 1 occurrence.",
        "Http Action - Skipped: it's late.",
        "ServiceBusQueue Action - Skipped: 1 occurrence.",
        "ServiceBusTopic Action - to topic 'a' of namespace 'b'",
        "StorageQueue Action - succeeded",
    ],
)
def test_powershell_throws_at_a_message_without_what_it_looks_for(message: str) -> None:
    with pytest.raises(ValueError, match="Exception"):
        details_of(message)
