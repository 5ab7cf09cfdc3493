"""Deployments of templates: answers, records, operations, and what clients poll."""

import json
import logging
import re
from typing import Any

import pytest

from foliot.core.limits import Limits
from tests.support.api_client import COLLECTION, COLLECTIONS, GROUP, JOB, NOW, Client, Reply
from tests.support.template_bodies import (
    DEPLOYMENT,
    DEPLOYMENTS,
    VERSION,
    a_template,
    deploy,
    deployment_of,
    template_collection,
    template_job,
)

GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ROUND = [template_collection(), template_job()]


def put(client: Client, template: Any, parameters: Any = None, **properties: Any) -> Reply:
    return client.put(DEPLOYMENT, deployment_of(template, parameters, **properties), query=VERSION)


def test_a_deployment_is_done_when_it_is_answered(client: Client) -> None:
    outputs = {"where": {"type": "string", "value": "[resourceGroup().id]"}}
    parameters = {"greeting": {"type": "string"}}
    template = a_template(*ROUND, parameters=parameters, outputs=outputs)

    reply = put(client, template, {"greeting": {"value": "hello"}})

    assert reply.status == 201
    answer = reply.json
    assert GUID.fullmatch(answer["properties"].pop("correlationId"))
    assert answer["properties"].pop("templateHash").isdigit()
    assert answer == {
        "id": DEPLOYMENT,
        "name": "main",
        "type": "Microsoft.Resources/deployments",
        "properties": {
            "parameters": {"greeting": {"type": "String", "value": "hello"}},
            "mode": "Incremental",
            "provisioningState": "Succeeded",
            "timestamp": NOW,
            "duration": "PT0S",
            "providers": [
                {
                    "namespace": "Microsoft.Scheduler",
                    "resourceTypes": [
                        {"resourceType": "jobCollections", "locations": []},
                        {"resourceType": "jobCollections/jobs", "locations": []},
                    ],
                }
            ],
            "dependencies": [],
            "outputs": {"where": {"type": "String", "value": GROUP}},
            "outputResources": [{"id": COLLECTION}, {"id": JOB}],
        },
    }
    assert client.get(JOB).json["properties"]["status"]["nextExecutionTime"] == NOW


def test_a_deployment_is_shown_as_it_was_answered(client: Client) -> None:
    made = deploy(client, *ROUND)

    shown = client.get(DEPLOYMENT.upper().replace("MAIN", "Main"), query="")

    assert (shown.status, shown.json) == (200, made.json)
    assert client.call("HEAD", DEPLOYMENT, query=VERSION).status == 204


def test_the_second_deployment_of_a_name_replaces_the_first(client: Client) -> None:
    deploy(client, *ROUND)

    reply = deploy(client, template_collection("Other"))

    assert reply.status == 200
    assert client.get(DEPLOYMENT).json["properties"]["outputResources"] == [
        {"id": f"{COLLECTIONS}/Other"}
    ]
    assert len(client.get(DEPLOYMENTS).json["value"]) == 1
    assert client.get(JOB).status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_a_deployment_that_does_not_exist_is_not_found(client: Client, method: str) -> None:
    reply = client.call(method, DEPLOYMENT, query=VERSION)

    assert reply.status == 404
    if method != "HEAD":
        assert (reply.code, reply.message) == (
            "DeploymentNotFound",
            "Deployment 'main' could not be found.",
        )


def test_a_deleted_deployment_is_forgotten_and_its_jobs_stay(client: Client) -> None:
    deploy(client, *ROUND)

    reply = client.delete(DEPLOYMENT, query=VERSION)

    assert (reply.status, reply.content) == (204, b"")
    assert client.get(DEPLOYMENT).status == 404
    assert client.get(JOB).status == 200


def test_deployments_are_listed_in_pages(client: Client) -> None:
    for number in range(103):
        client.put(f"{DEPLOYMENTS}/d{number:03}", deployment_of(a_template()))

    first = client.get(f"{DEPLOYMENTS}/", query=VERSION).json
    query = first["nextLink"].partition("?")[2]
    second = client.get(f"{DEPLOYMENTS}/", query=query).json
    few = client.get(DEPLOYMENTS, query=f"{VERSION}&$top=2&$skip=1").json

    names = [each["name"] for each in (*first["value"], *second["value"])]
    assert names == [f"d{number:03}" for number in range(103)]
    assert second["nextLink"] is None
    assert [each["name"] for each in few["value"]] == ["d001", "d002"]


@pytest.mark.parametrize(
    "path", [f"{DEPLOYMENT}/operations", f"{GROUP}/deployments/main/operations"]
)
def test_each_resource_is_an_operation_of_the_deployment(client: Client, path: str) -> None:
    deploy(client, template_collection("Gone"))
    deploy(client, *ROUND, mode="Complete")

    listed = client.get(path, query=VERSION).json

    assert listed["nextLink"] is None
    assert [
        (each["properties"]["provisioningOperation"], each["properties"]["targetResource"])
        for each in listed["value"]
    ] == [
        (
            "Delete",
            {
                "id": f"{COLLECTIONS}/Gone",
                "resourceType": "Microsoft.Scheduler/jobCollections",
                "resourceName": "Gone",
            },
        ),
        (
            "Create",
            {
                "id": COLLECTION,
                "resourceType": "Microsoft.Scheduler/jobCollections",
                "resourceName": "Billing",
            },
        ),
        (
            "Create",
            {
                "id": JOB,
                "resourceType": "Microsoft.Scheduler/jobCollections/jobs",
                "resourceName": "Billing/Nightly",
            },
        ),
    ]
    (third,) = listed["value"][2:]
    states = {each["properties"]["provisioningState"] for each in listed["value"]}
    assert states == {"Succeeded"}
    assert client.get(f"{path}/{third['operationId']}", query=VERSION).json == third
    assert client.get(f"{path}/none", query=VERSION).status == 404
    assert client.get(path, query=f"{VERSION}&$top=1&$skip=1").json["value"] == [listed["value"][1]]


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(json.dumps(a_template(*ROUND)), id="text"),
        pytest.param("// old\n" + json.dumps(a_template(*ROUND)), id="text with a comment"),
        pytest.param("\ufeff" + json.dumps(a_template(*ROUND)), id="text with a byte order mark"),
    ],
)
def test_a_template_may_be_sent_as_text(client: Client, template: str) -> None:
    assert put(client, template).status == 201
    assert client.get(JOB).status == 200


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"mode": None},
        {"mode": "incremental"},
        {"parameters": None},
        {"parameters": {}},
        {"parameters": {"$schema": "x", "contentVersion": "1.0.0.0", "parameters": {}}},
        {"debugSetting": {"detailLevel": "none"}},
        {"templateLink": None, "parametersLink": None, "onErrorDeployment": None},
    ],
    ids=str,
)
def test_what_clients_send_besides_is_accepted(client: Client, more: dict[str, Any]) -> None:
    body = deployment_of(a_template(*ROUND), **more)

    assert client.put(DEPLOYMENT, body, query="api-version=2016-09-01").status == 201


def test_tags_of_a_deployment_are_kept(client: Client) -> None:
    body = {**deployment_of(a_template()), "tags": {"run": 7}}

    made = client.put(DEPLOYMENT, body, query=VERSION)

    assert made.json["tags"] == client.get(DEPLOYMENT).json["tags"] == {"run": "7"}


BAD_BODIES: list[tuple[str, Any, str]] = [
    ("empty", b"", "the request has no body; give a JSON object {...}."),
    ("not JSON", b"{", "the text is not JSON: "),
    ("a list", [], "a list is not valid; give an object {...}."),
    ("no properties", {}, "properties: is missing; give an object {...}."),
    (
        "no template",
        {"properties": {"mode": "Complete"}},
        "properties.template: is missing; give the template as an object {...}.",
    ),
    (
        "a link",
        {"properties": {"templateLink": {"uri": "http://example.com/"}}},
        "properties.templateLink: is not supported: Foliot fetches nothing; send the template in",
    ),
    (
        "a link to parameters",
        deployment_of(a_template(), parametersLink={"uri": "http://example.com/"}),
        "properties.parametersLink: is not supported: Foliot fetches nothing; send the values in",
    ),
    (
        "a rollback",
        deployment_of(a_template(), onErrorDeployment={"type": "LastSuccessful"}),
        "properties.onErrorDeployment: is not supported: a deployment that fails changes nothing",
    ),
    (
        "another mode",
        deployment_of(a_template(), mode="Partial"),
        'properties.mode: "Partial" is not valid; give one of Incremental, Complete.',
    ),
    (
        "a misspelt name",
        deployment_of(a_template(), paramters={}),
        "properties.paramters: is not known here; did you mean 'parameters'?",
    ),
    ("text that is no JSON", deployment_of("{"), "properties.template: the text is not JSON"),
    ("a number", deployment_of(5), "properties.template: "),
]


