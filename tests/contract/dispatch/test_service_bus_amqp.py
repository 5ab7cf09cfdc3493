"""Service bus actions over AMQP, against a peer that is not made of the client's own code."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from proton import SSLDomain

from foliot.core.instant import DAY
from foliot.core.model.action import ActionKind, BrokeredProperties, Duration
from foliot.core.model.attempt import Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.resolver import Resolver
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import bus_endpoints
from foliot.dispatch.service_bus.amqp_pool import AmqpPool
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from tests.contract.dispatch.bus_server import a_wrong_key
from tests.contract.dispatch.target import target
from tests.contract.dispatch.test_service_bus_http import ALL_PROPERTIES, FACTS, bus_request
from tests.support import amqp_peer
from tests.support.amqp_peer import (
    KEY,
    KEY_NAME,
    Arrived,
    Behaviour,
    Peer,
    cut,
    reject,
    say_nothing,
    then_cut,
    then_detach,
)
from tests.support.builders import NOW
from tests.support.dispatch_harness import TAG, run
from tests.support.tls_authority import Authority

PLACE = "ServiceBusQueue Action - Message to queue 'orders' of namespace 'here'"
ACCEPTED = f"{PLACE} succeeded: 'Accepted'"


@pytest.fixture
def peer() -> Iterator[Peer]:
    with amqp_peer.running() as started:
        yield started


@asynccontextmanager
async def dispatcher(
    port: int, egress: EgressRules | None = None, base: str = "amqp://127.0.0.1", **settings: Any
) -> AsyncGenerator[ServiceBusDispatcher]:
    endpoints = bus_endpoints(placed=f'{{"here": "{base}:{port}"}}')
    given = HttpSettings(**{"timeout_seconds": 10, **settings})
    opened = ServiceBusDispatcher(egress or EgressRules(), lambda: NOW, given, endpoints)
    try:
        yield opened
    finally:
        await opened.close()


def sent(peer: Peer, *requests: Any, **options: Any) -> list[Outcome]:
    """Send one message after the other."""

    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port, **options) as opened:
            return [await opened.dispatch(request) for request in requests]

    return run(steps())


def arrived(peer: Peer) -> list[Arrived]:
    found = []
    while not peer.arrived.empty():
        found.append(peer.arrived.get())
    return found


def body(message: Arrived) -> str:
    return bytes(message.message.body).decode()


def test_a_message_arrives_with_the_tag_as_its_id(peer: Peer) -> None:
    outcomes = sent(peer, bus_request(message="ahoj 🐎\r\n"))

    found = arrived(peer)
    assert [outcome.message for outcome in outcomes] == [ACCEPTED]
    assert [(each.entity, body(each), each.message.id) for each in found] == [
        ("orders", "ahoj 🐎\r\n", TAG)
    ]
    assert found[0].message.properties == FACTS


def test_every_property_arrives(peer: Peer) -> None:
    custom = {"Buoy": "7", "any name": 'a "b" ž\r\n', "": "", "x-ms-execution-tag": "no"}

    sent(peer, bus_request(brokered=ALL_PROPERTIES, custom=custom))

    message = arrived(peer)[0].message
    del custom["x-ms-execution-tag"]
    assert message.properties == custom | FACTS
    assert (message.content_type, message.correlation_id) == ("application/json", "correlation")
    assert (message.subject, message.id, message.address) == ("lábel", "message", "to")
    assert (message.reply_to, message.reply_to_group_id) == ("reply", "reply session")
    assert (message.group_id, message.ttl) == ("session", 5400.5)
    assert {str(name): value for name, value in message.annotations.items()} == {
        "x-opt-partition-key": "session",
        "x-opt-via-partition-key": "via",
        "x-opt-scheduled-enqueue-time": 1770091506000,
    }


def test_the_name_of_a_topic_may_have_slashes(peer: Peer) -> None:
    outcome = sent(peer, bus_request("Buoys/Lights", kind=ActionKind.SERVICE_BUS_TOPIC))[0]

    assert outcome.message == (
        "ServiceBusTopic Action - Message to topic 'Buoys/Lights' of namespace 'here' "
        "succeeded: 'Accepted'"
    )
    assert [each.entity for each in arrived(peer)] == ["Buoys/Lights"]


def test_a_time_to_live_over_49_days_is_sent_as_an_expiry_time(peer: Peer) -> None:
    brokered = BrokeredProperties(time_to_live=Duration("P500D", 500 * DAY))

    assert sent(peer, bus_request(brokered=brokered))[0].succeeded
    message = arrived(peer)[0].message
    assert message.ttl == 0
    assert message.expiry_time - message.creation_time == 500 * 24 * 3600


def test_one_connection_serves_one_message_after_the_other(peer: Peer) -> None:
    outcomes = sent(peer, *(bus_request(message=str(number)) for number in range(20)))

    assert all(outcome.succeeded for outcome in outcomes)
    assert [body(each) for each in arrived(peer)] == [str(number) for number in range(20)]
    assert peer.connections == 1


def test_waiting_messages_are_sent_in_one_batch(peer: Peer) -> None:
    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port) as opened:
            requests = [bus_request(message=str(number)) for number in range(200)]
            return await asyncio.gather(*map(opened.dispatch, requests))

    outcomes = run(steps())

    assert {outcome.message for outcome in outcomes} == {ACCEPTED}
    assert [body(each) for each in arrived(peer)] == [str(number) for number in range(200)]
    assert peer.connections == 1
    assert peer.deliveries <= 10


def test_messages_of_different_sessions_are_sent_in_separate_batches(peer: Peer) -> None:
    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port) as opened:
            requests = [
                bus_request(brokered=BrokeredProperties(session_id=session)) for session in "aabbc"
            ]
            return await asyncio.gather(*map(opened.dispatch, requests))

    run(steps())

    assert [each.message.group_id for each in arrived(peer)] == list("aabbc")
    assert peer.deliveries == 3


def test_large_messages_do_not_make_a_batch_too_large(peer: Peer) -> None:
    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port) as opened:
            requests = [bus_request(message="x" * 100_000) for _ in range(3)]
            return await asyncio.gather(*map(opened.dispatch, requests))

    assert all(outcome.succeeded for outcome in run(steps()))
    assert peer.deliveries == 3


def test_the_messages_of_a_rejected_batch_are_sent_one_by_one(peer: Peer) -> None:
    peer.behaviours = [reject("amqp:not-allowed"), amqp_peer.accept, reject("amqp:not-allowed")]

    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port) as opened:
            return await asyncio.gather(
                *(opened.dispatch(bus_request(message=str(number))) for number in range(3))
            )

    outcomes = run(steps())

    assert [outcome.succeeded for outcome in outcomes] == [True, False, True]
    assert "It was rejected." in outcomes[1].message
    assert [body(each) for each in arrived(peer)] == ["0", "2"]


@pytest.mark.parametrize("break_", [then_detach, then_cut], ids=["link", "connection"])
def test_a_connection_that_breaks_between_messages_is_replaced(
    peer: Peer, break_: Behaviour
) -> None:
    peer.behaviours = [break_, break_]

    outcomes = sent(peer, *(bus_request(message=str(number)) for number in range(3)))

    assert [outcome.message for outcome in outcomes] == [ACCEPTED] * 3
    assert [body(each) for each in arrived(peer)] == ["0", "1", "2"]
    assert peer.connections == 3


def test_a_connection_that_is_cut_before_the_answer_is_a_failure(peer: Peer) -> None:
    peer.behaviours = [cut]

    outcomes = sent(peer, bus_request(message="0"), bus_request(message="1"))

    assert outcomes[0].message.startswith(f"{PLACE} failed: ReceiveFailure")
    assert outcomes[1].message == ACCEPTED
    assert [body(each) for each in arrived(peer)] == ["1"]


def test_a_peer_that_was_away_is_reached_again() -> None:
    async def steps() -> list[str]:
        messages = []
        with amqp_peer.running() as first:
            port = first.port
            async with dispatcher(port) as opened:
                messages.append((await opened.dispatch(bus_request())).message)
                await asyncio.to_thread(first.stop)
                messages.append((await opened.dispatch(bus_request())).message)
                with amqp_peer.running(port) as second:
                    messages.append((await opened.dispatch(bus_request())).message)
                    assert len(arrived(second)) == 1
        return messages

    away = f"{PLACE} failed: ConnectFailure Unable to connect to the remote server"
    assert run(steps()) == [ACCEPTED, away, ACCEPTED]


REFUSALS = {
    "wrong key": (
        partial(bus_request, key=a_wrong_key()),
        f"Unauthorized The key '{KEY_NAME}' is not accepted. "
        "InvalidSignature: The token has an invalid signature.",
    ),
    "wrong key name": (
        partial(bus_request, key_name="nobody"),
        "Unauthorized The key 'nobody' is not accepted. "
        "InvalidSignature: The token has an invalid signature.",
    ),
    "missing entity": (partial(bus_request, "nobody"), "NotFound The queue does not exist."),
    "a session that is no partition": (
        partial(bus_request, brokered=BrokeredProperties(session_id="s", partition_key="p")),
        "InvalidRequest the message cannot be sent: ",
    ),
}


@pytest.mark.parametrize(("refused", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_history_has_the_reason_of_a_refusal(peer: Peer, refused: Any, reason: str) -> None:
    outcome = sent(peer, refused())[0]

    assert f" failed: {reason}" in outcome.message
    assert not outcome.succeeded
    assert arrived(peer) == []


REJECTIONS = {
    "busy": (
        "com.microsoft:server-busy",
        "ServerBusy The server is busy.",
        Reason.SERVER_BUSY,
    ),
    "full": (
        "amqp:resource-limit-exceeded",
        "QuotaExceeded The queue is full.",
        Reason.REJECTED,
    ),
    "too large": (
        "amqp:link:message-size-exceeded",
        "MessageTooLarge The message is too large for the queue.",
        Reason.REJECTED,
    ),
    "disabled": (
        "com.microsoft:entity-disabled",
        "Disabled The queue is disabled.",
        Reason.REJECTED,
    ),
    "unauthorized": (
        "amqp:unauthorized-access",
        f"Unauthorized The key '{KEY_NAME}' is not accepted. It was rejected.",
        Reason.UNAUTHORIZED,
    ),
    "something": (
        "acme:odd",
        "UnknownError It was rejected. Error condition: acme:odd.",
        Reason.REJECTED,
    ),
}


@pytest.mark.parametrize(("condition", "reason", "code"), REJECTIONS.values(), ids=REJECTIONS)
def test_history_has_the_reason_of_a_rejected_message(
    peer: Peer, condition: str, reason: str, code: Reason
) -> None:
    peer.behaviours = [reject(condition)]

    outcome = sent(peer, bus_request())[0]

    assert outcome.message.startswith(f"{PLACE} failed: {reason}")
    assert outcome.reason is code
    assert KEY not in outcome.message


def test_a_secret_that_is_sent_back_is_hidden(peer: Peer) -> None:
    peer.behaviours = [reject("acme:odd", f"Your key is {KEY}!")]

    assert "Your key is ***!" in sent(peer, bus_request())[0].message


def test_a_peer_that_says_nothing_is_given_up_by_the_deadline(peer: Peer) -> None:
    peer.behaviours = [amqp_peer.accept, say_nothing]

    outcomes = sent(peer, *[bus_request()] * 3, timeout_seconds=1)

    timeout = f"{PLACE} failed: Timeout The operation has timed out"
    assert [outcome.message for outcome in outcomes] == [ACCEPTED, timeout, ACCEPTED]
    assert peer.connections == 2


def test_a_batch_without_an_answer_fails_as_a_whole(peer: Peer) -> None:
    peer.behaviours = [say_nothing]

    async def steps() -> list[Outcome]:
        async with dispatcher(peer.port, timeout_seconds=1) as opened:
            return await asyncio.gather(*(opened.dispatch(bus_request()) for _ in range(5)))

    assert {outcome.message for outcome in run(steps())} == {
        f"{PLACE} failed: Timeout The operation has timed out"
    }
    assert peer.deliveries == 1


def test_an_idle_link_is_closed(peer: Peer) -> None:
    async def steps() -> None:
        async with dispatcher(peer.port) as opened:
            opened._pool = AmqpPool(EgressRules(), HttpSettings(), Resolver(), 0.01)  # noqa: SLF001
            for _ in range(2):
                assert (await opened.dispatch(bus_request())).succeeded
                await asyncio.to_thread(peer.all_gone.get, timeout=amqp_peer.DEADLINE)

    run(steps())

    assert peer.connections == 2
    assert peer.open_connections == 0


def test_waiting_messages_end_as_canceled_when_the_server_stops(peer: Peer) -> None:
    peer.behaviours = [say_nothing]

    async def steps() -> list[str]:
        async with dispatcher(peer.port) as opened:
            waiting = [asyncio.ensure_future(opened.dispatch(bus_request())) for _ in range(2)]
            await asyncio.to_thread(peer.delivered.get, timeout=amqp_peer.DEADLINE)
            waiting.append(asyncio.ensure_future(opened.dispatch(bus_request())))
            await asyncio.sleep(0)
            await opened.close()
            outcomes = await asyncio.gather(*waiting, opened.dispatch(bus_request()))
            return [outcome.message for outcome in outcomes]

    canceled = "RequestCanceled The request was canceled: the server is stopping."
    assert run(steps()) == [f"{PLACE} failed: {canceled}"] * 4
    peer.all_gone.get(timeout=amqp_peer.DEADLINE)


def tls_domain(authority: Authority, folder: Path, name: str) -> SSLDomain:
    file = folder / "peer.pem"
    file.write_bytes(authority.issue(name).pem())
    domain = SSLDomain(SSLDomain.MODE_SERVER)
    domain.set_credentials(str(file), str(file), "")
    return domain


@pytest.mark.parametrize("base", ["amqps://127.0.0.1", "amqps://localhost"])
def test_tls_expects_the_name_though_it_connects_to_an_address(
    authority: Authority, tmp_path: Path, base: str
) -> None:
    name = base.removeprefix("amqps://")
    with amqp_peer.running(domain=tls_domain(authority, tmp_path, name)) as peer:
        outcome = sent(peer, bus_request(), base=base, ca_file=authority.file)[0]

        assert outcome.message == ACCEPTED
        assert len(arrived(peer)) == 1


@pytest.mark.parametrize("knows_authority", [True, False], ids=["another name", "not trusted"])
def test_a_certificate_must_be_the_hosts_and_trusted(
    authority: Authority, tmp_path: Path, *, knows_authority: bool
) -> None:
    name = "elsewhere" if knows_authority else "localhost"
    ca_file = authority.file if knows_authority else None
    with amqp_peer.running(domain=tls_domain(authority, tmp_path, name)) as peer:
        outcome = sent(peer, bus_request(), base="amqps://localhost", ca_file=ca_file)[0]

        assert f"{PLACE} failed: TrustFailure " in outcome.message
        assert arrived(peer) == []


EGRESS = {
    "by address": (parse_egress(None, "127.0.0.0/8,[::1]", None), "the address"),
    "by name": (parse_egress(None, "localhost", None), "localhost, port"),
}


@pytest.mark.parametrize(("rules", "shown"), EGRESS.values(), ids=EGRESS)
def test_egress_rules_hold_for_what_is_really_connected_to(
    peer: Peer, rules: EgressRules, shown: str
) -> None:
    outcome = sent(peer, bus_request(), egress=rules, base="amqp://localhost")[0]

    assert f"EgressDenied The request is not allowed: {shown}" in outcome.message
    assert peer.connections == 0


def test_a_refused_address_is_skipped_and_the_others_are_tried(peer: Peer) -> None:
    rules = parse_egress(None, "[::1]", None)

    assert sent(peer, bus_request(), egress=rules, base="amqp://localhost")[0].succeeded


def test_a_name_that_does_not_resolve_could_not_be_found(peer: Peer) -> None:
    outcome = sent(peer, bus_request(), base="amqp://nobody.invalid")[0]

    assert "failed: NameResolutionFailure The namespace 'here' could not be found." in (
        outcome.message
    )


def test_a_job_that_says_amqp_goes_to_port_5671_with_tls() -> None:
    async def steps() -> str:
        endpoints = bus_endpoints("nowhere.invalid")
        deny = parse_egress(None, "acme.nowhere.invalid:5671", None)
        opened = ServiceBusDispatcher(deny, lambda: NOW, HttpSettings(), endpoints)
        outcome = await opened.dispatch(bus_request(namespace="acme", transport="amqp"))
        await opened.close()
        return outcome.message

    assert "acme.nowhere.invalid, port 5671, is denied" in run(steps())


def test_a_server_without_amqp_is_distinguished_from_one_that_is_away() -> None:
    async def steps() -> str:
        nonsense = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        async with target({"*": nonsense}) as server, dispatcher(server.port) as opened:
            return (await opened.dispatch(bus_request())).message

    assert run(steps()) == (
        f"{PLACE} failed: ServerProtocolViolation The server committed a protocol violation."
    )


def test_amqp_is_refused_with_a_proxy(peer: Peer) -> None:
    outcome = sent(peer, bus_request(), proxy="http://127.0.0.1:1")[0]

    assert "ProxyFailure AMQP does not go through FOLIOT_PROXY" in outcome.message
    assert peer.connections == 0


def test_nothing_of_a_secret_is_logged(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    sent(peer, bus_request(), bus_request(key=a_wrong_key()))

    said = "\n".join(record.getMessage() for record in caplog.records if record.name != "proton")
    assert KEY not in said
    assert "SharedAccessSignature" not in said
    assert "azure" not in {record.name.partition(".")[0] for record in caplog.records}
