"""Deployments of templates, as resources: what clients send, and what they get."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from foliot.api.wire.collection import COLLECTION_TYPE, collection_id
from foliot.api.wire.job import JOB_TYPE
from foliot.api.wire.json_reader import (
    Properties,
    read_strings,
    read_word,
    required,
    required_object,
    without_nulls,
)
from foliot.core.errors import Invalid, within
from foliot.core.ids import CollectionKey
from foliot.core.instant import SECOND, format_instant
from foliot.core.json_text import Json
from foliot.core.model.deployment import (
    DeployedResource,
    Deployment,
    DeploymentKey,
    DeploymentMode,
)
from foliot.core.rules.shown_values import masked_values, texts_in
from foliot.templates import parse_template

TYPE = "Microsoft.Resources/deployments"

_SECURE_TYPES = ("securestring", "secureobject")
_QUOTED = re.compile("'([^']*)'")
_MODES = {mode.lower(): mode for mode in DeploymentMode}
_NEVER_NEEDED = {
    "templateLink": "is not supported: Foliot fetches nothing; send the template in 'template'.",
    "parametersLink": "is not supported: Foliot fetches nothing; send the values in 'parameters'.",
    "onErrorDeployment": "is not supported: a deployment that fails changes nothing; leave it out.",
}


class DeploymentBody(Struct, frozen=True, kw_only=True):
    """A template with the values for its parameters, as a client sent them."""

    template: Json
    parameters: Json
    mode: DeploymentMode
    tags: dict[str, str] | None

    @property
    def template_hash(self) -> str:
        """A number that is the same for the same template."""
        text = json.dumps(self.template, sort_keys=True).encode()
        return str(int.from_bytes(hashlib.sha256(text).digest()[:8], "big"))

    @property
    def secure_texts(self) -> frozenset[str]:
        """The texts in the values and defaults of secure parameters: no refusal shows them."""
        names: set[str] = set()
        found: set[str] = set()
        for name, declared in _folded(_folded(self.template).get("parameters")).items():
            elements = _folded(declared)
            if str(elements.get("type")).lower() in _SECURE_TYPES:
                names.add(name)
                for text in texts_in(elements.get("defaultvalue")):
                    found |= {text, *_QUOTED.findall(text)} if text[:1] == "[" else {text}
        given = _folded(self.parameters)
        for values in (given, _folded(given.get("parameters"))):
            for name in names & values.keys():
                found.update(texts_in(_folded(values[name]).get("value")))
        return frozenset(filter(None, found))


def _folded(value: Json) -> dict[str, Json]:
    return {name.lower(): each for name, each in value.items()} if isinstance(value, dict) else {}


def decode_deployment(body: bytes) -> DeploymentBody:
    """Read the body of a deployment, which may have comments as a template has."""
    if not body:
        raise Invalid((), "the request has no body; give a JSON object {...}.")
    # A value may be a secret: no refusal shows one.
    resource = Properties(parse_template(body), hides=True)
    resource.ignore("id", "type", "name")
    tags = resource.get("tags")
    if resource.has("resources") and not resource.has("properties"):
        raise Invalid((), "the body is a template; put the template into properties.template.")
    given = required_object(resource, "properties")
    given.ignore("debugSetting")
    for name, problem in _NEVER_NEEDED.items():
        if given.get(name) is not None:
            raise Invalid(given.at(name), problem)
    template = required(given, "template", "the template as an object {...}")
    parameters, mode = given.get("parameters"), given.get("mode")
    resource.refuse_unknown()
    if isinstance(template, str):
        with within(*given.at("template")):
            template = parse_template(template.encode())
    return DeploymentBody(
        template=template,
        parameters=parameters,
        mode=DeploymentMode.INCREMENTAL
        if mode is None
        else read_word(mode, given.at("mode"), _MODES, f"one of {', '.join(DeploymentMode)}"),
        tags=None if tags is None else read_strings(tags, resource.at("tags")),
    )


def encode_deployment(deployment: Deployment, *, is_masked: bool) -> dict[str, Json]:
    """Write a deployment as a resource; to a caller who may not change jobs it is masked."""
    outputs = masked_values(deployment.outputs) if is_masked else deployment.outputs
    return _resource(
        deployment,
        _properties(deployment, is_masked=is_masked)
        | {"outputs": outputs, "outputResources": _ids(deployment, deployment.resources)},
    )


def encode_validation(deployment: Deployment) -> dict[str, Json]:
    """Write what a deployment would do; it was undone."""
    return _resource(
        deployment,
        _properties(deployment, is_masked=False)
        | {
            "validatedResources": _ids(deployment, deployment.resources),
            "deletes": [each["id"] for each in _ids(deployment, _deleted(deployment))],
        },
    )


def encode_operations(deployment: Deployment) -> list[Json]:
    """Write what a deployment did: one operation for each resource, in order."""
    done = [
        *((each, "Delete") for each in _deleted(deployment)),
        *((each, "Create") for each in deployment.resources),
    ]
    return [
        _operation(deployment, number, resource, verb)
        for number, (resource, verb) in enumerate(done, start=1)
    ]


def deployment_id(key: DeploymentKey) -> str:
    """Return the identity of a deployment: its path."""
    return (
        f"/subscriptions/{key.subscription}/resourceGroups/{key.group}/providers/{TYPE}/{key.name}"
    )


def _resource(deployment: Deployment, properties: Mapping[str, Any]) -> dict[str, Json]:
    return without_nulls(
        {
            "id": deployment_id(deployment.key),
            "name": deployment.key.name,
            "type": TYPE,
            "tags": None if deployment.tags is None else dict(deployment.tags),
            "properties": dict(properties),
        }
    )


def _properties(deployment: Deployment, *, is_masked: bool) -> dict[str, Any]:
    parameters = deployment.parameters
    return {
        "templateHash": deployment.template_hash,
        "parameters": masked_values(parameters) if is_masked else parameters,
        "mode": deployment.mode.value,
        "provisioningState": "Succeeded",
        "timestamp": format_instant(deployment.deployed_at),
        "duration": _duration(deployment.duration),
        "correlationId": deployment.correlation_id,
        "providers": _providers(deployment.resources),
        "dependencies": [],
    }


def _duration(ticks: int) -> str:
    return f"PT{ticks / SECOND:.7f}".rstrip("0").rstrip(".") + "S"


def _providers(resources: Sequence[DeployedResource]) -> list[Json]:
    kinds = {"jobCollections" if each.job is None else "jobCollections/jobs" for each in resources}
    types: list[Json] = [{"resourceType": kind, "locations": []} for kind in sorted(kinds)]
    return [{"namespace": "Microsoft.Scheduler", "resourceTypes": types}] if types else []


def _ids(deployment: Deployment, resources: Iterable[DeployedResource]) -> list[dict[str, Json]]:
    return [{"id": _resource_id(deployment.key, each)} for each in resources]


def _deleted(deployment: Deployment) -> list[DeployedResource]:
    return [DeployedResource(name) for name in deployment.deleted]


def _resource_id(key: DeploymentKey, resource: DeployedResource) -> str:
    identity = collection_id(CollectionKey(key.subscription, key.group, resource.collection))
    return identity if resource.job is None else f"{identity}/jobs/{resource.job}"


def _operation(
    deployment: Deployment, number: int, resource: DeployedResource, verb: str
) -> dict[str, Json]:
    identity = f"{number:08}"
    return {
        "id": f"{deployment_id(deployment.key)}/operations/{identity}",
        "operationId": identity,
        "properties": {
            "provisioningOperation": verb,
            "provisioningState": "Succeeded",
            "timestamp": format_instant(deployment.deployed_at),
            "duration": _duration(deployment.duration),
            "trackingId": deployment.correlation_id,
            "statusCode": "OK",
            "targetResource": {
                "id": _resource_id(deployment.key, resource),
                "resourceType": COLLECTION_TYPE if resource.job is None else JOB_TYPE,
                "resourceName": resource.collection
                if resource.job is None
                else f"{resource.collection}/{resource.job}",
            },
        },
    }
