"""Which changes of a job are refused."""

from base64 import b64encode
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Invalid
from foliot.core.instant import SECOND
from foliot.core.limits import Limits
from foliot.core.model.action import Action, ActionKind, Duration, HttpRequest, StandardWebhooks
from foliot.core.model.job import Definition
from foliot.core.model.policy import Policy
from foliot.core.rules.changed_fields import check_changes
from foliot.core.secret import Secret
from tests.support.builders import DEFINITION

SECRET = Secret(f"whsec_{b64encode(b'k' * 24).decode()}")


def with_timeout(seconds: float) -> Definition:
    timeout = Duration("as given", int(seconds * SECOND))
    return replace(DEFINITION, policy=Policy(timeout=timeout))


def with_request(**fields: Any) -> Definition:
    part = HttpRequest(uri="https://h/", method="POST", **fields)
    return Definition(action=Action(kind=ActionKind.HTTP, part=part))


def check(new: Definition, old: Definition | None = None, **limits: int) -> None:
    check_changes(new, old, Limits(**limits), 100)


@pytest.mark.parametrize("seconds", [1, 1.5, 60, 600])
def test_a_timeout_within_the_limits_of_the_server_is_accepted(seconds: float) -> None:
    check(with_timeout(seconds))


@pytest.mark.parametrize("seconds", [0, 0.5, 601, 10**9])
def test_a_timeout_beyond_the_limits_of_the_server_is_refused(seconds: float) -> None:
    with pytest.raises(Invalid, match="give 1 second to 600 seconds") as refusal:
        check(with_timeout(seconds))

    assert refusal.value.path == ("properties", "policy", "timeout")


def test_the_default_timeout_of_a_server_is_accepted_even_above_its_limit() -> None:
    check(with_timeout(900), http_timeout_seconds=900)


def test_a_timeout_that_does_not_change_is_not_checked() -> None:
    check(with_timeout(600), with_timeout(600), max_timeout_seconds=10)


@pytest.mark.parametrize("name", ["webhook-id", "Webhook-Timestamp", "WEBHOOK-SIGNATURE"])
def test_a_header_of_the_signature_cannot_be_set_beside_it(name: str) -> None:
    given = StandardWebhooks(secret=SECRET)

    with pytest.raises(Invalid, match="it belongs to the signature") as refusal:
        check(with_request(headers={name: "x"}, authentication=given))

    assert refusal.value.path == ("properties", "action", "request", "headers", name)
    check(with_request(headers={name: "x"}))


def test_a_secret_that_cannot_sign_is_refused_without_its_value() -> None:
    given = StandardWebhooks(secret=Secret("pa55"))

    with pytest.raises(Invalid) as refusal:
        check(with_request(authentication=given))

    assert refusal.value.path[-2:] == ("authentication", "secret")
    assert "pa55" not in str(refusal.value)


@pytest.mark.parametrize("secret", [SECRET, None], ids=["set", "not set"])
def test_a_secret_may_be_sent_later(secret: Secret | None) -> None:
    check(with_request(authentication=StandardWebhooks(secret=secret)))
