import pytest

from foliot.core.errand import Outcome
from foliot.dispatch import EgressRules, parse_egress
from tests.contract.dispatch.harness import an_errand, dispatcher, run
from tests.contract.dispatch.target import Target, target


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
