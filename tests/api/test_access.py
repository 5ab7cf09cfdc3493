"""Who may do what, where: roles answer 403, scopes answer as if nothing were there."""

from typing import Any

import pytest

from foliot.core.model.token import Role
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    GROUP,
    JOB,
    JOBS,
    SUBSCRIPTION,
    Client,
    a_collection,
    http_job,
)

PROVIDER = f"{SUBSCRIPTION}/providers/Microsoft.Scheduler"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
READS = [
    ("GET", COLLECTION),
    ("GET", COLLECTIONS),
    ("GET", f"{PROVIDER}/jobCollections"),
    ("GET", JOBS),
    ("GET", JOB),
    ("GET", f"{JOB}/history"),
    ("GET", SUBSCRIPTION),
    ("GET", f"{SUBSCRIPTION}/locations"),
    ("GET", f"{SUBSCRIPTION}/resourceGroups"),
    ("GET", f"{SUBSCRIPTION}/resources"),
    ("GET", f"{GROUP}/resources"),
    ("GET", GROUP),
    ("GET", f"{SUBSCRIPTION}/providers"),
    ("GET", PROVIDER),
    ("POST", f"{PROVIDER}/register"),
    ("GET", "/subscriptions"),
    ("GET", "/tenants"),
    ("GET", "/providers"),
    ("HEAD", GROUP),
]
CHANGES = [
    ("PUT", COLLECTION, a_collection()),
    ("PUT", f"{COLLECTIONS}/New", a_collection()),
    ("PATCH", COLLECTION, {"tags": {"a": "b"}}),
    ("POST", f"{COLLECTION}/disable", None),
    ("POST", f"{COLLECTION}/enable", None),
    ("PUT", JOB, http_job("http://other/")),
    ("PUT", f"{JOBS}/New", http_job()),
    ("POST", JOBS, http_job()),
    ("PATCH", JOB, {"properties": {"state": "disabled"}}),
    ("POST", f"{JOB}/run", None),
    ("DELETE", JOB, None),
    ("DELETE", COLLECTION, None),
]

# What lets a caller see the collection Billing, and what does not.
INSIDE: dict[str, dict[str, str]] = {
    "everywhere": {},
    "subscription": {"subscription": THIS},
    "group": {"subscription": THIS, "group": "prod"},
    "collection": {"subscription": THIS, "group": "prod", "collection": "billing"},
}
OUTSIDE: dict[str, dict[str, str]] = {
    "another subscription": {"subscription": "other"},
    "another group": {"subscription": THIS, "group": "test"},
    "another collection": {"subscription": THIS, "group": "prod", "collection": "other"},
    "the same collection elsewhere": {
        "subscription": "other",
        "group": "prod",
        "collection": "billing",
    },
}


@pytest.fixture
def nightly(billing: Client) -> Client:
    billing.put(JOB, http_job())
    return billing


@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize("role", list(Role))
def test_everyone_in_scope_sees(nightly: Client, role: Role, scope: dict[str, str]) -> None:
    nightly.principal(role, **scope)

    statuses = [nightly.call(method, path).status for method, path in READS]

    assert statuses == [200] * (len(READS) - 1) + [204]


@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE.keys())
def test_a_reader_changes_nothing(nightly: Client, scope: dict[str, str]) -> None:
    nightly.principal(Role.READER, **scope)
    before = nightly.state()

    replies = [nightly.call(*change) for change in CHANGES if change[1] != f"{COLLECTIONS}/New"]

    for reply in replies:
        assert (reply.status, reply.code) == (403, "AuthorizationFailed")
        assert reply.message == (
            "The role Reader does not allow this; it needs the role Contributor."
        )
    assert nightly.state() == before


@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize("role", [Role.CONTRIBUTOR, Role.OWNER])
def test_a_contributor_and_an_owner_change(
    nightly: Client, role: Role, scope: dict[str, str]
) -> None:
    nightly.principal(role, **scope)

    for method, path, body in CHANGES:
        reply = nightly.call(method, path, body)

        if "collection" in scope and path == f"{COLLECTIONS}/New":
            assert (reply.status, reply.code) == (404, "ResourceNotFound")
        else:
            assert reply.status in (200, 201)


@pytest.mark.parametrize("scope", OUTSIDE.values(), ids=OUTSIDE.keys())
@pytest.mark.parametrize("role", list(Role))
def test_what_lies_outside_the_scope_is_not_found_and_not_changed(
    nightly: Client, role: Role, scope: dict[str, str]
) -> None:
    nightly.principal(role, **scope)
    before = nightly.state()
    calls: list[tuple[str, str, Any]] = [
        (method, path, None)
        for method, path in READS
        if path.startswith(COLLECTION) and path != COLLECTIONS
    ]

    for method, path, body in calls + CHANGES:
        reply = nightly.call(method, path, body)

        assert (method, path, reply.status) == (method, path, 404)
        assert reply.code == "ResourceNotFound"
    assert nightly.state() == before


