"""The audit log over the API: what an entry tells, filters, pages, and who may read it."""

import json
from typing import Any

import pytest
from msgspec import structs

from foliot.app.tokens import NewToken
from foliot.core.access import Principal
from foliot.core.limits import Limits
from foliot.core.model.token import Role, Scope
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    JOB,
    Client,
    Reply,
    a_collection,
    http_job,
)
from tests.support.served_engine import OWN

SUB = "11111111-2222-3333-4444-555555555555"
DAILY = {"frequency": "day"}
ANN = Principal(Role.OWNER, name="ann", token_id=7, address="192.0.2.1", request_id="req-1")


def audit(client: Client, query: str = "") -> Reply:
    return client.get("/audit", query=f"{OWN}&{query}" if query else OWN)


def listed(client: Client, query: str = "") -> list[dict[str, Any]]:
    reply = audit(client, query)
    assert reply.status == 200, reply.content
    return [each["properties"] for each in reply.json["value"]]


def told(client: Client, query: str = "") -> list[str]:
    """Return entries in short: action, kind and name."""
    return [
        f"{each['action']} {each['resource']['kind']} "
        f"{each['resource'].get('name') or each['resource']['collection']}"
        for each in listed(client, query)
    ]


@pytest.fixture
def changed(client: Client) -> Client:
    """Return a server on which Ann made some changes, a day apart from those of Bob."""
    client.authenticator.principal = ANN
    assert client.put(COLLECTION, a_collection()).status == 201
    assert client.put(JOB, http_job(recurrence=DAILY)).status == 201
    client.clock.set("2026-01-11T00:00:00Z")
    client.authenticator.principal = structs.replace(ANN, name="Bob", token_id=8)
    assert client.put(JOB, http_job("http://other.test/", recurrence=DAILY)).status == 200
    assert client.put(f"{COLLECTIONS}/Other", a_collection()).status == 201
    return client


def test_an_entry_tells_who_changed_what_and_when(changed: Client) -> None:
    entry = audit(changed, "collection=billing").json["value"][0]

    assert entry == {
        "id": f"/audit/{entry['name']}",
        "type": "Foliot/audit",
        "name": entry["name"],
        "properties": {
            "time": "2026-01-11T00:00:00Z",
            "who": {"name": "Bob", "tokenId": 8, "role": "Owner", "address": "192.0.2.1"},
            "requestId": "req-1",
            "action": "updated",
            "resource": {
                "kind": "job",
                "id": JOB,
                "subscription": SUB,
                "resourceGroup": "Prod",
                "collection": "Billing",
                "name": "Nightly",
            },
            "changes": [
                {
                    "path": "properties.action.request.uri",
                    "before": "http://example.com/",
                    "after": "http://other.test/",
                }
            ],
        },
    }


def test_one_entry_has_all_of_the_job_before_and_after(changed: Client) -> None:
    entry = audit(changed, "collection=billing").json["value"][0]

    whole = changed.get(entry["id"], query=OWN).json

    before, after = whole["properties"].pop("before"), whole["properties"].pop("after")
    assert whole == entry
    stored = changed.get(JOB, query=OWN).json["properties"]
    assert after["properties"] == {name: stored[name] for name in after["properties"]}
    assert before["properties"]["action"]["request"]["uri"] == "http://example.com/"


def test_what_was_deleted_can_be_saved_again(changed: Client) -> None:
    stored = changed.get(JOB, query=OWN).json["properties"]
    changed.delete(JOB)
    (entry, *_) = audit(changed, "action=deleted").json["value"]

    before = changed.get(entry["id"], query=OWN).json["properties"]["before"]
    saved = changed.put(JOB, before, query=OWN)

    assert saved.status == 201, saved.content
    assert saved.json["properties"]["action"] == stored["action"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param(
            "",
            [
                "created collection Other",
                "updated job Nightly",
                "created job Nightly",
                "created collection Billing",
            ],
            id="all",
        ),
        pytest.param(
            "since=2026-01-11",
            ["created collection Other", "updated job Nightly"],
            id="since",
        ),
        pytest.param(
            "until=2026-01-11T00:00:00Z",
            ["created job Nightly", "created collection Billing"],
            id="until",
        ),
        pytest.param("who=BOB&action=Created", ["created collection Other"], id="who and action"),
        pytest.param(
            "collection=billing",
            ["updated job Nightly", "created job Nightly", "created collection Billing"],
            id="collection",
        ),
        pytest.param(
            "collection=BILLING&job=NIGHTLY&resourceGroup=prod",
            ["updated job Nightly", "created job Nightly"],
            id="job",
        ),
        pytest.param("job=billing", [], id="a collection is no job"),
        pytest.param("kind=collection&who=ann", ["created collection Billing"], id="kind"),
        pytest.param("subscription=other", [], id="another subscription"),
    ],
)
def test_filters(changed: Client, query: str, expected: list[str]) -> None:
    assert told(changed, query) == expected


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("since=soon", 'since: "soon" is not'),
        ("until=2026-13-01", 'until: "2026-13-01" is not'),
        ("action=exploded", 'action: "exploded" is not valid; give one of created, updated,'),
        ("kind=star", 'kind: "star" is not valid; give one of'),
        ("colection=a", '"colection" is not known here; give since, until, who, action, kind,'),
        ("job=a&kind=token", 'job: "a" cannot be given with the kind token'),
        ("$top=0", '$top: "0" is not valid; give a whole number from 1 to 100.'),
        ("$skiptoken=1", '$skiptoken: "1" is not valid; take it from a nextLink.'),
    ],
)
def test_a_bad_value_is_named(changed: Client, query: str, message: str) -> None:
    reply = audit(changed, query)

    assert reply.status == 400
    assert message in reply.message


