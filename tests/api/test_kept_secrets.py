"""A secret that is left out is kept only where it goes to the same place for the same user."""

# ruff: noqa: S105, S106  (the secrets are made up)

from base64 import b64encode
from typing import Any

import pytest

from tests.api.stored import secrets_of
from tests.support.api_client import JOB, Client
from tests.support.bodies import (
    basic,
    bus,
    bus_job,
    certificate,
    in_error_action,
    oauth,
    queue_job,
    request_job,
    topic,
    webhooks,
)
from tests.support.certificates import a_pfx

AGAIN = "is left out, but the user or the host has changed: send the secret again."
SIGNING = f"whsec_{b64encode(b'k' * 24).decode()}"
PFX = a_pfx("client", "word")

OTHER_QUEUE = bus()
OTHER_QUEUE["properties"]["action"]["serviceBusQueueMessage"]["queueName"] = "other"

# A job with its secrets, one like it that leaves them out, and the secrets.
HOLDERS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "basic": (basic(password="s1"), basic(), ["s1"]),
    "oauth": (oauth(secret="s1"), oauth(), ["s1"]),
    "webhooks": (webhooks(secret=SIGNING), webhooks(), [SIGNING]),
    "certificate": (
        certificate(pfx=PFX.text, password="word"),
        certificate(),
        [PFX.text, "word"],
    ),
    "storage queue": (queue_job(sasToken="s1"), queue_job(), ["s1"]),
    "bus queue": (bus(sasKey="s1"), bus(), ["s1"]),
    "bus topic": (topic(sasKey="s1"), topic(), ["s1"]),
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS.keys())
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("place", ["action", "error action"])
def test_a_secret_that_is_left_out_is_kept(
    billing: Client, method: str, place: str, holder: tuple[Any, Any, list[str]]
) -> None:
    full, bare, secrets = holder
    if place == "error action":
        full, bare = in_error_action(full), in_error_action(bare)
    billing.put(JOB, full)

    reply = billing.call(method, JOB, bare)

    assert reply.status == 200
    assert secrets_of(billing) == secrets


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS.keys())
def test_what_was_read_can_be_sent_back_without_losing_a_secret(
    billing: Client, holder: tuple[Any, Any, list[str]]
) -> None:
    full, _, secrets = holder
    created = billing.put(JOB, full)

    replies = [billing.put(JOB, created.json), billing.patch(JOB, created.json)]

    assert [reply.content for reply in replies] == [created.content] * 2
    assert secrets_of(billing) == secrets


@pytest.mark.parametrize(
    ("full", "bare"),
    [
        (basic(password="s"), basic("https://EXAMPLE.com:443/other?q#f")),
        (basic("http://h/", password="s"), basic("HTTP://H:80/x")),
        (oauth(secret="s"), oauth("https://example.com/b", audience="other")),
        (queue_job(sasToken="s"), queue_job(storageAccount="ACME", queueName="q", message="m")),
        (bus(sasKey="s"), bus(namespace="ACME")),
        (bus(sasKey="s"), OTHER_QUEUE),
        (bus(sasKey="s"), topic()),
    ],
    ids=["uri", "default port", "audience", "queue", "namespace", "entity", "queue to topic"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_secret_is_kept_while_it_goes_to_the_same_place_for_the_same_user(
    billing: Client, method: str, full: Any, bare: Any
) -> None:
    billing.put(JOB, full)

    reply = billing.call(method, JOB, bare)

    assert reply.status == 200, reply.content
    assert secrets_of(billing) == ["s"]


PASSWORD = "properties.action.request.authentication.password"
SECRET = "properties.action.request.authentication.secret"
FILE = "properties.action.request.authentication.pfx"
SAS_TOKEN = "properties.action.queueMessage.sasToken"
SAS_KEY = "properties.action.serviceBusQueueMessage.authentication.sasKey"
TOPIC_KEY = "properties.action.serviceBusTopicMessage.authentication.sasKey"
FULL_CERTIFICATE = certificate(pfx=PFX.text, password="word")

MOVED: dict[str, tuple[Any, Any, str]] = {
    "basic, host": (basic(password="s"), basic("https://evil.com/a"), PASSWORD),
    "basic, scheme": (basic(password="s"), basic("http://example.com/a"), PASSWORD),
    "basic, scheme and port": (
        basic(password="s"),
        basic("http://example.com:443/a"),
        PASSWORD,
    ),
    "basic, port": (basic(password="s"), basic("https://example.com:8443/a"), PASSWORD),
    "basic, host as user": (
        basic(password="s"),
        basic("https://example.com@evil.com/a"),
        PASSWORD,
    ),
    "basic, longer host": (basic(password="s"), basic("https://example.com.evil.com/"), PASSWORD),
    "basic, user": (basic(password="s"), basic(username="bob"), PASSWORD),
    "basic, letter case of the user": (basic(password="s"), basic(username="Ann"), PASSWORD),
    "basic, no user": (basic(password="s"), basic(username=None), PASSWORD),
    "oauth, host": (oauth(secret="s"), oauth("https://evil.com/a"), SECRET),
    "oauth, client": (oauth(secret="s"), oauth(clientId="d"), SECRET),
    "oauth, tenant": (oauth(secret="s"), oauth(tenant="u"), SECRET),
    "certificate, host": (FULL_CERTIFICATE, certificate("https://evil.com/a"), FILE),
    "certificate, another": (FULL_CERTIFICATE, certificate(certificateThumbprint="AB"), FILE),
    "certificate, password": (FULL_CERTIFICATE, certificate(password="other"), FILE),
    "storage queue, account": (
        queue_job(sasToken="s"),
        queue_job(storageAccount="evil"),
        SAS_TOKEN,
    ),
    "bus queue, namespace": (bus(sasKey="s"), bus(namespace="evil"), SAS_KEY),
    "bus queue, key name": (bus(sasKey="s"), bus(sasKeyName="other"), SAS_KEY),
    "bus topic, namespace": (topic(sasKey="s"), topic("evil"), TOPIC_KEY),
    "bus topic, key name": (topic(sasKey="s"), topic(sasKeyName="other"), TOPIC_KEY),
}


@pytest.mark.parametrize("row", MOVED.values(), ids=MOVED.keys())
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("place", ["action", "error action"])
def test_a_secret_must_be_sent_again_when_its_user_or_destination_changes(
    billing: Client, method: str, place: str, row: tuple[Any, Any, str]
) -> None:
    full, moved, path = row
    if place == "error action":
        full, moved = in_error_action(full), in_error_action(moved)
        path = path.replace("action.", "action.errorAction.")
    billing.put(JOB, full)
    before = billing.state()

    reply = billing.call(method, JOB, moved)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message == f"{path}: {AGAIN}"
    assert billing.state() == before


def test_a_patch_of_the_uri_alone_does_not_send_the_password_elsewhere(billing: Client) -> None:
    billing.put(JOB, basic(password="s"))

    moved = {"properties": {"action": {"request": {"uri": "https://evil.com/"}}}}
    reply = billing.patch(JOB, moved)

    assert (reply.status, reply.message) == (400, f"{PASSWORD}: {AGAIN}")


@pytest.mark.parametrize(
    ("full", "moved"),
    [
        (basic(password="s"), basic("https://evil.com/", password="new")),
        (oauth(secret="s"), oauth("https://evil.com/", secret="new")),
        (queue_job(sasToken="s"), queue_job(storageAccount="other", sasToken="new")),
        (bus(sasKey="s"), bus(namespace="other", sasKey="new")),
        (basic(password="s"), oauth("https://evil.com/", secret="new")),
    ],
    ids=["basic", "oauth", "storage queue", "bus", "another authentication"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_with_the_secret_sent_again_everything_may_change(
    billing: Client, method: str, full: Any, moved: Any
) -> None:
    billing.put(JOB, full)

    assert billing.call(method, JOB, moved).status == 200
    assert secrets_of(billing) == ["new"]


@pytest.mark.parametrize(
    "bare",
    [
        request_job(uri="https://evil.com/"),
        request_job(uri="https://evil.com/", authentication={"type": "NotSpecified"}),
        oauth("https://evil.com/"),
        queue_job(storageAccount="evil"),
    ],
    ids=["no authentication", "not specified", "another authentication", "another type"],
)
def test_a_put_without_the_authentication_forgets_the_secret(billing: Client, bare: Any) -> None:
    billing.put(JOB, basic(password="s"))

    assert billing.put(JOB, bare).status == 200
    assert secrets_of(billing) == []


NULLED: dict[str, tuple[Any, list[str], list[str]]] = {
    "basic": (basic(password="s"), ["request", "authentication", "password"], []),
    "oauth": (oauth(secret="s"), ["request", "authentication", "secret"], []),
    "pfx password": (FULL_CERTIFICATE, ["request", "authentication", "password"], [PFX.text]),
    "storage queue": (queue_job(sasToken="s"), ["queueMessage", "sasToken"], []),
    "bus queue": (bus(sasKey="s"), ["serviceBusQueueMessage", "authentication", "sasKey"], []),
    "bus topic": (topic(sasKey="s"), ["serviceBusTopicMessage", "authentication", "sasKey"], []),
}


@pytest.mark.parametrize(("full", "names", "left"), NULLED.values(), ids=NULLED.keys())
@pytest.mark.parametrize("spell", [str, str.upper], ids=["as is", "upper"])
def test_null_in_a_patch_removes_a_secret(
    billing: Client, full: Any, names: list[str], left: list[str], spell: Any
) -> None:
    billing.put(JOB, full)
    patch: Any = None
    for name in reversed(["properties", "action", *names]):
        patch = {spell(name): patch}

    reply = billing.patch(JOB, patch)

    assert reply.status == 200, reply.content
    assert secrets_of(billing) == left


def test_null_in_a_put_is_a_secret_left_out(billing: Client) -> None:
    billing.put(JOB, basic(password="s"))

    assert billing.put(JOB, basic(password=None)).status == 200
    assert secrets_of(billing) == ["s"]


def test_an_empty_secret_replaces_the_old_one(billing: Client) -> None:
    billing.put(JOB, basic(password="s"))
    billing.put(JOB, basic(password=""))

    assert secrets_of(billing) == [""]


@pytest.mark.parametrize(
    "body",
    [
        basic(),
        oauth(),
        queue_job(),
        bus(),
        bus_job(),
    ],
    ids=["basic", "oauth", "storage queue", "bus", "no authentication"],
)
def test_a_job_without_its_secret_is_accepted(billing: Client, body: Any) -> None:
    assert billing.put(JOB, body).status == 201
    assert secrets_of(billing) == []
