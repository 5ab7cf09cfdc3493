"""Bodies of deployments: collections and jobs as a template, secrets as a secure parameter."""

import hashlib
from collections.abc import Callable
from typing import Any, cast

from msgspec import Struct

from foliot.client.job_files import JsonObject
from foliot.client.paths import PROVIDER
from foliot.client.placeholders import FilledText, written_with
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json

API_VERSION = "2026-11-01"
_SCHEMA = "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#"
COLLECTION_TYPE = PROVIDER.removeprefix("providers/") + "/jobCollections"
MAX_RESOURCES = 800
_MAX_NAME = 64
_VALUES = "values"


class DeployedJob(Struct, frozen=True):
    """A job to be deployed; its properties may hold a `FilledText` for any text."""

    name: str
    properties: Any


def deployment_name(key: CollectionKey, part: int = 1) -> str:
    """Return the name of the deployment of a collection: the same each time, so that few stay."""
    name = f"apply-{key.name}" + ("" if part == 1 else f"-{part}")
    if len(name) <= _MAX_NAME:
        return name
    return f"apply-{hashlib.sha256(name.encode()).hexdigest()[:40]}"


def deployment_body(
    key: CollectionKey, collection: JsonObject | None, jobs: list[DeployedJob]
) -> JsonObject:
    """Return the body of a deployment that saves a collection, if one is given, and jobs of it."""
    values: JsonObject = {}

    def parameter(text: FilledText) -> str:
        name = f"v{len(values)}"
        values[name] = text.value.reveal()
        return f"[parameters('{_VALUES}').{name}]"

    resources: list[Json] = [] if collection is None else [collection_resource(key, collection)]
    for job in jobs:
        plain = escape_brackets(job.properties)
        resources.append(job_resource(key, job.name, written_with(plain, parameter)))
    parameters: JsonObject = {_VALUES: {"type": "secureObject"}} if values else {}
    return {
        "properties": {
            "mode": "Incremental",
            "template": template_of(parameters, resources),
            "parameters": {_VALUES: {"value": values}} if values else {},
        }
    }


def template_of(parameters: JsonObject, resources: list[Json]) -> JsonObject:
    """Return a template."""
    return {
        "$schema": _SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": parameters,
        "resources": resources,
    }


def collection_resource(key: CollectionKey, collection: JsonObject) -> JsonObject:
    """Return a collection as a resource of a template."""
    named = {name: collection[name] for name in ("location", "tags") if name in collection}
    return {
        "type": COLLECTION_TYPE,
        "apiVersion": API_VERSION,
        "name": key.name,
        **escape_brackets(named),
        "properties": escape_brackets(collection["properties"]),
    }


def job_resource(key: CollectionKey, name: str, properties: Json) -> JsonObject:
    """Return a job as a resource of a template; its texts are escaped already."""
    return {
        "type": f"{COLLECTION_TYPE}/jobs",
        "apiVersion": API_VERSION,
        "name": f"{key.name}/{name}",
        "properties": properties,
    }


def escape_brackets(value: Any) -> Any:
    """Return a value whose texts are no expressions in a template."""
    return _mapped(value, escaped_text)


def escaped_text(text: str) -> str:
    """Return a text so that a template takes it as it is."""
    return f"[{text}" if text.startswith("[") and text.endswith("]") else text


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case dict():
            fields = cast("dict[str, Any]", value)
            return {_name(name): _mapped(each, change) for name, each in fields.items()}
        case list():
            return [_mapped(each, change) for each in cast("list[Any]", value)]
        case _:
            return value


def _name(name: str) -> str:
    # Names of properties may be expressions too.
    return escaped_text(name)
