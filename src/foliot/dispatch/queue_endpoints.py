"""The addresses of storage accounts and service bus namespaces.

Their hosts are names under a suffix of their cloud. An operator may set other addresses for some of
them, such as an emulator's; only those may use plain HTTP or AMQP.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct

from foliot.core.errors import Invalid, shown, wrong

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_SUFFIX = re.compile(rf"{_LABEL.pattern}(?:\.{_LABEL.pattern})+", re.ASCII)
# https://learn.microsoft.com/rest/api/storageservices/naming-queues-and-metadata
_QUEUE_NAME = re.compile(r"[a-z0-9](?:-?[a-z0-9]){2,62}", re.ASCII)
_MAX_NAME_CHARACTERS = 63
QUEUE_NAME_RULE = "3 to 63 lower-case letters, digits and single hyphens"
_SUFFIX_EXAMPLE = "a domain such as core.windows.net"


class Endpoints(Struct, frozen=True, kw_only=True):
    """A pattern for hosts, and the base addresses that an operator has set for some names."""

    what: str
    pattern: str
    placed: Mapping[str, str] = {}

    def base_of(self, name: str, scheme: str = "https") -> str:
        """Return the base address of an account or namespace.

        An address that an operator has set brings its own scheme.
        """
        folded = name.lower()
        found = self.placed.get(folded)
        if found is not None:
            return found
        if not _LABEL.fullmatch(folded):
            raise Invalid((), f"{shown(name)} is not the name of a {self.what}")
        return f"{scheme}://{self.pattern.format(folded)}"

    def host_of(self, name: str) -> str | None:
        """Return the host of an account or namespace; None if the name cannot be one."""
        try:
            return urlsplit(self.base_of(name)).hostname
        except Invalid:
            return None


def storage_endpoints(suffix: str | None = None, placed: str | None = None) -> Endpoints:
    """Read FOLIOT_STORAGE_SUFFIX and FOLIOT_STORAGE_ENDPOINTS."""
    domain = _suffix(suffix or "core.windows.net", "FOLIOT_STORAGE_SUFFIX")
    return Endpoints(
        what="storage account",
        pattern=f"{{}}.queue.{domain}",
        placed=_placed(placed, "FOLIOT_STORAGE_ENDPOINTS", ("http", "https")),
    )


def bus_endpoints(suffix: str | None = None, placed: str | None = None) -> Endpoints:
    """Read FOLIOT_SERVICEBUS_SUFFIX and FOLIOT_SERVICEBUS_ENDPOINTS."""
    domain = _suffix(suffix or "servicebus.windows.net", "FOLIOT_SERVICEBUS_SUFFIX")
    return Endpoints(
        what="service bus namespace",
        pattern=f"{{}}.{domain}",
        placed=_placed(placed, "FOLIOT_SERVICEBUS_ENDPOINTS", ("http", "https", "amqp", "amqps")),
    )


def is_queue_name(name: str) -> bool:
    """Tell whether a storage queue can have this name."""
    return len(name) <= _MAX_NAME_CHARACTERS and _QUEUE_NAME.fullmatch(name) is not None


def _suffix(text: str, variable: str) -> str:
    domain = text.lower().strip(".")
    if not _SUFFIX.fullmatch(domain):
        raise wrong((variable,), text, _SUFFIX_EXAMPLE)
    return domain


def _placed(text: str | None, variable: str, schemes: Sequence[str]) -> Mapping[str, str]:
    if text is None:
        return {}
    try:
        given: object = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise Invalid(
            (variable,),
            f'is not a JSON object; give names and addresses: {{"name": "{schemes[0]}://host"}}.',
        )
    entries = cast("dict[str, object]", given)
    return {name.lower(): _base(url, variable, name, schemes) for name, url in entries.items()}


def _base(url: object, variable: str, name: str, schemes: Sequence[str]) -> str:
    expected = f"an address that begins with {', '.join(f'{each}://' for each in schemes)}"
    if not isinstance(url, str) or "@" in url:
        raise Invalid((variable, name), f"is not an address without a user; give {expected}.")
    try:
        parts = urlsplit(url)
        good = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good, parts = False, urlsplit("")
    if not good or parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise wrong((variable, name), url, expected)
    return url.rstrip("/")
