"""How many connections may be open, and which idle one is closed for a new one."""

import asyncio
import resource
from collections.abc import Callable
from ipaddress import ip_network

import pytest

from foliot.web.server.connection_limits import (
    ClientConnection,
    ConnectionLimits,
    connection_limits,
)

HERE = "192.0.2.1"


class Scene:
    """Limited connections that note which of them were closed."""

    def __init__(self, most: int = 8, most_of_one: int = 100, trusted: str | None = None) -> None:
        networks = () if trusted is None else (ip_network(trusted),)
        self.limits = ConnectionLimits(lambda: most, most_of_one=most_of_one, trusted=networks)
        self.closed: list[str] = []

    def take(self, name: str, peer: str = HERE) -> ClientConnection:
        connection = self.limits.admit(peer)
        assert connection is not None
        connection.abort = lambda: self.closed.append(name)
        return connection

    def is_refused(self, peer: str = HERE) -> bool:
        async def admit() -> ClientConnection | None:
            return self.limits.admit(peer)

        return asyncio.run(admit()) is None


def test_an_address_has_at_most_half_of_all_connections() -> None:
    scene = Scene(most=8)
    for number in range(4):
        scene.take(str(number)).mark_busy()

    assert scene.is_refused()
    assert not scene.is_refused("192.0.2.2")


def test_an_address_has_no_more_than_its_limit() -> None:
    scene = Scene(most=100, most_of_one=2)
    first = scene.take("first")
    first.mark_busy()
    scene.take("second").mark_busy()

    assert scene.is_refused()
    first.mark_closed()
    assert not scene.is_refused()


def test_the_connection_of_the_address_that_has_been_idle_longest_is_closed_first() -> None:
    scene = Scene(most=100, most_of_one=3)
    scene.take("another", "192.0.2.2")
    first, second, third = (scene.take(name) for name in ("first", "second", "third"))
    first.mark_busy()
    first.mark_idle()
    second.mark_busy()

    scene.take("fourth")
    scene.take("fifth")

    assert scene.closed == ["third", "first"]
    # A closed connection no longer counts, whatever it does.
    third.mark_idle()
    third.mark_closed()
    scene.take("sixth")
    assert scene.closed == ["third", "first", "fourth"]


def test_when_all_are_taken_the_one_idle_longest_is_closed_whatever_its_address() -> None:
    scene = Scene(most=4)
    for number in range(4):
        scene.take(str(number), f"192.0.2.{number}")

    scene.take("new", "192.0.2.9")

    assert scene.closed == ["0"]


def test_a_busy_connection_is_not_closed_for_a_new_one() -> None:
    scene = Scene(most=4)
    for number in range(4):
        scene.take(str(number), f"192.0.2.{number}").mark_busy()

    assert scene.is_refused("192.0.2.9")
    scene.limits.close_idle()
    assert scene.closed == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("2001:db8::1", "2001:db8::ffff:1"), ("::ffff:192.0.2.1", "192.0.2.1")],
    ids=["a network of IPv6", "IPv4 on a socket of both kinds"],
)
def test_two_ways_to_write_a_source_are_one_source(one: str, other: str) -> None:
    scene = Scene(most=100, most_of_one=1)
    scene.take("one", one).mark_busy()

    assert scene.is_refused(other)
    assert not scene.is_refused("2001:db8:0:1::1")


def test_a_trusted_proxy_may_have_all_connections() -> None:
    scene = Scene(most=4, most_of_one=1, trusted="192.0.2.0/24")
    for number in range(4):
        scene.take(str(number)).mark_busy()

    assert scene.is_refused()


def test_refusals_are_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene(most=100, most_of_one=1)
    scene.take("first").mark_busy()

    async def knock() -> None:
        assert scene.limits.admit(HERE) is None
        assert scene.limits.admit(HERE) is None

    asyncio.run(knock())

    assert caplog.messages == [f"Connection refused reason={HERE} has 1 open already"]


@pytest.mark.parametrize(
    ("limit", "most"), [(40, 10), (resource.RLIM_INFINITY, 30)], ids=["few", "no limit"]
)
def test_half_of_all_descriptors_are_for_connections(
    limit: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    descriptors: Callable[[int], tuple[int, int]] = lambda _: (limit, limit)  # noqa: E731  (a fake)
    monkeypatch.setattr(resource, "getrlimit", descriptors)
    limits = connection_limits(most_of_one=30, trusted=())

    async def count() -> int:
        admitted = 0
        while (connection := limits.admit(HERE)) is not None:
            connection.mark_busy()
            admitted += 1
        return admitted

    assert asyncio.run(count()) == most
