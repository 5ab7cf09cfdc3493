from ipaddress import ip_network
from typing import Any

import pytest

from foliot.web.proxies import Caller, base_url, caller

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("::1/128"))


def scope(peer: str | None = "10.0.0.1", **headers: str) -> dict[str, Any]:
    given = {"host": "foliot:8080", **headers}
    return {
        "type": "http",
        "scheme": "http",
        "client": peer and (peer, 5000),
        "server": ("127.0.0.1", 8080),
        "headers": [
            (name.replace("_", "-").encode(), text.encode()) for name, text in given.items()
        ],
    }


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("1.1.1.1, 203.0.113.7", "203.0.113.7"),
        ("1.1.1.1, 203.0.113.7, 10.0.0.9", "203.0.113.7"),
        ("10.0.0.8,10.0.0.9", "10.0.0.8"),
        ("203.0.113.7, rubbish, 10.0.0.9", "10.0.0.9"),
        ("rubbish", "10.0.0.1"),
        ("", "10.0.0.1"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
    ids=[
        *("one proxy", "the caller lies", "two proxies", "proxies alone", "rubbish in between"),
        *("rubbish", "empty", "with a port", "IPv6 with a port", "IPv6 in brackets", "IPv6"),
        "IPv4 in IPv6",
    ],
)
def test_the_client_is_the_rightmost_address_that_is_not_a_trusted_proxys(
    forwarded: str, client: str
) -> None:
    assert caller(scope(x_forwarded_for=forwarded), TRUSTED).client == client


def test_headers_that_come_several_times_are_one_list() -> None:
    request = scope()
    request["headers"] += [(b"x-forwarded-for", b"1.1.1.1"), (b"x-forwarded-for", b"10.0.0.3")]

    assert caller(request, TRUSTED).client == "1.1.1.1"


def test_what_a_stranger_forwards_is_ignored() -> None:
    request = scope(
        "203.0.113.7",
        x_forwarded_for="1.1.1.1",
        x_forwarded_proto="https",
        x_forwarded_host="evil.example",
    )

    assert caller(request, TRUSTED) == Caller("203.0.113.7", "http", "foliot:8080")


def test_scheme_and_host_are_those_the_trusted_proxy_was_called_by() -> None:
    request = scope(x_forwarded_proto="HTTPS", x_forwarded_host="made-up, jobs.example.com")

    assert caller(request, TRUSTED) == Caller("10.0.0.1", "https", "jobs.example.com")


def test_a_scheme_or_host_that_cannot_be_is_ignored() -> None:
    request = scope(x_forwarded_proto="gopher", x_forwarded_host="a/b?c")

    assert caller(request, TRUSTED) == Caller("10.0.0.1", "http", "foliot:8080")


def test_a_peer_shown_as_ipv6_is_known_by_its_ipv4_address() -> None:
    request = scope("::ffff:10.0.0.1", x_forwarded_for="203.0.113.7")

    assert caller(request, TRUSTED).client == "203.0.113.7"
    assert caller(request, ()).client == "10.0.0.1"


@pytest.mark.parametrize(
    ("peer", "client"), [(None, "unknown"), ("testclient", "testclient")], ids=["none", "a name"]
)
def test_a_peer_without_an_address_is_never_trusted(peer: str | None, client: str) -> None:
    assert caller(scope(peer, x_forwarded_for="1.1.1.1"), TRUSTED).client == client


@pytest.mark.parametrize(
    ("server", "host"),
    [
        (("127.0.0.1", 8080), "127.0.0.1:8080"),
        (("::1", 8080), "[::1]:8080"),
        (("/run/socket", None), "/run/socket"),
        (None, "localhost"),
    ],
)
@pytest.mark.parametrize("header", ["", "a b"])
def test_without_a_good_host_header_the_servers_own_address_is_taken(
    header: str, server: object, host: str
) -> None:
    request = scope(host=header) | {"server": server}

    assert caller(request, ()).host == host


def test_links_begin_with_the_public_address_or_else_as_the_request_came_in() -> None:
    called = caller(scope(x_forwarded_proto="https"), TRUSTED)

    assert base_url(called, public_url=None) == "https://foliot:8080"
    assert base_url(called, public_url="https://h/s") == "https://h/s"
