import asyncio
import json
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import (
    BasicAuthentication,
    HttpAuthentication,
    NoAuthentication,
    OAuth,
)
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.http_settings import HttpSettings
from tests.contract.dispatch.target import Respond, Target, answer, hang, target
from tests.support.builders import NOW
from tests.support.dispatch_harness import a_request, dispatcher, message_of, outcome_of, run

OAUTH = OAuth(
    tenant="contoso.example",
    audience="https://api.example/",
    client_id="client-1",
    secret=Secret("s3cr3t&=ü"),
)


def granted(token: str = "t0ken", seconds: object = "3599") -> bytes:  # noqa: S107  (a test's)
    return answer(body=json.dumps({"access_token": token, "expires_in": seconds}).encode())


@pytest.mark.parametrize(
    ("given", "headers", "user_info", "credential"),
    [
        (BasicAuthentication(username="ann", password=Secret("pä:ss")), {}, "", "ann:pä:ss"),
        (BasicAuthentication(password=Secret("")), {}, "", ":"),
        (
            BasicAuthentication(username="a", password=Secret("b")),
            {"authorization": "x"},
            "",
            "a:b",
        ),
        (None, {}, "ann:p%40ss@", "ann:p@ss"),
        (NoAuthentication(), {}, "ann@", "ann:"),
    ],
    ids=["Basic", "empty", "instead of the job's own header", "in the address", "name alone"],
)
def test_user_name_and_password_are_sent(
    given: HttpAuthentication | None, headers: dict[str, str], user_info: str, credential: str
) -> None:
    async def steps() -> list[str]:
        async with target() as server:
            uri = server.url().replace("//", f"//{user_info}")
            await outcome_of(uri, authentication=given, headers=headers)
            pairs = server.received[0].headers
            return [value for name, value in pairs if name.lower() == "authorization"]

    assert run(steps()) == [f"Basic {b64encode(credential.encode()).decode()}"]


