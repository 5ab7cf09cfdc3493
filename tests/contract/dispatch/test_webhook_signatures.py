"""Signatures of Standard Webhooks, verified by the specification's own library."""

import json
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from foliot.core.model.action import StandardWebhooks
from foliot.core.secret import Secret
from foliot.dispatch.auth.webhook_signature import with_signature
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.target_uri import read_target
from foliot.ports import clock
from tests.contract.dispatch.target import Received, answer, redirect, target
from tests.support.builders import NOW
from tests.support.dispatch_harness import TAG, a_request, run

OLD = f"whsec_{b64encode(bytes(range(24))).decode()}"
NEW = f"whsec_{b64encode(bytes(range(64))).decode()}"
OTHER = f"whsec_{b64encode(b'o' * 32).decode()}"
BODY = '{"town": "Brno-Žabovřesky"}'


def arrived(secret: str, routes: Any = None, **fields: Any) -> tuple[list[Received], str]:
    """Return what arrives at a target, and the message of the attempt."""

    async def steps() -> tuple[list[Received], str]:
        async with target(routes) as server:
            # The library compares the time with its own clock.
            opened = HttpDispatcher(EgressRules(), clock.now)
            given = StandardWebhooks(secret=Secret(secret))
            request = a_request(
                server.url(), **{"method": "POST", "authentication": given, **fields}
            )
            outcome = await opened.dispatch(request)
            await opened.close()
            return server.received, outcome.message

    return run(steps())


def verified(secret: str, received: Received) -> object:
    headers = {name.lower(): value for name, value in received.headers}
    return Webhook(secret).verify(received.body, headers)


def test_a_signature_is_verified_and_its_id_is_the_tag() -> None:
    (received,), _ = arrived(OLD, body=BODY)

    assert verified(OLD, received) == json.loads(BODY)
    assert received.header("webhook-id") == TAG


@pytest.mark.parametrize("secret", [OLD, NEW])
def test_during_a_rotation_either_secret_verifies(secret: str) -> None:
    (received,), _ = arrived(f"{OLD} {NEW}", body=BODY)

    assert verified(secret, received) == json.loads(BODY)


@pytest.mark.parametrize("change", ["secret", "body", "webhook-id", "webhook-timestamp"])
def test_nothing_that_is_signed_can_be_changed(change: str) -> None:
    (received,), _ = arrived(OLD, body=BODY)
    headers = {name.lower(): value for name, value in received.headers}
    if change in headers:
        headers[change] = headers[change][:-1] + ("0" if headers[change][-1] != "0" else "1")
    body = received.body + b" " if change == "body" else received.body

    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER if change == "secret" else OLD).verify(body, headers)


def test_a_request_without_a_body_is_signed() -> None:
    (received,), _ = arrived(OLD, method="GET")
    headers = {name.lower(): value for name, value in received.headers}

    # Its body is empty, which is no JSON: compare the signature itself.
    at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    assert headers["webhook-signature"] == Webhook(OLD).sign(TAG, at, "")


def test_a_signature_follows_to_the_same_origin_only() -> None:
    async def steps() -> tuple[Received, Received]:
        async with target({"*": answer()}) as other:
            routes = {"/": redirect("/same", "307 Same"), "/same": redirect(other.url(), "307 On")}
            async with target(routes) as server:
                opened = HttpDispatcher(EgressRules(), clock.now)
                given = StandardWebhooks(secret=Secret(OLD))
                request = a_request(server.url(), method="POST", body=BODY, authentication=given)
                await opened.dispatch(request)
                await opened.close()
                return server.received[1], other.received[0]

    same, other = run(steps())

    assert verified(OLD, same) == json.loads(BODY)
    assert not [name for name, _ in other.headers if name.lower().startswith("webhook-")]


def test_a_secret_that_the_target_sends_back_is_hidden() -> None:
    echo = answer("400 Bad", f"{OLD} or {NEW[6:]}".encode())

    _, message = arrived(f"{OLD} {NEW}", {"*": echo}, body=BODY)

    assert message.endswith(" Body: *** or ***")


def test_a_signature_that_the_target_sends_back_is_hidden() -> None:
    bare = OutgoingRequest(method="GET", target=read_target("http://h/"))

    signed = with_signature(bare, Secret(OLD), tag=TAG, now=NOW)

    signature = signed.credentials[2].partition("v1,")[2]
    assert signature in signed.hidden
