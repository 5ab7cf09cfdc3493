"""Resource providers: clients register many of them, and look for regions in ours."""

import pytest

from tests.support.api_client import COLLECTION, SUBSCRIPTION, Client, a_collection

PROVIDERS = f"{SUBSCRIPTION}/providers"
OURS = f"{PROVIDERS}/Microsoft.Scheduler"
VERSIONS = ["", "api-version=2015-01-01", "api-version=2016-03-01", "api-version=x"]
# Some of those that Terraform's provider registers: requiredResourceProviders in
# azurerm/required_resource_providers.go of hashicorp/terraform-provider-azurerm.
OTHERS = ["Microsoft.Compute", "microsoft.insights", "Microsoft.DBforMySQL", "Microsoft.Web"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", OURS),
        ("POST", f"{OURS}/register"),
        ("POST", f"{OURS}/unregister"),
        ("POST", f"{OURS.lower()}/REGISTER"),
    ],
    ids=["get", "register", "unregister", "any letter case"],
)
@pytest.mark.parametrize("query", VERSIONS)
def test_our_provider_is_registered_whatever_the_version(
    client: Client, method: str, path: str, query: str
) -> None:
    reply = client.call(method, path, query=query)

    assert reply.status == 200
    assert reply.json["id"] == OURS
    assert reply.json["namespace"] == "Microsoft.Scheduler"
    assert reply.json["registrationState"] == "Registered"


def test_each_type_of_our_provider_has_the_names_of_all_regions(client: Client) -> None:
    types = client.get(OURS).json["resourceTypes"]

    assert [each["resourceType"] for each in types] == [
        "jobcollections",
        "operations",
        "operationResults",
    ]
    listed = client.get(f"{SUBSCRIPTION}/locations").json["value"]
    for each in types:
        assert each["locations"] == [region["displayName"] for region in listed]
        assert each["apiVersions"] == ["2016-03-01", "2016-01-01", "2014-08-01-preview"]


@pytest.mark.parametrize("region", ["West US", "South Central US", "Brazil South", "Japan West"])
def test_the_region_of_a_collection_is_among_those_of_the_provider(
    client: Client, region: str
) -> None:
    shown = client.put(COLLECTION, a_collection() | {"location": region}).json["location"]

    assert shown in client.get(OURS).json["resourceTypes"][0]["locations"]


@pytest.mark.parametrize("query", VERSIONS)
@pytest.mark.parametrize("path", [PROVIDERS, "/providers"], ids=["subscription", "tenant"])
def test_the_providers_of_this_server_are_listed_as_registered(
    client: Client, path: str, query: str
) -> None:
    listed = client.get(path, query=query).json

    assert {each["namespace"]: each["registrationState"] for each in listed["value"]} == {
        "Microsoft.Scheduler": "Registered",
        "Microsoft.Resources": "Registered",
    }
    assert [each["id"] for each in listed["value"]] == [
        f"{path}/Microsoft.Scheduler",
        f"{path}/Microsoft.Resources",
    ]
    assert listed["nextLink"] is None


@pytest.mark.parametrize("namespace", OTHERS)
def test_another_provider_is_registered_and_has_nothing(client: Client, namespace: str) -> None:
    path = f"{PROVIDERS}/{namespace}"

    replies = [
        client.post(f"{path}/register", query="api-version=2016-02-01"),
        client.get(path, query="api-version=2016-02-01"),
        client.post(f"{path}/unregister", query="api-version=2016-02-01"),
    ]

    for reply in replies:
        assert reply.json == {
            "id": path,
            "namespace": namespace,
            "resourceTypes": [],
            "registrationState": "Registered",
        }


@pytest.mark.parametrize(
    "namespace", ["a%20b", "%3Cb%3E", "1", "a" * 129, "%E2%80%AE", "a'b"], ids=lambda each: each[:9]
)
def test_a_namespace_that_is_none_is_refused(client: Client, namespace: str) -> None:
    reply = client.post(f"{PROVIDERS}/{namespace}/register")

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.endswith("give the name of a provider such as Microsoft.Scheduler.")


@pytest.mark.parametrize("prefix", ["", SUBSCRIPTION], ids=["tenant", "subscription"])
@pytest.mark.parametrize("query", VERSIONS)
def test_the_operations_of_the_provider_are_listed(client: Client, prefix: str, query: str) -> None:
    path = f"{prefix}/providers/Microsoft.Scheduler/operations"

    listed = client.get(path, query=query).json["value"]

    assert listed[0]["name"] == "Microsoft.Scheduler/jobcollections/read"
    assert set(listed[0]["display"]) == {"provider", "resource", "operation", "description"}
    assert len({each["name"] for each in listed}) == len(listed) == 10
