"""Which connections there may be, and which one goes for another."""

import asyncio
import resource
from collections.abc import Callable
from ipaddress import ip_network

import pytest

from foliot.web.server.connection_limits import Connection, Connections, limited_connections

HERE = "192.0.2.1"


class Scene:
    """Connections that note who had to go."""

    def __init__(self, most: int = 8, most_of_one: int = 100, trusted: str | None = None) -> None:
        networks = () if trusted is None else (ip_network(trusted),)
        self.all = Connections(lambda: most, most_of_one=most_of_one, trusted=networks)
        self.gone: list[str] = []

    def take(self, name: str, peer: str = HERE) -> Connection:
        connection = self.all.admit(peer)
        assert connection is not None
        connection.abort = lambda: self.gone.append(name)
        return connection

    def is_refused(self, peer: str = HERE) -> bool:
        async def admit() -> Connection | None:
            return self.all.admit(peer)

        return asyncio.run(admit()) is None


def test_an_address_has_at_most_half_of_all_connections() -> None:
    scene = Scene(most=8)
    for number in range(4):
        scene.take(str(number)).work()

    assert scene.is_refused()
    assert not scene.is_refused("192.0.2.2")


def test_an_address_has_no_more_than_its_limit() -> None:
    scene = Scene(most=100, most_of_one=2)
    first = scene.take("first")
    first.work()
    scene.take("second").work()

    assert scene.is_refused()
    first.end()
    assert not scene.is_refused()


def test_the_connection_of_the_address_that_has_waited_longest_goes_first() -> None:
    scene = Scene(most=100, most_of_one=3)
    scene.take("another", "192.0.2.2")
    first, second, third = (scene.take(name) for name in ("first", "second", "third"))
    first.work()
    first.wait()
    second.work()

    scene.take("fourth")
    scene.take("fifth")

    assert scene.gone == ["third", "first"]
    # What a connection does after it had to go counts no more.
    third.wait()
    third.end()
    scene.take("sixth")
    assert scene.gone == ["third", "first", "fourth"]


def test_when_all_are_taken_the_one_that_has_waited_longest_goes_whosever_it_is() -> None:
    scene = Scene(most=4)
    for number in range(4):
        scene.take(str(number), f"192.0.2.{number}")

    scene.take("new", "192.0.2.9")

    assert scene.gone == ["0"]


def test_requests_are_not_given_up_for_new_connections() -> None:
    scene = Scene(most=4)
    for number in range(4):
        scene.take(str(number), f"192.0.2.{number}").work()

    assert scene.is_refused("192.0.2.9")
    scene.all.relieve()
    assert scene.gone == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("2001:db8::1", "2001:db8::ffff:1"), ("::ffff:192.0.2.1", "192.0.2.1")],
    ids=["a network of IPv6", "IPv4 on a socket of both kinds"],
)
def test_two_ways_to_write_a_source_are_one_source(one: str, other: str) -> None:
    scene = Scene(most=100, most_of_one=1)
    scene.take("one", one).work()

    assert scene.is_refused(other)
    assert not scene.is_refused("2001:db8:0:1::1")


def test_a_trusted_proxy_may_have_all_connections() -> None:
    scene = Scene(most=4, most_of_one=1, trusted="192.0.2.0/24")
    for number in range(4):
        scene.take(str(number)).work()

    assert scene.is_refused()


def test_refusals_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(most=100, most_of_one=1)
    scene.take("first").work()

    async def knock() -> None:
        assert scene.all.admit(HERE) is None
        assert scene.all.admit(HERE) is None

    asyncio.run(knock())

    assert caplog.messages == [f"Connection refused reason={HERE} has 1 open already"]


@pytest.mark.parametrize(
    ("limit", "most"), [(40, 10), (resource.RLIM_INFINITY, 30)], ids=["few", "no limit"]
)
def test_half_of_all_descriptors_are_for_connections(
    limit: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: Callable[[int], tuple[int, int]] = lambda _: (limit, limit)  # noqa: E731  (a fake)
    monkeypatch.setattr(resource, "getrlimit", limits)
    connections = limited_connections(most_of_one=30, trusted=())

    async def count() -> int:
        admitted = 0
        while (connection := connections.admit(HERE)) is not None:
            connection.work()
            admitted += 1
        return admitted

    assert asyncio.run(count()) == most