@pytest.mark.parametrize("version", ["2014-08-01-preview", "2016-01-01", "2016-03-01"])
def test_old_versions_do_not_have_it(changed: Client, version: str) -> None:
    assert changed.get("/audit", query=f"api-version={version}").status == 400


def test_pages_go_on_with_the_same_filter(changed: Client) -> None:
    for number in range(110):
        changed.put(COLLECTION, {**a_collection(), "tags": {"n": str(number)}})
    found: list[str] = []
    query = "collection=billing&who=bob"
    sizes: list[int] = []
    while True:
        reply = audit(changed, query)
        sizes.append(len(reply.json["value"]))
        found += [each["name"] for each in reply.json["value"]]
        if reply.json["nextLink"] is None:
            break
        query = reply.json["nextLink"].partition("?")[2].replace(OWN, "").strip("&")

    assert sizes == [100, 11]
    assert len(set(found)) == 111
    assert found == sorted(found, key=int, reverse=True)


@pytest.mark.parametrize("role", [Role.READER, Role.CONTRIBUTOR])
@pytest.mark.parametrize("path", ["/audit", "/audit/1", "/audit?since=x"])
def test_only_owners_read_it(changed: Client, role: Role, path: str) -> None:
    changed.principal(role)
    address, _, query = path.partition("?")

    reply = changed.get(address, query=f"{OWN}&{query}" if query else OWN)

    assert (reply.status, reply.code) == (403, "AuthorizationFailed")


def test_an_owner_with_a_scope_sees_what_lies_in_it_alone(changed: Client) -> None:
    everything = audit(changed).json["value"]
    scope = {"subscription": SUB, "group": "prod", "collection": "other"}
    changed.principal(Role.OWNER, **scope)

    assert told(changed) == ["created collection Other"]
    assert told(changed, "collection=billing") == []
    statuses = [changed.get(each["id"], query=OWN).status for each in everything]
    assert statuses == [200, 404, 404, 404]


def test_a_token_of_a_wider_scope_is_not_shown_to_an_owner_with_a_scope(changed: Client) -> None:
    tokens = changed.use_cases.tokens
    inner = Scope(subscription=SUB, group="prod", collection="billing")
    for name, scope in (("wide", Scope()), ("inner", inner)):
        wanted = NewToken(name, Role.READER, scope)
        changed.run(tokens.create_token(ANN, wanted, name.encode().ljust(32)))
    changed.principal(Role.OWNER, subscription=SUB, group="prod")

    assert told(changed, "kind=token") == ["created token inner"]


@pytest.mark.parametrize("name", ["0", "99999", "x", "-1", "9" * 30])
def test_an_entry_that_does_not_exist(changed: Client, name: str) -> None:
    reply = changed.get(f"/audit/{name}", query=OWN)

    assert reply.status in (400, 404)


def test_a_name_cannot_forge_an_entry(client: Client) -> None:
    forged = 'eve", "action": "deleted\n2026-01-01 ann deleted job x'
    client.authenticator.principal = Principal(Role.OWNER, name=forged)
    assert client.put(COLLECTION, a_collection()).status == 201

    (entry,) = listed(client)

    assert (entry["who"]["name"], entry["action"]) == (forged, "created")


def test_a_huge_body_cannot_suppress_an_entry(changed: Client) -> None:
    limits = Limits(max_job_bytes=10**6, max_body_characters=10**6)
    changed.with_limits(limits)
    job = http_job()
    job["properties"]["action"]["request"] |= {"method": "post", "body": "ä" * 100_000}
    assert changed.put(JOB, job).status == 200

    (entry, *_) = listed(changed, "job=nightly")

    assert (entry["action"], entry["isCut"]) == ("updated", True)
    body = next(each for each in entry["changes"] if each["path"].endswith("body"))
    assert "... (100000 characters, SHA-256 " in body["after"]
    assert len(json.dumps(entry)) < 20_000
    largest = max(len(each[-6]) for each in changed.state()["audit"])
    assert largest < 40_000


def test_many_large_changes_stay_bounded_in_a_list(changed: Client) -> None:
    for letter in "abc":
        job = http_job()
        job["properties"]["action"]["request"] |= {"method": "post", "body": letter * 8000}
        assert changed.put(JOB, job).status == 200

    assert len(audit(changed, "job=nightly").content) < 20_000


def test_a_number_of_any_size_cannot_suppress_an_entry(changed: Client) -> None:
    quota = {"maxJobOccurrence": 10**30}
    reply = changed.put(COLLECTION, a_collection("P20Premium", quota=quota), query=OWN)

    if reply.status == 200:
        (entry, *_) = listed(changed, "collection=billing")
        assert entry["action"] == "updated"
    assert reply.status in (200, 400)


def test_a_token_that_is_named_like_a_policy_is_told_by_its_id(changed: Client) -> None:
    changed.authenticator.principal = Principal(Role.OWNER, name="policy", token_id=9)
    changed.delete(JOB)

    (entry, *_) = listed(changed)
    assert entry["who"] == {"name": "policy", "tokenId": 9, "role": "Owner"}
