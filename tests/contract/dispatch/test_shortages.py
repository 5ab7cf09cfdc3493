"""What we lack ourselves is never the outcome of an attempt."""

import errno
from contextlib import AsyncExitStack
from ipaddress import ip_address

import pytest

from foliot.core.model.action import OAuth
from foliot.core.model.attempt import NotSent, Outcome
from foliot.core.secret import Secret
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import Sender
from foliot.dispatch.http.curl_handle import Line, LineSettings
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.local_shortage import (
    descriptors,
    not_sent,
    out_of_memory,
    shortage_in,
    shortage_now,
    shortage_of_ports,
)
from foliot.dispatch.queue_endpoints import storage_endpoints
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from tests.contract.dispatch.target import target
from tests.contract.dispatch.test_service_bus_amqp import ACCEPTED
from tests.contract.dispatch.test_service_bus_amqp import dispatcher as bus_dispatcher
from tests.contract.dispatch.test_service_bus_amqp import peer as peer  # noqa: PLC0414
from tests.contract.dispatch.test_service_bus_http import bus_errand
from tests.contract.dispatch.test_storage_queue import queue_errand
from tests.support.amqp_peer import Peer
from tests.support.builders import NOW
from tests.support.descriptors import no_descriptors
from tests.support.dispatch_harness import an_errand, dispatcher, run

NO_DESCRIPTORS = NotSent("This process has no file descriptors left.")


@pytest.mark.parametrize("left", [0, 1], ids=["none", "one, and none for its duplicate"])
def test_a_request_without_descriptors_is_not_sent(left: int) -> None:
    async def steps() -> None:
        async with target() as server, dispatcher() as opened:
            await opened.dispatch(an_errand("http://127.0.0.1:1/"))
            with no_descriptors(but=left):
                assert await opened.dispatch(an_errand(server.url())) == NO_DESCRIPTORS

            after = await opened.dispatch(an_errand(server.url()))
            assert isinstance(after, Outcome)
            assert after.succeeded

    run(steps())


def test_the_first_request_of_a_process_without_descriptors_is_not_sent() -> None:
    async def steps() -> None:
        async with target() as server, dispatcher() as opened:
            with no_descriptors():
                assert isinstance(await opened.dispatch(an_errand(server.url())), NotSent)

            after = await opened.dispatch(an_errand(server.url()))
            assert isinstance(after, Outcome)
            assert after.succeeded

    run(steps())


def test_idle_connections_are_closed_for_a_request_that_lacks_descriptors() -> None:
    async def steps() -> None:
        async with target() as other, dispatcher() as opened, AsyncExitStack() as stack:
            servers = [await stack.enter_async_context(target()) for _ in range(5)]
            for server in servers:
                await opened.dispatch(an_errand(server.url()))
            with no_descriptors():
                result = await opened.dispatch(an_errand(other.url()))

            assert isinstance(result, Outcome)
            assert result.succeeded
            for server in servers:
                await server.all_gone()

    run(steps())


def test_a_token_that_cannot_be_fetched_without_descriptors_is_not_an_outcome() -> None:
    async def steps() -> None:
        given = OAuth(tenant="contoso", audience="a", client_id="c", secret=Secret("hush"))
        async with target() as server, dispatcher(login_url=server.url("")) as opened:
            await opened.dispatch(an_errand("http://127.0.0.1:1/"))
            with no_descriptors():
                result = await opened.dispatch(an_errand(server.url(), authentication=given))
            assert result == NO_DESCRIPTORS

    run(steps())


def test_a_file_of_certificates_that_cannot_be_opened_for_lack_of_descriptors_is_our_lack() -> None:
    line = Line(LineSettings(None, None, lambda *_: None))
    assert line.shortage(77) is None
    with no_descriptors():
        assert line.shortage(77) is not None
    line.close()


def test_a_queue_message_without_descriptors_is_not_sent() -> None:
    async def steps() -> None:
        endpoints = storage_endpoints(placed='{"shop": "http://127.0.0.1:1"}')
        opened = StorageQueueDispatcher(EgressRules(), lambda: NOW, HttpSettings(), endpoints)
        with no_descriptors():
            assert await opened.dispatch(queue_errand()) == NO_DESCRIPTORS
        await opened.close()

    run(steps())


def test_a_bus_message_over_amqp_without_descriptors_is_not_sent(peer: Peer) -> None:
    async def steps() -> None:
        async with bus_dispatcher(peer.port) as opened:
            await opened._amqp()  # noqa: SLF001  (its imports need descriptors, too)
            with no_descriptors():
                assert await opened.dispatch(bus_errand()) == NO_DESCRIPTORS

            result = await opened.dispatch(bus_errand())
            assert isinstance(result, Outcome)
            assert result.message == ACCEPTED

    run(steps())


def test_no_more_connections_are_kept_than_there_are_descriptors_for() -> None:
    with no_descriptors():
        sender = Sender(EgressRules(), HttpSettings())

        assert sender._max_idle == 256 // 8  # noqa: SLF001


@pytest.mark.parametrize(
    "number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS], ids=errno.errorcode.get
)
def test_errors_of_the_system_that_are_our_own_lack(number: int) -> None:
    assert shortage_in(OSError(number, "")) is not None


def test_a_lack_of_descriptors_concerns_all_destinations() -> None:
    lacking = shortage_in(OSError(errno.EMFILE, ""))
    assert lacking is not None
    assert not not_sent(lacking).is_of_destination


def test_other_errors_are_not_our_lack() -> None:
    assert shortage_in(ConnectionRefusedError(errno.ECONNREFUSED, "")) is None
    assert shortage_in(ValueError()) is None
    assert shortage_now() is None
    assert descriptors() > 0


def test_a_lack_of_memory_is_our_own() -> None:
    assert shortage_in(MemoryError()) is not None
    line = Line(LineSettings(None, None, lambda *_: None))
    shortage = line.shortage(27)
    assert shortage is not None
    assert shortage.reason == out_of_memory().reason
    line.close()


def test_a_lack_of_local_ports_is_told_from_an_address_of_a_family_that_is_missing() -> None:
    lacking = shortage_of_ports(errno.EADDRNOTAVAIL, (ip_address("127.0.0.1"), 80))
    assert lacking is not None
    assert "no local ports" in lacking.reason
    assert not_sent(lacking).is_of_destination
    assert shortage_of_ports(errno.ECONNREFUSED, (ip_address("127.0.0.1"), 80)) is None
    assert shortage_of_ports(errno.EADDRNOTAVAIL, None) is None
    # Nobody can connect to a network address, whichever way.
    assert shortage_of_ports(errno.EADDRNOTAVAIL, (ip_address("255.255.255.255"), 80)) is None
