"""Jobs that imports write are put into a server, which takes all of them."""

import re
from pathlib import Path
from typing import Any

import pytest

from foliot.core.yaml_text import YAML_WORDS, parse_yaml
from tests.support.api_client import Client

EXPECTED = sorted((Path(__file__).parents[1] / "unit" / "importers" / "expected").glob("*.yaml"))
PLACEHOLDER = re.compile(r"\$\{(?:env|file):[^}]*\}")
OURS = "api-version=2026-11-01"


def with_values(value: Any, name: str = "") -> Any:
    """Fill in values for placeholders, as whoever applies the file does."""
    match value:
        case dict():
            return {each: with_values(inner, each) for each, inner in value.items()}
        case list():
            return [with_values(inner) for inner in value]
        case str() if name == "uri" and value.startswith("${"):
            return "https://example.com/hook"
        case str():
            return PLACEHOLDER.sub("value", value)
        case _:
            return value


def without_certificate(properties: dict[str, Any]) -> dict[str, Any]:
    """Leave out a client certificate, whose value has to be a real one."""
    request = properties["action"].get("request", {})
    if request.get("authentication", {}).get("type") != "ClientCertificate":
        return properties
    plain = {name: each for name, each in request.items() if name != "authentication"}
    return {**properties, "action": {**properties["action"], "request": plain}}


@pytest.mark.parametrize("file", EXPECTED, ids=[each.stem for each in EXPECTED])
def test_the_api_takes_every_imported_job_and_gives_it_back(client: Client, file: Path) -> None:
    count = 0
    documents: list[Any] = parse_yaml(file.read_bytes(), YAML_WORDS)
    for document in documents:
        collection = document["collection"]
        path = (
            f"/subscriptions/{collection['subscription']}/resourceGroups/{collection['group']}"
            f"/providers/Microsoft.Scheduler/jobCollections/{collection['name']}"
        )
        inner = {name: collection[name] for name in ("sku", "quota") if name in collection}
        outer = {name: collection[name] for name in ("location", "tags") if name in collection}
        body = {**outer, "properties": inner}
        assert client.put(path, body, query=OURS).status == 201
        for name, properties in document["jobs"].items():
            job = without_certificate(with_values(properties))
            reply = client.put(f"{path}/jobs/{name}", {"properties": job}, query=OURS)
            assert reply.status == 201, (name, reply.content)
            again = client.put(f"{path}/jobs/{name}", {"properties": job}, query=OURS)
            assert again.json == reply.json
            count += 1

    assert count > 0
