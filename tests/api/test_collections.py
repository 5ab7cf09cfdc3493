"""Job collections: their shape, plan, state, tags and location."""

from typing import Any

import pytest

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, Sku
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    JOB,
    JOBS,
    SUBSCRIPTION,
    Client,
    a_collection,
    http_job,
)

OLD_VERSIONS = ["2016-01-01", "2014-08-01-preview"]


def test_a_collection_in_a_group_that_would_be_refused_today_can_be_seen_and_deleted(
    client: Client,
) -> None:
    key = CollectionKey("S", "old\ngroup\u202e", "C")
    client.run(
        client.store.write(lambda to: to.add_collection(Collection(key=key, sku=Sku.STANDARD)))
    )
    group = "/subscriptions/S/resourceGroups/old%0Agroup%E2%80%AE/providers/Microsoft.Scheduler"

    seen = client.get(f"{group}/jobCollections/C")
    refused = client.put(f"{group}/jobCollections/D", a_collection())
    gone = client.delete(f"{group}/jobCollections/C")

    assert (seen.status, refused.status, gone.status) == (200, 400, 200)


def test_a_collection_comes_back_in_the_shape_of_the_old_service(client: Client) -> None:
    body = {"properties": {"sku": {"name": "fREE"}}, "location": "westus"}

    reply = client.put(COLLECTION, body)

    assert reply.content.decode() == (
        f'{{"id":"{COLLECTION}","type":"Microsoft.Scheduler/jobCollections","name":"Billing",'
        '"location":"West US","properties":{"sku":{"name":"Free"},"state":"Enabled"}}'
    )


def test_all_properties_of_a_collection_come_back_in_order(client: Client) -> None:
    body = {
        "properties": {
            "quota": {
                "maxRecurrence": {"interval": 2, "frequency": "HOUR"},
                "maxJobOccurrence": 9,
                "maxJobCount": 7,
            },
            "state": "SUSPENDED",
            "sku": {"name": "p20premium"},
        },
        "tags": {"b": "1", "a": 2, "c": True, "d": None},
        "location": "North Europe",
        "type": "whatever",
    }

    reply = client.put(COLLECTION, body)

    assert reply.content.decode() == (
        f'{{"id":"{COLLECTION}","type":"Microsoft.Scheduler/jobCollections","name":"Billing",'
        '"location":"North Europe","tags":{"b":"1","a":"2","c":"true"},'
        '"properties":{"sku":{"name":"P20Premium"},"state":"Suspended",'
        '"quota":{"maxJobCount":7,"maxJobOccurrence":9,'
        '"maxRecurrence":{"frequency":"hour","interval":2}}}}'
    )
    assert client.get(COLLECTION).content == reply.content
    assert client.get(COLLECTIONS).json == {"value": [reply.json], "nextLink": None}


@pytest.mark.parametrize(
    "body", [{}, {"properties": {}}, {"properties": None}], ids=["nothing", "empty", "null"]
)
def test_a_collection_is_standard_and_enabled_unless_it_says_otherwise(
    client: Client, body: Any
) -> None:
    assert client.put(COLLECTION, body).json == {
        "id": COLLECTION,
        "type": "Microsoft.Scheduler/jobCollections",
        "name": "Billing",
        "properties": {"sku": {"name": "Standard"}, "state": "Enabled"},
    }


