"""Reads the egress rules as an operator writes them."""

import re
from collections.abc import Iterable
from ipaddress import ip_network

from foliot.core.errors import Invalid, wrong
from foliot.dispatch.egress.addresses import Network, literal_address
from foliot.dispatch.egress.rules import (
    ALLOW,
    DENY,
    MODE,
    EgressEntry,
    EgressMode,
    EgressRules,
    Listener,
)

_MAX_PORT = 65_535
_EXPECTED = (
    "an address or network (10.0.0.0/8, [fd00::/8]:443), a host (api.example.com, *.example.com), "
    "or a port (:25, :8000-8100)"
)
_SPLIT = re.compile(
    r"(?:\[(?P<bracketed>[^\]]*)\]|(?P<plain>[^:\[\]]*))(?::(?P<ports>[0-9-]+))?", re.ASCII
)
_HOST = re.compile(r"\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_-]+)*", re.ASCII)
_NUMERIC = re.compile(r"[0-9./]+")


def parse_egress(
    allow: str | None, deny: str | None, mode: str | None, own: Iterable[tuple[str, int]] = ()
) -> EgressRules:
    """Read both lists, with commas or spaces between entries, and the mode.

    `own` are the addresses and ports that Foliot listens on.
    """
    return EgressRules(
        allow=_entries(ALLOW, allow),
        deny=_entries(DENY, deny),
        mode=_mode(mode),
        own=listeners(own),
    )


def listeners(own: Iterable[tuple[str, int]]) -> tuple[Listener, ...]:
    """Read the addresses that Foliot listens on, as its sockets report them."""
    found = ((literal_address(host), port) for host, port in own)
    return tuple(Listener(address, port) for address, port in found if address is not None)


def _mode(text: str | None) -> EgressMode:
    try:
        return EgressMode((text or EgressMode.OPEN).lower())
    except ValueError:
        raise wrong((MODE,), text, f"one of {', '.join(EgressMode)}") from None


def _entries(variable: str, text: str | None) -> tuple[EgressEntry, ...]:
    return tuple(_entry(variable, part) for part in (text or "").replace(",", " ").split())


def _entry(variable: str, text: str) -> EgressEntry:
    whole = _network(text)
    if whole is not None:
        return EgressEntry(text=text, network=whole)
    match = _SPLIT.fullmatch(text.lower())
    if match is None or not any(match.groups()):
        raise _wrong_entry(variable, text)
    ports = match["ports"] and _ports(variable, text, match["ports"])
    place = match["bracketed"] or match["plain"]
    if not place:
        return EgressEntry(text=text, ports=ports or None)
    network = _network(place)
    if network is not None:
        return EgressEntry(text=text, network=network, ports=ports or None)
    return EgressEntry(text=text, host=_host(variable, text, place), ports=ports or None)


def _network(text: str) -> Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None


def _host(variable: str, text: str, place: str) -> str:
    host = place.rstrip(".")
    if _NUMERIC.fullmatch(host) or not _HOST.fullmatch(host):
        raise _wrong_entry(variable, text, _near_miss(place))
    return host


def _ports(variable: str, text: str, given: str) -> range:
    first, dash, last = given.partition("-")
    numbers = (first, last if dash else first)
    if not all(number.isdigit() and 1 <= int(number) <= _MAX_PORT for number in numbers):
        raise _wrong_entry(variable, text, f"ports are numbers from 1 to {_MAX_PORT}")
    found = range(int(numbers[0]), int(numbers[1]) + 1)
    if not found:
        raise _wrong_entry(variable, text, "the first port of a range is the lower one")
    return found


def _near_miss(place: str) -> str | None:
    if place.isdigit():
        return f"a port is written :{place}"
    try:
        return f"the network is written {ip_network(place, strict=False)}"
    except ValueError:
        return None


def _wrong_entry(variable: str, text: str, hint: str | None = None) -> Invalid:
    return wrong((variable,), text, _EXPECTED if hint is None else f"{_EXPECTED}; {hint}")
