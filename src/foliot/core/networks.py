"""Internet networks, and which addresses are this machine's own."""

from ipaddress import IPv4Network, IPv6Network, ip_address

Networks = tuple[IPv4Network | IPv6Network, ...]


def is_loopback(host: str) -> bool:
    """Tell whether a name or address is this machine's own, unreachable from others."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
