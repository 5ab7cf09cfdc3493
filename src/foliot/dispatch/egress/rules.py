"""Decides whether a destination is allowed.

A destination is checked twice: its name before that is resolved, and its address before the
connection, so that a name cannot lead to an address that would be refused. In this order:

1. An entry of the deny list refuses it, whatever the other rules say.
2. An entry of the allow list that names a host or a network allows it.
3. The mode refuses it: `public-only` what is not on the internet, `listed-only` what is not on the
   allow list. Entries that name no single host (`*.example.com`, `:443`) count in this step only.
4. Destinations that no job needs are refused: link-local addresses, the metadata services of
   clouds, and the port Foliot itself listens on.
5. Everything else is allowed.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from ipaddress import ip_network

from msgspec import Struct

from foliot.dispatch.egress.addresses import (
    Address,
    Network,
    faces,
    is_public,
    is_this_machines,
    is_wholly_in,
    literal_address,
)

ALLOW, DENY, MODE = "FOLIOT_EGRESS_ALLOW", "FOLIOT_EGRESS_DENY", "FOLIOT_EGRESS"


class EgressMode(StrEnum):
    """What the mode refuses, besides the deny list."""

    OPEN = "open"
    PUBLIC_ONLY = "public-only"
    LISTED_ONLY = "listed-only"


class EgressEntry(Struct, frozen=True, kw_only=True):
    """An entry of a list: a network, a host or any host, at some ports or all; and its text."""

    text: str
    network: Network | None = None
    host: str | None = None
    ports: range | None = None

    @property
    def names_one(self) -> bool:
        """Whether it names a network or a single host: only such an entry overrides step 4."""
        return self.network is not None or (self.host is not None and "*" not in self.host)


class Destination(Struct, frozen=True):
    """The host and port of a request, and its address once that is known."""

    host: str
    port: int
    address: Address | None = None


class Listener(Struct, frozen=True):
    """An address and port that Foliot itself listens on."""

    address: Address
    port: int


class EgressRules(Struct, frozen=True, kw_only=True):
    """The rules of a server; `own` are its listeners."""

    allow: tuple[EgressEntry, ...] = ()
    deny: tuple[EgressEntry, ...] = ()
    mode: EgressMode = EgressMode.OPEN
    own: tuple[Listener, ...] = ()

    def refusal_of_name(self, host: str, port: int) -> str | None:
        """Return which rule refuses a name before it is resolved; None allows it."""
        destination = Destination(host, port, literal_address(host))
        return self._refusal(destination, (_denied, _metadata_name))

    def refusal(self, host: str, port: int, address: Address | None) -> str | None:
        """Return which rule refuses a connection; None allows it.

        Without an address, which only a proxy learns, the rules about addresses do not apply.
        """
        destination = Destination(host, port, address or literal_address(host))
        return self._refusal(destination, _ALL_RULES)

    def _refusal(self, destination: Destination, rules: "Iterable[_Rule]") -> str | None:
        return next((text for rule in rules if (text := rule(self, destination))), None)


def matches(entry: EgressEntry, destination: Destination, *, wholly: bool = False) -> bool:
    """Tell whether an entry matches a destination.

    With `wholly`, all addresses that a packet may be delivered to must be in the entry's network:
    an embedded address must not become allowed together with the outer one.
    """
    if entry.ports is not None and destination.port not in entry.ports:
        return False
    if entry.network is not None and wholly:
        return destination.address is not None and is_wholly_in(destination.address, entry.network)
    if entry.network is not None:
        return _is_in(destination.address, entry.network)
    return entry.host is None or _is_host(destination.host.rstrip("."), entry.host)


_Rule = Callable[[EgressRules, Destination], str | None]

_LINK_LOCAL = (ip_network("169.254.0.0/16"), ip_network("fe80::/10"))
# The metadata services of clouds, besides link-local addresses: AWS (all its services),
# Google, Alibaba, Azure's wire server, Oracle (IPv4 and IPv6), Scaleway.
_METADATA = tuple(
    ip_network(address)
    for address in (
        *("fd00:ec2::/32", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
        *("fd00:c1::a9fe:a9fe", "fd00:42::42"),
    )
)
_METADATA_NAMES = frozenset(
    {
        *("metadata", "metadata.google.internal", "metadata.goog", "metadata.azure.internal"),
        *("instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com"),
        *("api.metadata.cloud.ibm.com", "metadata.platformequinix.com", "metadata.packet.net"),
    }
)


def _is_in(address: Address | None, network: Network) -> bool:
    return address is not None and any(face in network for face in faces(address))


def _is_host(host: str, pattern: str) -> bool:
    if pattern == "*":
        return True
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _denied(rules: EgressRules, destination: Destination) -> str | None:
    for entry in rules.deny:
        if matches(entry, destination):
            return f"{_shown(destination)} is denied by '{entry.text}' in {DENY}"
    return None


def _is_allowed(rules: EgressRules, destination: Destination, *, by_name: bool) -> bool:
    return any(
        matches(entry, destination, wholly=True)
        for entry in rules.allow
        if entry.names_one or not by_name
    )


def _restricted(rules: EgressRules, destination: Destination) -> str | None:
    if rules.mode is EgressMode.OPEN or _is_allowed(rules, destination, by_name=False):
        return None
    if rules.mode is EgressMode.LISTED_ONLY:
        return f"{_shown(destination)} is not in {ALLOW}, and {MODE}={rules.mode}"
    if destination.address is None or is_public(destination.address):
        return None
    return f"{_shown(destination)} is not public, and {MODE}={rules.mode}"


def _metadata_name(rules: EgressRules, destination: Destination) -> str | None:
    if destination.host.rstrip(".") not in _METADATA_NAMES:
        return None
    return _unless_named(rules, destination, "the metadata service of a cloud")


def _link_local(rules: EgressRules, destination: Destination) -> str | None:
    if not any(_is_in(destination.address, network) for network in _LINK_LOCAL):
        return None
    return _unless_named(rules, destination, "link-local")


def _metadata(rules: EgressRules, destination: Destination) -> str | None:
    if not any(_is_in(destination.address, network) for network in _METADATA):
        return None
    return _unless_named(rules, destination, "the metadata service of a cloud")


def _own_listener(rules: EgressRules, destination: Destination) -> str | None:
    if not any(_is_listener(destination, listener) for listener in rules.own):
        return None
    return _unless_named(rules, destination, "where Foliot itself listens")


def _is_listener(destination: Destination, listener: Listener) -> bool:
    if destination.address is None or destination.port != listener.port:
        return False
    if listener.address.is_unspecified:
        return any(is_this_machines(face) for face in faces(destination.address))
    # The system connects 0.0.0.0 and :: to this machine.
    return any(
        face == listener.address or face.is_unspecified for face in faces(destination.address)
    )


def _unless_named(rules: EgressRules, destination: Destination, what: str) -> str | None:
    if _is_allowed(rules, destination, by_name=True):
        return None
    return f"{_shown(destination)} is {what}, which is denied unless {ALLOW} names it"


def _shown(destination: Destination) -> str:
    address, port = destination.address, destination.port
    if address is None:
        return f"{destination.host}, port {port},"
    return f"the address {address}, port {port},"


_ALL_RULES: tuple[_Rule, ...] = (
    _denied,
    _restricted,
    _metadata_name,
    _link_local,
    _metadata,
    _own_listener,
)
