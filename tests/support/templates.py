"""Builders of deployment templates, with defaults for what a test does not name."""

from typing import Any

from msgspec.structs import replace

from foliot.core.json_text import Json
from foliot.templates import Template, TemplateScope, read_template
from tests.support.builders import NOW, SUBSCRIPTION

COLLECTION = "Microsoft.Scheduler/jobCollections"
JOB = f"{COLLECTION}/jobs"
SCOPE = TemplateScope(
    subscription=SUBSCRIPTION,
    tenant="99999999-8888-7777-6666-555555555555",
    group="Prod",
    group_location="westeurope",
    group_tags={"team": "billing"},
    deployment="monthly",
    now=NOW,
    mode="Incremental",
)
GROUP_ID = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Prod"
COLLECTION_ID = f"{GROUP_ID}/providers/{COLLECTION}"


def a_resource(name: str = "c", type: str = COLLECTION, **elements: Any) -> dict[str, Any]:  # noqa: A002
    return {"type": type, "name": name, "apiVersion": "2016-03-01", **elements}


def a_template(*resources: Any, **elements: Any) -> dict[str, Any]:
    return {"resources": list(resources), **elements}


def read(document: Any, parameters: Any = None, **scope: Any) -> Template:
    return read_template(document, parameters, replace(SCOPE, **scope))


def evaluated(value: Any, **elements: Any) -> Json:
    """Evaluate a value as a property of a resource."""
    resource = a_resource(properties={"it": value})
    template = read(a_template(resource, **elements))
    properties = template.resources[0].body["properties"]
    assert isinstance(properties, dict)
    return properties["it"]


def in_default(value: Any) -> Json:
    """Evaluate a value as the default of a parameter."""
    parameters = {"p": {"type": "string", "defaultValue": value}}
    return evaluated("[parameters('p')]", parameters=parameters)


def read_with(document: Any, existing: dict[str, Any]) -> Template:
    """Read a template beside existing resources by their ids."""
    return read_template(document, None, SCOPE, existing.get)
