"""Where a request goes: a URI taken apart, so that everyone who looks at it sees the same place.

The URL handed to libcurl is put together again from the parts that were judged: a spelling that two
parsers read differently cannot lead past the egress rules.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.dispatch.egress.addresses import literal_address

_ORDINARY = re.compile(r"(https?://[A-Za-z0-9.:-]+)(/[!$-;=?-Z_a-z~]*)", re.ASCII)
# Scheme and authority, path, query; what follows is for browsers.
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:(?://[^/?#\\]*)?)([^?#]*)(\?[^#]*)?", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?", re.ASCII)
# What may stand in a path or query as it is; the rest is percent-encoded, as browsers do.
_KEPT = "%/?#[]@!$&'()*+,;=:~|^`{}\\"


class Target(Struct, frozen=True):
    """An absolute URL without user info and fragment, and the parts of it that rules speak of."""

    url: str
    scheme: str
    host: str
    port: int
    user_info: str | None = None

    def is_same_origin(self, other: "Target") -> bool:
        """Tell whether what is meant for one may be sent to the other."""
        return (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)


def read_target(uri: str) -> Target:
    """Take a URI apart; one that is no http or https address is Invalid."""
    match = _ORDINARY.fullmatch(uri)
    origin, place = match.groups() if match else _take_apart(uri)
    base = _read_origin(origin)
    return Target(base.url + place, base.scheme, base.host, base.port, base.user_info)


def read_redirect(location: str, base: Target) -> Target:
    """Take the address apart that an answer leads on to; what it says of a user is not believed."""
    try:
        uri = urljoin(base.url, location.strip())
    except ValueError:
        raise _not_an_address() from None
    target = read_target(uri)
    return Target(target.url, target.scheme, target.host, target.port)


def _take_apart(uri: str) -> tuple[str, str]:
    match = _URI.match(uri)
    if match is None:
        raise _not_an_address()
    origin, path, query = match.groups()
    place = f"{path or '/'}{query or ''}"
    return origin, quote(place, safe=_KEPT, encoding="utf-8", errors="replace")


@lru_cache(maxsize=1024)
def _read_origin(text: str) -> Target:
    """Take scheme and authority apart, the same for all addresses of a host."""
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