@pytest.mark.parametrize(
    "quota",
    [
        {},
        {"maxRecurrence": {"frequency": "day"}},
        {"maxRecurrence": {"frequency": "minute", "interval": 1}, "maxJobCount": 50},
    ],
    ids=["empty", "no interval", "the plan's own"],
)
def test_a_quota_comes_back_as_it_was_given_with_nothing_filled_in(
    client: Client, quota: dict[str, Any]
) -> None:
    reply = client.put(COLLECTION, a_collection(quota=quota))

    assert reply.json["properties"]["quota"] == quota


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"maxJobCount": 0}, {}),
        ({"maxJobCount": 0, "maxJobOccurrence": 3}, {"maxJobOccurrence": 3}),
        (
            {"maxJobCount": 0, "maxRecurrence": {"frequency": "Hour", "interval": 0}},
            {"maxRecurrence": {"frequency": "hour"}},
        ),
    ],
    ids=["no jobs", "no jobs, but occurrences", "no interval"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_zero_in_a_quota_is_the_same_as_absent(
    client: Client, method: str, given: dict[str, Any], shown: dict[str, Any]
) -> None:
    client.put(COLLECTION, a_collection())

    reply = client.call(method, COLLECTION, a_collection(quota=given))

    assert (reply.status, reply.json["properties"]["quota"]) == (200, shown)
    assert client.put(JOB, http_job()).status == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_numbers_of_a_quota_may_be_strings_and_come_back_as_numbers(
    billing: Client, method: str
) -> None:
    quota = {"maxJobCount": "10", "maxRecurrence": {"Frequency": "minute", "interval": "1"}}

    reply = billing.call(method, COLLECTION, a_collection(quota=quota))

    assert reply.json["properties"]["quota"] == {
        "maxJobCount": 10,
        "maxRecurrence": {"frequency": "minute", "interval": 1},
    }


def test_empty_tags_and_an_empty_location_are_kept(client: Client) -> None:
    reply = client.put(COLLECTION, {"location": "", "tags": {}})

    assert (reply.json["location"], reply.json["tags"]) == ("", {})


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("westus", "West US"),
        ("WestUS2", "West US 2"),
        ("southcentralus", "South Central US"),
        ("south central us", "South Central US"),
        ("West Europe", "West Europe"),
        ("uksouth", "UK South"),
        ("my cellar", "my cellar"),
    ],
)
def test_region_codes_come_back_as_the_names_of_the_regions(
    client: Client, given: str, shown: str
) -> None:
    assert client.put(COLLECTION, {"location": given}).json["location"] == shown


