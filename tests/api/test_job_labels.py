"""The description and the tags of a job: shown where they are used, and without effect on runs."""

from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, Client, http_job
from tests.support.template_bodies import deploy, template_collection, template_job

TEXT = "Closes the books.\nAsk the ledger team."
TAGS = {"team": "ledger", "cost center": "4711"}
LABELS: dict[str, Any] = {"description": TEXT, "tags": TAGS}
HOURLY = {"frequency": "hour", "interval": 2}
# Order is part of the answer: clients have recorded it.
OLD_ORDER = ["startTime", "action", "recurrence", "state", "status"]
NEW_ORDER = [*OLD_ORDER[:3], "policy", "description", "tags", *OLD_ORDER[3:]]
EVERY_VERSION = ("2016-03-01", "2016-01-01", "2014-08-01-preview", "2026-11-01")


def recurring(**properties: Any) -> dict[str, Any]:
    return http_job(recurrence=HOURLY, startTime="2026-02-01T00:00:00Z", **properties)


def properties_of(client: Client) -> dict[str, Any]:
    return client.get(JOB).json["properties"]


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_they_stand_after_the_policy_in_every_version(billing: Client, version: str) -> None:
    billing.put(JOB, recurring(policy={"timeout": "PT5S"}, **LABELS))

    shown = billing.get(JOB, query=f"api-version={version}").json

    assert list(shown["properties"]) == NEW_ORDER
    assert {name: shown["properties"][name] for name in LABELS} == LABELS
    assert "tags" not in shown


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_a_job_without_them_is_shown_as_before(billing: Client, version: str) -> None:
    billing.put(JOB, recurring())

    shown = billing.get(JOB, query=f"api-version={version}").json["properties"]

    assert list(shown) == OLD_ORDER


def test_a_patch_merges_tags_and_replaces_the_description(billing: Client) -> None:
    billing.put(JOB, recurring(**LABELS))

    tags = {"TEAM": "books", "cost center": None, "since": 2026}
    billing.patch(JOB, {"properties": {"description": "New", "tags": tags}})
    first = properties_of(billing)
    billing.patch(JOB, {"properties": {"description": None, "tags": None}})
    second = properties_of(billing)

    assert first["description"] == "New"
    assert first["tags"] == {"TEAM": "books", "since": "2026"}
    assert list(second) == OLD_ORDER


def test_a_put_without_them_removes_them(billing: Client) -> None:
    billing.put(JOB, recurring(**LABELS))

    billing.put(JOB, recurring())

    assert list(properties_of(billing)) == OLD_ORDER


def test_a_change_of_them_does_not_restart_the_calendar(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=HOURLY))
    before = properties_of(billing)["status"]
    billing.clock.set("2026-01-10T00:05:00Z")

    billing.put(JOB, http_job(recurrence=HOURLY, **LABELS))
    billing.patch(JOB, {"properties": {"tags": {"more": "1"}}})

    assert properties_of(billing)["status"] == before


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a long description": (
        {"description": "x" * 1001},
        "properties.description: has 1001 characters; give at most 1000.",
    ),
    "a description that is no text": (
        {"description": ["x"]},
        "properties.description: ",
    ),
    "too many tags": (
        {"tags": {f"t{n}": "" for n in range(16)}},
        "properties.tags: 16 tags are too many; give at most 15.",
    ),
    "a long name": (
        {"tags": {"n" * 513: ""}},
        "properties.tags: ",
    ),
    "a name with a slash": (
        {"tags": {"a/b": ""}},
        'properties.tags: "a/b" is not valid; give names without',
    ),
    "a long value": (
        {"tags": {"team": "v" * 257}},
        'properties.tags: "team" has a value of 257 characters; give at most 256.',
    ),
    "a control character": (
        {"tags": {"team": "a\x07"}},
        'properties.tags: "team" has a control character in its value.',
    ),
    "tags that are no object": ({"tags": ["team"]}, "properties.tags: "),
    "a misspelt name": (
        {"descriptoin": "x"},
        "properties.descriptoin: is not known here; did you mean 'description'?",
    ),
}


@pytest.mark.parametrize(("given", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_too_long_or_no_text_is_refused_and_changes_nothing(
    billing: Client, given: dict[str, Any], message: str
) -> None:
    billing.put(JOB, recurring())
    before = billing.state()

    for reply in (billing.put(JOB, recurring(**given)), billing.patch(JOB, {"properties": given})):
        assert (reply.status, reply.code) == (400, "BadRequest")
        assert reply.message.startswith(message)
    assert billing.state() == before


def test_a_description_of_full_length_and_fifteen_tags_are_accepted(billing: Client) -> None:
    labels = {"description": "ä" * 1000, "tags": {f"t{n}": "v" * 256 for n in range(15)}}

    assert billing.put(JOB, recurring(**labels)).status == 201
    assert {name: properties_of(billing)[name] for name in labels} == labels


def test_tags_beside_the_properties_are_refused_with_their_place(billing: Client) -> None:
    reply = billing.put(JOB, {**recurring(), "tags": TAGS})

    assert reply.status == 400
    assert reply.message == "tags: is not known here; it belongs into 'properties'."


def test_a_template_gives_a_job_a_description_and_tags(client: Client) -> None:
    description = "[concat('of ', resourceGroup().name)]"

    deploy(client, template_collection(), template_job(description=description, tags=TAGS))

    (shown,) = client.get(f"{COLLECTION}/jobs").json["value"]
    assert shown["properties"]["description"] == "of Prod"
    assert shown["properties"]["tags"] == TAGS
