"""Requests to names: who resolves them, what is connected to, what the target sees."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from ipaddress import ip_address

import pytest

from foliot.core.model.attempt import NotSent, Outcome
from foliot.dispatch.egress.addresses import Address
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.resolver import Resolver, ResolverSettings
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.http_settings import HttpSettings
from tests.contract.dispatch.target import target
from tests.support.builders import NOW
from tests.support.dispatch_harness import an_errand, run
from tests.support.tls_authority import Authority

HERE = "127.0.0.1"


class Zone:
    """Names that lead where a test wants them to, or hang until its end."""

    def __init__(self, **addresses: list[str]) -> None:
        self.addresses = addresses
        self.released = threading.Event()

    def __call__(self, host: str) -> list[Address]:
        if host.startswith("hangs"):
            assert self.released.wait(60)
        found = self.addresses.get(host.partition(".")[0], [HERE])
        return [ip_address(each) for each in found]


@asynccontextmanager
async def dispatcher(
    zone: Zone,
    egress: EgressRules | None = None,
    *,
    kept: float = 30,
    threads: int = 256,
    **settings: object,
) -> AsyncGenerator[HttpDispatcher]:
    given = HttpSettings(**{"timeout_seconds": 10, **settings})  # pyright: ignore[reportArgumentType]
    resolver = Resolver(zone, ResolverSettings(kept_seconds=kept, new_threads=threads))
    opened = HttpDispatcher(egress or EgressRules(), lambda: NOW, given, resolver)
    try:
        yield opened
    finally:
        zone.released.set()
        await opened.close()


def message(result: Outcome | NotSent) -> str:
    assert isinstance(result, Outcome)
    return result.message


def test_two_hundred_names_that_nobody_answers_for_do_not_delay_a_healthy_one() -> None:
    async def steps() -> None:
        async with target() as server, dispatcher(Zone()) as opened:
            hanging = [
                asyncio.ensure_future(opened.dispatch(an_errand(f"http://hangs{number}.test/")))
                for number in range(200)
            ]
            await asyncio.sleep(0)

            healthy = await opened.dispatch(an_errand(server.url(host="healthy.test")))
            assert "'OK'" in message(healthy)
            assert not any(task.done() for task in hanging)
            for task in hanging:
                task.cancel()

    run(steps())


def test_an_attempt_for_whose_name_no_thread_was_free_is_not_sent() -> None:
    async def steps() -> None:
        async with dispatcher(Zone(), threads=1, timeout_seconds=0.05) as opened:
            hanging = asyncio.ensure_future(opened.dispatch(an_errand("http://hangs.test/")))
            await asyncio.sleep(0)
            waiting = await opened.dispatch(an_errand("http://healthy.test/"))

            assert isinstance(waiting, NotSent)
            assert waiting.is_of_destination
            assert isinstance(await hanging, Outcome)

    run(steps())


def test_a_name_that_hangs_fails_with_a_time_out() -> None:
    async def steps() -> None:
        async with dispatcher(Zone(), timeout_seconds=0.05) as opened:
            result = await opened.dispatch(an_errand("http://hangs.test/"))

            assert message(result) == (
                "Http Action - Request to host 'hangs.test' failed: "
                "Timeout The operation has timed out"
            )

    run(steps())


@pytest.mark.parametrize("name", ["healthy.test", "healthy.test.", "under_score.test"])
def test_the_target_sees_the_name_that_the_job_has_written(name: str) -> None:
    async def steps() -> None:
        async with target() as server, dispatcher(Zone()) as opened:
            result = await opened.dispatch(an_errand(server.url(host=name)))

            assert "'OK'" in message(result)
            assert server.received[0].header("host") == f"{name}:{server.port}"

    run(steps())


def test_a_certificate_is_checked_against_the_name(authority: Authority) -> None:
    async def steps() -> None:
        async with (
            target(tls=authority.server("healthy.test")) as server,
            dispatcher(Zone(), ca_file=authority.file) as opened,
        ):
            right = await opened.dispatch(an_errand(server.url(host="healthy.test")))
            wrong = await opened.dispatch(an_errand(server.url(host="other.test")))

            assert "'OK'" in message(right)
            assert "failed: TrustFailure" in message(wrong)

    run(steps())


def test_the_next_address_is_tried_if_the_first_does_not_answer() -> None:
    async def steps() -> None:
        zone = Zone(healthy=["127.0.0.9", "::1", HERE])
        async with target() as server, dispatcher(zone) as opened:
            result = await opened.dispatch(an_errand(server.url(host="healthy.test")))

            assert "'OK'" in message(result)

    run(steps())


def test_a_name_that_moves_is_followed_and_one_that_moves_to_a_denied_address_is_refused() -> None:
    async def steps() -> None:
        zone = Zone()
        closing = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        egress = parse_egress(None, "127.0.0.7", None)
        async with (
            target({"*": closing}) as first,
            target({"*": closing}, host="127.0.0.2") as second,
            dispatcher(zone, egress, kept=0) as opened,
        ):
            uri = first.url(host="moves.test")
            assert "'OK'" in message(await opened.dispatch(an_errand(uri)))

            zone.addresses["moves"] = ["127.0.0.7"]
            refused = message(await opened.dispatch(an_errand(uri)))
            assert "EgressDenied The request is not allowed: the address 127.0.0.7" in refused

            zone.addresses["moves"] = ["127.0.0.2"]
            uri = second.url(host="moves.test")
            assert "'OK'" in message(await opened.dispatch(an_errand(uri)))
            assert (len(first.received), len(second.received)) == (1, 1)

    run(steps())


def test_an_address_is_used_for_one_request_and_not_left_for_the_next() -> None:
    async def steps() -> None:
        zone = Zone(one=["127.0.0.2"], two=[HERE])
        async with target() as first, target(host="127.0.0.2") as second:
            async with dispatcher(zone) as opened:
                uris = [second.url(host="one.test"), first.url(host="two.test"), first.url()]
                for uri in uris * 2:
                    assert "'OK'" in message(await opened.dispatch(an_errand(uri)))

            assert (len(first.received), len(second.received)) == (4, 2)

    run(steps())


def test_closing_ends_attempts_whose_name_hangs() -> None:
    async def steps() -> None:
        zone = Zone()
        async with dispatcher(zone) as opened:
            attempt = asyncio.ensure_future(opened.dispatch(an_errand("http://hangs.test/")))
            await asyncio.sleep(0)
            await opened.close()

            assert "failed: RequestCanceled" in message(await attempt)

    run(steps())