@pytest.mark.parametrize("state", ["Enabled", "Disabled", "Suspended"])
def test_the_state_is_accepted_in_any_letter_case(client: Client, state: str) -> None:
    for written in (state, state.lower(), state.upper()):
        reply = client.put(COLLECTION, a_collection(state=written))

        assert reply.json["properties"]["state"] == state


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            a_collection(state="Deleted"),
            'properties.state: "Deleted" is not valid; give one of Enabled, Disabled, Suspended.',
        ),
        (
            a_collection("Gold"),
            'properties.sku.name: "Gold" is not valid; '
            "give one of Free, Standard, P10Premium, P20Premium.",
        ),
        (
            a_collection("Premium"),
            'properties.sku.name: "Premium" is not valid; '
            "give one of Free, Standard, P10Premium, P20Premium.",
        ),
        (
            {"properties": {"sku": {}}},
            "properties.sku.name: is missing; give one of Free, Standard, P10Premium, P20Premium.",
        ),
        ({"properties": {"sku": "Free"}}, 'properties.sku: "Free" is not valid; give an object'),
        ({"location": 5}, "location: 5 is not valid; give a string."),
        ({"location": "a\0"}, "location: holds a NUL character; leave it out."),
        ({"tags": ["a"]}, 'tags: ["a"] is not valid; give an object of strings {...}.'),
        ({"tags": {"a": ["b"]}}, 'tags.a: ["b"] is not valid; give a string.'),
        ({"tags": {"a\0": "b"}}, "tags: holds a NUL character; leave it out."),
        ({"properties": []}, "properties: [] is not valid; give an object {...}."),
        ([], "[] is not valid; give an object {...}."),
        (
            a_collection(quota={"maxJobCount": "seven"}),
            'properties.quota.maxJobCount: "seven" is not valid; give a whole number.',
        ),
        (
            a_collection(quota={"maxJobCount": "2147483648"}),
            'properties.quota.maxJobCount: "2147483648" is not valid; '
            "give a whole number from -2147483648 to 2147483647.",
        ),
        (
            a_collection(quota={"maxJobCount": -1}),
            "properties.quota.maxJobCount: -1 is not valid; "
            "give a whole number from 1 to 50, the limit of the plan Standard.",
        ),
        (
            a_collection(quota={"maxJobOccurrence": 0}),
            "properties.quota.maxJobOccurrence: 0 is not valid; give a whole number of at least 1",
        ),
        (
            a_collection(quota={"maxRecurrence": {}}),
            "properties.quota.maxRecurrence.frequency: is missing; give one of minute, hour,",
        ),
        (
            a_collection(quota={"maxRecurrence": {"frequency": "day", "interval": -1}}),
            "properties.quota.maxRecurrence.interval: -1 is not valid; "
            "give a whole number from 1 to 548.",
        ),
        (
            {"STATE": 1, "properties": {"state": "Enabled", "State": "Disabled"}},
            'properties.State: is given twice, also as "state"; give it once.',
        ),
    ],
    ids=[
        "state",
        "sku",
        "premium",
        "no sku name",
        "sku that is a string",
        "location",
        "NUL",
        "tags",
        "tag",
        "NUL in a tag",
        "properties",
        "list",
        "text",
        "too large a number as text",
        "negative",
        "no occurrences",
        "no frequency",
        "no interval",
        "twice",
    ],
)
def test_what_is_wrong_with_a_collection_is_named_and_nothing_is_stored(
    client: Client, body: Any, message: str
) -> None:
    before = client.state()

    reply = client.put(COLLECTION, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(message)
    assert client.state() == before


@pytest.mark.parametrize(
    "body",
    [
        {"id": COLLECTION, "name": "Billing", "type": "nonsense"},
        {"id": f"{COLLECTION.upper()}/", "name": "BILLING"},
        {"id": "", "name": ""},
        {"id": None, "name": None},
    ],
    ids=["as in the address", "another letter case", "empty", "null"],
)
def test_a_body_may_repeat_its_identity(client: Client, body: dict[str, Any]) -> None:
    assert client.put(COLLECTION, body).status == 201
    assert client.patch(COLLECTION, body).status == 200


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "Other"}, "name"),
        ({"id": f"{COLLECTIONS}/Other"}, "id"),
        ({"id": COLLECTION.replace("/Prod/", "/Test/")}, "id"),
        ({"id": COLLECTION.replace("11111111", "99999999")}, "id"),
        ({"id": "Billing"}, "id"),
        ({"id": 5}, "id"),
    ],
    ids=["name", "id", "id of another group", "id of another subscription", "no id", "number"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_body_may_not_contradict_its_address(
    billing: Client, method: str, body: dict[str, Any], path: str
) -> None:
    before = billing.state()

    reply = billing.call(method, COLLECTION, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(f"{path}: ")
    assert billing.state() == before


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_location_cannot_change(billing: Client, method: str) -> None:
    before = billing.state()

    reply = billing.call(method, COLLECTION, {"location": "eastus"})

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert reply.message == (
        "The location of the collection 'Billing' is 'West US' and cannot be changed to 'East US'."
    )
    assert billing.state() == before


@pytest.mark.parametrize("location", ["westus", "WEST US", None])
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_same_location_may_be_written_differently_or_left_out(
    billing: Client, method: str, location: str | None
) -> None:
    reply = billing.call(method, COLLECTION, {"location": location})

    assert (reply.status, reply.json["location"]) == (200, "West US")


def test_a_place_of_ones_own_is_the_same_in_any_letter_case(client: Client) -> None:
    client.put(COLLECTION, {"location": "Cellar"})

    assert client.put(COLLECTION, {"location": "cellar"}).json["location"] == "Cellar"


def test_a_put_without_a_state_enables_the_collection(billing: Client) -> None:
    billing.post(f"{COLLECTION}/disable")

    assert billing.put(COLLECTION, a_collection()).json["properties"]["state"] == "Enabled"


def test_a_put_replaces_tags_and_quota(billing: Client) -> None:
    billing.put(COLLECTION, a_collection(quota={"maxJobCount": 3}) | {"tags": {"a": "1"}})

    replaced = billing.put(COLLECTION, a_collection()).json

    assert "tags" not in replaced
    assert "quota" not in replaced["properties"]


@pytest.mark.parametrize(
    ("patch", "tags", "quota"),
    [
        ({}, {"a": "1", "b": "2"}, {"maxJobCount": 3, "maxJobOccurrence": 4}),
        ({"tags": {"a": None}}, {"b": "2"}, {"maxJobCount": 3, "maxJobOccurrence": 4}),
        (
            {"TAGS": {"c": 3}, "PROPERTIES": {"QUOTA": {"MAXJOBCOUNT": 5}}},
            {"a": "1", "b": "2", "c": "3"},
            {"maxJobCount": 5, "maxJobOccurrence": 4},
        ),
        ({"tags": {"A": "x"}}, {"b": "2", "A": "x"}, {"maxJobCount": 3, "maxJobOccurrence": 4}),
        (
            {"tags": None, "properties": {"quota": {"maxJobCount": None}}},
            None,
            {"maxJobOccurrence": 4},
        ),
        ({"properties": {"quota": None}}, {"a": "1", "b": "2"}, None),
    ],
    ids=["nothing", "remove a tag", "any letter case", "respell a tag", "nulls", "no quota"],
)
def test_a_patch_is_laid_over_what_is_there(
    billing: Client, patch: dict[str, Any], tags: Any, quota: Any
) -> None:
    quotas = {"maxJobCount": 3, "maxJobOccurrence": 4}
    billing.put(COLLECTION, a_collection(quota=quotas) | {"tags": {"a": "1", "b": "2"}})

    patched = billing.patch(COLLECTION, patch).json

    assert patched.get("tags") == tags
    assert patched["properties"].get("quota") == quota
    assert patched["properties"]["sku"] == {"name": "Standard"}
    assert billing.get(COLLECTION).json == patched


def test_enable_and_disable_change_the_state_and_nothing_else(billing: Client) -> None:
    before = billing.get(COLLECTION).json

    assert billing.post(f"{COLLECTION}/disable").content == b""
    disabled = billing.get(COLLECTION).json
    assert billing.post(f"{COLLECTION}/enable").content == b""

    assert disabled == before | {"properties": before["properties"] | {"state": "Disabled"}}
    assert billing.get(COLLECTION).json == before


def test_deleting_a_collection_deletes_its_jobs_and_their_history(billing: Client) -> None:
    empty = billing.state()
    billing.put(JOB, http_job())
    billing.post(f"{JOB}/run")

    billing.delete(COLLECTION)
    billing.put(COLLECTION, a_collection())

    assert billing.get(JOBS).json == {"value": [], "nextLink": None}
    after = billing.state()
    assert (after["definition"], after["run"]) == ([], [])
    # What is left belongs to nobody, and is the janitor's.
    assert [row[1] for row in after["job"]] == [0]
    assert len(after["collection"]) == len(empty["collection"]) + 1


@pytest.mark.parametrize("version", OLD_VERSIONS)
@pytest.mark.parametrize("sku", ["P10Premium", "P20Premium"])
def test_older_versions_show_the_premium_plans_as_one(
    client: Client, sku: str, version: str
) -> None:
    client.put(COLLECTION, a_collection(sku))
    query = f"api-version={version}"

    shown = [
        client.get(COLLECTION, query=query).json,
        client.get(COLLECTIONS, query=query).json["value"][0],
        client.patch(COLLECTION, {"tags": {"a": "b"}}, query=query).json,
    ]

    assert [each["properties"]["sku"] for each in shown] == [{"name": "Premium"}] * 3
    assert client.get(COLLECTION).json["properties"]["sku"] == {"name": sku}


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_older_versions_name_their_premium_plan_in_a_refusal(client: Client, version: str) -> None:
    reply = client.put(COLLECTION, a_collection("Gold"), query=f"api-version={version}")

    assert reply.message == (
        'properties.sku.name: "Gold" is not valid; '
        "give one of Free, Standard, P10Premium, P20Premium, Premium."
    )


@pytest.mark.parametrize("version", OLD_VERSIONS)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_older_versions_may_say_premium_for_the_first_of_them(
    billing: Client, method: str, version: str
) -> None:
    body = {"properties": {"sku": {"name": "premium"}}}

    reply = billing.call(method, COLLECTION, body, query=f"api-version={version}")

    assert reply.json["properties"]["sku"] == {"name": "Premium"}
    assert billing.get(COLLECTION).json["properties"]["sku"] == {"name": "P10Premium"}


def test_collections_are_listed_by_group_and_by_subscription(client: Client) -> None:
    other = COLLECTIONS.replace("/Prod/", "/Test/")
    for path in (f"{COLLECTIONS}/b", f"{COLLECTIONS}/A", f"{other}/c"):
        client.put(path, a_collection("P10Premium"))
    elsewhere = f"{COLLECTIONS}/d".replace("11111111", "99999999")
    client.put(elsewhere, a_collection())

    of_subscription = client.get(f"{SUBSCRIPTION}/providers/Microsoft.Scheduler/jobCollections")
    of_group = client.get(COLLECTIONS.replace("/Prod/", "/PROD/"))

    assert [each["name"] for each in of_subscription.json["value"]] == ["A", "b", "c"]
    assert [each["name"] for each in of_group.json["value"]] == ["A", "b"]
    assert of_group.content.endswith(b'],"nextLink":null}')
