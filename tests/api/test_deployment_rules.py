"""A deployment keeps the rules of single calls, and is done completely or not at all."""

# ruff: noqa: S106  (the secrets are made up)

from typing import Any

import pytest

from foliot.api import references
from foliot.api.wire import template_parts
from foliot.app import deployments
from foliot.core.model.token import Role
from foliot.core.rules import resource_groups
from tests.support.api_client import COLLECTION, COLLECTIONS, GROUP, JOB, JOBS, Client, a_collection
from tests.support.bodies import basic, certificate
from tests.support.certificates import a_pfx
from tests.support.template_bodies import (
    COLLECTION_TYPE,
    DEPLOYMENT,
    DEPLOYMENTS,
    THIS,
    VERSION,
    a_template,
    deploy,
    deployment_of,
    template_collection,
    template_job,
)

FREE = template_collection(sku="Free")
HOURLY = {"frequency": "hour"}
LAST = "properties.template.resources[1]"
OWN = {"subscription": THIS, "group": "prod", "collection": "billing"}


def names(client: Client) -> list[str]:
    return [each["name"] for each in client.get(COLLECTIONS).json["value"]]


REFUSED: list[tuple[str, list[dict[str, Any]], int, str]] = [
    (
        "a wrong value",
        [template_collection(), template_job(state="paused")],
        400,
        f'{LAST}.properties.state: "paused" is not valid; give one of enabled, disabled.',
    ),
    (
        "a wrong plan",
        [template_collection("One"), template_collection("Two", sku="Huge")],
        400,
        f'{LAST}.properties.sku.name: "Huge" is not valid; give one of',
    ),
    (
        "a wrong name",
        [template_collection(), template_job("Billing/1st")],
        400,
        f'{LAST}.name: "1st" is not valid; give 1 to 100 letters, digits',
    ),
    (
        "a schedule too fast for the plan",
        [FREE, template_job(recurrence={"frequency": "minute"})],
        409,
        f"{LAST}: The job goes over a limit of its collection: the plan Free allows one run in",
    ),
    (
        "a second collection of the free plan",
        [FREE, template_collection("Second", sku="Free")],
        409,
        f"{LAST}: The plan Free allows 1 collection in a subscription",
    ),
    (
        "a schedule that has ended",
        [template_collection(), template_job(recurrence=HOURLY | {"endTime": "2020-01-01"})],
        400,
        f"{LAST}.properties.recurrence.endTime: ",
    ),
    (
        "a collection that does not exist",
        [template_collection(), template_job("Other/Nightly")],
        404,
        f"{LAST}: The Resource 'Microsoft.Scheduler/jobcollections/Other' under resource group "
        "'Prod' was not found.",
    ),
    (
        "another type",
        [
            template_collection(),
            {"type": "Microsoft.Web/sites", "apiVersion": "2016-08-01", "name": "site"},
        ],
        400,
        f'{LAST}.type: "Microsoft.Web/sites" is not valid; give {COLLECTION_TYPE} or '
        f"{COLLECTION_TYPE}/jobs",
    ),
    (
        "the same resource twice",
        [template_collection(), template_collection("BILLING")],
        400,
        f"{LAST}.name: ",
    ),
    (
        "an unknown property",
        [template_collection(), template_job(starttTime="2026-02-01")],
        400,
        f"{LAST}.properties.starttTime: is not known here; did you mean 'startTime'?",
    ),
    (
        "tags on a job",
        [template_collection(), template_job() | {"tags": {"a": "b"}}],
        400,
        f"{LAST}.tags: is not known here",
    ),
    (
        "a certificate that does not open",
        [
            template_collection(),
            template_job() | certificate(pfx="AAAA"),
        ],
        400,
        f"{LAST}.properties.action.request.authentication.pfx: ",
    ),
]


@pytest.mark.parametrize(
    ("resources", "status", "problem"),
    [each[1:] for each in REFUSED],
    ids=[each[0] for each in REFUSED],
)
@pytest.mark.parametrize("call", ["PUT", "POST"])
def test_one_refused_resource_refuses_the_whole_template(
    client: Client, call: str, resources: list[dict[str, Any]], status: int, problem: str
) -> None:
    path = DEPLOYMENT if call == "PUT" else f"{DEPLOYMENT}/validate"

    reply = client.call(call, path, deployment_of(a_template(*resources)), query=VERSION)

    assert reply.status == status
    assert reply.message.startswith(problem)
    assert names(client) == []
    assert client.get(DEPLOYMENTS).json["value"] == []


