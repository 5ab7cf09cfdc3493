"""Reads addresses in all their spellings, and finds the addresses embedded in others."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# These have an IPv4 address in their last 32 bits: the former "IPv4-compatible" (RFC 4291, 2.5.5.1)
# and "IPv4-translated" (RFC 2765) addresses.
_ENDS_IN_IPV4 = (IPv6Network("::/96"), IPv6Network("::ffff:0:0:0/96"))
# NAT64 (RFC 6052, RFC 8215): the length of the prefix decides where the IPv4 address is.
_NAT64 = IPv6Network("64:ff9b::/32")
_NAT64_WELL_KNOWN = IPv6Network("64:ff9b::/96")
_NAT64_PREFIXES = (32, 40, 48, 56, 64, 96)
# ISATAP (RFC 5214): 0:5efe or 200:5efe before the address, under any prefix.
_ISATAP = 0x5EFE
_ISATAP_MASK = 0xFCFFFFFF
_THIS_NETWORK = IPv4Network("0.0.0.0/8")
_NOT_WRAPPED = (IPv6Address("::"), IPv6Address("::1"))
# All addresses routed on the internet; the rest of the space is local, reserved or multicast.
_GLOBAL_UNICAST = IPv6Network("2000::/3")


def literal_address(host: str) -> Address | None:
    """Parse a host that is an address, also IPv4 in octal, hexadecimal or fewer parts."""
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
    """Return an address and all addresses that a packet to it may be delivered to."""
    return (address, *_embedded(address))


def is_public(address: Address) -> bool:
    """Tell whether an address, or the addresses embedded in it, are on the public internet."""
    embedded = _embedded(address)
    # A packet to an ISATAP address may be delivered to either address.
    asked = (address, *embedded) if _is_isatap(address) else embedded or (address,)
    return all(_is_global(face) for face in asked)


def is_wholly_in(address: Address, network: Network) -> bool:
    """Tell whether all addresses that a packet may be delivered to are in a network."""
    embedded = _embedded(address)
    return address in network or (bool(embedded) and all(face in network for face in embedded))


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


def _embedded(address: Address) -> tuple[Address, ...]:
    if isinstance(address, IPv4Address) or address in _NOT_WRAPPED:
        return ()
    if address.teredo is not None:
        return address.teredo
    if address in _NAT64:
        return _translated(address)
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and (
        _is_isatap(address) or any(address in network for network in _ENDS_IN_IPV4)
    ):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return () if inner is None else (inner,)


def _is_isatap(address: Address) -> bool:
    return address.version == 6 and (int(address) >> 32) & _ISATAP_MASK == _ISATAP  # noqa: PLR2004  (IPv6)


def _translated(address: IPv6Address) -> tuple[Address, ...]:
    """List the addresses for each length of prefix: that of the network's translator is unknown."""
    if address in _NAT64_WELL_KNOWN:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    packed = address.packed
    found: list[Address] = []
    for length in _NAT64_PREFIXES:
        # The ninth byte is left out (RFC 6052, 2.2).
        data = packed[length // 8 :] if length == 96 else packed[length // 8 : 8] + packed[9:]  # noqa: PLR2004
        inner = IPv4Address(data[:4])
        if inner not in _THIS_NETWORK:
            found.append(inner)
    return tuple(dict.fromkeys(found))


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast
