"""The page about compatibility names every operation and every property that the API has."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foliot.api.openapi.document import describe
from foliot.api.routes import OPERATIONS
from foliot.api.wire.clients import CLIENTS
from foliot.core.limits import Limits

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compatibility.md"
ROW = re.compile(r"^\| ([A-Z, ]+) \| `(\S+)` \|", re.MULTILINE)
SHORT = re.compile(r"`(\{[a-z]\})` is\s+`(\S+)`")


def test_the_table_of_operations_is_that_of_the_routes() -> None:
    text = PAGE.read_text("utf-8")
    short = dict(SHORT.findall(text))

    rows = [
        (method, full(path, short))
        for methods, path in ROW.findall(text)
        for method in methods.split(", ")
    ]

    assert sorted(rows) == sorted(
        (method, path) for path, methods in OPERATIONS.items() for method in methods
    )


def full(path: str, short: dict[str, str]) -> str:
    """Return a path with its abbreviations written out."""
    for name, meaning in reversed(short.items()):
        path = path.replace(name, meaning)
    return path


def test_every_property_of_a_collection_a_job_and_its_history_is_named() -> None:
    named = {
        part
        for quoted in re.findall(r"`([^`]+)`", PAGE.read_text("utf-8"))
        for part in quoted.split(".")
    }
    components = describe(OPERATIONS, Limits())["components"]["schemas"]

    present = {
        name
        for component in ("Collection", "Job", "JobList", "HistoryEntry")
        for name in property_names(components[component], components)
    }

    assert present - named == set()


def test_every_client_that_is_known_by_its_user_agent_is_named() -> None:
    text = PAGE.read_text("utf-8").lower()

    assert [part for part, _ in CLIENTS if f"`{part}`" not in text] == []


def property_names(schema: Any, components: dict[str, Any]) -> Iterator[str]:
    """Return the names of all properties that a schema describes, at any depth."""
    if "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    yield from schema.get("properties", {})
    parts = list(schema.get("properties", {}).values())
    for keyword in ("anyOf", "oneOf", "allOf"):
        parts += schema.get(keyword, [])
    if "items" in schema:
        parts.append(schema["items"])
    for part in parts:
        yield from property_names(part, components)
