"""Resource groups: a group exists as soon as it has a collection, or was created."""

from typing import Any

import pytest

from foliot.core.model.token import Role
from foliot.core.rules import resource_groups
from foliot.core.rules.resource_groups import MAX_GROUPS
from foliot.ports.store import Transaction
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    GROUP,
    JOB,
    SUBSCRIPTION,
    Client,
    a_collection,
    http_job,
)
from tests.support.builders import a_group as a_stored_group

GROUPS = f"{SUBSCRIPTION}/resourceGroups"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
# Clients call with many versions of the API, and some with none.
VERSIONS = ["", "api-version=2015-11-01", "api-version=2019-05-10", "api-version=nonsense"]
WEST = {"location": "westus"}
ONE_COLLECTION = {"subscription": THIS, "group": "prod", "collection": "billing"}


def names(reply: Any) -> list[str]:
    return [each["name"] for each in reply.json["value"]]


@pytest.mark.parametrize("query", VERSIONS)
@pytest.mark.parametrize("method", ["HEAD", "GET", "PATCH", "DELETE"])
def test_a_group_that_nobody_used_does_not_exist(client: Client, method: str, query: str) -> None:
    before = client.state()

    reply = client.call(method, GROUP, {} if method == "PATCH" else None, query=query)

    assert reply.status == 404
    if method != "HEAD":
        assert reply.code == "ResourceGroupNotFound"
        assert reply.message == "Resource group 'Prod' could not be found."
    assert client.state() == before


@pytest.mark.parametrize("query", VERSIONS)
def test_a_group_exists_as_soon_as_it_has_a_collection(billing: Client, query: str) -> None:
    head = billing.call("HEAD", GROUP.lower(), query=query)
    shown = billing.get(GROUP.lower(), query=query)

    assert (head.status, head.content) == (204, b"")
    assert "content-length" not in head.headers
    assert shown.content.decode() == (
        f'{{"id":"{GROUP}","type":"Microsoft.Resources/resourceGroups","name":"Prod",'
        '"location":"westus","properties":{"provisioningState":"Succeeded"}}'
    )


def test_a_group_ends_with_its_last_collection(billing: Client) -> None:
    billing.delete(COLLECTION)

    assert billing.call("HEAD", GROUP).status == 404


@pytest.mark.parametrize("query", VERSIONS)
def test_a_created_group_comes_back_as_it_was_sent(client: Client, query: str) -> None:
    body = {
        "location": "West US",
        "tags": {"team": "ops", "n": 1},
        "managedBy": "/x",
        "properties": {},
    }

    created = client.put(GROUP, body, query=query)
    repeated = client.put(GROUP.upper(), body, query=query)

    assert (created.status, repeated.status) == (201, 200)
    assert created.content.decode() == (
        f'{{"id":"{GROUP}","type":"Microsoft.Resources/resourceGroups","name":"Prod",'
        '"location":"westus","tags":{"team":"ops","n":"1"},'
        '"properties":{"provisioningState":"Succeeded"}}'
    )
    assert repeated.content == client.get(GROUP, query=query).content == created.content
    assert client.call("HEAD", GROUP, query=query).status == 204


def test_a_created_group_stays_without_collections(billing: Client) -> None:
    assert billing.put(GROUP, WEST).status == 200
    billing.delete(COLLECTION)

    assert billing.get(GROUP).status == 200


def test_what_a_client_read_can_be_sent_back(client: Client) -> None:
    created = client.put(GROUP, WEST | {"tags": {"a": "b"}}).json

    assert client.put(GROUP, created).json == created
    assert client.patch(GROUP, created).json == created


def test_a_put_replaces_all_tags(client: Client) -> None:
    client.put(GROUP, WEST | {"tags": {"a": "b"}})

    assert "tags" not in client.put(GROUP, WEST).json


@pytest.mark.parametrize(
    ("patch", "tags"),
    [
        ({"tags": {"c": "d"}}, {"c": "d"}),
        ({"tags": {}}, {}),
        ({"TAGS": None}, None),
        ({}, {"a": "b"}),
        ({"name": "prod", "location": "West US", "properties": {}}, {"a": "b"}),
    ],
    ids=["others", "none", "null", "nothing", "other properties"],
)
def test_a_patch_replaces_the_tags_it_gives(
    client: Client, patch: dict[str, Any], tags: dict[str, str] | None
) -> None:
    client.put(GROUP, WEST | {"tags": {"a": "b"}})

    reply = client.patch(GROUP, patch)

    assert (reply.status, reply.json.get("tags"), reply.json["location"]) == (200, tags, "westus")


def test_a_group_with_collections_alone_can_get_tags(billing: Client) -> None:
    assert billing.patch(GROUP, {"tags": {"a": "b"}}).json["tags"] == {"a": "b"}
    billing.delete(COLLECTION)

    assert billing.get(GROUP).json["location"] == "westus"
    assert billing.put(GROUP, WEST).status == 200


@pytest.mark.parametrize("location", ["West US", "WESTUS", "west us"])
def test_the_same_location_may_be_written_differently(client: Client, location: str) -> None:
    client.put(GROUP, WEST)

    assert client.put(GROUP, {"location": location}).json["location"] == "westus"


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_location_of_a_created_group_cannot_change(client: Client, method: str) -> None:
    client.put(GROUP, WEST)
    before = client.state()

    reply = client.call(method, GROUP, {"location": "eastus"})

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == (
        "The location of the resource group 'Prod' is 'West US' and cannot be changed to 'East US'."
    )
    assert client.state() == before


def test_a_group_may_be_elsewhere_than_its_collections(billing: Client) -> None:
    assert billing.put(GROUP, {"location": "eastus"}).json["location"] == "eastus"
    assert billing.get(COLLECTION).json["location"] == "West US"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "location: is missing; give a region such as westus."),
        ({"location": ""}, 'location: "" is not valid; give a region such as westus.'),
        ({"location": 5}, "location: 5 is not valid; give a string."),
        ({"location": "a\nb"}, 'location: "a\\nb" is not valid; give a region such as West US'),
        ({"locaton": "westus"}, "locaton: is not known here; did you mean 'location'?"),
        (WEST | {"sku": {}}, "sku: is not known here; the known properties are"),
        (WEST | {"tags": ["a"]}, 'tags: ["a"] is not valid; give an object of strings {...}.'),
        (WEST | {"tags": {"a<": "b"}}, 'tags: "a<" is not valid; give names without'),
        (WEST | {"tags": {str(n): "" for n in range(16)}}, "tags: 16 tags are too many"),
        (WEST | {"name": "Test"}, 'name: "Test" is not valid; give the name of the address, Prod'),
        (WEST | {"id": f"{GROUPS}/Test"}, "id: "),
        ([], "[] is not valid; give an object {...}."),
        (b"", "the request has no body; give a JSON object {...}."),
        (b"{", "the text is not JSON: "),
    ],
    ids=[
        *("no location", "empty location", "number", "newline", "misspelt", "unknown", "tags"),
        *("tag name", "many tags", "name", "id", "list", "no body", "no JSON"),
    ],
)
def test_what_is_wrong_with_a_group_is_named_and_nothing_is_stored(
    client: Client, body: Any, message: str
) -> None:
    before = client.state()

    reply = client.put(GROUP, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(message)
    assert client.state() == before


@pytest.mark.parametrize(
    "name",
    ["a.", "a%20b", "a%0Ab", "%E2%80%AE", "a" * 91, "a%3Cscript%3E", "a'b", "%25"],
    ids=["dot", "space", "newline", "turning", "91 characters", "tag", "quote", "percent"],
)
def test_a_name_that_is_not_allowed_creates_no_group(client: Client, name: str) -> None:
    before = client.state()

    reply = client.put(f"{GROUPS}/{name}", WEST)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith("group: ")
    assert client.state() == before


def test_a_subscription_that_is_not_allowed_gets_no_group(client: Client) -> None:
    reply = client.put("/subscriptions/a%20b/resourceGroups/g", WEST)

    assert (reply.status, reply.message[:14]) == (400, "subscription: ")


def test_a_subscription_has_a_limit_of_groups(client: Client) -> None:
    def fill(to: Transaction) -> None:
        for number in range(MAX_GROUPS):
            to.save_resource_group(a_stored_group(f"g{number}"))

    client.run(client.store.write(fill))

    refused = client.put(GROUP, WEST)
    assert (refused.status, refused.code) == (409, "ConflictError")
    assert refused.message == "The subscription has 980 resource groups, and may have 980."
    assert client.put(f"{GROUPS}/g1", WEST).status == 200
    assert client.delete(f"{GROUPS}/g1").status == 200
    assert client.put(GROUP, WEST).status == 201


@pytest.mark.parametrize("is_created", [True, False], ids=["created", "used"])
def test_deleting_a_group_deletes_all_that_is_in_it(billing: Client, *, is_created: bool) -> None:
    other = COLLECTION.replace("/Prod/", "/Test/")
    billing.put(other, a_collection())
    billing.put(f"{COLLECTIONS}/Second", a_collection())
    billing.put(JOB, http_job())
    billing.post(f"{JOB}/run")
    if is_created:
        billing.put(GROUP, WEST)

    reply = billing.delete(GROUP.upper())

    assert (reply.status, reply.content) == (200, b"")
    assert billing.call("HEAD", GROUP).status == 404
    assert billing.get(COLLECTION).status == 404
    assert billing.get(other).status == 200
    after = billing.state()
    assert (after["definition"], after["run"], after["resource_group"]) == ([], [], [])
    billing.put(COLLECTION, a_collection())
    assert billing.get(JOB).status == 404


def test_a_group_with_too_many_jobs_is_not_deleted_at_once(
    billing: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_groups, "MAX_DELETED_JOBS", 1)
    for name in ("a", "b"):
        billing.put(f"{COLLECTION}/jobs/{name}", http_job())
    before = billing.state()

    reply = billing.delete(GROUP)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == (
        "The resource group 'Prod' has 2 jobs, and 1 can be deleted at once; "
        "delete some of its collections first."
    )
    assert billing.state() == before
    billing.delete(f"{COLLECTION}/jobs/a")
    assert billing.delete(GROUP).status == 200


def test_groups_are_listed_by_name_whether_they_were_created_or_used(client: Client) -> None:
    client.put(f"{GROUPS}/b", WEST)
    client.put(COLLECTION.replace("/Prod/", "/C/"), a_collection())
    client.put(f"{GROUPS}/A", WEST)
    client.put("/subscriptions/other/resourceGroups/d", WEST)

    listed = client.get(GROUPS, query="api-version=2016-09-01")

    assert names(listed) == ["A", "b", "C"]
    assert listed.content.endswith(b'],"nextLink":null}')
    assert listed.json["value"][2] == client.get(f"{GROUPS}/c").json
    assert names(client.get(GROUPS, query="$top=2")) == ["A", "b"]
    assert names(client.get(GROUPS, query="$skip=1&$filter=")) == ["b", "C"]


def test_more_than_a_hundred_groups_come_in_pages(client: Client) -> None:
    def fill(to: Transaction) -> None:
        for number in range(150):
            to.save_resource_group(a_stored_group(f"G{number:03}"))

    client.run(client.store.write(fill))

    first = client.get(GROUPS, query="api-version=2016-09-01")
    path, _, query = first.json["nextLink"].partition("?")
    second = client.get(path.removeprefix("http://foliot.test:8080"), query=query)

    assert names(first) + names(second) == [f"G{number:03}" for number in range(150)]
    assert second.json["nextLink"] is None


@pytest.mark.parametrize(
    "query",
    ["$top=0", "$top=101", "$skip=-1", "$filter=tagName%20eq%20'a'", "$filter=x", "$top=1&$TOP=2"],
)
def test_a_listing_of_groups_that_is_not_understood_is_refused(client: Client, query: str) -> None:
    reply = client.get(GROUPS, query=query)

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")


OURS = "resourceType%20eq%20'Microsoft.Scheduler/jobCollections'"


@pytest.mark.parametrize(
    ("query", "of_subscription", "of_group"),
    [
        ("", ["Billing", "Other"], ["Billing"]),
        ("api-version=2017-05-10&$expand=createdTime", ["Billing", "Other"], ["Billing"]),
        (f"$filter={OURS}", ["Billing", "Other"], ["Billing"]),
        (f"$filter={OURS.upper()}", ["Billing", "Other"], ["Billing"]),
        ("$filter=resourceType eq 'Microsoft.Web/sites'", [], []),
        ("$top=1", ["Billing"], ["Billing"]),
        ("$skip=1", ["Other"], []),
    ],
    ids=["all", "any version", "ours", "any letter case", "others", "top", "skip"],
)
def test_collections_are_listed_as_resources(
    billing: Client, query: str, of_subscription: list[str], of_group: list[str]
) -> None:
    billing.put(f"{COLLECTIONS}/Other".replace("/Prod/", "/Test/"), a_collection())

    assert names(billing.get(f"{SUBSCRIPTION}/resources", query=query)) == of_subscription
    assert names(billing.get(f"{GROUP}/resources", query=query)) == of_group


def test_resources_of_a_subscription_can_be_asked_for_by_group(billing: Client) -> None:
    billing.put(f"{COLLECTIONS}/Other".replace("/Prod/", "/Test/"), a_collection())

    query = f"$filter=resourceGroup%20eq%20'TEST'%20and%20{OURS}"

    assert names(billing.get(f"{SUBSCRIPTION}/resources", query=query)) == ["Other"]


def test_a_resource_has_the_identity_location_and_tags_of_its_collection(client: Client) -> None:
    client.put(COLLECTION, a_collection() | {"tags": {"a": "b"}})

    assert client.get(f"{GROUP}/resources", query="").json == {
        "value": [
            {
                "id": COLLECTION,
                "type": "Microsoft.Scheduler/jobCollections",
                "name": "Billing",
                "location": "West US",
                "tags": {"a": "b"},
            }
        ],
        "nextLink": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "name eq 'a'",
        "resourceType",
        "resourceType ne 'a'",
        "resourceType eq 'a' or resourceType eq 'b'",
        "resourceType eq 'a' and resourceType eq 'b'",
        "resourceType eq 'a' and resourceGroup eq 'b' and name eq 'c'",
        "substringof('a', name)",
        "' and " * 1000,
        "resourceType" + " " * 60_000,
    ],
    ids=lambda text: text[:40],
)
def test_a_filter_of_resources_that_is_not_understood_is_refused(
    billing: Client, text: str
) -> None:
    reply = billing.get(f"{SUBSCRIPTION}/resources", query=f"$filter={text.replace(' ', '%20')}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert reply.message.endswith("give resourceType eq '...' and resourceGroup eq '...'.")


def test_the_resources_of_a_group_that_nobody_used_are_not_found(client: Client) -> None:
    reply = client.get(f"{GROUP}/resources")

    assert (reply.status, reply.code) == (404, "ResourceGroupNotFound")


CHANGES: list[tuple[str, Any]] = [("PUT", WEST), ("PATCH", {"tags": {}}), ("DELETE", None)]


@pytest.mark.parametrize(("method", "body"), CHANGES)
@pytest.mark.parametrize("sent", ["as it should be", "no JSON"])
def test_a_reader_changes_no_group(billing: Client, method: str, body: Any, sent: str) -> None:
    billing.principal(Role.READER)
    before = billing.state()

    reply = billing.call(method, GROUP, b"{" if sent == "no JSON" else body)

    assert (reply.status, reply.code) == (403, "AuthorizationFailed")
    assert billing.state() == before


@pytest.mark.parametrize(("method", "body"), CHANGES)
@pytest.mark.parametrize("role", [Role.CONTRIBUTOR, Role.OWNER])
def test_who_sees_one_collection_does_not_change_its_group(
    billing: Client, role: Role, method: str, body: Any
) -> None:
    billing.principal(role, **ONE_COLLECTION)
    before = billing.state()

    reply = billing.call(method, GROUP, body)

    assert (reply.status, reply.code) == (403, "AuthorizationFailed")
    assert reply.message == (
        "This is about all of the resource group 'Prod'; "
        "it needs a token whose scope is not one collection."
    )
    assert billing.state() == before


@pytest.mark.parametrize(
    "scope",
    [{}, {"subscription": THIS}, {"subscription": THIS, "group": "prod"}],
    ids=["everywhere", "subscription", "group"],
)
def test_a_contributor_creates_changes_and_deletes_a_group(
    client: Client, scope: dict[str, str]
) -> None:
    client.principal(Role.CONTRIBUTOR, **scope)

    assert client.put(GROUP, WEST).status == 201
    assert client.patch(GROUP, {"tags": {"a": "b"}}).status == 200
    assert names(client.get(GROUPS)) == ["Prod"]
    assert client.delete(GROUP).status == 200
    assert client.get(GROUP).status == 404
    assert names(client.get(GROUPS)) == []


@pytest.mark.parametrize(
    ("scope", "code"),
    [
        ({"subscription": "other"}, "SubscriptionNotFound"),
        ({"subscription": THIS, "group": "test"}, "ResourceGroupNotFound"),
        ({"subscription": "other", "group": "prod"}, "SubscriptionNotFound"),
    ],
    ids=["subscription", "group", "the same group elsewhere"],
)
@pytest.mark.parametrize(("method", "body"), [("GET", None), *CHANGES])
def test_a_group_outside_the_scope_is_not_found_and_not_changed(
    billing: Client, scope: dict[str, str], code: str, method: str, body: Any
) -> None:
    billing.principal(Role.OWNER, **scope)
    before = billing.state()

    replies = [billing.call(method, GROUP, body), billing.get(f"{GROUP}/resources")]

    assert [(each.status, each.code) for each in replies] == [(404, code)] * 2
    assert billing.state() == before


@pytest.mark.parametrize(
    ("scope", "groups", "resources"),
    [
        ({"subscription": THIS, "group": "test"}, ["Test"], ["Other"]),
        ({"subscription": THIS, "group": "gone"}, [], []),
        (ONE_COLLECTION, ["Prod"], ["Billing"]),
    ],
    ids=["a group", "no such group", "a collection"],
)
def test_listings_show_only_what_is_in_scope(
    billing: Client, scope: dict[str, str], groups: list[str], resources: list[str]
) -> None:
    billing.put(f"{COLLECTIONS}/Second", a_collection())
    billing.put(f"{COLLECTIONS}/Other".replace("/Prod/", "/Test/"), a_collection())
    billing.principal(Role.READER, **scope)

    assert names(billing.get(GROUPS)) == groups
    assert names(billing.get(GROUPS, query="$skip=1")) == []
    assert names(billing.get(f"{SUBSCRIPTION}/resources", query="")) == resources


def test_who_sees_one_collection_learns_nothing_else_of_its_group(client: Client) -> None:
    client.principal(Role.OWNER, **ONE_COLLECTION)
    empty = client.get(GROUP), client.call("HEAD", GROUP), client.get(f"{GROUP}/resources")
    client.principal(Role.OWNER)
    client.put(GROUP, {"location": "eastus", "tags": {"secret": "plan"}})
    client.put(f"{COLLECTIONS}/Second", a_collection())

    client.principal(Role.OWNER, **ONE_COLLECTION)
    filled = client.get(GROUP), client.call("HEAD", GROUP), client.get(f"{GROUP}/resources")

    assert [each.content for each in filled] == [each.content for each in empty]
    assert [each.status for each in filled] == [200, 204, 200]


def test_groups_are_saved_and_deleted_at_the_same_time(client: Client) -> None:
    calls = [("PUT", GROUP, WEST), ("PUT", COLLECTION, a_collection()), ("DELETE", GROUP, None)]

    replies = client.gather(*(calls * 10))

    assert {reply.status for reply in replies} <= {200, 201, 404}
