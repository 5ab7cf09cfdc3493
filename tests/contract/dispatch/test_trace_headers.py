"""Headers and properties that tell a target to which trace an attempt belongs."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.model.attempt import AttemptRequest
from foliot.dispatch.service_bus.message import properties_of
from tests.contract.dispatch.target import Received, answer, redirect, target
from tests.contract.dispatch.test_service_bus_amqp import Peer, arrived, peer, sent
from tests.contract.dispatch.test_service_bus_http import FACTS, bus_request
from tests.contract.dispatch.test_service_bus_http import sent as sent_over_http
from tests.contract.dispatch.test_storage_queue import dispatcher as queue_dispatcher
from tests.contract.dispatch.test_storage_queue import queue_request
from tests.support.dispatch_harness import a_request, dispatcher, run
from tests.support.tls_authority import Authority

PARENT = "00-0123456789abcdef0123456789abcdef-fedcba9876543210-01"
TRACE = {"traceparent": PARENT, "tracestate": "ot=th:8"}

__all__ = ["peer"]


def traced(request: AttemptRequest) -> AttemptRequest:
    return replace(request, trace_headers=TRACE)


def received(**request: Any) -> Received:
    """Return what a target receives of a request that is traced."""

    async def steps() -> Received:
        async with target() as server, dispatcher() as opened:
            await opened.dispatch(traced(a_request(server.url(), **request)))
            return server.received[0]

    return run(steps())


def test_a_target_is_told_of_the_trace() -> None:
    found = received()

    assert (found.header("traceparent"), found.header("tracestate")) == (PARENT, "ot=th:8")


def test_without_tracing_nothing_is_told() -> None:
    async def steps() -> Received:
        async with target() as server, dispatcher() as opened:
            await opened.dispatch(a_request(server.url()))
            return server.received[0]

    assert not {"traceparent", "tracestate"} & {name.lower() for name, _ in run(steps()).headers}


@pytest.mark.parametrize("name", ["traceparent", "Traceparent", "tracestate"])
def test_a_job_with_a_trace_of_its_own_keeps_it_whole(name: str) -> None:
    found = received(headers={name: "mine"})

    told = [each for each in found.headers if each[0].lower() in TRACE]
    assert told == [(name, "mine")]


def test_another_origin_is_not_told() -> None:
    async def steps() -> tuple[Received, Received]:
        async with target() as first, target() as second, dispatcher() as opened:
            first.routes["*"] = redirect(second.url())
            await opened.dispatch(traced(a_request(first.url())))
            return first.received[0], second.received[0]

    own, other = run(steps())

    assert own.header("traceparent") == PARENT
    assert other.header("traceparent") is None


def test_a_message_over_amqp_has_the_properties_that_clients_of_microsoft_read(peer: Peer) -> None:
    sent(peer, traced(bus_request()))

    assert arrived(peer)[0].message.properties == FACTS | {"Diagnostic-Id": PARENT} | TRACE


def test_a_message_over_https_has_them_as_well(authority: Authority) -> None:
    _, messages = sent_over_http(authority, traced(bus_request(custom={"Buoy": "7"})))

    expected = {"Buoy": "7", "Diagnostic-Id": PARENT} | FACTS | TRACE
    assert messages[0].custom == expected


@pytest.mark.parametrize("name", ["diagnostic-id", "Diagnostic-Id", "TraceParent", "tracestate"])
def test_a_message_with_a_trace_of_its_own_keeps_it_whole(name: str) -> None:
    request = traced(bus_request(custom={name: "mine"}))

    assert properties_of(request, request.action.part) == {name: "mine"} | FACTS


def test_the_request_to_a_storage_queue_tells_and_its_message_does_not() -> None:
    async def steps() -> Received:
        async with target() as server, queue_dispatcher(server.url()) as opened:
            server.routes["*"] = answer("201 Created")
            await opened.dispatch(traced(queue_request()))
            return server.received[0]

    found = run(steps())

    assert found.header("traceparent") == PARENT
    assert PARENT.encode() not in found.body