def test_more_jobs_than_a_collection_may_have_are_refused_together(client: Client) -> None:
    jobs = [template_job(f"Billing/j{number}", recurrence=HOURLY) for number in range(6)]

    reply = deploy(client, FREE, *jobs)

    assert reply.status == 409
    assert reply.message.startswith(
        "properties.template.resources[6]: The collection 'Billing' has 5 jobs already "
        "and cannot take one more: the plan Free allows 5."
    )
    assert names(client) == []


def test_a_job_may_go_into_a_collection_that_exists(billing: Client) -> None:
    assert deploy(billing, template_job()).status == 201
    assert billing.get(JOB).status == 200


def test_a_location_cannot_change(billing: Client) -> None:
    reply = deploy(billing, template_collection(location="eastus"))

    assert reply.status == 409
    assert reply.message.startswith("properties.template.resources[0]: The location of the")


def test_what_a_template_changes_is_changed_and_nothing_else(client: Client) -> None:
    daily = {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}
    deploy(client, template_collection(), template_job(), template_job("Billing/Same"))
    same = client.job("Same")

    changed = deploy(
        client,
        template_collection(tags={"a": "b"}),
        template_job(recurrence=daily),
        template_job("Billing/Same"),
    )

    assert changed.status == 200
    assert client.get(COLLECTION).json["tags"] == {"a": "b"}
    assert client.job().generation == 2
    assert client.job("Same") == same


def test_a_collection_that_is_enabled_again_resumes_its_jobs(client: Client) -> None:
    hourly = template_job(recurrence=HOURLY)
    deploy(client, template_collection(), hourly)
    client.post(f"{COLLECTION}/disable")
    client.clock.set("2026-01-20T00:30:00Z")

    deploy(client, template_collection())

    status = client.get(JOB).json["properties"]["status"]
    assert status["nextExecutionTime"] == "2026-01-20T01:00:00Z"


def test_a_lower_quota_is_held_against_jobs_that_are_there(client: Client) -> None:
    deploy(client, template_collection(), template_job(recurrence={"frequency": "minute"}))
    quota = {"maxRecurrence": {"frequency": "day"}}
    lower = template_collection(properties={"sku": {"name": "Standard"}, "quota": quota})

    reply = deploy(client, lower)

    assert reply.status == 409
    assert reply.message.startswith("properties.template.resources[0]: Jobs of the collection")


def secret_job(uri: str = "https://example.com/a", **authentication: Any) -> dict[str, Any]:
    return template_job() | basic(uri, **authentication)


def test_a_secret_that_is_left_out_is_kept_or_asked_for(client: Client) -> None:
    deploy(client, template_collection(), secret_job(password="kept"))

    kept = deploy(client, template_collection(), secret_job())
    moved = deploy(client, template_collection(), secret_job("https://evil.example/"))

    assert kept.status == 200
    assert client.job().definition.action.part.authentication.password.reveal() == "kept"
    assert moved.status == 400
    assert moved.message.startswith(
        "properties.template.resources[1].properties.action.request.authentication.password: "
        "is left out, but the user or the host has changed"
    )


def test_a_certificate_of_several_jobs_is_opened(client: Client) -> None:
    pfx = a_pfx("shared", "word")
    signed = certificate(pfx=pfx.text, password="word")
    jobs = [template_job(f"Billing/{name}") | signed for name in ("One", "Two")]

    assert deploy(client, template_collection(), *jobs).status == 201
    shown = client.get(f"{JOBS}/Two").json["properties"]["action"]["request"]["authentication"]
    assert shown["certificateThumbprint"]


def test_a_template_has_a_limited_number_of_certificates(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template_parts, "MAX_CERTIFICATES", 1)
    jobs = [
        template_job(f"Billing/{name}") | certificate(pfx=a_pfx(name, "word").text, password="word")
        for name in ("one", "two")
    ]

    reply = deploy(client, template_collection(), *jobs)

    assert reply.status == 400
    assert reply.message == (
        "properties.template.resources[2]: has one certificate more than the 1 that are allowed."
    )


def test_complete_mode_deletes_collections_that_the_template_lacks(client: Client) -> None:
    deploy(client, template_collection(), template_job(), template_collection("Old"))
    elsewhere = COLLECTION.replace("Prod", "Test")
    client.put(elsewhere, a_collection())

    reply = deploy(
        client, template_collection("New"), template_collection("billing"), mode="Complete"
    )

    assert reply.status == 200
    assert names(client) == ["Billing", "New"]
    assert client.get(JOB).status == 200, "a job that the template lacks stays"
    assert client.get(elsewhere).status == 200


