"""Internet addresses, seen through the spellings and wrappings they may come in."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Each carries an IPv4 address in its last 32 bits: NAT64 (RFC 6052, RFC 8215), and what was once
# "IPv4-compatible" (RFC 4291, 2.5.5.1).
_ENDS_IN_IPV4 = (
    IPv6Network("64:ff9b::/96"),
    IPv6Network("64:ff9b:1::/48"),
    IPv6Network("::/96"),
)
_NOT_WRAPPED = (IPv6Address("::"), IPv6Address("::1"))
# All that is routed on the internet; the rest of the space is local, reserved or multicast.
_GLOBAL_UNICAST = IPv6Network("2000::/3")


def literal_address(host: str) -> Address | None:
    """Read a host that is an address, also an IPv4 one in octal, hexadecimal or fewer parts."""
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeError):
        return _ipv6(host)


def _ipv6(host: str) -> Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None


def faces(address: Address) -> tuple[Address, ...]:
    """Return an address with all those that a packet sent to it may end up at."""
    return (address, *_wrapped(address))


def is_public(address: Address) -> bool:
    """Tell whether an address, or else the one wrapped in it, is reached through the internet."""
    return all(_is_global(face) for face in _wrapped(address) or (address,))


def is_this_machines(address: Address) -> bool:
    """Tell whether a connection to this address stays on this machine."""
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _wrapped(address: Address) -> tuple[Address, ...]:
    if isinstance(address, IPv4Address) or address in _NOT_WRAPPED:
        return ()
    if address.teredo is not None:
        return address.teredo
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and any(address in network for network in _ENDS_IN_IPV4):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return () if inner is None else (inner,)


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast
