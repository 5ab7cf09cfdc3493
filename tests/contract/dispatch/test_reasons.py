"""The reason of each failure: a code that stays the same."""

import asyncio

import pytest

from foliot.core.model.action import (
    BasicAuthentication,
    HttpAuthentication,
    OAuth,
    StandardWebhooks,
)
from foliot.core.model.attempt import Outcome
from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from tests.contract.dispatch.target import Respond, answer, hang, redirect, target
from tests.contract.dispatch.test_http_failures import free_port
from tests.support.dispatch_harness import a_request, dispatcher, outcome_of, run

OAUTH = OAuth(tenant="t", audience="a", client_id="c", secret=Secret("s3cr3t"))


async def _close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _nonsense(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")
    writer.close()


@pytest.mark.parametrize(
    ("response", "reason", "status"),
    [
        pytest.param(answer("204 No Content", b""), None, 204, id="success"),
        pytest.param(answer("404 Not Found"), Reason.HTTP_STATUS, 404, id="status"),
        pytest.param(redirect("/"), Reason.PROTOCOL_ERROR, 302, id="redirects in circles"),
        pytest.param(redirect("ftp://h/"), Reason.PROTOCOL_ERROR, 302, id="redirect to nowhere"),
        pytest.param(hang, Reason.TIMEOUT, None, id="silence"),
        pytest.param(_close, Reason.CONNECTION_CLOSED, None, id="closed"),
        pytest.param(_nonsense, Reason.PROTOCOL_ERROR, None, id="not HTTP"),
    ],
)
def test_a_response_or_its_absence_has_a_reason(
    response: bytes | Respond, reason: Reason | None, status: int | None
) -> None:
    async def steps() -> Outcome:
        async with target({"*": response}) as server, dispatcher(timeout_seconds=0.3) as opened:
            return await opened.dispatch(a_request(server.url()))

    outcome = run(steps())

    assert (outcome.reason, outcome.status_code, outcome.host) == (reason, status, "127.0.0.1")


def test_the_host_of_a_redirected_request_is_the_last_one() -> None:
    async def steps() -> tuple[str | None, int | None]:
        async with target({"*": answer("500 Oops")}) as last:
            routes = {"*": redirect(last.url(host="localhost"))}
            async with target(routes) as first:
                outcome = await outcome_of(first.url())
                return outcome.host, outcome.status_code

    assert run(steps()) == ("localhost", 500)


@pytest.mark.parametrize(
    ("uri", "reason", "host"),
    [
        (f"http://{'x' * 64}.invalid/", Reason.NAME_RESOLUTION_FAILURE, f"{'x' * 64}.invalid"),
        ("ftp://127.0.0.1/", Reason.INVALID_REQUEST, None),
        ("http://169.254.169.254/", Reason.EGRESS_DENIED, "169.254.169.254"),
    ],
    ids=["no such name", "no address", "not allowed"],
)
def test_what_is_not_sent_has_a_reason(uri: str, reason: Reason, host: str | None) -> None:
    outcome = run(outcome_of(uri))

    assert (outcome.reason, outcome.host, outcome.status_code) == (reason, host, None)


def test_a_refused_connection_has_a_reason() -> None:
    outcome = run(outcome_of(f"http://127.0.0.1:{free_port()}/"))

    assert outcome.reason is Reason.CONNECT_FAILURE


def test_an_address_that_a_rule_denies_has_a_reason() -> None:
    async def steps() -> Outcome:
        rules = parse_egress(None, "127.0.0.0/8", None)
        async with target() as server, dispatcher(rules) as opened:
            return await opened.dispatch(a_request(server.url()))

    assert run(steps()).reason is Reason.EGRESS_DENIED


@pytest.mark.parametrize(
    "given",
    [BasicAuthentication(username="ann"), OAuth(tenant="t"), StandardWebhooks()],
    ids=["Basic", "OAuth", "Standard Webhooks"],
)
def test_a_missing_secret_has_a_reason(given: HttpAuthentication) -> None:
    outcome = run(outcome_of("http://127.0.0.1/", authentication=given))

    assert outcome.reason is Reason.SECRET_MISSING


@pytest.mark.parametrize(
    ("login", "reason", "status"),
    [
        pytest.param(answer("400 Bad"), Reason.AUTHENTICATION_FAILURE, 400, id="refused"),
        pytest.param(answer("503 Busy"), Reason.AUTHENTICATION_FAILURE, 503, id="busy"),
        pytest.param(_close, Reason.CONNECTION_CLOSED, None, id="closed"),
        pytest.param(hang, Reason.TIMEOUT, None, id="silent"),
    ],
)
def test_a_token_that_cannot_be_fetched_has_the_reason_of_its_own_failure(
    login: bytes | Respond, reason: Reason, status: int | None
) -> None:
    async def steps() -> Outcome:
        async with (
            target({"*": login}) as directory,
            dispatcher(login_url=directory.url(""), timeout_seconds=0.3) as opened,
        ):
            return await opened.dispatch(a_request("http://127.0.0.1/", authentication=OAUTH))

    outcome = run(steps())

    assert (outcome.reason, outcome.status_code) == (reason, status)
    assert ("failed: AuthenticationFailure No token from" in outcome.message) is (
        reason is not Reason.TIMEOUT
    )
