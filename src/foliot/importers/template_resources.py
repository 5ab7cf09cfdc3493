"""Collections and jobs as resources of a deployment template."""

from collections.abc import Callable
from typing import Any, Final, cast

from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json

JsonObject = dict[str, Json]

API_VERSION: Final = "2026-11-01"
COLLECTION_TYPE: Final = "Microsoft.Scheduler/jobCollections"
_SCHEMA: Final = "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#"


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