@pytest.mark.parametrize(
    ("version", "is_kept"),
    [
        ("2018-05-01", True),
        ("2019-05-10", False),
        ("2021-04-01", False),
        ("latest", True),
        ("", True),
    ],
)
def test_complete_mode_keeps_a_collection_without_its_condition_for_old_clients(
    client: Client, version: str, *, is_kept: bool
) -> None:
    deploy(client, template_collection(), template_collection("Other"))
    template = a_template(template_collection("Other"), template_collection(condition=False))

    reply = client.put(
        DEPLOYMENT, deployment_of(template, mode="Complete"), query=f"api-version={version}"
    )

    assert reply.status == 200
    assert names(client) == (["Billing", "Other"] if is_kept else ["Other"])


def test_complete_mode_makes_room_for_a_collection_of_the_same_plan(client: Client) -> None:
    deploy(client, FREE)

    reply = deploy(client, template_collection("Second", sku="Free"), mode="Complete")

    assert reply.status == 200
    assert names(client) == ["Second"]


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ("MAX_DELETED_COLLECTIONS", "The deployment would delete 2 collections, and 1 can be"),
        ("MAX_DELETED_JOBS", "The resource group 'Prod' has 2 jobs, and 1 can be deleted at once"),
    ],
)
def test_complete_mode_deletes_no_more_than_one_transaction_should(
    client: Client, monkeypatch: pytest.MonkeyPatch, limit: str, problem: str
) -> None:
    jobs = [template_job(), template_job("Other/Nightly")]
    deploy(client, template_collection(), template_collection("Other"), *jobs)
    monkeypatch.setattr(resource_groups, limit, 1)

    reply = deploy(client, mode="Complete")

    assert reply.status == 409
    assert reply.message.startswith(problem)
    assert names(client) == ["Billing", "Other"]


def test_complete_mode_that_is_refused_deletes_nothing(client: Client) -> None:
    deploy(client, template_collection())

    reply = deploy(
        client, template_collection("New"), template_job("New/bad", state="x"), mode="Complete"
    )

    assert reply.status == 400
    assert names(client) == ["Billing"]


def test_validate_says_what_would_be_made_and_deleted_and_does_neither(client: Client) -> None:
    deploy(client, template_collection())
    before = client.state()
    body = deployment_of(
        a_template(template_collection("New"), template_job("New/j")), mode="Complete"
    )

    reply = client.post(f"{DEPLOYMENT}/validate", body, query=VERSION)

    assert reply.status == 200
    properties = reply.json["properties"]
    assert properties["provisioningState"] == "Succeeded"
    assert properties["mode"] == "Complete"
    assert properties["validatedResources"] == [
        {"id": f"{COLLECTIONS}/New"},
        {"id": f"{COLLECTIONS}/New/jobs/j"},
    ]
    assert properties["deletes"] == [COLLECTION]
    assert client.state() == before


def test_a_reader_sees_deployments_and_changes_nothing(client: Client) -> None:
    deploy(client, template_collection())
    client.principal(Role.READER)
    body = deployment_of(a_template(template_collection("New")))

    for call, path in (("PUT", DEPLOYMENT), ("POST", f"{DEPLOYMENT}/validate")):
        assert client.call(call, path, body, query=VERSION).status == 403
    assert client.delete(DEPLOYMENT).status == 403
    assert client.get(DEPLOYMENT).status == client.get(DEPLOYMENTS).status == 200
    assert client.get(f"{DEPLOYMENT}/operations").status == 200


@pytest.mark.parametrize(
    "scope",
    [{"subscription": "other"}, {"subscription": THIS, "group": "test"}],
    ids=["another subscription", "another group"],
)
def test_outside_of_the_scope_there_are_no_deployments(
    client: Client, scope: dict[str, str]
) -> None:
    deploy(client, template_collection())
    client.principal(Role.OWNER, **scope)
    body = deployment_of(a_template())

    assert client.get(DEPLOYMENT).status == client.get(DEPLOYMENTS).status == 404
    assert client.put(DEPLOYMENT, body, query=VERSION).status == 404
    assert client.delete(DEPLOYMENT).status == 404


def test_a_token_of_one_collection_deploys_this_one_alone(client: Client) -> None:
    client.principal(Role.CONTRIBUTOR, **OWN)

    own = deploy(client, template_collection(), template_job())
    other = deploy(client, template_collection(), template_collection("Other"))
    foreign_job = deploy(client, template_job("Other/j"))

    assert own.status == 201
    assert (other.status, foreign_job.status) == (404, 404)
    assert other.message.startswith("properties.template.resources[1]: The Resource")
    assert [each["name"] for each in client.get(DEPLOYMENTS).json["value"]] == ["main"]
    client.principal(Role.OWNER)
    assert names(client) == ["Billing"]