def test_what_is_hidden_is_answered_like_what_is_not_there(nightly: Client) -> None:
    nightly.principal(Role.OWNER, subscription=THIS, group="prod", collection="other")
    hidden = nightly.get(JOB)

    nightly.principal(Role.OWNER)
    nightly.delete(COLLECTION)
    nightly.principal(Role.OWNER, subscription=THIS, group="prod", collection="other")
    absent = nightly.get(JOB)

    assert (hidden.status, hidden.content) == (absent.status, absent.content)


@pytest.mark.parametrize(
    ("scope", "group", "subscription"),
    [
        ({}, [200, 204], [200, 200, 200]),
        ({"subscription": THIS}, [200, 204], [200, 200, 200]),
        ({"subscription": THIS, "group": "prod"}, [200, 204], [200, 200, 200]),
        ({"subscription": THIS, "group": "test"}, [404, 404], [200, 200, 200]),
        ({"subscription": "other"}, [404, 404], [404, 404, 404]),
    ],
    ids=["everywhere", "subscription", "group", "another group", "another subscription"],
)
def test_a_group_or_subscription_outside_the_scope_is_not_found(
    nightly: Client, scope: dict[str, str], group: list[int], subscription: list[int]
) -> None:
    nightly.principal(Role.READER, **scope)

    of_group = [nightly.get(COLLECTIONS).status, nightly.call("HEAD", GROUP).status]
    of_subscription = [
        nightly.get(f"{PROVIDER}/jobCollections").status,
        nightly.get(PROVIDER).status,
        nightly.post(f"{PROVIDER}/register").status,
    ]

    assert (of_group, of_subscription) == (group, subscription)


@pytest.mark.parametrize(
    ("scope", "of_subscription", "of_group"),
    [
        ({}, ["Billing", "Second", "Third"], ["Billing", "Second"]),
        ({"subscription": THIS}, ["Billing", "Second", "Third"], ["Billing", "Second"]),
        ({"subscription": THIS, "group": "prod"}, ["Billing", "Second"], ["Billing", "Second"]),
        ({"subscription": THIS, "group": "prod", "collection": "second"}, ["Second"], ["Second"]),
        ({"subscription": THIS, "group": "prod", "collection": "gone"}, [], []),
    ],
    ids=["everywhere", "subscription", "group", "collection", "no such collection"],
)
def test_lists_show_only_what_is_in_scope(
    billing: Client, scope: dict[str, str], of_subscription: list[str], of_group: list[str]
) -> None:
    billing.put(f"{COLLECTIONS}/Second", a_collection())
    billing.put(f"{COLLECTIONS}/Third".replace("/Prod/", "/Test/"), a_collection())
    billing.principal(Role.READER, **scope)

    def listed(path: str, query: str = "") -> list[str]:
        reply = billing.get(path, query=f"api-version=2016-03-01{query}")
        return [each["name"] for each in reply.json["value"]]

    assert listed(f"{PROVIDER}/jobCollections") == of_subscription
    assert listed(COLLECTIONS) == of_group
    assert listed(COLLECTIONS, "&$skip=1") == of_group[1:]
    assert listed(COLLECTIONS, "&$top=1") == of_group[:1]


def test_a_scope_of_one_collection_may_create_it(client: Client) -> None:
    client.principal(Role.CONTRIBUTOR, subscription=THIS, group="prod", collection="billing")

    assert client.put(COLLECTION, a_collection()).status == 201
    assert client.put(JOB, http_job()).status == 201


BODIES: dict[str, bytes] = {
    "no JSON": b"{",
    "too large": b"x" * 2_000_000,
    "unknown": b'{"a": 1}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("method", "path", "_"), CHANGES, ids=lambda part: str(part)[-20:])
def test_a_reader_is_refused_before_the_body_is_looked_at(
    billing: Client, method: str, path: str, _: Any, body: bytes
) -> None:
    billing.principal(Role.READER)

    assert billing.call(method, path, body).status == 403


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("method", "path", "_"), CHANGES, ids=lambda part: str(part)[-20:])
def test_nothing_is_there_outside_the_scope_whatever_the_body(
    billing: Client, method: str, path: str, _: Any, body: bytes
) -> None:
    billing.principal(Role.OWNER, subscription="other")

    reply = billing.call(method, path, body)

    assert (reply.status, reply.code) == (404, "ResourceNotFound")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("method", "path"), [("PUT", JOB), ("POST", JOBS), ("PATCH", COLLECTION)])
def test_a_collection_must_be_there_before_the_body_is_looked_at(
    client: Client, method: str, path: str, body: bytes
) -> None:
    reply = client.call(method, path, body)

    assert (reply.status, reply.code) == (404, "ResourceNotFound")
