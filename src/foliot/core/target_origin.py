"""Normalizes the origin of a URI, so that requests to one server count together.

It is no security check: the egress rules check the address of each connection.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PARTS, _LARGEST = 4, 0xFF


def origin_of_uri(uri: str) -> str:
    """Return scheme, host and port in one spelling; a text that is no URI in lower case."""
    scheme, mark, rest = uri.partition("://")
    # Cut off the path before the cached function: origins are few, URIs many.
    authority = rest
    for end in "/?#\\":
        authority = authority.partition(end)[0]
    return _normal(f"{scheme}{mark}{authority}")


@lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return text.lower()
    scheme = parts.scheme.lower()
    return f"{scheme}://{host}:{port if port is not None else _DEFAULT_PORTS.get(scheme, '')}"


def _host(given: str) -> str:
    host = unquote(given).lower().rstrip(".")
    if not host.isascii():
        host = host.encode("idna").decode()
    address = _ipv4(host) or _ipv6(host)
    return host if address is None else str(address)


def _ipv6(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _ipv4(host: str) -> IPv4Address | None:
    """Read an address in one to four parts, each decimal, octal or hexadecimal (inet_aton)."""
    texts = host.split(".")
    if len(texts) > _PARTS:
        return None
    try:
        *first, last = [_number(text) for text in texts]
        number = sum(part << (8 * (3 - place)) for place, part in enumerate(first))
        if any(part > _LARGEST for part in first) or last >= 1 << (8 * (_PARTS - len(first))):
            return None
        return IPv4Address(number + last)
    except ValueError:
        return None


def _number(text: str) -> int:
    if not text.isalnum():
        raise ValueError(text)
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)
