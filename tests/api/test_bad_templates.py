"""Bad and hostile templates are refused with the place, in bounded time, and change nothing."""

import json
from typing import Any

import pytest

from tests.support.api_client import COLLECTIONS, Client, Reply
from tests.support.template_bodies import (
    DEPLOYMENT,
    DEPLOYMENTS,
    VERSION,
    a_template,
    deployment_of,
    template_collection,
    template_job,
)

HUGE = 10**400


def put(client: Client, template: Any, parameters: Any = None) -> Reply:
    return client.put(DEPLOYMENT, deployment_of(template, parameters), query=VERSION)


def doubling(levels: int) -> dict[str, Any]:
    """Return variables of which each is twice as long as the one before."""
    first = {"v0": "x" * 64}
    return first | {
        f"v{level}": f"[concat(variables('v{level - 1}'), variables('v{level - 1}'))]"
        for level in range(1, levels)
    }


def named(name: str) -> dict[str, Any]:
    return template_collection(name)


BAD: list[tuple[str, dict[str, Any], Any, str]] = [
    (
        "a missing parameter",
        a_template(parameters={"name": {"type": "string"}}),
        None,
        "properties.template.parameters.name: ",
    ),
    (
        "an unknown parameter",
        a_template(),
        {"nam": {"value": "x"}},
        "properties.parameters.nam: is given, but the template does not declare it",
    ),
    (
        "a value that is not allowed",
        a_template(parameters={"size": {"type": "string", "allowedValues": ["S", "L"]}}),
        {"size": {"value": "M"}},
        'properties.parameters.size.value: "M" is not valid; give one of S, L.',
    ),
    (
        "a string for a number",
        a_template(parameters={"n": {"type": "int"}}),
        {"n": {"value": "5"}},
        'properties.parameters.n.value: "5" is not valid; give a whole number.',
    ),
    (
        "a value that is not in an object",
        a_template(parameters={"n": {"type": "int"}}),
        {"n": 5},
        'properties.parameters.n: a whole number is not valid; give {"value": ...}.',
    ),
    (
        "a wrong value in a parameter file",
        a_template(parameters={"n": {"type": "int"}}),
        {"$schema": "x", "parameters": {"N": {"value": "5"}}},
        'properties.parameters.parameters.N.value: "5" is not valid; give a whole number.',
    ),
    (
        "a limit of a parameter that is no number",
        a_template(parameters={"n": {"type": "int", "maxValue": "x"}}),
        {"n": {"value": 5}},
        'properties.template.parameters.n.maxValue: "x" is not valid; give a whole number.',
    ),
    (
        "a wrong default",
        a_template(parameters={"n": {"type": "int", "defaultValue": "5"}}),
        {},
        'properties.template.parameters.n: "5" is not valid; give a whole number.',
    ),
    (
        "a secret in a key vault",
        a_template(parameters={"key": {"type": "securestring"}}),
        {"key": {"reference": {"keyVault": {"id": "x"}, "secretName": "y"}}},
        "properties.parameters.key.reference: is not supported",
    ),
    (
        "an unknown function",
        a_template(named("[teh('x')]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "keys of an account",
        a_template(named("[listKeys('x', '2016-01-01').keys[0].value]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "variables in a cycle",
        a_template(named("[variables('a')]"), variables={"a": "[variables('a')]"}),
        None,
        "properties.template.",
    ),
    (
        "resources in a cycle",
        a_template(
            template_collection("One", dependsOn=["Two"]),
            template_collection("Two", dependsOn=["One"]),
        ),
        None,
        "properties.template.resources[",
    ),
    (
        "10,000 copies",
        a_template({**named("[concat('c', copyIndex())]"), "copy": {"name": "l", "count": 10_000}}),
        None,
        "properties.template.resources[0].copy.count: ",
    ),
    (
        "801 resources",
        a_template(*(named(f"c{number}") for number in range(801))),
        None,
        "properties.template.resources: ",
    ),
    (
        "a deep expression",
        a_template(named("[" + "concat(" * 5000 + "'a'" + ")" * 5000 + "]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "text that doubles",
        a_template(named("[variables('v40')]"), variables=doubling(41)),
        None,
        "properties.template.",
    ),
    (
        "a long range",
        a_template(named("[string(range(0, 2000000000))]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "wide padding",
        a_template(named("[padLeft('a', 2000000000)]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "a wide format",
        a_template(named("[format('{0,2000000000}', 'a')]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "half of a surrogate pair",
        a_template(named("[json('\"\\ud800\"')]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "a NUL in a name",
        a_template(named("[uriComponentToString('a%00b')]")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "a name that leaves the collection",
        a_template(named("../../x")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "an empty name",
        a_template(named("")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "a job without a collection in its name",
        a_template(template_job("alone")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "an unclosed expression",
        a_template(named("[concat('a'")),
        None,
        "properties.template.resources[0].name: ",
    ),
    (
        "an output that refers to nothing",
        a_template(
            named("Billing"),
            outputs={"o": {"type": "object", "value": "[reference('nowhere', '2016-03-01')]"}},
        ),
        None,
        "properties.template.outputs.o.value: ",
    ),
    (
        "an output of another type",
        a_template(named("Billing"), outputs={"o": {"type": "int", "value": "five"}}),
        None,
        "properties.template.outputs.o",
    ),
    (
        "outputs that are too large to keep",
        a_template(outputs={"o": {"type": "string", "value": "x" * 300_000}}),
        None,
        "properties.template.outputs: have 300",
    ),
    (
        "a misspelt type that another resource depends on",
        a_template(
            {**named("Billing"), "type": "Microsoft.Scheduler/jobCollection"},
            template_job(
                dependsOn=["[resourceId('Microsoft.Scheduler/jobCollections', 'Billing')]"]
            ),
        ),
        None,
        'properties.template.resources[0].type: "Microsoft.Scheduler/jobCollection" is not known '
        "here; did you mean 'Microsoft.Scheduler/jobCollections'?",
    ),
    (
        "a misspelt type of a child",
        a_template({**named("Billing"), "resources": [{"type": "job", "name": "j"}]}),
        None,
        'properties.template.resources[0].resources[0].type: "Microsoft.Scheduler/jobCollections'
        "/job\" is not known here; did you mean 'Microsoft.Scheduler/jobCollections/jobs'?",
    ),
    (
        "a foreign type",
        a_template({**named("site"), "type": "Microsoft.Web/sites"}),
        None,
        'properties.template.resources[0].type: "Microsoft.Web/sites" is not valid; '
        "give Microsoft.Scheduler/jobCollections or Microsoft.Scheduler/jobCollections/jobs: ",
    ),
    (
        "another resource group",
        a_template({**named("Billing"), "resourceGroup": "Other"}),
        None,
        "properties.template.resources[0].resourceGroup: ",
    ),
]


@pytest.mark.parametrize(
    ("template", "parameters", "place"),
    [each[1:] for each in BAD],
    ids=[each[0] for each in BAD],
)
def test_a_bad_template_is_refused_with_the_place(
    client: Client, template: dict[str, Any], parameters: Any, place: str
) -> None:
    reply = put(client, template, parameters)

    assert (reply.status, reply.code) == (400, "BadRequest"), reply.content[:300]
    assert reply.message.startswith(place)
    assert len(reply.message) < 1000
    assert client.get(COLLECTIONS).json["value"] == []
    assert client.get(DEPLOYMENTS).json["value"] == []


@pytest.mark.parametrize(
    ("opened", "closed"), [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"]
)
@pytest.mark.parametrize("depth", [100, 100_000])
@pytest.mark.parametrize("is_text", [False, True], ids=["inline", "as text"])
def test_deep_nesting_is_refused(
    client: Client, opened: str, closed: str, depth: int, *, is_text: bool
) -> None:
    deep = opened * depth + "1" + closed * depth
    template = json.dumps(a_template(template_collection(properties="DEEP")))
    text = template.replace('"DEEP"', deep)
    body = f'{{"properties": {{"template": {json.dumps(text) if is_text else text}}}}}'

    reply = client.put(DEPLOYMENT, body.encode(), query=VERSION)

    assert reply.status == 400
    assert "deep" in reply.message


@pytest.mark.parametrize(
    "value",
    [HUGE, -HUGE, 2**64, 1.5e300, [2**70], {"deep": {"er": HUGE}}],
    ids=["huge", "negative", "64 bits", "float", "list", "object"],
)
@pytest.mark.parametrize("kind", ["int", "object", "array"])
def test_a_number_of_any_size_is_kept_or_refused(client: Client, kind: str, value: Any) -> None:
    parameters = {"n": {"type": kind}}
    outputs = {"o": {"type": kind, "value": "[parameters('n')]"}}

    reply = put(client, a_template(parameters=parameters, outputs=outputs), {"n": {"value": value}})

    assert reply.status in (201, 400), reply.content
    if reply.status == 201:
        assert reply.json["properties"]["outputs"]["o"]["value"] == value
        assert client.get(DEPLOYMENT).json == reply.json


@pytest.mark.parametrize(
    "name",
    ["<script>", "a'; DROP TABLE job; --", "a\nb", "\u202eevil", "%2e%2e", "a" * 5000, "${x}"],
)
def test_a_hostile_name_is_refused(client: Client, name: str) -> None:
    reply = put(client, a_template(named(name)))

    assert reply.status == 400
    assert reply.message.startswith("properties.template.resources[0].name: ")
    assert len(reply.message) < 500


def test_a_template_as_large_as_allowed_is_answered(client: Client) -> None:
    job = template_job("Billing/j")
    job["properties"]["action"]["request"]["headers"] = {"X": "y" * 1000}
    resources = [template_collection(sku="P20Premium")]
    resources += [{**job, "name": f"Billing/j{number}"} for number in range(799)]
    body = json.dumps(deployment_of(a_template(*resources, metadata={"x": "y" * 2_500_000})))
    assert 3_400_000 < len(body) < 4 * 1024 * 1024

    reply = client.put(DEPLOYMENT, body.encode(), query=VERSION)

    assert reply.status == 201
    assert len(reply.json["properties"]["outputResources"]) == 800
