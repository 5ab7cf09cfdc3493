"""Addresses, methods, versions, and what is in every answer."""

import re
from typing import Any

import pytest

from foliot.core.errors import Unauthenticated, Unavailable
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
GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
VERSIONS = ["2016-03-01", "2016-01-01", "2014-08-01-preview", "2026-11-01"]

# What each operation answers, in an order in which they work one after the other.
OPERATIONS: list[tuple[str, str, Any, int, bool]] = [
    ("PUT", COLLECTION, a_collection(), 201, True),
    ("PUT", COLLECTION, a_collection(), 200, True),
    ("PATCH", COLLECTION, {"tags": {"a": "b"}}, 200, True),
    ("GET", COLLECTION, None, 200, True),
    ("GET", COLLECTIONS, None, 200, True),
    ("GET", f"{PROVIDER}/jobCollections", None, 200, True),
    ("POST", f"{COLLECTION}/disable", None, 200, False),
    ("POST", f"{COLLECTION}/enable", None, 200, False),
    ("PUT", JOB, http_job(), 201, True),
    ("PUT", JOB, http_job(), 200, True),
    ("PATCH", JOB, {"properties": {"state": "disabled"}}, 200, True),
    ("GET", JOB, None, 200, True),
    ("GET", JOBS, None, 200, True),
    ("POST", JOBS, http_job(), 201, True),
    ("POST", f"{JOB}/run", None, 200, False),
    ("GET", f"{JOB}/history", None, 200, True),
    ("DELETE", JOB, None, 200, False),
    ("DELETE", COLLECTION, None, 200, False),
]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_operation_answers_as_the_table_says(client: Client, version: str) -> None:
    for method, path, body, status, has_content in OPERATIONS:
        reply = client.call(method, path, body, query=f"api-version={version}")

        assert (method, path, reply.status) == (method, path, status)
        assert bool(reply.content) is has_content
        if has_content:
            assert reply.headers["content-type"] == "application/json; charset=utf-8"


def test_addresses_match_in_any_letter_case(client: Client) -> None:
    for method, path, body, status, _ in OPERATIONS:
        assert client.call(method, path.upper(), body).status == status


def test_names_keep_the_letter_case_they_were_created_with(billing: Client) -> None:
    created = billing.put(JOB, http_job()).json

    shown = [
        billing.get(JOB.upper()).json,
        billing.put(JOB.lower(), http_job()).json,
        billing.patch(JOB.swapcase(), {}).json,
        billing.get(JOBS.upper()).json["value"][0],
    ]

    assert created["name"] == "Billing/Nightly"
    assert created["id"] == JOB
    assert shown == [created] * 4
    assert billing.get(COLLECTION.upper()).json["id"] == COLLECTION
    assert billing.put(COLLECTION.lower(), a_collection()).json["id"] == COLLECTION


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "is missing"),
        ("api-version=", '"" is not supported'),
        ("api-version=2016-03-02", '"2016-03-02" is not supported'),
        ("$top=5", "is missing"),
    ],
    ids=["no query", "empty", "unknown", "other parameters"],
)
@pytest.mark.parametrize("path", [COLLECTIONS, COLLECTION, JOBS, JOB, f"{JOB}/history"])
def test_a_call_must_name_a_known_version(
    client: Client, path: str, query: str, problem: str
) -> None:
    reply = client.get(path, query=query)

    assert (reply.status, reply.code) == (400, "MissingOrIncorrectVersionHeader")
    assert reply.message == (
        f"The api-version query parameter {problem}; "
        "the supported versions are 2016-03-01, 2016-01-01, 2014-08-01-preview, 2026-11-01."
    )


def test_the_version_is_read_in_any_letter_case(client: Client) -> None:
    assert client.get(COLLECTIONS, query="API-Version=2014-08-01-PREVIEW").status == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", COLLECTION, "DELETE, GET, PATCH, PUT"),
        ("HEAD", COLLECTION, "DELETE, GET, PATCH, PUT"),
        ("DELETE", JOBS, "GET, POST"),
        ("POST", JOB, "DELETE, GET, PATCH, PUT"),
        ("GET", f"{JOB}/run", "POST"),
        ("POST", f"{JOB}/history", "GET"),
        ("GET", f"{COLLECTION}/enable", "POST"),
        ("PUT", COLLECTIONS, "GET"),
        ("BREW", JOB, "DELETE, GET, PATCH, PUT"),
    ],
)
def test_a_method_that_an_address_does_not_know_is_refused_with_those_it_knows(
    client: Client, method: str, path: str, allowed: str
) -> None:
    reply = client.call(method, path)

    assert reply.status == 405
    assert reply.headers["allow"] == allowed
    if method != "HEAD":
        assert reply.code == "InvalidHttpVerb"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/metadata",
        "/tenants/x",
        f"{SUBSCRIPTION}/unknown",
        f"{GROUP}/providers/Microsoft.Web/sites",
        f"{JOB}/triggers",
        f"{JOBS}/a%2Fb",
        f"{JOBS}/a%00b",
        f"{JOBS}/%ff",
        f"{COLLECTION}//jobs",
    ],
)
def test_an_unknown_address_is_answered_as_an_error_like_any_other(
    client: Client, path: str
) -> None:
    reply = client.get(path)

    assert (reply.status, reply.code) == (404, "NotFound")
    assert list(reply.json) == ["error"]
    assert list(reply.json["error"]) == ["code", "message"]