@pytest.mark.parametrize(
    ("body", "problem"), [each[1:] for each in BAD_BODIES], ids=[each[0] for each in BAD_BODIES]
)
@pytest.mark.parametrize("call", ["PUT", "POST"])
def test_a_bad_body_is_refused_with_the_place(
    client: Client, call: str, body: Any, problem: str
) -> None:
    path = DEPLOYMENT if call == "PUT" else f"{DEPLOYMENT}/validate"

    reply = client.call(call, path, body, query=VERSION)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(problem)
    assert client.get(DEPLOYMENTS).json["value"] == []


def test_deployments_of_other_states_than_succeeded_do_not_exist(client: Client) -> None:
    deploy(client)

    def listed(condition: str) -> Reply:
        return client.get(DEPLOYMENTS, query=f"{VERSION}&$filter={condition}")

    assert len(listed("provisioningState eq 'Succeeded'").json["value"]) == 1
    assert listed("provisioningState eq 'Failed'").json["value"] == []
    assert listed("name eq 'main'").status == 400


@pytest.mark.parametrize("name", ["a b", "x" * 65, "a%25b", "a%00b", "..", "%2e"])
def test_a_bad_name_is_refused(client: Client, name: str) -> None:
    reply = client.put(f"{DEPLOYMENTS}/{name}", deployment_of(a_template()))

    assert reply.status in (400, 404)


def test_a_template_may_be_larger_than_other_bodies_up_to_a_limit(client: Client) -> None:
    comments = {"comments": "x" * (3 * 1024 * 1024)}
    large = deployment_of(a_template({**template_collection(), **comments}))
    assert client.put(DEPLOYMENT, large, query=VERSION).status == 201

    reply = client.put(DEPLOYMENT, b" " * (4 * 1024 * 1024 + 1), query=VERSION)

    assert (reply.status, reply.code) == (413, "RequestEntityTooLarge")
    assert "larger than 4194304 bytes" in reply.message
    client.with_limits(Limits(max_template_bytes=100))
    assert client.put(DEPLOYMENT, b" " * 101, query=VERSION).status == 413


def test_a_deployment_is_logged_with_what_it_changed(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    deploy(client, *ROUND, template_collection("Gone"))
    caplog.set_level(logging.INFO, "foliot.changes")

    deploy(client, *ROUND, template_job("Billing/New"), mode="Complete")
    client.delete(DEPLOYMENT)

    lines = [record.getMessage() for record in caplog.records if record.name == "foliot.changes"]
    group = "11111111-2222-3333-4444-555555555555/Prod"
    assert [re.sub(r" (request_id|who|client|method|path)=\S+", "", line) for line in lines] == [
        f"Collection deleted collection={group}/Gone deployment=main",
        f"Job created collection={group}/Billing job=New deployment=main",
        f"Deployment updated deployment=main group={group} mode=Complete collections=1 jobs=2"
        " changes=2",
        f"Deployment deleted deployment=main group={group}",
    ]


def test_an_operation_that_is_not_there_is_named(client: Client) -> None:
    client.put(DEPLOYMENT, {"properties": {"template": {"resources": []}}}, query=VERSION)

    reply = client.get(f"{DEPLOYMENT}/operations/00000009", query=VERSION)

    assert (reply.status, reply.message) == (
        404,
        "Operation '00000009' of deployment 'main' could not be found.",
    )


def test_a_template_alone_is_refused_with_where_to_put_it(client: Client) -> None:
    reply = client.put(DEPLOYMENT, {"resources": []}, query=VERSION)

    assert (reply.status, reply.message) == (
        400,
        "the body is a template; put the template into properties.template.",
    )
