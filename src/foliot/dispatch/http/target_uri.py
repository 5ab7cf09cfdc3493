"""Parses a URI once, so that the egress rules and libcurl see the same target.

The URL for libcurl is built from the parts that were checked: a spelling that two parsers read
differently cannot lead past the egress rules.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.dispatch.egress.addresses import literal_address

_ORDINARY = re.compile(r"(https?://[A-Za-z0-9.:-]+)(/[!$-;=?-Z_a-z~]*)", re.ASCII)
# Scheme and authority, path, query; the fragment is for browsers only.
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:(?://[^/?#\\]*)?)([^?#]*)(\?[^#]*)?", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?", re.ASCII)
# Characters that stay in a path or query; the rest is percent-encoded, as browsers do.
_KEPT = "%/?#[]@!$&'()*+,;=:~|^`{}\\"


class Target(Struct, frozen=True):
    """An absolute URL without user info and fragment, and the parts that rules check."""

    url: str
    scheme: str
    host: str
    port: int
    user_info: str | None = None

    def is_same_origin(self, other: "Target") -> bool:
        """Tell whether credentials for one may be sent to the other."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)


def read_target(uri: str) -> Target:
    """Parse a URI; one that is not http or https is Invalid."""
    match = _ORDINARY.fullmatch(uri)
    origin, place = match.groups() if match else _split(uri)
    base = _read_origin(origin)
    return Target(base.url + place, base.scheme, base.host, base.port, base.user_info)


def read_redirect(location: str, base: Target) -> Target:
    """Parse the Location of a redirect; user info in it is ignored."""
    try:
        uri = urljoin(base.url, location.strip())
    except ValueError:
        raise _not_an_address() from None
    target = read_target(uri)
    return Target(target.url, target.scheme, target.host, target.port)


def _split(uri: str) -> tuple[str, str]:
    match = _URI.match(uri)
    if match is None:
        raise _not_an_address()
    origin, path, query = match.groups()
    place = f"{path or '/'}{query or ''}"
    return origin, quote(place, safe=_KEPT, encoding="utf-8", errors="replace")


@lru_cache(maxsize=1024)
def _read_origin(text: str) -> Target:
    """Parse scheme and authority; cached, since a host has many URIs."""
    scheme = text.partition(":")[0].lower()
    default = _DEFAULT_PORTS.get(scheme)
    if default is None:
        raise Invalid((), f"'{scheme[:20]}' is not allowed; only http and https are")
    try:
        parts = urlsplit(text)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        raise _not_an_address() from None
    authority = f"[{host}]" if ":" in host else host
    if port not in (None, default):
        authority = f"{authority}:{port}"
    user_info = parts.netloc.rpartition("@")[0] or None
    url = f"{scheme}://{authority}"
    return Target(url, scheme, host, default if port is None else port, user_info)


def _host(given: str) -> str:
    host = unquote(given).lower() if "%" in given and ":" not in given else given
    if not host.isascii():
        host = host.encode("idna").decode()
    address = literal_address(host)
    if address is not None:
        return str(address)
    if not _NAME.fullmatch(host):
        raise ValueError(given)
    return host


def _not_an_address() -> Invalid:
    return Invalid((), "it is not an address such as https://example.com/path")
