"""Every attempt over HTTP tells how long its steps took; a text keeps them."""

from typing import Any

from foliot.core.model.attempt import Outcome
from foliot.core.model.exchange import Timings
from foliot.core.rules.timings_text import read_timings
from tests.contract.dispatch.target import hang, redirect, target
from tests.support.dispatch_harness import a_request, dispatcher, run
from tests.support.tls_authority import Authority


async def timings_of(opened: Any, uri: str) -> Timings | None:
    outcome = await opened.dispatch(a_request(uri))
    assert isinstance(outcome, Outcome)
    assert outcome.exchange is None
    return read_timings(outcome.timings)


def test_the_second_request_over_a_connection_has_no_time_to_connect() -> None:
    async def steps() -> list[Timings | None]:
        async with target() as server, dispatcher() as opened:
            found = [await timings_of(opened, server.url()) for _ in range(2)]
            assert server.connections == 1
            return found

    first, second = run(steps())

    assert first is not None
    assert first.connect is not None
    assert first.first_byte is not None
    assert 0 < first.connect <= first.first_byte <= first.total
    assert second is not None
    assert second.connect is None
    assert second.first_byte is not None
    assert 0 < second.first_byte <= second.total


def test_a_tls_handshake_is_timed(authority: Authority) -> None:
    async def steps() -> Timings | None:
        async with (
            target(tls=authority.server()) as server,
            dispatcher(ca_file=authority.file) as opened,
        ):
            return await timings_of(opened, server.url())

    found = run(steps())

    assert found is not None
    assert found.connect is not None
    assert found.tls is not None
    assert 0 < found.connect <= found.tls <= found.total


def test_after_a_redirect_the_timings_are_those_of_the_last_request() -> None:
    async def steps() -> Timings | None:
        async with target({"/here": redirect("/there")}) as server, dispatcher() as opened:
            return await timings_of(opened, server.url("/here"))

    found = run(steps())

    assert found is not None
    # The redirect has opened the connection.
    assert found.connect is None


def test_a_timeout_has_no_first_byte() -> None:
    async def steps() -> Timings | None:
        async with target({"/": hang}) as server, dispatcher(timeout_seconds=0.2) as opened:
            return await timings_of(opened, server.url())

    found = run(steps())

    assert found is not None
    assert found.connect is not None
    assert found.first_byte is None
    assert found.total > found.connect


def test_a_refused_connection_has_no_first_byte() -> None:
    async def steps() -> Timings | None:
        async with dispatcher() as opened:
            async with target() as server:
                uri = server.url()
            return await timings_of(opened, uri)

    found = run(steps())

    assert found is not None
    assert (found.connect, found.tls, found.first_byte) == (None, None, None)


def test_a_name_that_is_not_found_has_no_timings() -> None:
    async def steps() -> Timings | None:
        async with dispatcher() as opened:
            return await timings_of(opened, "http://nowhere.invalid/")

    assert run(steps()) is None