@pytest.mark.parametrize(
    ("method", "path", "code", "message"),
    [
        (
            "GET",
            COLLECTION,
            "ResourceNotFound",
            "The Resource 'Microsoft.Scheduler/jobcollections/Billing' "
            "under resource group 'Prod' was not found.",
        ),
        ("GET", JOB, "ResourceNotFound", "The Resource"),
        ("GET", JOBS, "ResourceNotFound", "The Resource"),
        ("DELETE", COLLECTION, "ResourceNotFound", "The Resource"),
        ("DELETE", JOB, "ResourceNotFound", "The Resource"),
        ("POST", f"{COLLECTION}/enable", "ResourceNotFound", "The Resource"),
        ("POST", f"{COLLECTION}/disable", "ResourceNotFound", "The Resource"),
        ("PATCH", COLLECTION, "ResourceNotFound", "The Resource"),
        ("PUT", JOB, "ResourceNotFound", "The Resource"),
        ("POST", JOBS, "ResourceNotFound", "The Resource"),
        ("PATCH", JOB, "ResourceNotFound", "The Resource"),
        ("POST", f"{JOB}/run", "ResourceNotFound", "The Resource"),
        ("GET", f"{JOB}/history", "ResourceNotFound", "The Resource"),
    ],
)
def test_without_the_collection_nothing_is_found_and_nothing_created(
    client: Client, method: str, path: str, code: str, message: str
) -> None:
    before = client.state()

    reply = client.call(method, path, http_job() if method in ("PUT", "PATCH", "POST") else None)

    assert (reply.status, reply.code) == (404, code)
    assert reply.message.startswith(message)
    assert client.state() == before


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", JOB),
        ("DELETE", JOB),
        ("PATCH", JOB),
        ("POST", f"{JOB}/run"),
        ("GET", f"{JOB}/history"),
    ],
)
def test_a_job_that_does_not_exist_is_not_found(billing: Client, method: str, path: str) -> None:
    reply = billing.call(method, path, {} if method == "PATCH" else None)

    assert (reply.status, reply.code) == (404, "NotFound")
    assert reply.message == "Job 'Nightly' cannot be found."


def test_every_answer_carries_the_ids_of_its_request(billing: Client) -> None:
    replies = [
        billing.get(COLLECTION),
        billing.get(JOB),
        billing.get("/nowhere"),
        billing.call("BREW", JOB),
        billing.get(JOB, query=""),
        billing.put(JOB, b"{"),
        billing.call("HEAD", GROUP),
        billing.get("/healthz"),
    ]

    ids = [reply.headers["x-ms-request-id"] for reply in replies]
    assert all(GUID.fullmatch(each) for each in ids)
    assert len(set(ids)) == len(ids)
    assert all(reply.headers["x-ms-correlation-request-id"] for reply in replies)


def test_the_correlation_id_of_a_client_is_taken_over(client: Client) -> None:
    given = "0e1f9ff6-5f3a-4a53-9cb4-3a3d1c0c4d11"

    reply = client.get(COLLECTIONS, headers={"x-ms-correlation-request-id": given})

    assert reply.headers["x-ms-correlation-request-id"] == given


@pytest.mark.parametrize("operation", ["read", "browse", "write"])
def test_a_store_that_is_away_is_answered_with_when_to_try_again(
    billing: Client, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    async def fail(*_: Any) -> Any:
        raise Unavailable("The store cannot be reached.")

    monkeypatch.setattr(billing.store, operation, fail)

    calls = {
        "read": lambda: billing.get(JOB),
        "browse": lambda: billing.get(JOBS),
        "write": lambda: billing.put(JOB, http_job()),
    }
    reply = calls[operation]()

    assert (reply.status, reply.code) == (503, "ServerBusy")
    assert int(reply.headers["retry-after"]) > 0


def test_whoever_is_not_let_in_is_told_how(
    billing: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any) -> Any:
        raise Unauthenticated("The token is not known here.")

    monkeypatch.setattr(billing.authenticator, "authenticate", refuse)

    replies = [billing.get(JOB), billing.get("/nowhere"), billing.put(JOB, b"{")]

    for reply in replies:
        assert (reply.status, reply.code) == (401, "AuthenticationFailed")
        assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "name",
    ["1st", "_a", "-a", "a.b", "a%20b", "a" * 101, "%C3%A9t%C3%A9", "a%0A"],
    ids=["digit", "underscore", "hyphen", "dot", "space", "101 characters", "accents", "newline"],
)
@pytest.mark.parametrize("kind", ["collection", "job"])
def test_a_name_that_is_not_allowed_creates_nothing(billing: Client, kind: str, name: str) -> None:
    before = billing.state()
    path, body = (
        (f"{COLLECTIONS}/{name}", a_collection())
        if kind == "collection"
        else (f"{JOBS}/{name}", http_job())
    )

    reply = billing.put(path, body)

    assert reply.status == 400
    assert billing.state() == before


@pytest.mark.parametrize(
    "name", ["a", "Z9_-", "a" * 100], ids=["one letter", "all kinds", "100 characters"]
)
def test_a_name_of_letters_digits_hyphens_and_underscores_is_allowed(
    billing: Client, name: str
) -> None:
    assert billing.put(f"{COLLECTIONS}/{name}", a_collection()).json["name"] == name
    assert billing.put(f"{JOBS}/{name}", http_job()).json["name"] == f"Billing/{name}"


def test_a_refused_name_is_told_with_what_is_allowed(billing: Client) -> None:
    assert billing.put(f"{JOBS}/1st", http_job()).message == (
        'name: "1st" is not valid; give 1 to 100 letters, digits, - and _ that begin with a letter.'
    )


def test_a_job_can_be_created_under_a_name_of_the_servers_making(billing: Client) -> None:
    replies = [billing.post(JOBS, http_job()) for _ in range(2)]

    names = {reply.json["name"] for reply in replies}
    assert [reply.status for reply in replies] == [201, 201]
    assert len(names) == 2
    for name in names:
        assert billing.get(f"{JOBS}/{name.removeprefix('Billing/')}").status == 200
