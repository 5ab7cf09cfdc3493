"""What a request changes is held against the rules of today; what was there before is not."""

from pathlib import Path
from typing import Any

import pytest

from foliot.core.limits import Limits
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
from tests.support.bodies import action_job, basic, oauth, request_job

REQUEST = "properties.action.request"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
LARGE = request_job(
    uri=f"http://h/{'a' * 200}", body="b" * 300, headers={f"X-{n}": "v" * 50 for n in range(9)}
)
SMALL = Limits(
    max_job_bytes=300,
    max_uri_characters=50,
    max_headers=2,
    max_header_characters=60,
    max_body_characters=20,
)


def request_patch(**request: Any) -> dict[str, Any]:
    return {"properties": {"action": {"request": request}}}


@pytest.fixture
def lowered(tmp_path: Path) -> Any:
    """Return a client of a server whose limits were lowered after a job was made."""
    with Client(tmp_path) as client:
        client.put(COLLECTION, a_collection())
        assert client.put(JOB, LARGE).status == 201
        yield client.with_limits(SMALL)


@pytest.mark.parametrize(
    "patch",
    [
        {"properties": {"state": "disabled"}},
        request_patch(body="b" * 200),
        request_patch(uri=f"http://h/{'a' * 100}"),
        request_patch(headers={"X-0": None}),
        request_patch(method="PUT"),
    ],
    ids=["disabled", "smaller body", "shorter address", "a header less", "something else"],
)
def test_a_job_over_a_lowered_limit_can_be_disabled_and_made_smaller(
    lowered: Client, patch: Any
) -> None:
    reply = lowered.patch(JOB, patch)

    assert reply.status == 200, reply.content
    assert lowered.put(JOB, reply.json).status == 200
    assert lowered.delete(JOB).status == 200


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (request_patch(body="b" * 301), "the job has "),
        (request_patch(body=None, uri=f"http://h/{'a' * 220}"), f"{REQUEST}.uri: has 229 "),
        (request_patch(body=None, headers={"X-9": ""}), f"{REQUEST}.headers: 10 headers"),
    ],
    ids=["body", "address", "headers"],
)
def test_it_cannot_be_made_larger(lowered: Client, patch: Any, message: str) -> None:
    reply = lowered.patch(JOB, patch)

    assert reply.status == 400
    assert reply.message.startswith(message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (basic(username=None), "username: is missing; give the user name."),
        (oauth(tenant=None), "tenant: is missing; give the directory's id or domain."),
        (oauth(tenant=""), "tenant: is missing; give the directory's id or domain."),
        (oauth(tenant=".."), 'tenant: ".." is not valid; give the directory'),
        (oauth(tenant="."), 'tenant: "." is not valid; give the directory'),
        (oauth(tenant="a/b"), 'tenant: "a/b" is not valid; give the directory'),
        (oauth(clientId=None), "clientId: is missing; give the id of the application."),
        (oauth(audience=None), "audience: is missing; give the resource that the token is for."),
    ],
    ids=["user", "tenant", "empty", "above", "here", "two", "client", "audience"],
)
def test_an_authentication_without_what_it_needs_is_refused(
    billing: Client, body: Any, message: str
) -> None:
    reply = billing.put(JOB, body)

    assert reply.status == 400
    assert reply.message.startswith(f"{REQUEST}.authentication.{message}")


OPEN = request_job(
    uri="https://ann:pw@example.com/a?sv=1&sig=s3cr3t",
    headers={"Authorization": "Bearer s3cr3t", "X-Api-Key": "s3cr3t", "Accept": "text/plain"},
)


@pytest.mark.parametrize("path", [JOB, JOBS], ids=["job", "list"])
def test_a_reader_does_not_see_credentials_that_stand_in_the_open(
    billing: Client, path: str
) -> None:
    action = OPEN["properties"]["action"]
    billing.put(JOB, action_job(action | {"errorAction": action}))
    full = billing.get(path)
    billing.principal(Role.READER)

    reply = billing.get(path)

    assert b"s3cr3t" in full.content
    assert b"s3cr3t" not in reply.content
    assert b"pw@" not in reply.content
    assert b'"uri":"https://***@example.com/a?sv=1&sig=***"' in reply.content
    assert b'"Authorization":"***","X-Api-Key":"***","Accept":"text/plain"' in reply.content


@pytest.mark.parametrize(
    ("request_part", "place"),
    [
        ({"headers": {"Authorization": "***"}}, "headers.Authorization: "),
        ({"uri": "https://***@example.com/"}, "uri: the user "),
        ({"uri": "https://example.com/?sig=***"}, "uri: sig "),
    ],
    ids=["header", "user", "signature"],
)
def test_a_mask_is_not_stored_as_a_credential(
    billing: Client, request_part: Any, place: str
) -> None:
    billing.put(JOB, OPEN)

    for reply in (
        billing.put(JOB, request_job(**request_part)),
        billing.patch(JOB, request_patch(**request_part)),
    ):
        assert reply.status == 400
        assert reply.message.startswith(f"{REQUEST}.{place}is ***, which stands for a value")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"location": "x" * 65}, "location: "),
        ({"location": "a\u202eb"}, "location: "),
        ({"tags": {str(number): "" for number in range(16)}}, "tags: 16 tags are too many"),
        ({"tags": {"a" * 513: ""}}, "tags: "),
        ({"tags": {"": ""}}, "tags: "),
        ({"tags": {"a<b": ""}}, "tags: "),
        ({"tags": {"a\u200bb": ""}}, "tags: "),
        ({"tags": {"a": "v" * 257}}, 'tags: "a" has a value of 257 characters'),
        ({"tags": {"a": "b\nc"}}, 'tags: "a" has a control character'),
    ],
)
def test_what_is_written_on_a_collection_has_limits(
    client: Client, change: Any, message: str
) -> None:
    reply = client.put(COLLECTION, a_collection() | change)

    assert reply.status == 400
    assert reply.message.startswith(message)


@pytest.mark.parametrize(
    "group", ["a" * 91, "end.", "a%20b", "a%3Cb%3E", "a%E2%80%AEb", "%E2%80%8B"]
)
def test_a_group_is_named_as_in_azure(client: Client, group: str) -> None:
    path = f"{SUBSCRIPTION}/resourceGroups/{group}/providers/Microsoft.Scheduler/jobCollections/A"

    assert client.put(path, a_collection()).message.startswith("group: ")
    assert client.put(path.replace(THIS, "a%20b"), a_collection()).status == 400


def test_a_collection_whose_names_are_no_longer_allowed_can_be_changed_and_deleted(
    client: Client,
) -> None:
    client.put(COLLECTION, a_collection() | {"tags": {"a": "b"}})
    client.alter_collection(location="l" * 99, tags={f"a<{n}": "v" * 300 for n in range(20)})

    assert client.patch(COLLECTION, {"properties": {"state": "Disabled"}}).status == 200
    assert client.patch(COLLECTION, {"tags": {"a<0": None}}).status == 200
    assert client.delete(COLLECTION).status == 200


def test_who_sees_one_group_is_not_told_of_the_others(client: Client) -> None:
    client.put(COLLECTION, a_collection("Free"))
    other = COLLECTION.replace(GROUP, f"{SUBSCRIPTION}/resourceGroups/other")
    whole = client.put(f"{COLLECTIONS}/B", a_collection("Free"))
    client.principal(Role.OWNER, subscription=THIS, group="other")

    part = client.put(other, a_collection("Free"))

    said = "The plan Free allows 1 collection in a subscription"
    assert (whole.status, whole.message) == (409, f"{said}; it has 1 already.")
    assert (part.status, part.message) == (409, f"{said}, and no more can be made.")


def test_a_job_is_as_large_as_the_limit_when_it_is_new(tmp_path: Path) -> None:
    with Client(tmp_path, limits=SMALL) as client:
        client.put(COLLECTION, a_collection())

        assert client.put(JOB, LARGE).status == 400
        assert client.put(JOB, request_job(body="b" * 21)).message.startswith(f"{REQUEST}.body: ")
        assert client.put(JOB, http_job()).status == 201
