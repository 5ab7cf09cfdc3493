"""Templates in the style of old samples, deployed twice: the second time nothing changes."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.support.api_client import COLLECTIONS, GROUP, Client, Reply

FOLDER = Path(__file__).parent
DEPLOYMENT = f"{GROUP}/providers/Microsoft.Resources/deployments/main"
# The tables of what a template makes; records of deployments and times of attempts are no part.
TABLES = ("collection", "job", "definition", "run", "history")
LATER = "2026-01-10T00:00:07Z"


class Sample(NamedTuple):
    """A template with values for its parameters, and the next runs of the jobs that it makes."""

    name: str
    collection: str
    next_runs: dict[str, str | None]
    parameters: Mapping[str, Any] = MappingProxyType({})
    outputs: Mapping[str, Any] = MappingProxyType({})


SAMPLES = [
    Sample(
        "simple-http",
        "first",
        {"ping": "2026-02-01T08:00:00Z"},
        {"jobCollectionName": "first"},
    ),
    Sample("name-with-slash", "Nightly", {"cleanup": "2026-01-10T02:30:00Z"}),
    Sample(
        "copy-loop",
        "loop",
        dict.fromkeys(("job1", "job2", "job3"), "2026-01-10T00:00:00Z"),
        {"count": 3},
        {"jobs": 3},
    ),
    Sample("conditions", "reports-test", {"daily": None}),
    Sample(
        "allowed-values",
        "choices",
        dict.fromkeys(("first", "second"), "2026-02-28T23:00:00Z"),
    ),
    Sample(
        "unique-names",
        "",
        {"heartbeat": "2026-01-10T00:00:00Z"},
        outputs={"plan": "Standard", "next": "2026-01-10T00:00:00Z"},
    ),
    Sample(
        "storage-queue",
        "Queues",
        {"Enqueue": "2026-01-12T07:00:00Z"},
        {"storageAccount": "acme", "sasToken": "sv=1&sig=hidden-signature"},
        {"account": "acme"},
    ),
    Sample(
        "service-bus",
        "bus",
        {"to-queue": "2026-01-31T03:00:00Z", "to-topic": "2026-01-30T18:00:00Z"},
        {"key": "hidden-key"},
    ),
    Sample(
        "retries-in-odd-places",
        "retries",
        {"beside-action": "2026-01-11T00:00:00Z", "in-request": "2026-01-10T00:00:00Z"},
    ),
    Sample(
        "single-numbers",
        "schedules",
        {
            "month": "2026-01-31T23:45:00Z",
            "number": "2026-01-10T06:15:00Z",
            "weekday": "2026-01-20T09:00:00Z",
        },
    ),
    Sample("numbers-as-strings", "strings", {"hourly": "2026-01-10T12:00:00Z"}),
    Sample(
        "authentication",
        "signed-in",
        dict.fromkeys(("basic", "directory"), "2026-01-10T00:00:00Z"),
        {
            "user": "ann",
            "password": "hidden-password",
            "application": {"id": "app", "secret": "hidden-secret"},
        },
        {"user": "ann"},
    ),
    Sample(
        "variables-and-objects",
        "web-prod",
        {"blog": "2026-01-10T02:00:00Z", "shop": "2026-01-10T01:00:00Z"},
    ),
]


def deploy(client: Client, sample: Sample) -> Reply:
    """Deploy a template as a client does that pastes its text, comments and all, into the body."""
    values = {name: {"value": value} for name, value in sample.parameters.items()}
    template = (FOLDER / f"{sample.name}.json").read_text()
    body = (
        f'{{"properties": {{"mode": "Incremental", "template": {template},'
        f' "parameters": {json.dumps(values)}}}}}'
    )
    return client.put(DEPLOYMENT, body.encode(), query="api-version=2018-05-01")


def stored(client: Client) -> dict[str, list[Any]]:
    return {table: rows for table, rows in client.state().items() if table in TABLES}


def next_runs(client: Client, collection: str) -> dict[str, str | None]:
    jobs = client.get(f"{COLLECTIONS}/{collection}/jobs").json["value"]
    return {
        job["name"].partition("/")[2]: job["properties"].get("status", {}).get("nextExecutionTime")
        for job in jobs
    }


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_a_template_makes_its_jobs_and_again_changes_nothing(
    client: Client, sample: Sample
) -> None:
    first = deploy(client, sample)

    assert first.status == 201, first.content
    (collection,) = client.get(COLLECTIONS).json["value"]
    assert sample.collection in ("", collection["name"])
    assert next_runs(client, collection["name"]) == sample.next_runs
    outputs = first.json["properties"]["outputs"]
    shown = {name: each["value"] for name, each in outputs.items() if "value" in each}
    assert sample.outputs.items() <= shown.items()
    assert b"hidden-" not in first.content
    before, answers = stored(client), client.get(f"{COLLECTIONS}/{collection['name']}/jobs").json

    client.clock.set(LATER)
    second = deploy(client, sample)

    assert second.status == 200, second.content
    assert stored(client) == before
    assert client.get(f"{COLLECTIONS}/{collection['name']}/jobs").json == answers
    assert second.json["properties"]["outputs"] == outputs


def test_the_samples_are_all_there() -> None:
    names = {each.stem for each in FOLDER.glob("*.json")}

    assert names == {each.name for each in SAMPLES} | {"last-resource-wrong"}
    assert len(SAMPLES) == 13


def test_of_a_template_with_an_error_in_its_last_resource_nothing_is_there(client: Client) -> None:
    reply = deploy(client, Sample("last-resource-wrong", "", {}))

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(
        'properties.template.resources[2].properties.action.type: "Ftp" is not valid; give one of'
    )
    assert client.get(COLLECTIONS).json["value"] == []
    assert client.get(DEPLOYMENT).status == 404
