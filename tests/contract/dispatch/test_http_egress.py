import pytest

from foliot.core.model.attempt import Outcome
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from tests.contract.dispatch.target import Received, Target, target
from tests.support.dispatch_harness import an_errand, dispatcher, run


def attempt(
    uri: str, egress: EgressRules, server_host: str = "127.0.0.1"
) -> tuple[Outcome, Target]:
    """Send a request for a real target whose port stands for PORT."""

    async def steps() -> tuple[Outcome, Target]:
        async with target(host=server_host) as server, dispatcher(egress) as opened:
            errand = an_errand(uri.replace("PORT", str(server.port)))
            return await opened.dispatch(errand), server

    return run(steps())


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST", "127.1", "0x7f.0.0.1", "0177.0.0.1"),
        *("2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "127%2e0%2e0%2e1"),
        "\uff11\uff12\uff17.0.0.1",
    ],
)
def test_a_denied_address_is_not_connected_to_however_it_is_written(host: str) -> None:
    outcome, server = attempt(f"http://{host}:PORT/", parse_egress(None, "127.0.0.0/8 ::1", None))

    assert not outcome.succeeded
    assert "failed: EgressDenied The request is not allowed: the address " in outcome.message
    assert "is denied by '127.0.0.0/8' in FOLIOT_EGRESS_DENY" in outcome.message or (
        "is denied by '::1'" in outcome.message
    )
    assert server.connections == 0


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "[::ffff:127.0.0.1]"])
def test_an_allowed_address_is_connected_to_however_it_is_written(host: str) -> None:
    outcome, _ = attempt(f"http://{host}:PORT/", EgressRules())

    assert outcome.succeeded


def test_a_name_is_let_pass_and_its_address_is_not() -> None:
    egress = parse_egress("*.example", None, "public-only")

    outcome, server = attempt("http://localhost:PORT/", egress)

    assert "is not public, and FOLIOT_EGRESS=public-only" in outcome.message
    assert server.connections == 0


def test_a_name_that_is_denied_is_not_even_resolved() -> None:
    outcome, _ = attempt("http://blocked.invalid/", parse_egress(None, "*.invalid", None))

    assert outcome.message == (
        "Http Action - Request to host 'blocked.invalid' failed: EgressDenied The request is not "
        "allowed: blocked.invalid, port 80, is denied by '*.invalid' in FOLIOT_EGRESS_DENY."
    )


def test_a_private_neighbour_that_is_named_is_reached_in_public_only_mode() -> None:
    outcome, _ = attempt("http://localhost:PORT/", parse_egress("localhost", None, "public-only"))

    assert outcome.succeeded


@pytest.mark.parametrize("listens_on", ["127.0.0.1", "0.0.0.0"])  # noqa: S104  (never bound)
@pytest.mark.parametrize("called", ["127.0.0.1", "0.0.0.0", "localhost"])  # noqa: S104  (as above)
def test_foliots_own_listener_is_not_called(called: str, listens_on: str) -> None:
    async def steps() -> tuple[Outcome, int]:
        async with target() as server:
            egress = parse_egress(None, None, None, [(listens_on, server.port)])
            async with dispatcher(egress) as opened:
                errand = an_errand(f"http://{called}:{server.port}/")
                return await opened.dispatch(errand), server.connections

    outcome, connections = run(steps())

    assert "where Foliot itself listens, which is denied unless" in outcome.message
    assert connections == 0


def test_with_a_proxy_names_and_literal_addresses_are_judged() -> None:
    async def steps() -> list[str]:
        async with target() as proxy:
            egress = parse_egress(None, "denied.example", "public-only")
            async with dispatcher(egress, proxy=proxy.url("")) as opened:
                uris = ("http://denied.example/", "http://10.0.0.1/", "http://fine.example/")
                for uri in uris:
                    await opened.dispatch(an_errand(uri))
            return proxy.paths

    assert run(steps()) == ["http://fine.example/"]


@pytest.mark.parametrize(
    "host", ["localhost", "deep.localhost", "127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "0"]
)
def test_a_request_to_this_machine_does_not_reach_a_proxy(host: str) -> None:
    async def steps() -> tuple[str, list[str], list[str]]:
        async with (
            target() as proxy,
            target() as server,
            dispatcher(proxy=proxy.url("")) as opened,
        ):
            outcome = await opened.dispatch(an_errand(server.url(host=host)))
            return outcome.message, proxy.paths, server.paths

    message, through_proxy, direct = run(steps())

    assert "'OK'" in message
    assert (through_proxy, direct) == ([], ["/"])


def test_a_request_to_this_machine_is_judged_by_its_address_also_with_a_proxy() -> None:
    async def steps() -> tuple[str, list[str]]:
        egress = parse_egress(None, None, "public-only")
        async with target() as proxy, dispatcher(egress, proxy=proxy.url("")) as opened:
            outcome = await opened.dispatch(an_errand(proxy.url(host="localhost")))
            return outcome.message, proxy.paths

    message, paths = run(steps())

    assert "EgressDenied" in message
    assert "is not public" in message
    assert paths == []


def test_what_a_job_says_to_a_proxy_is_not_sent() -> None:
    async def steps() -> Received:
        async with target() as proxy, dispatcher(proxy=proxy.url("")) as opened:
            headers = {"Proxy-Authorization": "Basic x", "proxy-connection": "close"}
            await opened.dispatch(an_errand("http://away.test/", headers=headers))
            return proxy.received[0]

    received = run(steps())

    assert received.header("proxy-authorization") is None
    assert received.header("proxy-connection") in (None, "Keep-Alive")
