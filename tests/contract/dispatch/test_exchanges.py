"""Tests of jobs: the outcome tells what was sent and received, and nothing secret of it."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import json as msgspec_json
from msgspec.structs import replace

from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    OAuth,
    StandardWebhooks,
)
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.exchange import SHOWN_BYTES, Exchange
from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from tests.contract.dispatch import test_service_bus_amqp as amqp
from tests.contract.dispatch import test_service_bus_http as bus
from tests.contract.dispatch import test_storage_queue as queues
from tests.contract.dispatch.target import Target, answer, hang, redirect, target
from tests.support import amqp_peer
from tests.support.amqp_peer import Peer
from tests.support.dispatch_harness import TAG, a_request, dispatcher, run
from tests.support.tls_authority import PASSWORD, Authority

MARKER = "Marker5ecret"
WEBHOOK = "whsec_TWFya2VyNWVjcmV0TWFya2VyNWVjcmV0"


@pytest.fixture
def peer() -> Iterator[Peer]:
    with amqp_peer.running() as started:
        yield started


def a_test(uri: str, **fields: Any) -> AttemptRequest:
    return replace(a_request(uri, **fields), is_test=True)


def exchange_of(outcome: Outcome | NotSent) -> Exchange:
    assert isinstance(outcome, Outcome)
    assert outcome.exchange is not None
    return outcome.exchange


def echo(server: Target) -> None:
    """Make a target send back all that it is sent."""

    async def respond(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = server.received[-1]
        headers = "".join(f"{name}: {value}\n" for name, value in received.headers)
        body = f"{received.path}\n{headers}\n".encode() + received.body
        writer.write(answer(body=body, X_Echo=received.header("authorization") or "none"))
        await writer.drain()

    server.routes["*"] = respond


async def outcome_in(server: Target, request: AttemptRequest, **settings: Any) -> Outcome:
    async with dispatcher(**settings) as opened:
        outcome = await opened.dispatch(request)
    assert isinstance(outcome, Outcome)
    assert len(server.received) >= 1
    return outcome


def test_the_request_is_told_as_it_arrived() -> None:
    async def steps() -> tuple[Exchange, Target]:
        async with target() as server:
            headers = {"X-Trace": "a trace of mine", "Content-Type": "text/plain"}
            request = a_test(server.url("/a?b=c"), method="POST", body="hellö", headers=headers)
            return exchange_of(await outcome_in(server, request)), server

    exchange, server = run(steps())
    received, shown = server.received[0], exchange.request

    assert (shown.method, shown.uri, shown.body) == ("POST", server.url("/a?b=c"), "hellö")
    assert dict(shown.headers) == dict(received.headers)
    assert dict(shown.headers)["x-ms-execution-tag"] == TAG
    assert dict(shown.headers)["X-Trace"] == "a trace of mine"


def test_the_response_is_told_whole() -> None:
    async def steps() -> Outcome:
        async with target({"/": answer("404 Not Found", b"x" * 10_000, X_Why="none")}) as server:
            return await outcome_in(server, a_test(server.url()))

    outcome = run(steps())
    response = exchange_of(outcome).response

    assert response is not None
    assert (response.status_code, len(response.body), response.is_cut) == (404, 10_000, False)
    assert dict(response.headers) == {"Content-Length": "10000", "X-Why": "none"}
    assert (outcome.reason, outcome.host) == (Reason.HTTP_STATUS, "127.0.0.1")
    assert len(outcome.message) < 3000


def test_a_long_body_is_cut() -> None:
    async def steps() -> Outcome:
        async with target({"/": answer(body=b"x" * (SHOWN_BYTES + 1))}) as server:
            return await outcome_in(server, a_test(server.url()))

    response = exchange_of(run(steps())).response

    assert response is not None
    assert (len(response.body), response.is_cut) == (SHOWN_BYTES, True)


def test_the_times_of_the_steps_are_in_order(authority: Authority) -> None:
    async def steps() -> Outcome:
        async with target(tls=authority.server("127.0.0.1")) as server:
            return await outcome_in(server, a_test(server.url()), ca_file=authority.file)

    timings = exchange_of(run(steps())).timings

    assert timings is not None
    seconds = [timings.name_lookup, timings.connect, timings.tls, timings.first_byte]
    measured = [each for each in seconds if each is not None]
    assert len(measured) == 4
    assert sorted(measured) == measured
    assert measured[-1] <= timings.total


def test_redirects_are_told() -> None:
    async def steps() -> tuple[Exchange, str]:
        async with target({"/": redirect("/next?sig=abcdefgh"), "/next": answer()}) as server:
            return exchange_of(await outcome_in(server, a_test(server.url()))), server.url()

    exchange, url = run(steps())

    assert exchange.request.uri == url
    assert exchange.redirects == (f"{url}next?sig=***",)


def test_a_request_without_a_response_is_told_too() -> None:
    async def steps() -> Outcome:
        async with target({"/": hang}) as server:
            return await outcome_in(server, a_test(server.url()), timeout_seconds=0.3)

    outcome = run(steps())

    assert outcome.reason is Reason.TIMEOUT
    assert exchange_of(outcome).response is None


def test_egress_rules_hold_for_tests() -> None:
    async def steps() -> tuple[Outcome | NotSent, Target]:
        async with target() as server, dispatcher(parse_egress(None, "127.0.0.1", None)) as opened:
            return await opened.dispatch(a_test(server.url())), server

    outcome, server = run(steps())

    assert isinstance(outcome, Outcome)
    assert outcome.reason is Reason.EGRESS_DENIED
    assert server.connections == 0


def test_an_ordinary_attempt_has_no_exchange() -> None:
    async def steps() -> Outcome:
        async with target() as server:
            return await outcome_in(server, a_request(server.url()))

    assert run(steps()).exchange is None


def secret_cases() -> Iterator[Any]:
    password = BasicAuthentication(username="ann", password=Secret(MARKER))
    signing = StandardWebhooks(secret=Secret(WEBHOOK))
    yield pytest.param({"authentication": password}, "/", [MARKER, "YW5uOk"], id="Basic")
    yield pytest.param(
        {"headers": {"Authorization": f"Bearer {MARKER}"}}, "/", [MARKER], id="own Authorization"
    )
    yield pytest.param({"headers": {"X-Api-Key": MARKER}}, "/", [MARKER], id="a key in a header")
    yield pytest.param({"headers": {"Cookie": f"a={MARKER}"}}, "/", [MARKER], id="Cookie")
    yield pytest.param({}, f"/?sv=1&sig={MARKER}%3D", [MARKER], id="signature in the address")
    yield pytest.param({"authentication": signing}, "/", [WEBHOOK, WEBHOOK[6:]], id="webhook")


@pytest.mark.parametrize(("fields", "path", "markers"), [*secret_cases()])
def test_no_secret_is_shown_though_the_target_sends_it_back(
    fields: dict[str, Any], path: str, markers: list[str]
) -> None:
    async def steps() -> tuple[Outcome, Target]:
        async with target() as server:
            echo(server)
            body = f"a body with {markers[0]}"
            request = a_test(server.url(path), method="POST", body=body, **fields)
            return await outcome_in(server, request), server

    outcome, server = run(steps())
    text = msgspec_json.encode(outcome).decode()

    assert outcome.succeeded
    assert exchange_of(outcome).request.body == "a body with ***"
    assert [marker for marker in markers if marker in text] == []
    signature = server.received[0].header("webhook-signature") or "v1,unsigned"
    assert signature.partition(",")[2] not in text


def test_the_id_and_the_time_of_a_webhook_are_shown_and_its_signature_is_not() -> None:
    async def steps() -> Outcome:
        async with target() as server:
            echo(server)
            signing = StandardWebhooks(secret=Secret(WEBHOOK))
            return await outcome_in(server, a_test(server.url(), authentication=signing))

    exchange = exchange_of(run(steps()))
    shown = dict(exchange.request.headers)

    assert shown["webhook-signature"] == "***"
    assert shown["webhook-id"] == shown["x-ms-execution-tag"] != "***"
    assert shown["webhook-timestamp"].isdecimal()
    assert exchange.response is not None
    assert shown["webhook-id"] in exchange.response.body


def test_no_user_of_an_address_is_shown() -> None:
    async def steps() -> Outcome:
        async with target() as server:
            echo(server)
            uri = server.url().replace("//", f"//ann:{MARKER}@")
            return await outcome_in(server, a_test(uri))

    assert MARKER not in msgspec_json.encode(run(steps())).decode()


def test_neither_the_secret_nor_the_token_of_a_directory_is_shown() -> None:
    given: HttpAuthentication = OAuth(
        tenant="t", audience="a", client_id="c", secret=Secret(MARKER)
    )
    grant = {"access_token": "T0kenMarker", "expires_in": 3600}

    async def steps() -> Outcome:
        async with target({"/t/oauth2/token": answer(body=json.dumps(grant).encode())}) as server:
            echo(server)
            login = server.url("").rstrip("/")
            request = a_test(server.url("/job"), authentication=given)
            return await outcome_in(server, request, login_url=login)

    text = msgspec_json.encode(outcome := run(steps())).decode()

    assert outcome.succeeded
    assert dict(exchange_of(outcome).request.headers)["Authorization"] == "***"
    assert "T0kenMarker" not in text
    assert MARKER not in text


def test_no_certificate_is_shown(authority: Authority) -> None:
    pfx = authority.issue("client").pfx()
    given = ClientCertificate(pfx=Secret(pfx), password=Secret(PASSWORD))

    async def steps() -> Outcome:
        async with target(tls=authority.server("127.0.0.1", asks=True)) as server:
            echo(server)
            request = a_test(server.url(), method="POST", body=PASSWORD, authentication=given)
            return await outcome_in(server, request, ca_file=authority.file)

    text = msgspec_json.encode(outcome := run(steps())).decode()

    assert outcome.succeeded
    assert pfx not in text
    assert PASSWORD not in text
    assert "PRIVATE KEY" not in text


def test_a_message_to_a_storage_queue_is_told_without_its_token() -> None:
    async def steps() -> tuple[Outcome | NotSent, str]:
        async with target() as server:
            echo(server)
            async with queues.dispatcher(server.url("").rstrip("/")) as opened:
                request = replace(queues.queue_request(), is_test=True)
                return await opened.dispatch(request), server.url("/orders/messages")

    outcome, uri = run(steps())
    shown = exchange_of(outcome)

    assert shown.request.uri.startswith(f"{uri}?sv=")
    assert shown.request.uri.endswith("&sig=***")
    assert "<MessageText>hello</MessageText>" in (shown.request.body or "")
    assert shown.response is not None
    assert shown.response.status_code == 200
    assert queues.SIGNATURE not in msgspec_json.encode(outcome).decode()


def test_a_message_to_service_bus_is_told_without_its_key() -> None:
    async def steps() -> Outcome | NotSent:
        async with target() as server:
            echo(server)
            async with bus.dispatcher(server.url("").rstrip("/")) as opened:
                request = replace(bus.bus_request(message=f"hello {bus.KEY}"), is_test=True)
                return await opened.dispatch(request)

    outcome = run(steps())
    text = msgspec_json.encode(outcome).decode()

    assert exchange_of(outcome).request.body == "hello ***"
    assert dict(exchange_of(outcome).request.headers)["Authorization"] == "***"
    assert bus.KEY not in text
    assert "SharedAccessSignature" not in text


def test_a_message_over_amqp_is_told_without_its_key(peer: Peer) -> None:
    request = replace(bus.bus_request(message=f"hello {bus.KEY}"), is_test=True)

    outcome = amqp.sent(peer, request)[0]

    shown = exchange_of(outcome).request
    assert outcome.succeeded
    assert (shown.method, shown.uri) == (None, f"amqp://127.0.0.1:{peer.port}/orders")
    assert dict(shown.headers)["x-ms-execution-tag"] == TAG
    assert shown.body == "hello ***"
    assert bus.KEY not in msgspec_json.encode(outcome).decode()
