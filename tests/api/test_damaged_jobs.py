"""A job whose stored definition is damaged is named, can be deleted, and stops no other."""

import pytest

from foliot.store.sealing.keyring import Keyring
from tests.support.api_client import COLLECTION, JOB, JOBS, Client, http_job

REASON = "The definition of job 'Nightly' cannot be read: what is stored is damaged."


SEALED_ELSEWHERE = (
    "The definition of job 'Nightly' was sealed with a key that this node was not given."
)
CALLS = [
    ("GET", JOB),
    ("GET", f"{JOB}/history"),
    ("GET", JOBS),
    ("PUT", JOB),
    ("PATCH", JOB),
    ("POST", f"{JOB}/run"),
]


def with_sealed(billing: Client, sealed: bytes) -> Client:
    """Return a client of a server whose job Nightly was stored like this."""
    billing.put(JOB, http_job())
    billing.put(f"{JOBS}/Weekly", http_job())
    unchanged = {"changed_at": None, "changed_by": None}
    what = {"id": billing.job().id, "sealed": sealed, **unchanged}
    change = "save_definition"
    billing.run(billing.store.write(lambda to: to._change(change, what)))  # noqa: SLF001
    return billing


@pytest.fixture
def damaged(billing: Client) -> Client:
    return with_sealed(billing, b"junk")


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_what_needs_a_job_that_another_node_can_open_is_not_available(
    billing: Client, method: str, path: str
) -> None:
    client = with_sealed(billing, Keyring([b"x" * 32]).seal(b"definition", b""))
    before = client.state()

    reply = client.call(method, path, http_job() if method in {"PUT", "PATCH"} else None)

    assert (reply.status, reply.code, reply.message) == (503, "ServerBusy", SEALED_ELSEWHERE)
    assert client.state() == before
    assert client.delete(JOB).status == 200


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_what_needs_it_is_refused_with_the_reason(damaged: Client, method: str, path: str) -> None:
    before = damaged.state()

    reply = damaged.call(method, path, http_job() if method in {"PUT", "PATCH"} else None)

    assert (reply.status, reply.code, reply.message) == (409, "ConflictError", REASON)
    assert damaged.state() == before


def test_it_can_be_deleted_and_created_anew(damaged: Client) -> None:
    assert damaged.delete(JOB).status == 200
    assert [job["name"] for job in damaged.get(JOBS).json["value"]] == ["Billing/Weekly"]
    assert damaged.put(JOB, http_job()).status == 201


def test_others_and_the_collection_are_as_they_were(damaged: Client) -> None:
    assert damaged.get(f"{JOBS}/Weekly").status == 200
    assert damaged.delete(COLLECTION).status == 200