def test_complete_mode_deletes_nothing_outside_of_the_scope(client: Client) -> None:
    deploy(client, template_collection(), template_collection("Other"))
    client.principal(Role.CONTRIBUTOR, **OWN)

    empty = deployment_of(a_template(), mode="Complete")
    reply = client.put(f"{DEPLOYMENTS}/mine", empty, query=VERSION)

    assert reply.status == 201
    client.principal(Role.OWNER)
    assert names(client) == ["Other"]


def test_a_token_of_one_collection_sees_no_deployment_of_others(client: Client) -> None:
    deploy(client, template_collection(), template_collection("Other"))
    client.principal(Role.CONTRIBUTOR, **OWN)

    assert client.get(DEPLOYMENT).status == 404
    assert client.get(f"{DEPLOYMENT}/operations").status == 404
    assert client.delete(DEPLOYMENT).status == 404
    assert client.get(DEPLOYMENTS).json["value"] == []
    taken = deploy(client, template_collection())
    assert (taken.status, taken.message) == (
        409,
        "The name 'main' is taken by another deployment; give another.",
    )


def test_a_token_of_one_collection_sees_its_deployment_of_nothing(client: Client) -> None:
    client.principal(Role.CONTRIBUTOR, **OWN)

    assert [deploy(client).status for _ in range(2)] == [201, 200]
    assert client.get(DEPLOYMENT).status == 200
    client.principal(Role.CONTRIBUTOR, **OWN | {"collection": "other"})
    assert client.get(DEPLOYMENT).status == 404
    client.principal(Role.CONTRIBUTOR, **OWN)
    assert client.delete(DEPLOYMENT).status == 204


def test_a_token_of_one_collection_pushes_out_no_deployment(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deployments, "MAX_DEPLOYMENTS", 2)
    deploy(client, template_collection())
    client.principal(Role.CONTRIBUTOR, **OWN)
    body = deployment_of(a_template())

    def put(name: str) -> int:
        return client.put(f"{DEPLOYMENTS}/{name}", body, query=VERSION).status

    assert [put("one"), put("two"), put("one")] == [201, 409, 200]
    trial = client.post(f"{DEPLOYMENTS}/two/validate", body, query=VERSION)
    assert (trial.status, trial.message) == (
        409,
        "The resource group 'Prod' has 2 deployments, and no more are kept; "
        "give the name of one of yours, or delete one.",
    )
    client.principal(Role.OWNER)
    assert client.get(DEPLOYMENT).status == 200
    assert put("three") == 201
    assert len(client.get(DEPLOYMENTS).json["value"]) == 2


def test_complete_mode_keeps_the_collection_of_a_job_of_the_template(billing: Client) -> None:
    assert deploy(billing, template_job(), mode="Complete").status == 201
    assert names(billing) == ["Billing"]
    assert billing.get(JOB).status == 200


def test_a_refusal_names_its_place_once_if_an_output_has_a_reference(client: Client) -> None:
    ended = template_job(recurrence=HOURLY | {"endTime": "2020-01-01"})
    value = "[reference(resourceId('Microsoft.Scheduler/jobCollections', 'Billing'))]"
    outputs = {"o": {"type": "object", "value": value}}
    template = a_template(template_collection(), ended, outputs=outputs)

    reply = client.put(DEPLOYMENT, deployment_of(template), query=VERSION)

    assert reply.status == 400
    assert reply.message.startswith(f"{LAST}.properties.recurrence.endTime: ")


def test_a_template_knows_the_location_and_the_tags_of_its_group(client: Client) -> None:
    client.put(GROUP, {"location": "eastus", "tags": {"team": "a"}})
    group = template_collection(
        location="[resourceGroup().location]", tags="[resourceGroup().tags]"
    )

    assert deploy(client, group).status == 201
    shown = client.get(COLLECTION).json
    assert (shown["location"], shown["tags"]) == ("East US", {"team": "a"})


def test_a_collection_of_a_group_without_a_location_may_get_one_later(client: Client) -> None:
    group = template_collection(location="[resourceGroup().location]")
    assert deploy(client, group).status == 201
    assert "location" not in client.get(COLLECTION).json

    client.put(GROUP, {"location": "westus"})

    assert deploy(client, group).status == 200
    assert client.get(COLLECTION).json["location"] == "West US"


def test_with_a_group_go_its_deployments(client: Client) -> None:
    deploy(client, template_collection())

    assert client.delete(GROUP).status == 200

    assert client.get(DEPLOYMENT).status == 404


