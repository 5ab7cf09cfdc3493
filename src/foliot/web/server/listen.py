"""The listening socket, bound before the server starts so that an error is clear."""

import socket

from foliot.core.errors import CannotStart

_BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port."""
    family, address = _resolve(host, port)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # `::` accepts IPv4 as well, whatever the machine's default is.
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotStart(
            f"cannot listen on {host} port {port}: {error.strerror}; "
            "give another --host or --port, or FOLIOT_HOST or FOLIOT_PORT."
        ) from None
    return listener


def port_of(listener: socket.socket) -> int:
    """Return the port that a socket is bound to."""
    return listener.getsockname()[1]


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise CannotStart(f"cannot listen on {host}: {error.strerror}.") from None
    # If a name has addresses of both families, IPv4 is the one that every client tries.
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    return family, (str(address[0]), port)