def test_a_jobs_own_authorization_is_sent_as_it_is() -> None:
    async def steps() -> str | None:
        async with target() as server:
            uri = server.url().replace("//", "//ann:pass@")
            await outcome_of(uri, headers={"Authorization": "Token abc"})
            return server.received[0].header("authorization")

    assert run(steps()) == "Token abc"


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (BasicAuthentication(username="ann"), "password"),
        (OAuth(tenant="t", audience="a", client_id="c"), "secret"),
        (OAuth(audience="a", client_id="c", secret=Secret("s")), "tenant"),
        (OAuth(tenant="t", client_id="c", secret=Secret("s")), "audience"),
        (OAuth(tenant="t", audience="a", secret=Secret("s")), "clientId"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_missing_field_is_named_and_no_request_is_sent(
    given: HttpAuthentication, missing: str
) -> None:
    async def steps() -> tuple[str, int]:
        async with target() as server:
            return await message_of(server.url(), authentication=given), server.connections

    assert run(steps()) == (
        "Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure "
        f"authentication.{missing} is not set; send it again.",
        0,
    )


def with_login(
    login: bytes | Respond,
    steps: Callable[[HttpDispatcher, Target, Target], object],
    *,
    now: Callable[[], Instant] = lambda: NOW,
    egress: EgressRules | None = None,
    seconds: float = 5,
) -> object:
    """Run steps with a dispatcher, a target and a place that gives out tokens."""

    async def session() -> object:
        async with target({"*": login}) as directory, target() as server:
            settings = HttpSettings(login_url=directory.url(""), timeout_seconds=seconds)
            opened = HttpDispatcher(egress or EgressRules(), now, settings)
            try:
                return await steps(opened, server, directory)
            finally:
                await opened.close()

    return run(session())


def test_a_token_is_fetched_and_sent() -> None:
    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        outcome = await opened.dispatch(a_request(server.url(), authentication=OAUTH))

        assert outcome.succeeded
        assert server.received[0].header("authorization") == "Bearer t0ken"
        (asked,) = directory.received
        assert (asked.method, asked.path) == ("POST", "/contoso.example/oauth2/token")
        assert asked.header("content-type") == "application/x-www-form-urlencoded"
        assert parse_qs(asked.body.decode()) == {
            "grant_type": ["client_credentials"],
            "client_id": ["client-1"],
            "client_secret": ["s3cr3t&=ü"],
            "resource": ["https://api.example/"],
        }

    with_login(granted(), steps)


def test_a_long_token_is_read_whole() -> None:
    token = "x" * 20_000

    async def steps(opened: HttpDispatcher, server: Target, _: Target) -> None:
        await opened.dispatch(a_request(server.url(), authentication=OAUTH))

        assert server.received[0].header("authorization") == f"Bearer {token}"

    with_login(granted(token), steps)


def test_a_token_is_fetched_once_for_many_jobs_at_the_same_time() -> None:
    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        requests = [a_request(server.url(), authentication=OAUTH) for _ in range(20)]
        outcomes = await asyncio.gather(*map(opened.dispatch, requests))
        await opened.dispatch(requests[0])

        assert all(outcome.succeeded for outcome in outcomes)
        assert len(directory.received) == 1

    with_login(granted(), steps)


def test_other_credentials_get_a_token_of_their_own() -> None:
    other = OAuth(tenant="t", audience="b", client_id="c", secret=Secret("s"))

    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        for given in (OAUTH, other, OAUTH):
            await opened.dispatch(a_request(server.url(), authentication=given))

        assert len(directory.received) == 2

    with_login(granted(), steps)


@pytest.mark.parametrize(
    ("later", "fetches"), [(3298, 1), (3300, 2)], ids=["still good", "about to end"]
)
def test_a_token_is_cached_until_shortly_before_it_expires(later: int, fetches: int) -> None:
    moment = NOW

    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        nonlocal moment
        await opened.dispatch(a_request(server.url(), authentication=OAUTH))
        moment = Instant(NOW + later * SECOND)
        await opened.dispatch(a_request(server.url(), authentication=OAUTH))

        assert len(directory.received) == fetches

    with_login(granted(), steps, now=lambda: moment)


def test_a_token_that_a_target_refuses_is_dropped() -> None:
    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        server.routes["/"] = answer("401 Unauthorized")
        for _ in range(2):
            outcome = await opened.dispatch(a_request(server.url(), authentication=OAUTH))
            assert not outcome.succeeded

        assert len(directory.received) == 2

    with_login(granted(), steps)


PROBLEM = json.dumps(
    {
        "error": "invalid_client",
        "error_description": "AADSTS7000215: Wrong secret 's3cr3t&=ü'.\r\nTrace: 1",
    }
).encode()


@pytest.mark.parametrize(
    ("login", "problem"),
    [
        (
            answer("401 Unauthorized", PROBLEM),
            "'Unauthorized' invalid_client AADSTS7000215: Wrong secret '***'.",
        ),
        (answer("500 Oops", b"<html>"), "'InternalServerError'"),
        (answer("302 Found", b"", Location="/elsewhere"), "'Found'"),
        (answer(body=b"<html>"), "the answer holds none."),
        (answer(body=b"{}"), "the answer holds none."),
        (granted("umläut"), "the answer holds none."),
        (granted(seconds="soon"), "the answer holds none."),
    ],
    ids=["refused", "broken", "redirect", "not JSON", "empty", "not ASCII", "no number"],
)
def test_a_failed_token_request_is_a_failure_and_not_cached(login: bytes, problem: str) -> None:
    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        for _ in range(2):
            outcome = await opened.dispatch(a_request(server.url(), authentication=OAUTH))
            assert not outcome.succeeded
            assert outcome.message == (
                "Http Action - Request to host '127.0.0.1' failed: AuthenticationFailure "
                f"No token from '127.0.0.1': {problem}"
            )

        assert len(directory.received) == 2
        assert server.connections == 0

    with_login(login, steps)


def test_the_deadline_covers_the_fetching_of_the_token() -> None:
    async def steps(opened: HttpDispatcher, server: Target, _: Target) -> None:
        requests = [a_request(server.url(), authentication=OAUTH) for _ in range(2)]
        outcomes = await asyncio.gather(*map(opened.dispatch, requests))

        assert all("Timeout The operation has timed out" in each.message for each in outcomes)

    with_login(hang, steps, seconds=0.2)


def test_a_request_that_gives_up_does_not_cancel_the_token_of_others() -> None:
    async def slowly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.05)
        writer.write(granted())

    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        request = a_request(server.url(), authentication=OAUTH)
        first, second = (asyncio.ensure_future(opened.dispatch(request)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()

        assert (await second).succeeded
        assert first.cancelled()
        assert len(directory.received) == 1

    with_login(slowly, steps)


def test_closing_ends_the_fetching_of_tokens() -> None:
    async def steps(opened: HttpDispatcher, server: Target, directory: Target) -> None:
        request = a_request(server.url(), authentication=OAUTH)
        waiting = asyncio.ensure_future(opened.dispatch(request))
        async with asyncio.timeout(5):
            while not directory.received:  # noqa: ASYNC110  (it happens in the target)
                await asyncio.sleep(0.005)
        await opened.close()

        assert "RequestCanceled" in (await waiting).message

    with_login(hang, steps)


def test_egress_rules_hold_for_token_requests() -> None:
    async def steps() -> tuple[str, int]:
        async with target() as directory, target() as server:
            egress = parse_egress(None, f":{directory.port}", None)
            async with dispatcher(egress, login_url=directory.url("")) as opened:
                outcome = await opened.dispatch(a_request(server.url(), authentication=OAUTH))
            return outcome.message, directory.connections

    message, connections = run(steps())

    assert "No token from '127.0.0.1': EgressDenied" in message
    assert connections == 0


def test_a_login_address_that_cannot_be_requested_is_a_failure() -> None:
    async def steps() -> str:
        async with dispatcher(login_url="ftp://login") as opened:
            request = a_request("http://127.0.0.1:1/", authentication=OAUTH)
            return (await opened.dispatch(request)).message

    assert "No token can be fetched: 'ftp' is not allowed" in run(steps())


@pytest.mark.parametrize("tenant", [".", "..", "a/../b", "a..b", "%2e%2e", "a?b", "a b", "a\\b"])
def test_a_tenant_with_a_path_is_not_requested(tenant: str) -> None:
    given = OAuth(tenant=tenant, audience="a", client_id="c", secret=Secret("hush"))

    async def steps() -> tuple[str, list[str]]:
        async with target() as server, dispatcher(login_url=server.url("/login")) as opened:
            outcome = await opened.dispatch(a_request(server.url(), authentication=given))
            return outcome.message, server.paths

    message, paths = run(steps())

    assert "AuthenticationFailure authentication.tenant" in message
    assert "is not a tenant; give its id or domain." in message
    assert paths == []


def test_values_of_a_jobs_headers_are_hidden_in_the_response() -> None:
    own = {
        "Cookie": "session=c00kie-value; theme=dark",
        "X-Api-Key": "k3y",
        "X-Any": "something-long",
    }
    own |= {"X-Functions-Key": "f00/b4r+", "Accept": "application/json"}

    async def echo(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = b"c00kie-value k3y something-long f00%2Fb4r%2B dark application/json"
        writer.write(answer(body=body, Set_Cookie="session=c00kie-value"))

    async def steps() -> str:
        async with target({"*": echo}) as server:
            return await message_of(server.url(), headers=own)

    message = run(steps())

    assert message.endswith(
        "Set-Cookie: session=***\r\n Body: *** k3y *** *** *** application/json"
    )


def test_a_caller_with_a_short_timeout_does_not_end_the_request_for_others() -> None:
    begin = asyncio.Event()

    async def later(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await begin.wait()
        writer.write(granted())

    async def steps(opened: HttpDispatcher, server: Target, _: Target) -> list[bool]:
        request = a_request(server.url(), authentication=OAUTH)
        hasty = asyncio.ensure_future(opened.dispatch(replace(request, timeout_seconds=0.1)))
        patient = asyncio.ensure_future(opened.dispatch(request))
        first = await hasty
        begin.set()
        return [first.succeeded, (await patient).succeeded]

    assert with_login(later, steps) == [False, True]
