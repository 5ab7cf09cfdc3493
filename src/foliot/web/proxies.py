"""The address of the client and the URL it called, also through proxies.

The server believes only proxies that the operator trusts. Each proxy appends the address it was
called from to X-Forwarded-For, so the list is read from the right: the first address that is not a
trusted proxy's is the client's; the client may have made up everything left of it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address

from msgspec import Struct
from starlette.types import Scope

from foliot.core.networks import Networks
from foliot.web.headers import all_of, header

Address = IPv4Address | IPv6Address

_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?", re.ASCII)
_PORT = re.compile(r"(?P<v4>[\d.]+):\d+|\[(?P<v6>[0-9A-Fa-f:.]+)\](?::\d+)?", re.ASCII)
_UNKNOWN = "unknown"
# The owner of an IPv6 address usually has the whole network around it.
_IPV6_NETWORK_BITS = 64


class Caller(Struct, frozen=True):
    """The address of a client, and the scheme and host (with its port) that it called."""

    client: str
    scheme: str
    host: str


def caller(scope: Scope, trusted: Networks) -> Caller:
    """Return who made a request, and which scheme and host they called."""
    peer: str = (scope.get("client") or (_UNKNOWN,))[0]
    server = scope.get("server")
    # Some servers give a list, which the cache cannot hold.
    own = None if server is None else (server[0], server[1])
    direct = _direct(peer, scope["scheme"], header(scope, b"host"), own)
    address = _address(peer) if trusted else None
    if address is None or not _is_in(address, trusted):
        return direct
    scheme = _last(scope, b"x-forwarded-proto").lower()
    host = _last(scope, b"x-forwarded-host")
    return Caller(
        client=str(_client(address, all_of(scope, b"x-forwarded-for"), trusted)),
        scheme=scheme if scheme in {"http", "https"} else direct.scheme,
        host=host if host and _HOST.fullmatch(host) else direct.host,
    )


def base_url(called: Caller, *, public_url: str | None) -> str:
    """Return what links begin with: the operator's URL, or else the one that was called."""
    return public_url or f"{called.scheme}://{called.host}"


def source_of(client: str) -> str:
    """Return the IPv4 address, or the network of an IPv6 address, to count a client by."""
    address = _address(client)
    if isinstance(address, IPv6Address):
        return hex(int(address) >> (128 - _IPV6_NETWORK_BITS))
    return client if address is None else str(address)


def is_trusted(peer: str, trusted: Networks) -> bool:
    """Tell whether this is the address of a proxy that the operator trusts."""
    address = _address(peer) if trusted else None
    return address is not None and _is_in(address, trusted)


@lru_cache(maxsize=1024)
def _direct(peer: str, scheme: str, host: str, server: tuple[str, int | None] | None) -> Caller:
    """Return the caller of a request that came without a trusted proxy."""
    own = host if _HOST.fullmatch(host) else _authority(*(server or ("localhost", None)))
    return Caller(str(_address(peer) or peer), scheme, own)


def _authority(host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def _client(peer: Address, forwarded: list[str], trusted: Networks) -> Address:
    nearest = peer
    for text in _from_the_right(forwarded):
        address = _address(text)
        if address is None:
            break
        nearest = address
        if not _is_in(address, trusted):
            break
    return nearest


def _from_the_right(values: list[str]) -> Iterator[str]:
    return reversed([part.strip() for value in values for part in value.split(",")])


def _last(scope: Scope, name: bytes) -> str:
    """Return the value that the nearest proxy, the trusted one, added."""
    return next(_from_the_right(all_of(scope, name)), "")


@lru_cache(maxsize=1024)
def _address(text: str) -> Address | None:
    with_port = _PORT.fullmatch(text)
    if with_port is not None:
        text = with_port["v4"] or with_port["v6"]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # A socket that takes both families shows IPv4 callers as ::ffff:a.b.c.d.
    return getattr(address, "ipv4_mapped", None) or address


def _is_in(address: Address, trusted: Networks) -> bool:
    return any(address in network for network in trusted)