REFERENCE = "[reference(resourceId('Microsoft.Scheduler/jobCollections', 'Other')).sku.name]"


def test_a_template_refers_to_what_is_there(client: Client) -> None:
    deploy(client, template_collection("Other", sku="P10Premium"))

    reply = deploy(client, template_collection(tags={"plan": REFERENCE}))

    assert reply.status == 200
    assert client.get(COLLECTION).json["tags"] == {"plan": "P10Premium"}


def test_a_template_refers_to_a_limited_number_of_stored_resources(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [template_collection("Other"), template_collection("Another")]
    deploy(client, *others)
    monkeypatch.setattr(references, "MAX_REFERENCES", 1)
    tags = {"first": REFERENCE, "same": REFERENCE.replace("Other", "OTHER")}

    few = deploy(client, template_collection(tags=tags))
    many = deploy(
        client, template_collection(tags=tags | {"more": REFERENCE.replace("Other", "Another")})
    )

    assert few.status == 200
    assert many.status == 400
    assert many.message == (
        "properties.template.resources[0].tags.more: "
        "the template refers to more than 1 stored resources."
    )


def test_a_template_cannot_refer_to_what_is_outside_of_the_scope(client: Client) -> None:
    deploy(client, template_collection("Other", sku="P10Premium"))
    client.principal(Role.CONTRIBUTOR, **OWN)

    there = deploy(client, template_collection(tags={"plan": REFERENCE}))
    missing = deploy(
        client, template_collection(tags={"plan": REFERENCE.replace("Other", "None1")})
    )

    assert (there.status, missing.status) == (400, 400)
    assert there.message.replace("Other", "None1") == missing.message


@pytest.mark.parametrize(
    "identity",
    [
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/x",
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/a/jobs/b",
        "/",
        "../secret-key",
    ],
)
def test_a_template_cannot_refer_to_what_is_not_there(client: Client, identity: str) -> None:
    value = f"[string(reference('{identity}', '2016-03-01'))]"

    reply = deploy(client, template_collection(tags={"a": value}))

    assert reply.status == 400
    assert reply.message.startswith("properties.template.resources[0].tags.a: there is no resource")


def test_a_full_reference_gives_the_location_and_tags_of_an_existing_collection(
    client: Client,
) -> None:
    old = template_collection("Other", tags={"team": "ops"}, location="westus")
    deploy(client, old)
    whole = "reference(resourceId('Microsoft.Scheduler/jobCollections', 'Other'), '1', 'Full')"
    value = f"[concat({whole}.location, ' ', {whole}.tags.team)]"
    outputs = {"o": {"type": "string", "value": value}}

    template = a_template(template_collection(tags={"it": value}), outputs=outputs)

    reply = client.put(DEPLOYMENT, deployment_of(template), query=VERSION)

    assert client.get(COLLECTION).json["tags"] == {"it": "West US ops"}
    assert reply.json["properties"]["outputs"]["o"]["value"] == "West US ops"


def test_an_output_refers_to_a_job_as_it_will_be(client: Client) -> None:
    identity = "resourceId('Microsoft.Scheduler/jobCollections/jobs', 'Billing', 'Nightly')"
    other = "resourceId('Microsoft.Scheduler/jobCollections/jobs', 'Other', 'j')"
    outputs = {
        "new": {"type": "object", "value": f"[reference({identity}, '2016-03-01').status]"},
        "old": {"type": "string", "value": REFERENCE},
        "job": {"type": "string", "value": f"[reference({other}, '2016-03-01').state]"},
    }
    deploy(client, template_collection("Other"), template_job("Other/j", state="disabled"))
    later = template_job(startTime="2026-05-01T00:00:00Z")
    template = a_template(template_collection(), later, outputs=outputs)

    reply = client.put(DEPLOYMENT, deployment_of(template), query=VERSION)

    assert reply.json["properties"]["outputs"] == {
        "new": {"type": "Object", "value": client.get(JOB).json["properties"]["status"]},
        "old": {"type": "String", "value": "Standard"},
        "job": {"type": "String", "value": "disabled"},
    }


def test_deployments_at_the_same_time_are_done_one_after_the_other(client: Client) -> None:
    first = deployment_of(a_template(template_collection(tags={"by": "first"}), template_job()))
    second = deployment_of(a_template(template_collection(tags={"by": "second"}), template_job()))

    replies = client.gather(
        ("PUT", f"{DEPLOYMENTS}/first", first), ("PUT", f"{DEPLOYMENTS}/second", second)
    )

    assert [reply.status for reply in replies] == [201, 201]
    assert len(client.get(JOBS).json["value"]) == 1
