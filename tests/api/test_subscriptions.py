"""Subscriptions, tenants, regions and endpoints: what clients ask for before anything else."""

import re
from pathlib import Path
from typing import Any

import pytest

from foliot.core.errors import Unauthenticated
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.support.api_client import COLLECTION, SUBSCRIPTION, Client, a_collection
from tests.support.builders import a_group

THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
VERSIONS = ["", "api-version=2014-04-01", "api-version=2016-06-01", "api-version=x"]


def ids(reply: Any) -> list[str]:
    return [each["subscriptionId"] for each in reply.json["value"]]


@pytest.mark.parametrize("query", VERSIONS)
def test_a_subscription_comes_in_the_shape_of_the_old_service(client: Client, query: str) -> None:
    shown = client.get(SUBSCRIPTION, query=query).json

    assert shown == {
        "id": SUBSCRIPTION,
        "subscriptionId": THIS,
        "tenantId": client.get("/tenants", query=query).json["value"][0]["tenantId"],
        "displayName": THIS,
        "state": "Enabled",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
        "authorizationSource": "Bearer",
    }


@pytest.mark.parametrize("query", VERSIONS)
def test_subscriptions_that_are_used_are_listed(billing: Client, query: str) -> None:
    billing.put("/subscriptions/Second/resourceGroups/g", {"location": "westus"})

    listed = billing.get("/subscriptions", query=query)

    assert ids(listed) == [THIS, "second"]
    assert listed.json["value"][0] == billing.get(SUBSCRIPTION).json
    assert listed.json["nextLink"] is None


def test_an_empty_server_has_no_subscriptions(client: Client) -> None:
    assert client.get("/subscriptions").json == {"value": [], "nextLink": None}


def test_the_jobs_of_deleted_collections_are_no_subscription(billing: Client) -> None:
    billing.delete(COLLECTION)

    assert ids(billing.get("/subscriptions")) == []


@pytest.mark.parametrize(
    "scope",
    [
        {"subscription": "other"},
        {"subscription": "other", "group": "g"},
        {"subscription": "other", "group": "g", "collection": "c"},
    ],
    ids=["subscription", "group", "collection"],
)
@pytest.mark.parametrize("role", list(Role))
def test_whoever_has_a_scope_sees_its_subscription_alone(
    billing: Client, role: Role, scope: dict[str, str]
) -> None:
    billing.principal(role, **scope)

    assert ids(billing.get("/subscriptions")) == ["other"]
    assert ids(billing.get("/subscriptions", query="$skip=1")) == []
    assert billing.get("/subscriptions/OTHER").status == 200
    for path in (SUBSCRIPTION, f"{SUBSCRIPTION}/locations", f"{SUBSCRIPTION}/providers"):
        reply = billing.get(path)
        assert (reply.status, reply.code) == (404, "SubscriptionNotFound")
        assert reply.message == f"The subscription '{THIS}' could not be found."


def test_more_than_a_hundred_subscriptions_come_in_pages(client: Client) -> None:
    def fill(to: Transaction) -> None:
        for number in range(150):
            to.save_resource_group(a_group(subscription=f"s{number:03}"))

    client.run(client.store.write(fill))

    first = client.get("/subscriptions")
    path, _, query = first.json["nextLink"].partition("?")
    second = client.get(path.removeprefix("http://foliot.test:8080"), query=query)

    assert ids(first) + ids(second) == [f"s{number:03}" for number in range(150)]


@pytest.mark.parametrize("query", VERSIONS)
def test_the_regions_of_azure_are_the_locations(client: Client, query: str) -> None:
    listed = client.get(f"{SUBSCRIPTION}/locations", query=query).json["value"]

    by_name = {each["name"]: each for each in listed}
    assert len(by_name) == len(listed) > 60
    assert by_name["southcentralus"] == {
        "id": f"{SUBSCRIPTION}/locations/southcentralus",
        "name": "southcentralus",
        "displayName": "South Central US",
    }


