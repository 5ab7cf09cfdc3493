"""Who changed a collection or a job, and when: stored, and never part of an answer."""

from typing import Any

import pytest

from foliot.core.access import Principal
from foliot.core.model.job import JobRecord, JobState
from foliot.core.model.token import Role
from tests.support.api_client import COLLECTION, JOB, NOW, Client, a_collection, http_job
from tests.support.builders import at

LATER = "2026-01-11T00:00:00Z"


def sign(client: Client, name: str, now: str = LATER) -> None:
    """Make further calls later, with a token of this name."""
    client.authenticator.principal = Principal(Role.CONTRIBUTOR, name=name)
    client.clock.set(now)


def record(client: Client) -> JobRecord:
    job_id = client.job().id
    return client.run(client.store.read(lambda reading: reading.job_record(job_id)))


@pytest.fixture
def mine(client: Client) -> Client:
    """Return a client of a server on which Ann created a collection and a job."""
    sign(client, "ann", NOW)
    assert client.put(COLLECTION, a_collection()).status == 201
    assert client.put(JOB, http_job(recurrence={"frequency": "day"})).status == 201
    sign(client, "bob")
    return client


def test_a_new_collection_and_a_new_job_have_a_creator(mine: Client) -> None:
    found = mine.collection()

    assert (found.created_at, found.changed_at, found.changed_by) == (at(NOW), at(NOW), "ann")
    assert record(mine) == JobRecord(at(NOW), at(NOW), "ann")


@pytest.mark.parametrize(
    ("method", "body"),
    [
        pytest.param("PUT", a_collection(state="Disabled"), id="PUT"),
        pytest.param("PATCH", {"tags": {"a": "b"}}, id="PATCH"),
    ],
)
def test_a_change_of_a_collection_is_recorded(mine: Client, method: str, body: Any) -> None:
    assert mine.call(method, COLLECTION, body).status == 200

    found = mine.collection()
    assert (found.created_at, found.changed_at, found.changed_by) == (at(NOW), at(LATER), "bob")


def test_enabling_and_disabling_a_collection_are_changes(mine: Client) -> None:
    mine.post(f"{COLLECTION}/disable")
    disabled = mine.collection()
    sign(mine, "cyd", "2026-01-12T00:00:00Z")
    mine.post(f"{COLLECTION}/enable")

    assert (disabled.changed_at, disabled.changed_by) == (at(LATER), "bob")
    assert mine.collection().changed_by == "cyd"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        pytest.param("PUT", "", a_collection(), id="an identical PUT"),
        pytest.param("PATCH", "", {"location": "West US"}, id="an empty PATCH"),
        pytest.param("POST", "/enable", None, id="enable an enabled one"),
        pytest.param("PUT", "", a_collection(location="eastus"), id="a refused change"),
        pytest.param("PUT", "/jobs/other", http_job(), id="a new job"),
    ],
)
def test_what_changes_nothing_in_a_collection_is_not_recorded(
    mine: Client, method: str, path: str, body: Any
) -> None:
    before = mine.collection()

    mine.call(method, COLLECTION + path, body)

    assert mine.collection() == before


@pytest.mark.parametrize(
    ("method", "body"),
    [
        pytest.param("PUT", http_job(recurrence={"frequency": "week"}), id="PUT"),
        pytest.param("PATCH", {"properties": {"state": "disabled"}}, id="PATCH"),
    ],
)
def test_a_change_of_a_job_is_recorded(mine: Client, method: str, body: Any) -> None:
    assert mine.call(method, JOB, body).status == 200

    assert record(mine) == JobRecord(at(NOW), at(LATER), "bob")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        pytest.param("PUT", "", http_job(recurrence={"frequency": "day"}), id="an identical PUT"),
        pytest.param("PATCH", "", {"properties": {}}, id="an empty PATCH"),
        pytest.param("POST", "/run", None, id="a run"),
    ],
)
def test_what_changes_nothing_in_a_job_is_not_recorded(
    mine: Client, method: str, path: str, body: Any
) -> None:
    assert mine.call(method, JOB + path, body).status == 200

    assert record(mine) == JobRecord(at(NOW), at(NOW), "ann")


def test_only_a_new_state_of_a_job_is_recorded(mine: Client) -> None:
    jobs, who, key = mine.use_cases.jobs, mine.authenticator.principal, mine.collection().key

    mine.run(jobs.set_job_state(who, key, "Nightly", JobState.ENABLED))
    unchanged = record(mine)
    mine.run(jobs.set_job_state(who, key, "Nightly", JobState.DISABLED))

    assert unchanged == JobRecord(at(NOW), at(NOW), "ann")
    assert record(mine) == JobRecord(at(NOW), at(LATER), "bob")


@pytest.mark.parametrize("path", [COLLECTION, JOB])
def test_an_answer_does_not_tell_who_changed_what(mine: Client, path: str) -> None:
    answer = mine.get(path).content.decode().lower()

    for word in ("created", "changed", "ann"):
        assert word not in answer
