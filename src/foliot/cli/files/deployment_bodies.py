"""Bodies of deployments: collections and jobs as a template, secrets as a secure parameter."""

import hashlib
from typing import Any

from msgspec import Struct

from foliot.client.job_files import JsonObject
from foliot.client.placeholders import FilledText, written_with
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.importers.template_resources import (
    collection_resource,
    escape_brackets,
    job_resource,
    template_of,
)

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