def test_each_location_may_be_that_of_a_collection(client: Client) -> None:
    for each in client.get(f"{SUBSCRIPTION}/locations").json["value"]:
        for written in (each["name"], each["displayName"]):
            client.delete(COLLECTION)

            shown = client.put(COLLECTION, a_collection() | {"location": written}).json

            assert shown["location"] == each["displayName"]


def test_the_server_is_one_tenant_that_stays_the_same(client: Client, tmp_path: Path) -> None:
    (tenant,) = client.get("/tenants").json["value"]
    again = client.get("/tenants", headers={"host": "FOLIOT.test:8080"}).json["value"]

    assert GUID.fullmatch(tenant["tenantId"])
    assert tenant == {"id": f"/tenants/{tenant['tenantId']}", "tenantId": tenant["tenantId"]}
    assert again == [tenant]
    (tmp_path / "other").mkdir()
    with Client(tmp_path / "other", public_url="http://foliot.test:8080") as other:
        moved = other.get("/tenants", headers={"host": "10.0.0.1"})
    assert moved.json["value"] == [tenant]


@pytest.mark.parametrize("query", ["", "api-version=1.0", "api-version=2015-01-01"])
def test_everyone_may_read_the_endpoints(
    client: Client, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    async def refuse(*_: Any) -> Any:
        raise Unauthenticated("The token is not known here.")

    monkeypatch.setattr(client.authenticator, "authenticate", refuse)

    assert client.get("/metadata/endpoints", query=query).json == {
        "galleryEndpoint": "http://foliot.test:8080",
        "graphEndpoint": "http://foliot.test:8080",
        "portalEndpoint": "http://foliot.test:8080",
        "authentication": {
            "loginEndpoint": "http://foliot.test:8080",
            "audiences": ["http://foliot.test:8080"],
        },
    }
    assert client.get("/tenants").status == client.get("/subscriptions").status == 401
    assert client.get("/providers").status == client.get("/metadata").status == 401


def test_the_endpoints_are_at_the_public_address(tmp_path: Path) -> None:
    with Client(tmp_path, public_url="https://jobs.example/base") as client:
        shown = client.get("/metadata/endpoints", headers={"host": "evil.test"})

    assert "evil" not in shown.content.decode()
    assert shown.json["authentication"]["audiences"] == ["https://jobs.example/base"]


def test_a_host_that_is_none_is_not_repeated(client: Client) -> None:
    shown = client.get("/metadata/endpoints", headers={"host": 'x"><script>'})

    assert shown.json["portalEndpoint"] == "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    "name",
    ["%20", "%27%3B--", "%E2%80%AE", "a" * 3000, "%0A", "..%5C", "%7Bgroup%7D"],
    ids=["space", "SQL", "turning", "long", "newline", "dots", "braces"],
)
def test_odd_subscriptions_are_answered_and_nothing_is_stored(client: Client, name: str) -> None:
    before = client.state()
    path = f"/subscriptions/{name}"

    replies = [
        client.get(path),
        client.get(f"{path}/locations"),
        client.get(f"{path}/providers"),
        client.get(f"{path}/resourceGroups"),
        client.get(f"{path}/resources"),
        client.get(f"{path}/resourceGroups/{name}"),
        client.put(f"{path}/resourceGroups/{name}", {"location": "westus"}),
    ]

    assert [reply.status for reply in replies] == [200] * 5 + [404, 400]
    assert client.state() == before


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/subscriptions", "GET"),
        ("/tenants", "GET"),
        ("/providers", "GET"),
        ("/metadata/endpoints", "GET"),
        (SUBSCRIPTION, "GET"),
        (f"{SUBSCRIPTION}/resourceGroups", "GET"),
        (f"{SUBSCRIPTION}/resourceGroups/g", "DELETE, GET, HEAD, PATCH, PUT"),
        (f"{SUBSCRIPTION}/providers/Microsoft.Web/register", "POST"),
    ],
)
@pytest.mark.parametrize("method", ["FOO", "TRACE", "PROPFIND", "OPTIONS"])
def test_another_method_is_refused(client: Client, method: str, path: str, allowed: str) -> None:
    reply = client.call(method, path)

    assert (reply.status, reply.code) == (405, "InvalidHttpVerb")
    assert reply.headers["allow"] == allowed
